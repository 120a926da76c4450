"""What `portgpu.headers` writes, and that nothing of a vendor is redefined."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portgpu import headers
from portgpu.errors import OutputError, UsageError
from portgpu.headers import dialect_reference, dialect_reverse


@pytest.mark.parametrize("target", ["cuda", "rocm", "cpu"])
def test_files(include: dict[str, Path], target: str) -> None:
    names = {str(p.relative_to(include[target])) for p in include[target].rglob("*.h")}
    assert {"portgpu.h", "pg/warp.h", "pg/detail/warp.h", "pg/detail/host.h"} <= names
    assert ("pgcpu.h" in names) == (target == "cpu")
    for path in include[target].rglob("*.h"):
        assert "{{ " not in path.read_text()


def test_every_target_has_the_same_detail_files(include: dict[str, Path]) -> None:
    found = {
        t: {p.name for p in (include[t] / "pg/detail").iterdir()} for t in ("cuda", "rocm", "cpu")
    }
    shared = {"atomic_words.h", "math_names.h"}  # of the two vendors, within their own files
    assert found["cuda"] == found["rocm"] == found["cpu"] | shared


@pytest.mark.parametrize("target", ["cuda", "rocm", "cpu"])
def test_own_names_only(include: dict[str, Path], target: str) -> None:
    ours = [include[target] / "portgpu.h", *(include[target] / "pg").rglob("*.h")]
    for path in ours:
        for name in re.findall(r"^\s*#\s*define\s+(\w+)", path.read_text(), re.MULTILINE):
            allowed = (
                name.startswith(("PG_", "PORTGPU_")) or name == "HIP_DISABLE_WARP_SYNC_BUILTINS"
            )
            assert allowed, f"{path.name} defines {name}"


def test_rendering_again_writes_nothing(tmp_path: Path) -> None:
    files = headers.render("cuda", tmp_path)
    before = {p: p.stat().st_mtime_ns for p in files}
    assert headers.render("cuda", tmp_path) == files
    assert {p: p.stat().st_mtime_ns for p in files} == before


def test_unknown_target(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'rocmm'") as caught:
        headers.render("rocmm", tmp_path)
    assert "rocm" in caught.value.hint
    assert not list(tmp_path.iterdir())


def test_output_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError):
        headers.render("cuda", tmp_path / "out")


def test_reverse_names() -> None:
    names = dict(dialect_reverse.names("runtime", "errors", prefix="cuda"))
    assert names["hipMalloc"] == "cudaMalloc"
    assert names["hipMemcpyHostToDevice"] == "cudaMemcpyHostToDevice"
    assert names["hipError_t"] == "cudaError_t"
    assert "hipHostMalloc" not in names  # defined by hand: HIP's has a default argument
    assert len(names) > 400


def test_reference_is_fresh() -> None:
    page = Path(__file__).parents[2] / "docs" / "dialect.md"
    hint = "run: python -m portgpu.headers.dialect_reference"
    assert page.read_text(encoding="utf-8") == dialect_reference.markdown(), hint


def test_reference_covers_the_headers(include: dict[str, Path]) -> None:
    """Every public macro and function of the shared headers is in the reference."""
    text = "\n".join(f"{e.name} {e.summary} {e.example}" for e in dialect_reference.entries())
    missing = []
    for path in (include["cuda"] / "pg").glob("*.h"):
        source = re.sub(
            r"namespace detail \{.*?\}  // namespace detail", "", path.read_text(), flags=re.DOTALL
        )
        found = set(re.findall(r"^PG_(?:HD)?FN (?:[\w<>:, ]+? )?(\w+)\(", source, re.MULTILINE))
        found |= set(re.findall(r"^inline \w+ (\w+)\(", source, re.MULTILINE))
        found |= {m for m in re.findall(r"#define (PG_\w+)\(", source) if not m.endswith("_")}
        missing += [f"{path.name}: {n}" for n in sorted(found) if not re.search(rf"\b{n}\b", text)]
    assert not missing
