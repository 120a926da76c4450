"""Preprocessor tests: compiler, architecture and version macros."""

from __future__ import annotations

from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.declared import Declarations
from portgpu.translate.model import HIP_TESTS, Context
from portgpu.translate.scope import function_depths

_COMPILER = frozenset((b"__CUDACC__", b"__NVCC__"))
_VERSIONS = frozenset(
    b"__CUDA_ARCH__ CUDA_VERSION CUDART_VERSION __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__"
    b" __CUDACC_VER_BUILD__".split()
)
_LEVEL = "PG_COMPAT_CUDA_ARCH_LEVEL"
_UNANSWERED = api.UNANSWERED


def rewrite(context: Context, declared: Declarations) -> None:
    """Answers `__CUDACC__`, `__CUDA_ARCH__` and version tests for AMD."""
    source = context.source
    own_branches = (b"HIP" in source.data or b"ROCM" in source.data) and any(
        word in HIP_TESTS
        for d in source.directives
        if d.name in (b"if", b"ifdef", b"ifndef", b"elif", b"elifdef", b"elifndef")
        for word in source.text[d.first : d.last + 1]
    )
    told: set[bytes] = set()
    both = device_only(source) if context.options.compat else set()
    for i in context.spots:
        if i in context.claimed:
            continue
        word = source.text[i]
        if i in both and not declared.covers(i):
            context.shims.add(_LEVEL)
            context.replace(i, _LEVEL.encode())
            message = "functions of devices are declared for the host's pass too, by " + _LEVEL
            context.report("PG1501", i, message)
        elif word in _COMPILER:
            if declared.covers(i):
                continue
            if own_branches:
                context.claimed.add(i)
                if word not in told:
                    told.add(word)
                    context.report(
                        "PG1503", i, f"the file tests for HIP itself; {word.decode()} was kept"
                    )
            else:
                context.replace(i, b"__HIPCC__")
        elif word in _VERSIONS:
            _test(context, declared, i, word)
        elif _UNANSWERED.match(word):
            context.claimed.add(i)
            context.report(
                "PG1504", i, f"{word.decode()} is not defined on AMD; the fallback is compiled"
            )


def device_only(source: Source) -> set[int]:
    """Places of `__CUDA_ARCH__` in tests around whole device functions, and within them.

    nvcc compiles no device code for the host; HIP's compiler reads the kernels that call such a
    function there too, and must find it declared.
    """
    if b"__CUDA_ARCH__" not in source.data:
        return set()
    found: set[int] = set()
    opened: list[tuple[int, bool]] = []  # index of the first token, may be one
    bodies: set[int] | None = None
    for d in source.directives:
        if d.name in (b"if", b"ifdef", b"ifndef"):
            opened.append((d.first, b"__CUDA_ARCH__" in source.text[d.first : d.last + 1]))
        elif d.name in (b"elif", b"else", b"elifdef", b"elifndef") and opened:
            opened[-1] = (opened[-1][0], False)
        elif d.name == b"endif" and opened:
            first, wanted = opened.pop()
            words = source.text[first : d.last]
            if not wanted or b"__device__" not in words or b"__host__" in words:
                continue
            bodies = function_depths(source) if bodies is None else bodies
            if first not in bodies:
                found |= {i for i in range(first, d.first) if source.text[i] == b"__CUDA_ARCH__"}
    return found


def _test(context: Context, declared: Declarations, i: int, word: bytes) -> None:
    if declared.covers(i) or word in context.options.known:
        context.claimed.add(i)
        return
    arch = word == b"__CUDA_ARCH__"
    if context.options.compat is None:
        context.claimed.add(i)
        if arch and _is_defined_test(context, i) and not context.options.hipify:
            context.replace(i, b"__HIP_DEVICE_COMPILE__")
        else:
            context.report(
                "PG1504", i, f"{word.decode()} is not defined on AMD; the fallback is compiled"
            )
        return
    macro = api.shims()[word][1]
    context.shims.add(macro)
    context.replace(i, macro.encode())
    if arch:
        message = "device code sees the capability of PG_COMPAT_CUDA_ARCH (700 by default)"
        context.report("PG1501", i, message)
    else:
        message = f"{word.decode()} reads {macro}: CUDA 11.7 by default"
        context.report("PG1502", i, message, hint="better: test for the feature you need")


def _is_defined_test(context: Context, i: int) -> bool:
    source = context.source
    before = source.word(i - 1)
    return before in (b"ifdef", b"ifndef", b"defined") or (
        before == b"(" and source.word(i - 2) == b"defined"
    )
