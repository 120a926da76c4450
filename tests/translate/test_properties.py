"""Properties that hold for every input."""

# ruff: noqa: E501 (tables of pieces)

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portgpu.source import Kind, tokenize
from portgpu.translate import Options, translate
from tests.translate.helpers import run
from tests.translate.test_ambiguous import SNIPPETS

_PIECES = st.sampled_from(
    [
        "cudaMalloc", "cudaFree(p);", "cudaError_t e", "k<<<1, 2>>>(a)", "__shfl_xor_sync(m, v, 1)",
        "#define L k<float><<<g, b>>>\n", "<<<", ">>>", "\n", "#define M(...) k<<<__VA_ARGS__", "extern C",
        "// cudaFree\n", "/* cudaFree */", '"cudaFree"', 'R"(cudaFree)"', "'c'", "#define A cudaFree\n",
        "#if CUDA_VERSION > 3\n", "#endif\n", "#include <cuda_runtime.h>\n", '#include "x.h"\n',
        "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));", "__launch_bounds__(1, 2)", "(", ")", "{", "}",
        ";", ",", "<", ">", "::", "->", ".", "=", "*", "int ", "struct S ", "namespace n ", "warpSize",
        "extern __shared__ float s[];", "__shared__ int a[3];", "\\\n", "\r\n", "##", "#", "register ",
        "cudaMemcpyToSymbol(c, p, 4);", "template <class T> ", "prop.warpSize", "cudaLaunchKernelEx(a, b)",
        "hipFree(p)", "hipLaunchKernelGGL(k, 1, 2, 3, 4, a)", "pg_compat::ballot(1)", "enum E {", "return ",
    ]
)  # fmt: skip
_CODE = st.lists(_PIECES, max_size=30).map("".join)
MODES: list[dict[str, Any]] = [
    {},
    {"launches": "convert"},
    {"warp": "native"},
    {"to": "cpu"},
    {"to": "cuda"},
    {"compat": None, "hipify": "perl", "launches": "convert"},
    {"compat": None, "hipify": "clang", "roc": True, "launches": "convert"},
    {"skip_excluded": True},
]
_OPTIONS = st.sampled_from(MODES)


def _literals(data: bytes) -> list[bytes]:
    return [data[s:e] for k, s, e in tokenize(data) if k in (Kind.COMMENT, Kind.STRING, Kind.CHAR)]


@settings(max_examples=300, deadline=None)
@given(_CODE, _OPTIONS)
def test_undo_and_again(code: str, options: dict[str, Any]) -> None:
    """`run` undoes the edits and translates the result again."""
    run(code, **options)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_undo_and_again_for_programs_and_hard_snippets(options: dict[str, Any]) -> None:
    for marked in SNIPPETS.values():
        run(re.sub(r"@(\w+)@", r"\1", marked), **options)
    for path in sorted((Path(__file__).parent / "programs").glob("*.cu")):
        run(path.read_bytes(), **options)


@settings(max_examples=200, deadline=None)
@given(_CODE)
def test_comments_and_literals_are_unchanged(code: str) -> None:
    data = code.encode()
    if b"asm" in data:
        data = data.replace(b"asm", b"msa")
    if b"#include" in data:
        data = data.replace(b"#include", b"#exclude")
    text = translate(data, "a.cpp").text
    added = text.replace(b'"portgpu/hip_compat.h"', b"").replace(b"#include ", b"#exclude ", 1)
    assert sorted(_literals(data)) == sorted(_literals(added)) or _literals(data) == _literals(text)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), _OPTIONS)
def test_random_bytes_never_crash(data: bytes, options: dict[str, object]) -> None:
    translate(data, "a.cu", Options(**options))  # type: ignore[arg-type]
