"""Sources that no compiler reads, and names that only the preprocessor makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.source import tokenize
from portgpu.source.broken import no_text, unterminated
from portgpu.translate import Options, translate

MACROS = (
    "#define CAT(a, b) a##b\n#define CAT2(a, b) CAT(a, b)\n#define P cuda\n"
    "#define W(x, ...) do { CAT2(cuda, x)(__VA_ARGS__); } while (0)\n"
    "#define J3(a, b, c) a ## b ## c\n"
)


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("CAT(cuda,Free)(p);", "cudaFree"),
        ("CAT2( cuda , Free )(p);", "cudaFree"),
        ("CAT2(P, Malloc)(&p, 4);", "cudaMalloc"),  # P is expanded on the way
        ("W(Free, p);", "cudaFree"),
        ("J3(cuda, Mem, cpy)(a, b);", "cudaMemcpy"),
        ("CAT(cudaError, _t) e;", "cudaError_t"),
        ("CAT(CUBLAS_, OP_N);", "CUBLAS_OP_N"),
        ("CAT(__shfl, _sync)(1);", "__shfl_sync"),
        ("CAT(P, Malloc)(&p);", ""),  # operands of ## are not expanded
        ("CAT(my, Free)(p);", ""),
        ("CAT(thread, Idx).x;", ""),  # HIP has it too
        ("CAT(, cudaFree)(p);", ""),  # a whole name, which is renamed
        ("W(free, p);", ""),
        ("CAT(a + b, c);", ""),
    ],
)
def test_names_pasted_where_a_macro_is_used(use: str, name: str) -> None:
    code = f"{MACROS}void f() {{ {use} }}\n"
    for options in (
        Options(),
        Options(hipify="perl", compat=None),
        Options(hipify="clang", compat=None),
    ):
        found = translate(code.encode(), "a.cu", options)
        told = [f.symbol for f in found.findings if f.id == "PG1005" and f.line == 6]
        assert told == ([name] if name else [])
        assert not any(f.id == "PG1002" for f in found.findings)
        if name:
            assert use in found.text.decode()  # nothing half done


def test_a_prefix_with_a_value_for_each_vendor_is_the_projects_own() -> None:
    code = (
        "#ifdef __HIPCC__\n#define P hip\n#else\n#define P cuda\n#endif\n#define CAT_(a, b) a##b\n"
        "#define CAT(a, b) CAT_(a, b)\nvoid f() { CAT(P, Free)(0); }\n"
    )
    assert not [f for f in translate(code.encode(), "a.cu").findings if f.id == "PG1005"]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("<<<<<<< HEAD\nint e = cudaFree(0);\n=======\nint e;\n>>>>>>> x\n", [1, 5]),
        ("<<<<<<< HEAD\nint e = cudaFree(0);\n||||||| b\n=======\nint e;\n>>>>>>> x\n", [1, 3, 6]),
        ("// was\n/*\n<<<<<<< HEAD\n*/\nint e = cudaFree(0);\n", []),
        ("int e = cudaFree(0);\nauto s = R\"(\n<<<<<<< HEAD\n)\";\n", []),
        ("int e = cudaFree(0);\n/* open\ncudaFree(1);\n", [2]),
        ('int e = cudaFree(0);\nauto s = "open;\nint g = cudaFree(1);\n', [2]),
        ("int e = cudaFree(0);\nauto s = 'open;\n", [2]),
        ('int e = cudaFree(0);\nauto s = "a\\";\n', [2]),
        ('int e = cudaFree(0);\nauto s = R"x(open)";\n', [2]),
        ('int e = cudaFree(0);\nauto s = "a\\\\", t = "a\\\nb", u = u8"x";\n', []),
        ("int e = cudaFree(0);\nchar c = '\\'';\n", []),
        ("int e = cudaFree(0);\n#if 0\ndon't \"open\n#endif\n#error don't\n", []),
        ("int e = cudaFree(0), f = 1'000'000;\n", []),
    ],
)  # fmt: skip
def test_conflicts_and_open_literals(code: str, lines: list[int]) -> None:
    found = translate(code.encode(), "a.cu")
    assert [f.line for f in found.findings if f.id == "PG1808"] == lines
    assert not any(f.id == "PG1301" for f in found.findings)
    assert b"hipFree(0)" in found.text  # what is around it was translated


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("int e = cudaFree(0);".encode("utf-16"), "UTF-16 or UTF-32"),
        (("int e = cudaFree(0);" * 9).encode("utf-16-le"), "UTF-16 or UTF-32"),
        (("int e = cudaFree(0);" * 9).encode("utf-16-be"), "UTF-16 or UTF-32"),
        (("int e = cudaFree(0);" * 9).encode("utf-32-le"), "UTF-16 or UTF-32"),
        (b"\x7fELF\x02\x01\x01" + bytes(40), "binary"),
        (b"!<arch>\nx", "binary"),
        (b"\x89PNG\r\n", "binary"),
        (bytes(range(256)) * 8, "binary"),
        (b"int e = cudaFree(0);\0", ""),
        ("int größe = 1; // 日本語".encode("shift-jis", "replace"), ""),
        (b"\xef\xbb\xbfint e;\r\n\f\x1a", ""),
        (b"", ""),
        (b"\0" * 3, ""),
    ],
)
def test_what_is_no_text(data: bytes, what: str) -> None:
    assert no_text(data) == what
    found = translate(data, "a.cu")
    assert [f.id for f in found.findings if f.id == "PG1803"] == ["PG1803"] * bool(what)
    if what:
        assert found.text is data


def test_broken_input_is_looked_at_without_a_fault() -> None:
    for data in (b'"', b"'", b"/*", b"/*/", b'R"', b'u8"', b"\\", b'"\\', b"'\\"):
        assert list(unterminated(data, tokenize(data))) or data == b"\\"


@pytest.mark.parametrize("sign", ["(", "!", "-"])
def test_conditions_too_deep_to_evaluate(sign: str) -> None:
    """They are unclear, so that the code below counts: here with a string that has no end."""
    text = sign * 5000 + "1" + ")" * 5000 * (sign == "(")
    code = f'#if {text}\nauto s = "open;\n#endif\nvoid f() {{ cudaFree(0); }}\n'
    for options in (Options(), Options(hipify="clang", skip_excluded=True)):
        result = translate(code.encode(), "a.cu", options)
        assert [f.id for f in result.findings] == ["PG1808"]
        assert b"hipFree" in result.text


def test_names_pasted_by_macros_of_local_headers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paste = "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define OTHER(a) a##_other\n"
    (tmp_path / "cat.h").write_text(paste)
    (tmp_path / "use.h").write_text('#include "cat.h"\nint OTHER(a);\n')
    (tmp_path / "use.cu").write_text(
        '#include "use.h"\nvoid f(void* p) { CAT(cuda, Free)(p); OTHER(p)(); }\n'
    )
    for _ in range(2):  # the second time from the manifest
        command = ["translate", str(tmp_path), "-o", str(tmp_path / "out"), "--format", "json"]
        assert portgpu(command) == 1
        found = json.loads(capsys.readouterr().out)["findings"]
        assert [(f["id"], Path(f["path"]).name, f["line"]) for f in found] == [
            ("PG1005", "use.cu", 2)
        ]


@pytest.mark.parametrize("opener", ["{", "(", "[", "<:", "<%", "<"])
def test_rows_behind_any_opener_end(opener: str) -> None:
    """A walk back from a row of values stops at whatever opens there."""
    code = f"int n = 1; float f; auto x = g{opener} {{n, 2}}, {{1.0f, n}}, {{f}}"
    for tail in ("", ";", "}", ")", "]", " };"):
        translate((code + tail + "\ncudaFree(0);\n").encode(), "a.cu")
