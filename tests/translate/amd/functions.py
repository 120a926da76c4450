"""Device functions with their types, for one program that calls each with many values."""

from __future__ import annotations

import random
import struct

COUNT = 512
# Letter -> type; a signature is "result:arguments".
TYPES = {
    "i": "int", "u": "unsigned", "l": "long long", "m": "unsigned long long", "f": "float",
    "d": "double", "h": "__half", "H": "__half2", "b": "__nv_bfloat16", "B": "__nv_bfloat162",
    "s": "short", "t": "unsigned short", "F": "float2", "c": "signed char", "C": "unsigned char",
    "v": "bool",
}  # fmt: skip
_ROUNDINGS = ("rn", "rz", "ru", "rd")
_WIDE = {"int": "i", "uint": "u", "ll": "l", "ull": "m"}
_ALL = {**_WIDE, "short": "s", "ushort": "t"}

_PAIRWISE = (
    "add sub addss addus subss subus avgs avgu haddu absdiffs absdiffu mins minu maxs maxu cmpeq"
    " cmpne seteq setne sads sadu"
)

Function = tuple[str, str]


def _many(names: str, signature: str) -> list[Function]:
    return [(name, signature) for name in names.split()]


def _simd() -> list[Function]:
    found: list[Function] = []
    for n in "24":
        found += [(f"__v{name}{n}", "u:uu") for name in _PAIRWISE.split()]
        found += [(f"__v{kind}{c}{s}{n}", "u:uu") for kind in ("cmp", "set")
                  for c in ("gt", "ge", "lt", "le") for s in "su"]  # fmt: skip
        found += [(f"__v{name}{n}", "u:u") for name in ("neg", "negss", "abs", "absss")]
    return found


def _integers() -> list[Function]:
    return [
        *_many("__clz __ffs abs", "i:i"), *_many("__clzll __ffsll", "i:l"), ("__popc", "i:u"),
        ("__popcll", "i:m"), ("__brev", "u:u"), ("__brevll", "m:m"), ("llabs", "l:l"),
        *_many("__mulhi __mul24 __hadd __rhadd min max", "i:ii"),
        *_many("__umulhi __umul24 __uhadd __urhadd umin umax min max", "u:uu"),
        *_many("__mul64hi llmin llmax max", "l:ll"), *_many("__umul64hi ullmin ullmax min", "m:mm"),
        ("__sad", "u:iiu"), *_many("__dp4a __dp2a_lo __dp2a_hi", "i:iii"),
        *_many("__usad __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc"
               " __funnelshift_rc __dp4a __dp2a_lo __dp2a_hi", "u:uuu"),
        *_many("min max", "u:iu"), *_many("min max", "u:ui"), *_many("min max", "m:lm"),
        *_many("min max", "m:ml"), *_many("min max", "f:ff"), *_many("min max", "d:dd"),
        *_many("min max", "d:fd"),
    ]  # fmt: skip


def _conversions() -> list[Function]:
    found: list[Function] = []
    for r in _ROUNDINGS:
        found.append((f"__double2float_{r}", "f:d"))
        for name, letter in _WIDE.items():
            found += [(f"__{f}2{name}_{r}", f"{letter}:{f[0]}") for f in ("float", "double")]
            found.append((f"__{name}2float_{r}", f"f:{letter}"))
            if letter in "lm" or r == "rn":
                found.append((f"__{name}2double_{r}", f"d:{letter}"))
    return [
        *found, *_many("__double2hiint __double2loint", "i:d"), ("__hiloint2double", "d:ii"),
        ("__float_as_int", "i:f"), ("__int_as_float", "f:i"), ("__double_as_longlong", "l:d"),
    ]  # fmt: skip


def _floats() -> list[Function]:
    found: list[Function] = []
    for r in _ROUNDINGS:
        found += _many(f"__fadd_{r} __fsub_{r} __fmul_{r} __fdiv_{r}", "f:ff")
        found += _many(f"__dadd_{r} __dsub_{r} __dmul_{r} __ddiv_{r}", "d:dd")
        found += _many(f"__frcp_{r} __fsqrt_{r}", "f:f") + _many(f"__drcp_{r} __dsqrt_{r}", "d:d")
        found += [(f"__fmaf_{r}", "f:fff"), (f"__fma_{r}", "d:ddd")]
    return [
        *found, *_many("fminf fmaxf fdimf copysignf fmodf remainderf nextafterf", "f:ff"),
        *_many("__saturatef roundf rintf truncf floorf ceilf nearbyintf fabsf logbf sqrtf", "f:f"),
        *_many("fmin fmax fmod", "d:dd"), *_many("round rint sqrt", "d:d"), ("fmaf", "f:fff"),
        *_many("isnan isinf isfinite signbit", "v:f"), ("isnan", "v:d"),
        *_many("ldexpf scalbnf", "f:fi"),
    ]  # fmt: skip


