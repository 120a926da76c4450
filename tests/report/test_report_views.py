"""Views: the right side of every row together is the translation, byte for byte of each line."""

from __future__ import annotations

import random
from typing import Any

import pytest

from portgpu.findings import Edit, Finding, Severity
from portgpu.report.model import SourceFile
from portgpu.report.views import split, view, visible
from portgpu.source import apply_edits
from portgpu.translate import translate

CUDA = """#include <cuda_runtime.h>
#include "own.h"

__global__ void k(float* x) {
  x[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[0], 16);
}

int main() {
  float* d = nullptr;
  cudaMalloc(&d, 128);
  k<<<1, 32>>>(d);
  /* “quotes” 🚀 */ cudaFree(d);
}
"""


def right_side(data: dict[str, Any]) -> list[str]:
    """The translated lines as the page's script puts them together."""
    text = {first + i: line for first, lines in data["segments"] for i, line in enumerate(lines)}
    rows, at = [], 1
    for first, count, _, right, _ in data["hunks"]:
        rows += [text[n] for n in range(at, first)] + right
        at = first + count
    return rows + [text[n] for n in range(at, data["lines"] + 1)]


def without_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


@pytest.mark.parametrize("text", [CUDA, CUDA.replace("\n", "\r\n"), CUDA.rstrip("\n")])
def test_a_view_shows_the_translation(text: str) -> None:
    data = text.encode()
    result = translate(data, "a.cu")
    shown = view(SourceFile("a.cu", data, result.edits, result.findings))
    assert result.edits
    assert right_side(shown) == split(result.text)
    assert len(shown["findings"]) == len(result.findings)


def test_random_edits_are_shown_as_they_are(seed: int) -> None:
    pick = random.Random(seed)
    alphabet = ["a", "b", " ", "\n", "\r\n", "é", "🚀", "\t", ";"]
    for _ in range(400):
        pieces = [pick.choice(alphabet).encode() for _ in range(pick.randrange(60))]
        data = b"".join(pieces)
        borders = [len(b"".join(pieces[:i])) for i in range(len(pieces) + 1)]
        cuts = sorted(pick.choices(borders, k=2 * pick.randrange(5)))
        edits = []
        for start, end in zip(cuts[::2], cuts[1::2], strict=True):
            new = "".join(pick.choices(alphabet, k=pick.randrange(6))).encode()
            if not edits or edits[-1].end < start:
                edits.append(Edit(start, end, new))
        wanted = apply_edits(data, edits) if edits else data
        if b"\r" in wanted.replace(b"\r\n", b"") or b"\r" in data.replace(b"\r\n", b""):
            continue  # an edit cut a line end in two
        shown = view(SourceFile("a.cu", data, edits))
        # Empty last lines are not shown, but a hunk may keep one.
        assert without_end(right_side(shown)) == without_end(split(wanted)), (data, edits)


def test_marks_count_utf16_units() -> None:
    data = "x = 🚀; cudaFree(p);\n".encode()
    start = data.index(b"cudaFree")
    edit = Edit(start, start + 8, b"hipFree")
    found = Finding("a.cu", 1, start + 1, "PG1001", Severity.ERROR, "m", start=start, end=start + 8)
    shown = view(SourceFile("a.cu", data, [edit], [found]))
    assert shown["hunks"] == [[1, 1, [(0, 8, 16)], ["x = 🚀; hipFree(p);"], [(0, 8, 15)]]]
    assert shown["findings"][0][:3] == [1, 8, 16]


def test_findings_outside_of_the_text_stay_in_it() -> None:
    found = [Finding("a.cu", n, 999, "PG1001", Severity.NOTE, "m", end=9) for n in (0, 2, 77)]
    shown = view(SourceFile("a.cu", b"ab\ncd\n", [], found))
    assert [f[:3] for f in shown["findings"]] == [[1, 2, 2], [2, 2, 2], [2, 2, 2]]
    assert view(SourceFile("a.cu", b"", [], found))["findings"][0][:3] == [1, 0, 0]


def test_large_projects_keep_the_lines_around_findings() -> None:
    data = b"".join(b"line %d\n" % n for n in range(1, 101))
    edit = Edit(data.index(b"line 50"), data.index(b"line 50") + 4, b"LINE")
    found = Finding("a.cu", 80, 1, "PG1001", Severity.ERROR, "m")
    shown = view(SourceFile("a.cu", data, [edit], [found]), around=3)
    kept = [(first, first + len(lines) - 1) for first, lines in shown["segments"]]
    assert kept == [(47, 53), (77, 83)]


def test_control_and_direction_characters_are_visible() -> None:
    text = "a\u202eb\u2066c\x00\x1b[31m\tz"
    assert visible(text) == "a\ufffdb\ufffdc\u2400\u241b[31m\tz"
    assert visible("\udcff") == "?"


def test_inserted_lines_stand_before_the_line_that_changes_too() -> None:
    data = b"cudaFree(p);\nx;\n"
    edits = [Edit(0, 0, b"#include <a>\n"), Edit(0, 8, b"hipFree")]
    shown = view(SourceFile("a.cu", data, edits))
    assert shown["hunks"] == [
        [1, 0, [], ["#include <a>"], [(0, 0, 12)]],
        [1, 1, [(0, 0, 8)], ["hipFree(p);"], [(0, 0, 7)]],
    ]
    assert right_side(shown) == ["#include <a>", "hipFree(p);", "x;"]
