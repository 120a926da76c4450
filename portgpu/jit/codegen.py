"""C++ of fused kernels, and the layouts that they are made for."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from portgpu.jit.trace import Trace, Value, compute_type, cpp_type
from portgpu.ops.arrays import View
from portgpu.ops.dtypes import DTYPES, DType
from portgpu.ops.errors import OpShapeError
from portgpu.ops.numbers import stored

_MOST_DIMS = 8
_MOST_INDEX = (1 << 31) - (1 << 16)  # elements of one launch where indices are divided
_HEAD = """#include "portgpu.h"
template <class T, class F>
__device__ __forceinline__ T portgpu_saturate(F x) {
  constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int bits = static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  constexpr F limit = static_cast<F>(1ull << (bits - 1)) * static_cast<F>(2);
  constexpr T top = static_cast<T>(~0ull >> (64 - bits));
  if (!(x == x)) return static_cast<T>(0);
  if (x >= limit) return top;
  if (is_signed ? x < -limit : x <= static_cast<F>(-1))
    return is_signed ? static_cast<T>(-1 - top) : static_cast<T>(0);
  return static_cast<T>(x);
}
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a kernel is made for. `vector` elements a thread; 0: strides, over `rank` dimensions.

    `constant` tells, for results and then arrays, which ones are one repeated element.
    """

    rank: int
    vector: int
    constant: tuple[bool, ...]


def merged(
    shape: tuple[int, ...], operands: Sequence[View]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Sizes of the dimensions that are left after joining, and each operand's strides over them.

    Dimensions are ordered by the strides of the first operand, the result.
    """
    lead = operands[0].strides
    order = sorted((d for d in range(len(shape)) if shape[d] > 1), key=lambda d: -abs(lead[d]))
    sizes: list[int] = []
    columns: list[list[int]] = []
    for d in order:
        own = [v.strides[d] for v in operands]
        if columns and all(a == b * shape[d] for a, b in zip(columns[-1], own, strict=True)):
            sizes[-1] *= shape[d]
            columns[-1] = own
        else:
            sizes.append(shape[d])
            columns.append(own)
    if len(sizes) > _MOST_DIMS:
        raise OpShapeError(
            f"the arrays have {len(sizes)} dimensions that cannot be merged; at most {_MOST_DIMS} "
            "are supported",
            hint="make contiguous copies first",
        )
    return sizes, [tuple(column[i] for column in columns) for i in range(len(operands))]


def vector_width(
    sizes: Sequence[int], strides: Sequence[tuple[int, ...]], operands: Sequence[View]
) -> int:
    """Elements of a 16-byte access; 1 for unaligned contiguous arrays; 0: strides are needed."""
    moved = [v for v, own in zip(operands, strides, strict=True) if any(own)]
    if len(sizes) > 1 or any(own not in ((), (1,), (0,)) for own in strides):
        return 0
    width = 16 // max((v.dtype.size for v in moved), default=16)
    aligned = all(v.data % (width * v.dtype.size) == 0 for v in moved)
    return width if aligned else 1