def _sixteen(bits: str) -> list[Function]:
    """Of half, or bfloat16 by the same names."""
    h, pair = ("h", "H") if bits == "half" else ("b", "B")
    found: list[Function] = [("__hdiv", f"{h}:{h}{h}"), ("__h2div", f"{pair}:{pair}{pair}")]
    for n, t in (("", h), ("2", pair)):
        found += _many(" ".join(f"__h{name}{n}" for name in ("add", "sub", "mul", "min", "max")) +
                       "".join(f" __h{name}{n}_{s}" for name in ("add", "sub", "mul")
                               for s in ("rn", "sat")) +
                       f" __hmin{n}_nan __hmax{n}_nan", f"{t}:{t}{t}")  # fmt: skip
        found += _many(f"__hfma{n}_sat __hfma{n}_relu", f"{t}:{t}{t}{t}")
        found += _many(f"__hneg{n} __habs{n}", f"{t}:{t}")
    found.append(("__hfma", f"{h}:{h}{h}{h}"))
    for c in ["eq", "ne", "gt", "ge", "lt", "le", "equ", "neu", "gtu", "geu", "ltu", "leu"]:
        found += [(f"__h{c}", f"v:{h}{h}"), (f"__h{c}2", f"{pair}:{pair}{pair}")]
        found += [(f"__hb{c}2", f"v:{pair}{pair}"), (f"__h{c}2_mask", f"u:{pair}{pair}")]
    for r in _ROUNDINGS:
        found.append((f"__float2{bits}_{r}", f"{h}:f"))
        for name, letter in _ALL.items():
            found += [(f"__{bits}2{name}_{r}", f"{letter}:{h}"),
                      (f"__{name}2{bits}_{r}", f"{h}:{letter}")]  # fmt: skip
    return [
        *found, ("__hisnan", f"v:{h}"), ("__hisinf", f"i:{h}"), ("__hisnan2", f"{pair}:{pair}"),
        (f"__{bits}2float", f"f:{h}"), (f"__float2{bits}", f"{h}:f"),
        (f"__double2{bits}", f"{h}:d"),
        *_many("__low2float __high2float", f"f:{pair}"), (f"__{bits}2char_rz", f"c:{h}"),
        *_many(f"__low2{bits} __high2{bits}", f"{h}:{pair}"), (f"__{bits}2uchar_rz", f"C:{h}"),
        *_many(f"__low2{bits}2 __high2{bits}2 __lowhigh2highlow h2ceil h2floor h2trunc h2rint",
               f"{pair}:{pair}"),
        *_many(f"__lows2{bits}2 __highs2{bits}2", f"{pair}:{pair}{pair}"),
        *_many("hceil hfloor htrunc hrint", f"{h}:{h}"), (f"__halves2{bits}2", f"{pair}:{h}{h}"),
        (f"__{bits}2{bits}2", f"{pair}:{h}"), (f"__{bits}_as_short", f"s:{h}"),
        (f"__ushort_as_{bits}", f"{h}:t"), (f"__floats2{bits}2_rn", f"{pair}:ff"),
    ]  # fmt: skip


GROUPS = {
    "simd": _simd(),
    "integers": _integers(),
    "conversions": _conversions(),
    "floats": _floats(),
    "half": _sixteen("half"),
    "bfloat16": _sixteen("bfloat16"),
}


