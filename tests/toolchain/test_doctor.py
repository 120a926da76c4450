"""`portgpu doctor` and the devices of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portgpu.cli import run
from portgpu.toolchain import devices


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_text_and_json_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert run(["doctor"]) == 0
    text = capsys.readouterr().out
    for target in ("cuda", "rocm", "cpu"):
        entry = data["targets"][target]
        if entry["toolchain"]:
            assert entry["toolchain"]["compiler"] in text
            assert entry["toolchain"]["name"] in text
        else:
            assert entry["problem"] in text
    assert data["targets"]["cpu"]["usable"]


def test_wrong_environment_is_said_and_not_hidden(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROCM_PATH", "/nonexistent/rocm")
    monkeypatch.delenv("HIPCXX", raising=False)
    assert run(["doctor"]) == 0
    assert "correct or unset ROCM_PATH" in capsys.readouterr().out
    assert run(["doctor", "--check", "rocm"]) == 3
    out = capsys.readouterr().out
    assert "NOT USABLE" in out
    assert run(["doctor", "--check", "cpu"]) == 0
    assert "rocm" not in capsys.readouterr().out.split("devices")[0]


def test_nothing_usable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert run(["doctor"]) == 3
    out = capsys.readouterr().out
    assert "pip install 'cmake" in out
    assert out.count("NOT USABLE") == 3


def test_missing_device_is_its_own_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(devices, "find_devices", lambda: ())
    assert run(["doctor", "--device", "cpu"]) == 0
    assert run(["doctor", "--check", "opencl"]) == 2
    if run(["doctor", "--check", "cuda"]) == 0:
        assert run(["doctor", "--device", "cuda"]) == 7
        fake = devices.Device("cuda", 0, "H200", "sm_90", 141 << 30, "test")
        monkeypatch.setattr(devices, "find_devices", lambda: (fake,))
        capsys.readouterr()
        assert run(["doctor", "--device", "cuda"]) == 0
        assert "H200 (sm_90, 141 GiB)" in capsys.readouterr().out


def test_devices_never_raise() -> None:
    for device in devices.find_devices():
        assert device.arch.startswith(("sm_", "gfx"))
    assert isinstance(devices.problems(), list)


def test_amd_devices_from_the_kernels_topology(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for node, version in (("0", 0), ("1", 90010), ("2", 100300), ("3", 90402), ("10", 110001)):
        folder = tmp_path / "nodes" / node
        (folder / "mem_banks" / "0").mkdir(parents=True)
        (folder / "properties").write_text(f"cpu_cores_count 0\ngfx_target_version {version}\n")
        (folder / "mem_banks" / "0" / "properties").write_text("heap_type 1\nsize_in_bytes 4096\n")
    monkeypatch.setattr(devices, "_KFD", tmp_path / "nodes")
    monkeypatch.setattr(devices, "_call", lambda command, timeout=30: "")
    found = devices._amd()
    assert [d.arch for d in found] == ["gfx90a", "gfx1030", "gfx942", "gfx1101"]
    assert {d.memory for d in found} == {4096}


def test_nvidia_devices_from_nvidia_smi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    answer = "0, NVIDIA H200, 9.0, 143771\n1, Orin (nvgpu), 8.7, [N/A]\nNo devices were found\n"
    monkeypatch.setattr(devices, "_call", lambda command, timeout=30: answer)
    found = list(devices._smi())
    assert [(d.arch, d.name) for d in found] == [
        ("sm_90", "NVIDIA H200"),
        ("sm_87", "Orin (nvgpu)"),
    ]
    assert found[0].memory == 143771 << 20
    assert found[1].memory == 0
