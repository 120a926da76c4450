"""`portgpu mapping`."""

from __future__ import annotations

import json

import pytest

from portgpu import cli


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
