"""The dialect's reference: its page, and a source in which every example is compiled."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass

from portgpu import resources
from portgpu.errors import InternalError

# What examples may use.
_PRELUDE = """\
#include "portgpu.h"
#include "pg/grid.h"
#include "pg/mma.h"

__constant__ float example_constant[4];
template <class T, int N>
__global__ void example_kernel(T* y, int n) {
  if (static_cast<int>(threadIdx.x) < n) y[threadIdx.x] = static_cast<T>(N);
}
"""

_PLACES: dict[str, tuple[str, str]] = {
    "device": (
        "__global__ void example_{index}(const float* x, float* y, int* n, unsigned* u) {{\n"
        "  const int t = static_cast<int>(threadIdx.x);\n"
        "  const float v = x[t];\n"
        "  (void)v, (void)x, (void)y, (void)n, (void)u;\n",
        "}\n",
    ),
    "host": (
        "int example_{index}(void* p, void* q, size_t bytes, pg::stream s) {{\n"
        "  int status = 0;\n"
        "  (void)p, (void)q, (void)bytes, (void)s;\n",
        "  return status;\n}\n",
    ),
    "file": ("namespace example_{index} {{\n", "}}\n"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the names it documents, what they do, notes on targets, and an example.

    `place` is where the example stands: "device" (a kernel's body), "host" or "file".
    """

    group: str
    name: str
    summary: str
    note: str
    place: str
    example: str


@functools.cache
def groups() -> tuple[tuple[str, str, tuple[Entry, ...]], ...]:
    """(title, text, entries) of each group. Raises `InternalError` for a damaged reference."""
    path = resources.templates("dialect", "reference.toml")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(
            (
                group["title"],
                group["text"],
                tuple(_entry(group["title"], e) for e in group["entry"]),
            )
            for group in table["group"]
        )
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise InternalError(f"{path}: {error}") from error


def entries() -> list[Entry]:
    """All entries in the order of the page."""
    return [entry for _, _, found in groups() for entry in found]


def examples(*, libraries: bool = False) -> str:
    """One source that holds every example; `#line` makes errors name the entry.

    The library seams include large headers, so they come in a source of their own.
    """
    parts = [_PRELUDE + ('#include "pg/libraries.h"\n' if libraries else "")]
    for index, entry in enumerate(entries()):
        if (entry.group == "Libraries") != libraries:
            continue
        before, after = _PLACES[entry.place]
        parts.append(f"// {entry.name}\n{before.format(index=index)}")
        parts.append(f'#line 1 "{_file_name(entry)}"\n{entry.example}\n{after.replace("}}", "}")}')
    return "\n".join(parts)


def markdown() -> str:
    """docs/dialect.md."""
    parts = [
        "# The dialect\n",
        "<!-- Made from templates/dialect/reference.toml by",
        "`python -m portgpu.headers.dialect_reference`; do not edit. -->\n",
        '`#include "portgpu.h"` gives `PG_` macros and `pg::` functions for everything on which',
        "the vendors differ. Each example below is compiled for CUDA, ROCm and the CPU by the",
        "tests: in a kernel, `t` is the thread, `v` a float of its own, `x`, `y` point to float,",
        "`n` to int, `u` to unsigned; on the host `p`, `q` are pointers, `s` is a stream, and",
        "`status` is an int.\n",
    ]
    for title, text, found in groups():
        parts.append(f"## {title}\n")
        if text:
            parts.append(f"{text}\n")
        for entry in found:
            parts.append(f"### `{entry.name}`\n\n{entry.summary}")
            if entry.note:
                parts.append(f"\n{entry.note}")
            parts.append(f"\n```cpp\n{entry.example}\n```\n")
    return "\n".join(parts).rstrip() + "\n"


def _file_name(entry: Entry) -> str:
    return entry.name.replace("\\", "").replace('"', "")


def _entry(group: str, raw: dict[str, str]) -> Entry:
    place = raw.get("place", "device")
    if place not in _PLACES:
        raise KeyError(f"{raw['name']}: place is {place!r}")
    example = raw["example"].strip("\n")
    return Entry(group, raw["name"], raw["summary"], raw.get("note", ""), place, example)


if __name__ == "__main__":
    resources.templates().parent.joinpath("docs").joinpath("dialect.md").write_text(
        markdown(), encoding="utf-8"
    )