def inputs(seed: int) -> list[list[int]]:
    """Three lists of 64-bit words: random bits, numbers of all sizes, and the odd ones."""
    rng = random.Random(seed)
    odd = [0, 1, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 0x7F800000, 0xFF800000, 0x7FC00000,
           0x3F800000, 0xBF800000, 0x4F000000, 0xCF000000, 0x3FC00000, 0x3F000000, 0x7F7FFFFF,
           0x7C007C00, 0xFC007E00, 0x3C008000, 0x7F80FF80, 0x80808080, 0x7F7F7F7F]  # fmt: skip

    def word() -> int:
        kind = rng.randrange(8)
        if kind < 2:
            return rng.getrandbits(64)
        if kind == 2:
            return rng.choice(odd) << 32 | rng.choice(odd)
        if kind == 3:
            return rng.randrange(-256, 256) & (1 << 64) - 1
        if kind == 4:
            near = struct.pack("<f", rng.randrange(-100000, 100000) / 64)
            return rng.getrandbits(32) << 32 | int.from_bytes(near, "little")
        if kind == 5:
            near = struct.pack("<d", rng.randrange(-1000000, 1000000) / 256)
            return int.from_bytes(near, "little")
        if kind == 6:
            near = struct.pack("<d", rng.choice((1e300, -1e300, 9.3e18, -9.3e18, 1e-310, 0.5, 2.5)))
            return int.from_bytes(near, "little")
        half = rng.getrandbits(32) & 0x83FF83FF | 0x3C003C00 + (rng.getrandbits(32) & 0x0C000C00)
        return half << 32 | half

    return [[word() for _ in range(COUNT)] for _ in range(3)]


def program(group: str) -> str:
    """CUDA with one kernel `all(a, b, c, out)` that calls each function of the group."""
    text = ["#include <cuda_runtime.h>", "#include <string.h>"]
    if group in ("half", "bfloat16"):
        text.append(f"#include <cuda_{'fp16' if group == 'half' else 'bf16'}.h>")
    text.append(
        "typedef unsigned long long W;\n"
        "template <class T> __device__ T as(W w) { T t; memcpy(&t, &w, sizeof t); return t; }\n"
        "template <class T> __device__ W bits(T t) { W w = 0; memcpy(&w, &t, sizeof t); return w; }"
    )
    calls = []
    for number, (name, signature) in enumerate(GROUPS[group]):
        result, _, letters = signature.partition(":")
        arguments = ", ".join(
            f"as<{TYPES[x]}>({k}[i])" for k, x in zip("abc", letters, strict=False)
        )
        text.append(
            f"__device__ void f{number}(const W* a, const W* b, const W* c, W* o, int i) {{"
            f" o[{number * COUNT} + i] = bits<{TYPES[result]}>({name}({arguments})); }}"
        )
        calls.append(f"  f{number}(a, b, c, o, i);")
    text.append('extern "C" __global__ void all(const W* a, const W* b, const W* c, W* o) {')
    text.append("  int i = threadIdx.x + blockIdx.x * blockDim.x;")
    return "\n".join([*text, *calls, "}", ""])


def _is_nan(x: int, letter: str, *, quiet: bool = True) -> bool:
    """Whether the bits are NaN; a signalling one if not `quiet`."""
    if letter in "HB":
        small = "hb"[letter == "B"]
        return any(_is_nan(x >> s & 0xFFFF, small, quiet=quiet) for s in (0, 16))
    limits = {"f": (31, 0x7F800000, 22), "d": (63, 0x7FF << 52, 51), "h": (15, 0x7C00, 9),
              "b": (15, 0x7F80, 6)}  # fmt: skip
    if letter not in limits:
        return False
    sign, infinity, first = limits[letter]
    found = x & ((1 << sign) - 1) > infinity
    return found and (quiet or not x >> first & 1)


def same(x: int, y: int, letter: str) -> bool:
    """Whether two results are the same: any NaN is, and the zeros are (min and max may choose)."""
    if letter in "HB":
        small = "hb"[letter == "B"]
        return all(same(x >> s & 0xFFFF, y >> s & 0xFFFF, small) for s in (0, 16))
    sign = {"f": 31, "d": 63, "h": 15, "b": 15}.get(letter)
    zeros = sign is not None and (x | y) & ((1 << sign) - 1) == 0
    return x == y or zeros or (_is_nan(x, letter) and _is_nan(y, letter))


def is_odd(words: list[int], letters: str) -> bool:
    """Whether an argument is a signalling NaN, with which processors may do as they like."""
    size = {"f": 32, "H": 32, "B": 32, "h": 16, "b": 16}
    return any(
        _is_nan(w & (1 << size.get(x, 64)) - 1, x, quiet=False)
        for w, x in zip(words, letters, strict=False)
    )
