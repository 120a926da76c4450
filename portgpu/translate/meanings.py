"""What compiles unchanged and means something else on AMD: told once a file, as notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context
from portgpu.translate.scope import enclosing_heads

_LAST_ERROR = frozenset((b"cudaGetLastError", b"cudaPeekAtLastError"))
_NAMES = {
    **dict.fromkeys(
        (b"cudaDriverGetVersion", b"cudaRuntimeGetVersion", b"cuDriverGetVersion"),
        "the number is HIP's (6.3.0 is 60300000 and more), not CUDA's: every test for at"
        " least 11000 or 12000 holds",
    ),
    **dict.fromkeys(
        (b"curand_init", b"curandCreateGenerator", b"curandCreateGeneratorHost"),
        "hipRAND's generators are of the same quality, but one seed gives other numbers than"
        " cuRAND's: do not compare with recorded ones",
    ),
    **dict.fromkeys(
        (b"cudaDevAttrComputeCapabilityMajor", b"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR"),
        "on AMD this is the number of the gfx architecture (9, 10, 11), no compute capability",
    ),
}
_COMPARES = frozenset((b">=", b"<=", b"<", b">", b"==", b"!=", b"*"))
_ONE = re.compile(rb"(?:1|0[xX]0*1)([uUlL]*)\Z")
_WIDTH = re.compile(rb"(32|64)[uUlL]*\Z")
_FAR = 400  # tokens between a launch and the question for its error
_DEVICE = frozenset((b"__global__", b"__device__"))


def rewrite(context: Context, declared: Declarations) -> None:
    """Notes (PG1003, PG1813, PG1814) on the first place of each kind."""
    if context.is_hip or context.options.hipify:
        return
    source = context.source
    told: set[str] = set()
    for i, finding, text in _places(context, declared):
        if text not in told and i not in context.claimed:
            told.add(text)
            symbol = source.text[i].decode("utf-8", "replace")
            context.report(finding, i, text, severity=Severity.NOTE, symbol=symbol)


def _places(context: Context, declared: Declarations) -> Iterator[tuple[int, str, str]]:
    source = context.source
    for i in context.spots:
        word = source.text[i]
        if word in _NAMES and not declared.covers(i):
            yield i, "PG1003", _NAMES[word]
        elif word in _LAST_ERROR and _other_call_since_launch(source, i):
            yield i, "PG1003", _ERROR_TEXT
    if b"cudaDeviceProp" in source.data:
        for i in source.places.get(b"major", ()):
            if source.word(i - 1) in (b".", b"->") and source.word(i + 1) in _COMPARES:
                yield i, "PG1003", _NAMES[b"cudaDevAttrComputeCapabilityMajor"]
    for i, last in _shifts(source):
        if _may_reach_width(source, i, last) and _in_device_code(source, i):
            yield i, "PG1813", _SHIFT_TEXT
    for i in source.places.get(b"atomicCAS", ()):
        if _waits_in_lockstep(source, i):
            yield i, "PG1814", _LOCK_TEXT


_ERROR_TEXT = (
    "HIP before 7 keeps the status of the latest call, not the latest error: the calls since the"
    " launch have replaced what it failed with; ask right behind the launch"
)
_SHIFT_TEXT = (
    "a shift by the full width gives 0 on NVIDIA and leaves the value on AMD, which takes the count"
    " modulo the width; guard the case"
)
_LOCK_TEXT = (
    "every lane waits for this lock: the lanes of AMD's waves run in step, and the one that holds"
    " it never goes on; release it inside of the loop, or let one lane take it"
)


def _other_call_since_launch(source: Source, i: int) -> bool:
    """Whether API calls lie between the latest launch of the same function and `i`."""
    called = False
    depth = 0
    for k in range(i - 1, max(-1, i - _FAR), -1):
        word = source.text[k]
        if word == b"}":
            depth += 1
        elif word == b"{":
            depth -= 1
            if depth < -2:
                return False
        elif word == b"<<<" or word.startswith((b"cudaLaunch", b"cuLaunch")):
            return called
        elif (
            word.startswith(b"cuda") and source.word(k + 1) == b"(" and word not in _LAST_ERROR
        ) and not word.startswith((b"cudaGetError", b"cudaError")):
            called = True
    return False


def _in_device_code(source: Source, i: int) -> bool:
    return any(heads & _DEVICE for _, heads in enclosing_heads(source, i))


def _shifts(source: Source) -> Iterator[tuple[int, int]]:
    """First and last token of each "<<" and ">>", which the lexer leaves in two."""
    for i in source.places.get(b"<<", ()):
        yield i, i
    for i in source.places.get(b">", ()):
        if source.word(i + 1) == b">" and source.code[i].end == source.code[i + 1].start:
            yield i, i + 1


def _may_reach_width(source: Source, i: int, last: int) -> bool:
    """`x >> (32 - n)`, `(1u << n) - 1`: with n of 0 or 32 the shift is by the whole width."""
    if source.word(last + 1) == b"(" and _WIDTH.match(source.word(last + 2)):
        counted = source.word(last + 3) == b"-" and _is_variable(source, last + 4)
        return counted and not _is_rotation(source, i, source.word(last + 4))
    one = _ONE.match(source.word(i - 1)) if source.text[i] == b"<<" else None
    return (
        one is not None
        and source.word(i - 2) == b"("
        and _is_variable(source, i + 1)
        and source.match.get(i - 2) == i + 2
        and source.word(i + 3) == b"-"
        and _ONE.match(source.word(i + 4)) is not None
    )


def _is_variable(source: Source, i: int) -> bool:
    """A name that may hold a count: no constant's, and no lane, which is less than 32."""
    word = source.word(i)
    return (
        source.is_ident(i)
        and source.code[i][0] == Kind.IDENT
        and any(97 <= c < 123 for c in word)
        and not word.startswith(b"k")
        and b"lane" not in word.lower()
        and source.word(i + 1) == b")"
    )


def _is_rotation(source: Source, i: int, count: bytes) -> bool:
    """`x << n | x >> (32 - n)`: n of 0 gives x on both sides of the "|"."""
    other = [b"<<", count] if source.text[i] == b">" else [b">", b">", count]
    near = source.text[max(0, i - 14) : i + 16]
    return b"|" in near and any(near[k : k + len(other)] == other for k in range(len(near)))


def _waits_in_lockstep(source: Source, i: int) -> bool:
    """`while (atomicCAS(lock, 0, 1) != 0);` in device code, outside of a branch for one thread."""
    opener = source.enclosing(i)
    while opener is not None and source.text[opener] == b"(":
        if source.word(opener - 1) == b"while":
            close = source.match.get(opener, i)
            empty = source.word(close + 1) == b";" or source.text[close + 1 : close + 3] == [
                b"{",
                b"}",
            ]
            if not empty or not _in_device_code(source, i):
                return False
            heads = [heads for _, heads in enclosing_heads(source, i)]
            before = source.text[max(0, opener - 14) : opener]
            return not any(b"if" in h for h in heads) and b"if" not in before
        opener = source.enclosing(opener)
    return False
