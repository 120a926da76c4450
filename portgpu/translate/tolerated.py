"""What nvcc lets pass and Clang, with HIP's headers, does not.

- `auto i = threadIdx.x;` is an unsigned number in CUDA, but an object of HIP's own before HIP 6.
- `__device__ [[nodiscard]] int f()`: the attribute comes first for Clang before version 16.
- A functor without members whose `operator()` is not const: hipCUB and rocThrust call const ones.
- `v = {};` of a half2 fits more than one of its assignments there.
- `extern const uint3 threadIdx;` and `extern __device__ __device_builtin__ void __syncthreads();`
  declare again what HIP has as something else.
"""

from __future__ import annotations

import re

from portgpu.source.syntax import Source
from portgpu.translate.covered import in_amd_branch
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context
from portgpu.translate.scope import brace_kind

_INDICES = (b"threadIdx", b"blockIdx", b"blockDim", b"gridDim")
_PARTS = (b"x", b"y", b"z")
_HALF = re.compile(rb"(?:__)?half2\Z|\w*(?:2|[tT]ype|_t)\Z")
_NUMBERS = re.compile(rb"(?:u?int|float|double|u?char|u?short|u?long)(?:\d*_t|[1-4])\Z|size_t\Z")
_SPECIFIERS = frozenset(b"__host__ __device__ __global__ __forceinline__ inline static".split())
_MACRO = re.compile(rb"[A-Z][A-Z0-9_]*(?:DEVICE|HOST|INLINE|_HD|GLOBAL)[A-Z0-9_]*\Z")
_STARTS = (b";", b"{", b"}", b">", b":", b"")
_BEFORE = (b";", b"{", b"}", b")", b"")
_SETS = re.compile(rb"=\s*\{\s*\}\s*;")


def rewrite(context: Context, declared: Declarations) -> None:
    source = context.source
    if context.is_hip or context.options.hipify:
        return
    for index in _INDICES:
        for i in source.places.get(index, ()):
            _deduced(context, i)
    if b"extern" in source.places:
        _declared_again(context)
    if b"[[" in source.data:
        _attributes(context)
    if b"operator()" in source.data and (b"cub" in source.data or b"thrust" in source.data):
        _functors(context)
    if b"half2" in source.data and _SETS.search(source.data):
        _set_to_zero(context, declared)


def _declared_again(context: Context) -> None:
    """Takes declarations of CUDA's own variables and functions away."""
    source = context.source
    for i in source.places[b"extern"]:
        end = i
        while source.word(end) not in (b";", b"{", b"}", b"=", b""):
            end += 1
        words = source.text[i:end]
        variable = words[-1:] and words[-1] in _INDICES and words[-2] in (b"dim3", b"uint3")
        if source.word(end) == b";" and (variable or b"__device_builtin__" in words):
            context.replace_span(i, end, b"")


def _attributes(context: Context) -> None:
    """`__device__ [[nodiscard]] int f()` -> `[[nodiscard]] __device__ int f()`"""
    source = context.source
    for i in source.places.get(b"[", ()):
        close = source.match.get(i)
        if source.word(i + 1) != b"[" or close is None or source.word(close - 1) != b"]":
            continue
        first = i
        while source.word(first - 1) in _SPECIFIERS or _MACRO.match(source.word(first - 1)):
            first -= 1
        if first == i or source.before(first) not in _STARTS or not source.is_ident(close + 1):
            continue
        if any(k in source.directive_ends for k in range(first, i)) or source.directive_at(i):
            continue
        start, end = source.code[i].start, source.code[close].end
        context.insert_before(first, source.data[start:end] + b" ")
        context.replace_span(i, close, b"")


def _functors(context: Context) -> None:
    """`struct F { int operator()(int a) { … } };` -> `operator()(int a) const`"""
    source = context.source
    bodies: dict[int, list[int]] = {}
    for i in source.places.get(b"operator", ()):
        close = source.match.get(i + 3)
        opener = source.enclosing(i)
        if source.text[i + 1 : i + 4] != [b"(", b")", b"("] or close is None or opener is None:
            continue
        if source.word(close + 1) == b"{" and source.text[opener] == b"{":
            bodies.setdefault(opener, []).append(close)
    for opener, closes in bodies.items():
        if brace_kind(source, opener) == "class" and _holds_functions_alone(source, opener):
            for close in closes:
                if not in_amd_branch(source, close):
                    context.insert_after(close, b" const")


def _holds_functions_alone(source: Source, opener: int) -> bool:
    """Whether a class has no bases, nothing that ends in a semicolon, no function that is const."""
    if source.word(opener - 2) not in (b"struct", b"class"):
        return False
    k, end = opener + 1, source.match.get(opener, opener)
    while k < end:
        behind = source.text[k] == b"const" and source.word(k - 1) == b")"
        if source.text[k] in (b";", b"=") or behind or source.directive_at(k):
            return False
        k = source.match.get(k, k) + 1 if source.text[k] in (b"(", b"{", b"[") else k + 1
    return bool(end > opener + 1)


def _deduced(context: Context, i: int) -> None:
    """`auto i = threadIdx.x;` -> `auto i = unsigned(threadIdx.x);`"""
    source = context.source
    if source.word(i + 1) != b"." or source.word(i + 2) not in _PARTS:
        return
    if source.word(i + 3) not in (b";", b",", b"}", b")") or source.word(i - 1) not in b"={(":
        return
    if source.word(i - 1) != b"=" and source.match.get(i - 1) != i + 3:
        return
    j = i - 3
    while source.word(j) in (b"const", b"&", b"&&"):
        j -= 1
    if source.is_ident(i - 2) and source.word(j) == b"auto" and not in_amd_branch(source, i):
        context.wrap(i, i + 2, b"unsigned(", b")")


def _set_to_zero(context: Context, declared: Declarations) -> None:
    """`v = {};` -> `v = half2{};` for a local variable that may be a half2."""
    source = context.source
    for i in source.places.get(b"{", ()):
        if source.word(i + 1) != b"}" or source.word(i + 2) != b";" or source.word(i - 1) != b"=":
            continue
        name = i - 2
        if not source.is_ident(name) or source.before(name) not in _BEFORE:
            continue
        at = declared.declaration(name)
        if at is None or at == name or source.before(at - 1) not in (b";", b"{", b"}", b"const"):
            continue
        of = source.text[at - 1]
        if not source.is_ident(at - 1) or not _HALF.match(of) or _NUMBERS.match(of):
            continue
        if source.word(at + 1) in (b";", b",", b"=", b"{", b"(") and not in_amd_branch(source, i):
            context.insert_before(i, of)
