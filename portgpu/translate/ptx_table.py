"""The PTX instructions that have a portable form, and what it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portgpu.translate.ptx import Access

# Tensor cores, tensor and bulk copies, barriers in memory, clusters: no counterpart.
NVIDIA_ONLY = re.compile(
    r"(?:mma|wmma|wgmma|ldmatrix|stmatrix|movmatrix|mbarrier|cp\.async\.bulk|cp\.async\.mbarrier"
    r"|cp\.reduce|tcgen05|setmaxnreg|mapa|barrier\.cluster|getctarank|clusterlaunchcontrol|multimem"
    r"|tensormap|createpolicy|elect|fence\.(?:proxy|mbarrier)|st\.async|red\.async|ld\.shared::cluster"
    r"|tld4|suld|sust|tex|istypep|bar\.red|barrier\.red)(?:\.|\Z)"
)
_COMPAT = "pg_compat::"
SPECIAL: dict[str, str] = {
    "%laneid": _COMPAT + "lane_id()",
    "%lanemask_eq": _COMPAT + "lanemask_eq()",
    "%lanemask_lt": _COMPAT + "lanemask_lt()",
    "%lanemask_le": _COMPAT + "lanemask_le()",
    "%lanemask_gt": _COMPAT + "lanemask_gt()",
    "%lanemask_ge": _COMPAT + "lanemask_ge()",
    "%warpid": _COMPAT + "warp_id()",
    "%nwarpid": "((" + _COMPAT + "block_threads() + 31u) / 32u)",
    "%clock": "(unsigned)clock64()",
    "%clock64": "clock64()",
    "%globaltimer": _COMPAT + "global_timer()",
    "%smid": _COMPAT + "sm_id()",
    **{f"%tid.{a}": f"threadIdx.{a}" for a in "xyz"},
    **{f"%ntid.{a}": f"blockDim.{a}" for a in "xyz"},
    **{f"%ctaid.{a}": f"blockIdx.{a}" for a in "xyz"},
    **{f"%nctaid.{a}": f"gridDim.{a}" for a in "xyz"},
}  # fmt: skip
_INT = r"[usb](?:16|32|64)"
_INFIX = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "mul.lo": "*", "mul": "*",
          "div": "/", "rem": "%"}  # fmt: skip
_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
_LOAD_TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char",
    "u16": "unsigned short", "s16": "short", "b16": "unsigned short",
    "u32": "unsigned", "s32": "int", "b32": "unsigned",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long",
    "f32": "float", "f64": "double",
}  # fmt: skip
_UNARY_APPROX = {"ex2": "ex2", "lg2": "lg2", "rcp": "rcp", "rsqrt": "rsqrt_approx",
                 "sqrt": "sqrt_approx", "sin": "sin_approx", "cos": "cos_approx",
                 "tanh": "tanh_approx"}  # fmt: skip
_DIRECTIONS = {"rn": "rn", "rz": "rz", "rp": "ru", "rm": "rd"}
_ROUND_TO_INT = {"rni": "rn", "rzi": "rz", "rmi": "rd", "rpi": "ru"}
_NARROW = frozenset(("s8", "u8", "s16", "u16"))
_SCOPES = {"cta": "WORKGROUP", "gpu": "AGENT", "sys": "SYSTEM"}
_FENCES = {"cta": "__threadfence_block()", "gl": "__threadfence()", "gpu": "__threadfence()",
           "sys": "__threadfence_system()"}  # fmt: skip
_ATOMS = {"add": "atomicAdd", "min": "atomicMin", "max": "atomicMax", "and": "atomicAnd",
          "or": "atomicOr", "xor": "atomicXor", "exch": "atomicExch", "inc": "atomicInc",
          "dec": "atomicDec"}  # fmt: skip

Result = tuple[str, str]  # C++ expression, PTX type of its value


def expression(opcode: str, args: list[str], access: Access) -> Result | None:
    """The value that the instruction writes to its first operand, or None when it is unknown."""
    for pattern, build in _EXPRESSIONS:
        if m := pattern.fullmatch(opcode):
            return build(m, args, access)
    return None


def statement(opcode: str, args: list[str], access: Access) -> list[str] | None:
    """C++ statements of an instruction that writes memory or several operands, or None."""
    for pattern, build in _STATEMENTS:
        if m := pattern.fullmatch(opcode):
            return build(m, args, access)
    return None


def _infix(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 2:
        return None
    kind = m["kind"]
    a, b = (access.read(x, kind) for x in args)
    return f"{a} {_INFIX[m['op']]} {b}", kind


def _shift(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 2:
        return None
    kind = m["kind"]
    bits = kind[1:]
    a, b = access.read(args[0], kind), access.read(args[1], "u32")
    number = access.number(args[1])
    sign = "<<" if m["op"] == "shl" else ">>"
    if number is not None and 0 <= number < int(bits):
        return f"{a} {sign} {number}", kind
    # PTX clamps shift amounts; C++ leaves them undefined.
    beyond = f"{a} >> {int(bits) - 1}" if kind[0] == "s" and sign == ">>" else "0"
    return f"{b} < {bits}u ? {a} {sign} {b} : {beyond}", kind


def _mul_hi(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    names = {"u32": "__umulhi", "s32": "__mulhi", "u64": "__umul64hi", "s64": "__mul64hi"}
    kind = m["kind"]
    if kind not in names or len(args) < 2:
        return None
    text = f"{names[kind]}({access.read(args[0], kind)}, {access.read(args[1], kind)})"
    if m["op"] == "mad":
        text += f" + {access.read(args[2], kind)}"
    return text, kind


def _mul_wide(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    kind = m["kind"]
    wide = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}.get(kind)
    if wide is None or len(args) < 2:
        return None
    a, b = (access.read(x, kind) for x in args[:2])
    text = f"({_LOAD_TYPES[wide]}){a} * {b}"
    if m["op"] == "mad":
        text += f" + {access.read(args[2], wide)}"
    return text, wide


def _mad_lo(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 3:
        return None
    a, b, c = (access.read(x, m["kind"]) for x in args)
    return f"{a} * {b} + {c}", m["kind"]


def _rounded(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    """An operation that names its rounding, which PTX then never joins to a fused multiply-add."""
    op, kind, direction = m["op"], m["kind"], _DIRECTIONS[m["round"]]
    if len(args) != {"fma": 3, "mad": 3, "rcp": 1, "sqrt": 1}.get(op, 2):
        return None
    name = kind.replace("32", "").replace("f64", "d") + op
    if op in ("fma", "mad"):
        name = "fmaf" if kind == "f32" else "fma"
    plain = direction == "rn" and op in ("fma", "mad", "div", "rcp")  # HIP's own do
    values = ", ".join(access.read(x, kind) for x in args)
    return f"{'__' if plain else _COMPAT}{name}_{direction}({values})", kind


def _call(name: str, kinds: str, result: str) -> Callable[..., Result | None]:
    """A plain call; `kinds` are the PTX types of its arguments."""

    def build(m: re.Match[str], args: list[str], access: Access) -> Result | None:
        wanted = kinds.split()
        if len(args) != len(wanted):
            return None
        return f"{name}({', '.join(map(access.read, args, wanted))})", result

    return build


def _half(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    """Arithmetic on one or two halves, whose operands are their bits."""
    bits = "b32" if m["kind"] == "f16x2" else "b16"
    if len(args) != (3 if m["op"] == "fma" else 2):
        return None
    values = ", ".join(access.read(x, bits) for x in args)
    return f"{_COMPAT}{m['kind']}_{m['op']}({values})", bits


def _min_max(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    kind = m["kind"]
    a, b = (access.read(x, kind) for x in args)
    if kind[0] == "f":
        return f"f{m['op']}{'f' if kind == 'f32' else ''}({a}, {b})", kind
    return f"{a} {'<' if m['op'] == 'min' else '>'} {b} ? {a} : {b}", kind


def _unary(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    kind = m["kind"]
    a = access.read(args[0], kind)
    if m["op"] == "abs":
        if kind[0] == "f":
            return f"fabs{'f' if kind == 'f32' else ''}({a})", kind
        return f"{a} < 0 ? -{a} : {a}", kind
    return f"{'-' if m['op'] == 'neg' else '~'}{a}", kind


def _mov(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    kind = m["kind"]
    if len(args) != 1:
        return None
    if args[0].startswith("{"):
        parts = [p.strip() for p in args[0].strip("{}").split(",")]
        if len(parts) != 2 or kind not in ("b32", "b64", "u64", "u32"):
            return None
        half = str(int(kind[1:]) // 2)
        lo, hi = (access.read(p, "u" + half) for p in parts)
        wide = _LOAD_TYPES["u" + kind[1:]]
        return f"({wide}){hi} << {half} | ({wide}){lo}", "b" + kind[1:]
    return access.read(args[0], kind), kind


def _approx(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if m["kind"] != "f32" or len(args) != 1:
        return None
    return f"{_COMPAT}{_UNARY_APPROX[m['op']]}({access.read(args[0], 'f32')})", "f32"


def _cvt(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    to, source, mode = m["to"], m["from"], m["mode"] or ""
    saturate = ".sat" in mode
    mode = mode.replace(".ftz", "").replace(".sat", "").strip(".")
    if to == "f16x2" and source == "f32" and len(args) == 2 and mode == "rn" and not saturate:
        hi, lo = (access.read(x, "f32") for x in args)
        return f"{_COMPAT}pack_rn_f16({hi}, {lo})", "b32"
    if to == "bf16x2" and source == "f32" and len(args) == 2 and mode == "rn" and not saturate:
        hi, lo = (access.read(x, "f32") for x in args)
        return f"{_COMPAT}pack_rn_bf16({hi}, {lo})", "b32"
    if len(args) != 1:
        return None
    if to == "f16" and source == "f32" and mode == "rn" and not saturate:
        return f"__half_as_ushort(__float2half_rn({access.read(args[0], 'f32')}))", "b16"
    if to == "f32" and source == "f16" and not saturate:
        return f"__half2float(__ushort_as_half({access.read(args[0], 'b16')}))", "f32"
    if to not in _LOAD_TYPES or source not in _LOAD_TYPES:
        return None
    a = access.read(args[0], source)
    if source[0] == "f" and to[0] in "us":
        names = {"f32": "float", "f64": "double"}, {"s32": "int", "u32": "uint", "s64": "ll",
                                                     "u64": "ull"}  # fmt: skip
        if mode in _ROUND_TO_INT and to in _NARROW and source == "f32":
            value = f"__float2int_{_ROUND_TO_INT[mode]}({a})"
            return f"{_COMPAT}clamp_to<{_LOAD_TYPES[to]}>({value})", to
        # Conversions to integers saturate in any case.
        if mode not in _ROUND_TO_INT or to not in names[1]:
            return None
        return f"__{names[0][source]}2{names[1][to]}_{_ROUND_TO_INT[mode]}({a})", to
    if source[0] == "f" and to[0] == "f":
        if mode in _ROUND_TO_INT and to == source:
            name = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}[mode]
            return f"{name}{'f' if to == 'f32' else ''}({a})", to
        if to == "f32" and saturate and source == "f32":
            return f"__saturatef({a})", to
        return (f"({_LOAD_TYPES[to]}){a}", to) if mode in ("", "rn") and not saturate else None
    if saturate or mode not in ("", "rn"):
        return None
    return f"({_LOAD_TYPES[to]}){a}", to


def _lop3(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 4:
        return None
    return f"{_COMPAT}lop3({', '.join(access.read(x, 'b32') for x in args)})", "b32"


def _shf(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 3:
        return None
    name = f"__funnelshift_{m['dir']}{'c' if m['mode'] == 'clamp' else ''}"
    return f"{name}({', '.join(access.read(x, 'u32') for x in args)})", "b32"


def _shfl(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    names = {"idx": "shfl_sync", "up": "shfl_up_sync", "down": "shfl_down_sync",
             "bfly": "shfl_xor_sync"}  # fmt: skip
    if len(args) not in (3, 4) or "|" in args[0]:
        return None
    clamp = access.number(args[2])
    if clamp not in ((0,) if m["mode"] == "up" else (31,)):
        return None
    mask = access.read(args[3], "u32") if len(args) == 4 else "0xffffffffu"
    value, lane = access.read(args[0], "b32"), access.read(args[1], "u32")
    return f"{_COMPAT}{names[m['mode']]}({mask}, {value}, {lane})", "b32"


def _redux(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    if len(args) != 2:
        return None
    value = access.read(args[0], m["kind"])
    return f"{_COMPAT}reduce_{m['op']}_sync({access.read(args[1], 'u32')}, {value})", m["kind"]


def _cvta(m: re.Match[str], args: list[str], access: Access) -> Result | None:
    place = access.read(args[0], "u64")
    if m["space"] == "shared" and m["to"]:
        return f"{_COMPAT}shared_address((const void*){place})", "u64"
    if m["space"] == "shared":
        return f"(unsigned long long){_COMPAT}shared_pointer((unsigned){place})", "u64"
    return place, "u64"


def _load_scalar(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    """ld and st, scalar or vector, any cache hint; memory order where one is written."""
    mods = m["mods"].split(".")
    kind, count = m["kind"], int(m["vector"] or 1)
    store = m["op"] == "st"
    if len(args) != 2 or kind not in _LOAD_TYPES:
        return None
    place, offset = access.address(args[0] if store else args[1])
    values = args[1] if store else args[0]
    parts = [p.strip() for p in values.strip("{}").split(",")]
    if len(parts) != count:
        return None
    c_type = _LOAD_TYPES[kind]
    base = f"{_COMPAT}shared_pointer({place})" if "shared" in mods else f"({place})"
    size = _SIZES[kind[1:]]
    order = next((o for o in mods if o in ("acquire", "release", "relaxed")), "")
    scope = next((s for s in mods if s in _SCOPES), "sys" if order else "")
    out = []
    for index, part in enumerate(parts):
        shift = offset + index * size
        char = f"(char*){base} + {shift}" if shift else base
        pointer = f"({c_type}*)({char})" if shift else f"({c_type}*){char}"
        if order:
            tail = f"__ATOMIC_{order.upper()}, __HIP_MEMORY_SCOPE_{_SCOPES[scope]})"
            if store:
                out.append(f"__hip_atomic_store({pointer}, {access.read(part, kind)}, {tail}")
            else:
                out.append(access.write(part, f"__hip_atomic_load({pointer}, {tail}", kind))
        elif "cs" in mods or "no_allocate" in m["mods"]:
            if store:
                value = access.read(part, kind)
                out.append(f"{_COMPAT}store_streaming({pointer}, {value})")
            else:
                out.append(access.write(part, f"{_COMPAT}load_streaming({pointer})", kind))
        else:
            if "volatile" in mods or "cv" in mods or "wt" in mods or "mmio" in mods:
                pointer = pointer.replace(f"({c_type}*)", f"(volatile {c_type}*)", 1)
            if store:
                out.append(f"*{pointer} = {access.read(part, kind)}")
            else:
                out.append(access.write(part, f"*{pointer}", kind))
    return out


def _atom(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    mods = m["mods"].split(".")
    operation = next((x for x in mods if x in _ATOMS), None)
    kind = m["kind"]
    atom = m["op"] == "atom"
    if operation is None or kind not in _LOAD_TYPES or len(args) != (3 if atom else 2):
        return None
    if any(x in ("cta", "sys") for x in mods) and operation not in ("add",):
        return None
    place, offset = access.address(args[-2])
    base = f"{_COMPAT}shared_pointer({place})" if "shared" in mods else f"({place})"
    c_type = {"s64": "unsigned long long"}.get(kind, _LOAD_TYPES[kind])
    pointer = f"({c_type}*)((char*){base} + {offset})" if offset else f"({c_type}*){base}"
    call = f"{_ATOMS[operation]}({pointer}, {access.read(args[-1], kind)})"
    return [access.write(args[0], call, kind)] if atom else [call]


def _cp_async(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    if len(args) not in (3, 4):
        return None
    to, to_offset = access.address(args[0])
    source, from_offset = access.address(args[1])
    number = access.number(args[2])
    size = str(number) if number is not None else access.read(args[2], "u32")
    target = f"{_COMPAT}shared_pointer({to}{f' + {to_offset}' if to_offset else ''})"
    origin = (
        f"(const char*)({source}) + {from_offset}" if from_offset else f"(const void*)({source})"
    )
    zeros = f", {size} - {access.read(args[3], 'u32')}" if len(args) == 4 else ""
    return [f"{_COMPAT}copy_async({target}, {origin}, {size}{zeros})"]


def _unpack(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    if len(args) != 2 or not args[0].startswith("{"):
        return None
    parts = [p.strip() for p in args[0].strip("{}").split(",")]
    if len(parts) != 2:
        return None
    bits = int(m["kind"][1:])
    kind = f"b{bits // 2}"
    value = access.read(args[1], f"u{bits}")
    narrow = _LOAD_TYPES[kind]
    return [
        access.write(parts[0], f"({narrow}){value}", kind),
        access.write(parts[1], f"({narrow})({value} >> {bits // 2})", kind),
    ]


def _carry(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    """add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi …: chains of words within one statement."""
    op, kind = m["op"], m["kind"]
    if len(args) != (4 if m["half"] else 3) or not access.carry(
        m["with"] == "c", m["set"] == ".cc"
    ):
        return None
    unsigned, bits = "u" + kind[1:], int(kind[1:])
    wide = "unsigned long long" if bits == 32 else "unsigned __int128"
    values = [access.read(x, unsigned) for x in args[1:]]
    if m["half"]:
        high = "__umulhi" if bits == 32 else "__umul64hi"
        a, b = values[:2]
        product = f"{a} * {b}" if m["half"] == ".lo" else f"{high}({a}, {b})"
        values = [f"({_LOAD_TYPES[unsigned]})({product})", values[2]]
    sign = "-" if op == "sub" else "+"
    incoming = f" {sign} pg_cc" if m["with"] == "c" else ""
    text = f"pg_wide = ({wide}){values[0]} {sign} {values[1]}{incoming}"
    access.declare("wide", wide)
    result = [text, access.write(args[0], f"({_LOAD_TYPES[unsigned]})pg_wide", unsigned)]
    if m["set"]:
        carry = f"(unsigned)(pg_wide >> {bits})" + (" & 1u" if op == "sub" else "")
        result.append(f"pg_cc = {carry}")
    return result


def _fixed(*lines: str) -> Callable[..., list[str] | None]:
    def build(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
        return list(lines)

    return build


def _barrier(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    # Named barriers and barriers of a part of the block have no counterpart.
    return ["__syncthreads()"] if len(args) == 1 and access.number(args[0]) == 0 else None


def _fence(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    return [_FENCES[m["scope"]]]


def _warp_sync(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    return [f"{_COMPAT}syncwarp({access.read(args[0], 'u32')})"] if len(args) == 1 else None


def _sleep(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    return [f"{_COMPAT}nanosleep({access.read(args[0], 'u32')})"] if len(args) == 1 else None


_F = r"(?P<kind>f32|f64)"
_MODS = r"(?:\.(?:rn|ftz|approx|full|sat|rnd))*"
_EXPRESSIONS = [
    (re.compile(p), build)
    for p, build in (
        (r"mov\.(?P<kind>[usbf]\d+)", _mov),
        (rf"(?P<op>add|sub|and|or|xor|mul\.lo|div|rem)\.(?P<kind>{_INT})", _infix),
        (
            rf"(?P<op>add|sub|mul|div|fma|mad|rcp|sqrt)\.(?P<round>r[nzpm])(?:\.ftz)?\.{_F}",
            _rounded,
        ),
        (rf"(?P<op>add|sub|mul|div)(?:\.(?:ftz|approx|full))*\.{_F}", _infix),
        (rf"(?P<op>shl|shr)\.(?P<kind>{_INT})", _shift),
        (r"(?P<op>mul|mad)\.hi\.(?P<kind>[us]\d+)", _mul_hi),
        (r"(?P<op>mul|mad)\.wide\.(?P<kind>[us]\d+)", _mul_wide),
        (rf"mad\.lo\.(?P<kind>{_INT})", _mad_lo),
        (r"(?P<op>min|max)(?:\.ftz)?\.(?P<kind>[usf](?:32|64))", _min_max),
        (r"(?P<op>abs|neg)(?:\.ftz)?\.(?P<kind>[sf](?:16|32|64))", _unary),
        (r"(?P<op>not)\.(?P<kind>b(?:16|32|64))", _unary),
        (r"brev\.b32", _call("__brev", "u32", "u32")),
        (r"brev\.b64", _call("__brevll", "u64", "u64")),
        (r"clz\.b32", _call("__clz", "s32", "u32")),
        (r"clz\.b64", _call("__clzll", "s64", "u32")),
        (r"popc\.b32", _call("__popc", "u32", "u32")),
        (r"popc\.b64", _call("__popcll", "u64", "u32")),
        (r"prmt\.b32", _call(_COMPAT + "prmt", "u32 u32 u32", "u32")),
        (r"bfe\.u32", _call(_COMPAT + "bfe", "u32 u32 u32", "u32")),
        (r"bfe\.s32", _call(_COMPAT + "bfe_signed", "s32 u32 u32", "s32")),
        (r"bfi\.b32", _call(_COMPAT + "bfi", "u32 u32 u32 u32", "u32")),
        (r"bfind\.u32", _call(_COMPAT + "bfind", "u32", "u32")),
        (r"bfind\.shiftamt\.u32", _call(_COMPAT + "bfind_shift", "u32", "u32")),
        (r"fns\.b32", _call(_COMPAT + "fns", "u32 u32 s32", "u32")),
        (r"sad\.u32", _call("__usad", "u32 u32 u32", "u32")),
        (r"sad\.s32", _call("__sad", "s32 s32 u32", "u32")),
        (r"mul24\.lo\.u32", _call("__umul24", "u32 u32", "u32")),
        (r"mul24\.lo\.s32", _call("__mul24", "s32 s32", "s32")),
        (r"dp4a\.s32\.s32", _call(_COMPAT + "dp4a", "s32 s32 s32", "s32")),
        (r"dp4a\.u32\.u32", _call(_COMPAT + "dp4a", "u32 u32 u32", "u32")),
        (r"(?P<op>add|sub|mul)(?:\.rn)?(?:\.ftz)?\.(?P<kind>f16(?:x2)?)", _half),
        (r"(?P<op>fma)\.rn(?:\.ftz)?\.(?P<kind>f16(?:x2)?)", _half),
        (r"lop3\.b32", _lop3),
        (r"shf\.(?P<dir>[lr])\.(?P<mode>wrap|clamp)\.b32", _shf),
        (r"shfl(?:\.sync)?\.(?P<mode>idx|up|down|bfly)\.b32", _shfl),
        (r"redux\.sync\.(?P<op>add|min|max|and|or|xor)\.(?P<kind>[usb]32)", _redux),
        (r"activemask\.b32", _call(_COMPAT + "activemask", "", "u32")),
        (r"cvta(?P<to>\.to)?\.(?P<space>shared|global|const|local)\.u(?:32|64)", _cvta),
        (rf"(?P<op>{'|'.join(_UNARY_APPROX)})\.approx(?:\.ftz)?\.{_F}", _approx),
        (
            r"cvt(?P<mode>(?:\.(?:rn|rz|rni|rzi|rmi|rpi|ftz|sat))*)\.(?P<to>\w+)\.(?P<from>\w+)",
            _cvt,
        ),
    )
]
_STATEMENTS = [
    (re.compile(p), build)
    for p, build in (
        (
            r"(?P<op>ld|st)(?P<mods>(?:(?:\.|::)[A-Za-z0-9_]+)*?)(?:\.v(?P<vector>[248]))?"
            r"\.(?P<kind>[usbf](?:8|16|32|64))",
            _load_scalar,
        ),
        (r"(?P<op>atom|red)(?P<mods>(?:\.\w+)*)\.(?P<kind>[usbf]\d+)", _atom),
        (
            r"(?:(?P<op>add|sub)|mad)(?P<with>c?)(?P<half>(?:\.lo|\.hi)?)(?P<set>(?:\.cc)?)"
            r"\.(?P<kind>[us](?:32|64))",
            _carry,
        ),
        (r"mov\.(?P<kind>b32|b64)", _unpack),
        (r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\w+)*", _cp_async),
        (r"cp\.async\.(?:commit_group|wait_group|wait_all)", _fixed(_COMPAT + "copy_wait()")),
        (r"membar\.(?P<scope>cta|gl|sys)", _fence),
        (r"fence(?:\.(?:sc|acq_rel))?\.(?P<scope>cta|gpu|sys)", _fence),
        (r"bar(?:rier)?(?:\.cta)?\.sync(?:\.aligned)?", _barrier),
        (r"bar\.warp\.sync", _warp_sync),
        (r"nanosleep\.u32", _sleep),
        (r"prefetchu?(?:\.\w+)*", _fixed("(void)0")),
        (r"discard(?:\.\w+)*|applypriority(?:\.\w+)*", _fixed("(void)0")),
        (r"griddepcontrol\.(?:wait|launch_dependents)", _fixed("(void)0")),
        (r"trap", _fixed(_COMPAT + "trap()")),
        (r"exit", _fixed("__builtin_amdgcn_endpgm()")),
        (r"brkpt", _fixed(_COMPAT + "breakpoint()")),
    )
]
