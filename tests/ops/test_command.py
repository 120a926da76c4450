"""`portgpu test` on the command line: builds what is missing, exit codes, messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from portgpu import build
from portgpu.cli import run
from portgpu.errors import Exit

Make = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def builds(
    fake_library: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> list[build.Request]:
    """Stands in for the builder: remembers requests, gives the fake library."""
    asked: list[build.Request] = []

    def fake(request: build.Request) -> list[SimpleNamespace]:
        asked.append(request)
        return [
            SimpleNamespace(
                target=target, library=fake_library("DEVICES=0", target=target), archs=("arch",)
            )
            for target in request.targets
        ]

    monkeypatch.setattr(build, "build", fake)
    monkeypatch.chdir(tmp_path)
    return asked


def test_builds_first(builds: list[build.Request], capsys: Capture) -> None:
    code = run(["test", "-t", "cuda,rocm", "--arch", "sm_90", "--types", "core", "--quiet"])
    assert code == Exit.NO_DEVICE
    assert [r.targets for r in builds] == [("cuda", "rocm")]
    assert builds[0].archs == ("sm_90",) and builds[0].config.is_op_library
    text = capsys.readouterr()
    assert text.out.count("FAILED: 0 of") == 2
    assert "no NVIDIA device is here" in text.err and "--build-only" in text.err


def test_default_target_is_the_cpu(builds: list[build.Request]) -> None:
    assert run(["test", "--quiet"]) == Exit.NO_DEVICE
    assert builds[0].targets == ("cpu",)


def test_build_only_runs_nothing(builds: list[build.Request], capsys: Capture) -> None:
    """The fake lacks most ops, which reading back finds."""
    assert run(["test", "-t", "cuda", "--build-only", "--quiet"]) == Exit.TEST
    text = capsys.readouterr()
    assert "for arch" in text.out and "the library lacks" in text.err


def test_project_of_a_user_gets_its_own_folder(builds: list[build.Request], tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("")
    (tmp_path / "portgpu.toml").write_text('[project]\nname = "mine"\nsources = ["k.cu"]\n')
    assert run(["test", "--quiet"]) == Exit.USAGE  # never the op library in the project's name
    assert not builds
    run(["test", "--quiet", "--op", "add"])
    assert builds[0].config.is_op_library
    assert builds[0].build_dir == tmp_path / "build" / "portgpu-ops"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["-t", "gpu"], Exit.USAGE, "'gpu' is not a target"),
        (["--op", "sofmax", "--lib", "{lib}"], Exit.USAGE, "did you mean softmax"),
        (["-k", "nothing-like-it", "--lib", "{lib}"], Exit.USAGE, "no case matches"),
        (["--lib", "absent_cpu.so"], Exit.USAGE, "no such library"),
        (["--lib", "cuda={lib}", "-t", "cpu"], Exit.USAGE, "--lib names a cuda library"),
        (["--lib", "{lib}", "--types", "all"], Exit.USAGE, "built with the core types only"),
        (
            ["--lib", "{lib}", "--output", "/proc/x/y", "--op", "add", "-k", "n33"],
            Exit.IO,
            "/proc/x",
        ),
        (["--warp-size", "16"], Exit.USAGE, "16"),
    ],
)
def test_bad_use(
    fake_library: Make, capsys: Capture, args: list[str], code: Exit, message: str
) -> None:
    lib = str(fake_library())
    assert run(["test", "--quiet", *[a.replace("{lib}", lib) for a in args]]) == code
    text = capsys.readouterr().err
    assert message in text and "Traceback" not in text


def test_json_on_standard_output(fake_library: Make, capsys: Capture) -> None:
    args = ["test", "--lib", str(fake_library()), "--op", "add", "-k", "add/f32/n33"]
    assert run([*args, "--format", "json", "--seed", "5", "--warp-size", "64"]) == Exit.OK
    facts = json.loads(capsys.readouterr().out)
    assert facts["passed"] and facts["seed"] == 5
    assert [leg["name"] for leg in facts["legs"]] == ["cpu, 64 lanes"]
    assert facts["legs"][0]["library"]["device"]["warp_size"] == 64