def source(
    name: str,
    trace: Trace,
    results: Sequence[Value],
    types: Sequence[DType | None],
    layout: Layout,
) -> str:
    """The kernel's source. `types` has the arguments' element types, None for numbers."""
    inputs = [(i, t) for i, t in enumerate(types) if t is not None]
    numbers = [i for i, t in enumerate(types) if t is None]
    count = len(results)
    parameters = [f"{cpp_type(r.dtype)}* r{k}" for k, r in enumerate(results)]
    parameters += [f"const {cpp_type(t)}* x{i}" for i, t in inputs]
    parameters += [f"const {compute_type(trace.nodes[_symbol(trace, i)].dtype)} a{i}"
                   for i in numbers]  # fmt: skip
    parameters.append("const long long n")
    if not layout.vector:
        parameters += [f"const unsigned size{d}" for d in range(1, layout.rank)]
        for k in range(count + len(inputs)):
            if not layout.constant[k]:
                parameters += [f"const long long s{k}_{d}" for d in range(layout.rank)]
    taken = [f"{compute_type(t)} a{i}" for i, t in inputs]
    taken += [f"{compute_type(trace.nodes[_symbol(trace, i)].dtype)} a{i}" for i in numbers]
    given = [f"{cpp_type(r.dtype)}& o{k}" for k, r in enumerate(results)]
    body = [f"  const {compute_type(node.dtype)} v{i} = {node.text};"
            for i, node in enumerate(trace.nodes)]  # fmt: skip
    body += [f"  o{k} = {_store(r.dtype, r.text)};" for k, r in enumerate(results)]
    lines = [
        _HEAD,
        f"static __device__ __forceinline__ void evaluate({', '.join([*taken, *given])}) {{",
        *body,
        "}",
        f'extern "C" __global__ void PG_LAUNCH_BOUNDS(256) {name}({", ".join(parameters)}) {{',
    ]
    constants = {k for k in range(count, count + len(inputs)) if layout.constant[k]}
    for k, (i, t) in enumerate(inputs, count):
        if k in constants:
            lines.append(f"  const {compute_type(t)} a{i} = {_load(t, f'x{i}[0]')};")
    loaded = [(k, i, t) for k, (i, t) in enumerate(inputs, count) if k not in constants]
    order = [f"a{i}" for i, _ in inputs] + [f"a{i}" for i in numbers]
    lines += (_vector if layout.vector else _strided)(results, loaded, order, layout, count)
    return "\n".join([*lines, "}", ""])


def _symbol(trace: Trace, argument: int) -> int:
    return next(i for i, node in enumerate(trace.nodes) if node.text == f"a{argument}")


def _load(dtype: DType, text: str) -> str:
    return f"pg::to_float({text})" if dtype.name in ("f16", "bf16") else text


def _store(dtype: DType, text: str) -> str:
    return f"pg::from_float<{cpp_type(dtype)}>({text})" if dtype.name in ("f16", "bf16") else text


def _vector(
    results: Sequence[Value], loaded: Sequence[tuple[int, int, DType]], order: Sequence[str],
    layout: Layout, count: int,
) -> list[str]:  # fmt: skip
    width = layout.vector
    lines = [
        "  const long long thread = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;",
        f"  const long long at = thread * {width};",
        f"  if (at + {width} <= n) {{",
    ]
    lines += [f"    const auto q{i} = pg::load_vec<{width}>(x{i} + at);" for _, i, _ in loaded]
    lines += [f"    pg::vec<{cpp_type(r.dtype)}, {width}> w{k};" for k, r in enumerate(results)]
    arguments = ", ".join([*(_element(a, loaded, "q{i}[j]") for a in order),
                           *(f"w{k}[j]" for k in range(count))])  # fmt: skip
    lines += ["    PG_UNROLL", f"    for (int j = 0; j < {width}; ++j) evaluate({arguments});"]
    lines += [f"    pg::store_vec<{width}>(r{k} + at, w{k});" for k in range(count)]
    arguments = ", ".join([*(_element(a, loaded, "x{i}[j]") for a in order),
                           *(f"r{k}[j]" for k in range(count))])  # fmt: skip
    lines += ["  } else {", f"    for (long long j = at; j < n; ++j) evaluate({arguments});", "  }"]
    return lines


def _element(argument: str, loaded: Sequence[tuple[int, int, DType]], template: str) -> str:
    for _, i, dtype in loaded:
        if argument == f"a{i}":
            return _load(dtype, template.format(i=i))
    return argument


