"""libcu++: `cuda::std::x` becomes `std::x`, and what our header has of `cuda::x` its form."""

from __future__ import annotations

from collections.abc import Container

from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.model import Context

# Parts of cuda::std that the standard library has only in C++20 and later, or not for devices.
_NOT_IN_STD = frozenset(
    b"mdspan extents dextents submdspan layout_right layout_left layout_stride default_accessor"
    b" aligned_accessor dynamic_extent philox4x64 philox4x32 expected inplace_vector".split()
)

_OURS = frozenset((b"identity",))  # C++20 in the standard library, C++17 in libcu++


def rewrite(context: Context, i: int, no_owners: Container[bytes]) -> None:
    """Handles the `cuda` at `i`; one that another namespace owns (`at::cuda::x`) is left alone."""
    source = context.source
    if source.word(i + 1) != b"::" or not source.is_ident(i + 2):
        return
    owner = source.text[i - 2] if source.word(i - 1) == b"::" and source.is_ident(i - 2) else b""
    if owner and owner not in no_owners:
        return
    if source.word(i - 1) == b"namespace" and source.word(i - 2) != b"using":
        return
    if source.text[i + 2] == b"std":
        name = source.word(i + 4) if source.word(i + 3) == b"::" else b""
        if name in _NOT_IN_STD:
            _report(context, i, i + 4)
        elif name in _OURS and context.options.compat:
            context.replace_span(i, i + 4, context.shim(name.decode()))
        else:
            context.replace_span(i, i + 2, b"std")
        return
    last = i + 2
    while source.word(last + 1) == b"::" and source.is_ident(last + 2):
        last += 2
    for end in range(last, i, -2):
        name = b"".join(source.text[i : end + 1])
        row = api.entry(name)
        if row is None:
            continue
        if row.adapter and context.options.compat:
            context.replace_span(i, end, context.shim(row.adapter.removeprefix("pg_compat::")))
        else:
            _report(context, i, end)
        return
    if _uses_it(source):
        _report(context, i, last)


def _report(context: Context, first: int, last: int) -> None:
    name = b"".join(context.source.text[first : last + 1]).decode("utf-8", "replace")
    context.claimed.update(range(first, last + 1))
    context.report(
        "PG1601",
        first,
        f"{name} of libcu++ has no counterpart in HIP",
        last=last,
        hint="write it by the standard library or by hand for AMD",
        symbol=name,
    )


def _uses_it(source: Source) -> bool:
    """Whether the file includes libcu++ itself, so that `cuda` is NVIDIA's namespace."""
    return any(i.name.startswith("cuda/") and not i.quoted for i in source.includes)
