"""The CI matrix and the workflow made from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portgpu.cli import run
from portgpu.config import load
from portgpu.errors import UsageError
from portgpu.matrix import include, rows, workflow

ROOT = Path(__file__).parents[2]


def test_workflow_is_fresh(tmp_path: Path) -> None:
    text = workflow(load(start=tmp_path, env={}))
    assert (ROOT / "ci" / "github.yml").read_text() == text, (
        "ci/github.yml is stale; run: portgpu matrix --workflow > ci/github.yml"
    )


def test_workflow_has_every_row_and_no_skipping_device_leg(tmp_path: Path) -> None:
    config = load(start=tmp_path, env={})
    text = workflow(config)
    for row in rows(config):
        assert f"- name: {row.name}\n" in text
        assert f"command: {row.command}\n" in text
    assert "portgpu doctor --device cuda" in text
    assert "portgpu doctor --device rocm" in text
    assert "continue-on-error" not in text
    assert "|| true" not in text
    for line in text.splitlines():
        if "uses:" in line:
            assert len(line.split("@")[1].split()[0]) == 40, line


def test_both_vendors_both_widths_all_kinds(tmp_path: Path) -> None:
    found = rows(load(start=tmp_path, env={}))
    compiled = {(row.vendor, row.arch) for row in found if row.kind == "compile"}
    assert {
        ("nvidia", "sm_80"),
        ("nvidia", "sm_70"),
        ("amd", "gfx90a"),
        ("amd", "gfx1030"),
    } <= compiled
    assert {row.warp for row in found if row.kind == "test"} == {"32", "64"}
    assert {row.target for row in found if row.kind == "device"} == {"cuda", "rocm"}
    # Every architecture only where the toolkit knows it.
    assert not [row for row in found if row.arch == "sm_70" and row.toolchain == "cuda-13-pip"]
    assert not [row for row in found if row.arch == "gfx942" and row.toolchain == "hip-5.2-debian"]


def test_configured_architectures(tmp_path: Path) -> None:
    (tmp_path / "portgpu.toml").write_text(
        '[build]\ntargets = ["rocm"]\n[target.rocm]\narchs = ["gfx90a", "gfx1250"]\n'
    )
    with pytest.raises(UsageError, match="no toolchain of the CI matrix builds for gfx1250"):
        rows(load(start=tmp_path, env={}))
    (tmp_path / "portgpu.toml").write_text(
        '[build]\ntargets = ["cuda"]\n[target.cuda]\narchs = ["sm_61"]\n'
    )
    found = rows(load(start=tmp_path, env={}))
    assert {row.arch for row in found if row.kind == "compile"} == {"sm_61"}


def test_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["matrix", "--format", "github", "--target", "rocm"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    data = json.loads(out)
    assert data == include(rows(load(start=tmp_path, env={}), ["rocm"])) | {
        "include": data["include"]
    }
    assert {row["vendor"] for row in data["include"]} == {"amd"}
    assert (
        run(["matrix", "--format", "json", "--arch", "sm_80", "--kind", "compile", "-t", "cuda"])
        == 0
    )
    assert {r["arch"] for r in json.loads(capsys.readouterr().out)["rows"]} == {"sm_80"}
    assert run(["matrix"]) == 0
    assert "gfx1030" in capsys.readouterr().out
    assert run(["matrix", "--workflow", "--arch", "sm_80"]) == 2
    assert run(["matrix", "--arch", "sm_20", "-t", "cuda"]) == 2