def _strided(
    results: Sequence[Value], loaded: Sequence[tuple[int, int, DType]], order: Sequence[str],
    layout: Layout, count: int,
) -> list[str]:  # fmt: skip
    moving = [*((k, "r", k) for k in range(count)), *((k, "x", i) for k, i, _ in loaded)]
    lines = ["  unsigned i = blockIdx.x * 256u + threadIdx.x;", "  if (i >= n) return;"]
    lines += [f"  long long p{k} = 0;" for k, _, _ in moving]
    for d in range(layout.rank - 1, 0, -1):
        lines += ["  {", f"    const unsigned next = i / size{d}, place = i - next * size{d};"]
        lines += [f"    p{k} += place * s{k}_{d};" for k, _, _ in moving]
        lines += ["    i = next;", "  }"]
    if layout.rank:
        lines += [f"  p{k} += i * s{k}_0;" for k, _, _ in moving]
    places = {i: k for k, kind, i in moving if kind == "x"}
    arguments = [
        _element(a, loaded, "x{i}[p" + str(places.get(int(a[1:]), 0)) + "]") for a in order
    ]
    arguments += [f"r{k}[p{k}]" for k in range(count)]
    return [*lines, f"  evaluate({', '.join(arguments)});"]


def pieces(
    sizes: Sequence[int], strides: Sequence[tuple[int, ...]]
) -> Iterator[tuple[list[int], list[int]]]:
    """Parts that one launch can index: element offsets of the operands, and sizes."""
    plain = len(sizes) <= 1 and all(own in ((), (1,), (0,)) for own in strides)
    if plain or math.prod(sizes) <= _MOST_INDEX:
        yield [0] * len(strides), list(sizes)
        return
    inner = math.prod(sizes[1:])
    step = max(_MOST_INDEX // inner, 1)
    for first in range(0, sizes[0], step):
        piece = [min(step, sizes[0] - first), *sizes[1:]]
        yield [own[0] * first for own in strides], piece


def pack(
    traced: Any, arguments: Sequence[Any], views: Sequence[View | None], written: Sequence[View],
    operands: Sequence[View], sizes: Sequence[int], strides: Sequence[tuple[int, ...]],
    start: Sequence[int], layout: Layout,
) -> list[Any]:  # fmt: skip
    """The kernel's arguments in order."""
    every = [*written, *operands]
    packed: list[Any] = [
        ctypes.c_void_p(v.data + begin * v.dtype.size)
        for v, begin in zip(every, start, strict=True)
    ]
    for i, view in enumerate(views):
        if view is None:
            dtype = traced.trace.nodes[_symbol(traced.trace, i)].dtype
            wide = DTYPES["f32"] if dtype.name in ("f16", "bf16") else dtype
            value = stored(f"argument {i + 1}", arguments[i], wide)
            packed.append(ctypes.create_string_buffer(value.tobytes(), 8))
    packed.append(ctypes.c_int64(math.prod(sizes)))
    if not layout.vector:
        packed += [ctypes.c_uint32(size) for size in sizes[1:]]
        for k, own in enumerate(strides):
            if not layout.constant[k]:
                packed += [ctypes.c_int64(s) for s in own]
    return packed


def span(view: View) -> tuple[int, int]:
    """First and one-past-last byte of a view."""
    low = sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if s < 0)
    high = sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if s > 0)
    if 0 in view.shape:
        return view.data, view.data
    return view.data + low * view.dtype.size, view.data + (high + 1) * view.dtype.size


def overlap(a: View, b: View) -> bool:
    """Whether the byte ranges of two views meet."""
    (a_low, a_high), (b_low, b_high) = span(a), span(b)
    return a_low < b_high and b_low < a_high


def same(a: View, b: View) -> bool:
    """Whether two views are the same elements in the same places."""
    return (a.data, a.dtype, a.shape) == (b.data, b.dtype, b.shape) and all(
        n <= 1 or s == t for n, s, t in zip(a.shape, a.strides, b.strides, strict=True)
    )


def overlaps_itself(view: View) -> bool:
    """Whether two indices of a view may be one place."""
    reach = 0
    if 0 in view.shape:
        return False
    for size, stride in sorted(
        ((n, abs(s)) for n, s in zip(view.shape, view.strides, strict=True) if n > 1),
        key=lambda each: each[1],
    ):
        if stride <= reach:
            return True
        reach += (size - 1) * stride
    return False
