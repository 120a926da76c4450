"""`portgpu mapping`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portgpu import cli, mapping


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.run(["mapping", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_forward(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, "cudaMalloc")
    assert (code, err) == (0, "")
    assert out.startswith("cudaMalloc  →  hipMalloc\n  function, family runtime\n  same: ")
    assert "seen in: cuda11.8" in out


def test_backward_puts_the_chosen_row_first(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "hipMalloc", "--to", "cuda")
    assert code == 0
    heads = [line for line in out.splitlines() if "→" in line and not line.startswith(" ")]
    assert heads[0] == "cudaMalloc  →  hipMalloc"
    assert "cuMemAlloc  →  hipMalloc" in heads


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "cublas_v2.h", "cublas", "--format", "json")
    rows = json.loads(out)
    assert code == 0
    assert [(r["family"], r["hip"]) for r in rows] == [
        ("headers", "hipblas/hipblas.h"),
        ("libraries", "hipblas"),
    ]


def test_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, "cudaMalloc", "cudaMaloc")
    assert code == 1
    assert "hipMalloc" in out
    assert "no row for 'cudaMaloc'; did you mean cudaMalloc" in err


def test_wrong_direction(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, "hipMalloc", "--to", "rocm")
    assert code == 1
    assert "leave --to out" in err


def test_flag(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "--", "-gencode")
    assert code == 0
    assert "--offload-arch" in out


def test_families(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys)
    assert code == 0
    assert out.splitlines()[1].startswith("runtime")
    code, out, _ = _run(capsys, "--format", "json")
    assert {row["family"] for row in json.loads(out)} >= {"runtime", "nccl", "flags"}


def test_family_and_status(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "--family", "dnn", "--status", "differs")
    assert code == 0
    assert all("[differs]" in line for line in out.splitlines())
    code, _, err = _run(capsys, "--family", "dn")
    assert code == 2
    assert "dnn" in err


def test_support_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["mapping", "--docs", str(tmp_path)]) == 0
    index = (tmp_path / "index.md").read_text()
    tables = mapping.load()
    for family, title in tables.families.items():
        assert f"[{title}]({family}.md)" in index
        page = (tmp_path / f"{family}.md").read_text()
        rows = [line for line in page.splitlines() if line.startswith("|`")]
        assert len(rows) == len(tables.family(family))
        columns = {
            line.count("|") - line.count("\\|") for line in page.splitlines() if line[:1] == "|"
        }
        assert len(columns) == 1, family
    capsys.readouterr()
    assert cli.run(["mapping", "--family", "fft", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(tables.family("fft")) + 1 and lines[0].startswith("CUDA,A,D,R,HIP")
    for wrong in (
        ["--format", "md"],
        ["cudaMalloc", "--docs", "x"],
        ["--docs", "x", "--family", "no"],
    ):
        assert cli.run(["mapping", *wrong]) == 2
