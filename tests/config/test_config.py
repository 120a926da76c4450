"""portgpu.toml: precedence, places, mistakes with file and line, and the generated reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portgpu import config, config_docs
from portgpu.cli import run as portgpu
from portgpu.cli.build import check_project
from portgpu.errors import ConfigError


def write(folder: Path, text: str, name: str = "portgpu.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_without_file_the_op_library_is_meant(tmp_path: Path) -> None:
    found = config.load(start=tmp_path, env={})
    assert found.is_op_library
    assert found.file is None
    assert found.build.targets == ("cuda", "rocm", "cpu")


def test_precedence_is_options_then_environment_then_file(tmp_path: Path) -> None:
    write(tmp_path, '[build]\ntypes = "all"\njobs = 3\nwarp = "native"\n')
    env = {"PORTGPU_JOBS": "5", "PORTGPU_WARP": "logical", "PORTGPU_CUDA_ARCHS": "sm_80, sm_90"}
    found = config.load(start=tmp_path, env=env, overrides={"build.jobs": 7, "build.types": None})
    assert (found.build.types, found.build.warp, found.build.jobs) == ("all", "logical", 7)
    assert found.cuda.archs == ("sm_80", "sm_90")
    assert found.rocm.archs == ()


def test_found_in_parent_folders_up_to_the_repository(tmp_path: Path) -> None:
    write(tmp_path, '[project]\nsources = ["a.cu"]\n')
    inner = tmp_path / "repo" / "deep"
    inner.mkdir(parents=True)
    assert config.load(start=inner, env={}).root == tmp_path
    (tmp_path / "repo" / ".git").mkdir()
    assert config.load(start=inner, env={}).is_op_library


def test_pyproject_table(tmp_path: Path) -> None:
    write(tmp_path, '[tool.portgpu.project]\nsources = ["k.cu"]\n', "pyproject.toml")
    found = config.load(start=tmp_path, env={})
    assert found.project.sources == ("k.cu",)
    write(tmp_path, '[project]\nsources = ["own.cu"]\n')
    assert config.load(start=tmp_path, env={}).project.sources == ("own.cu",)


def test_pyproject_of_others_is_no_configuration(tmp_path: Path) -> None:
    write(tmp_path, '[project]\nname = "x"\n', "pyproject.toml")
    assert config.load(start=tmp_path, env={}).file is None


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ('[project]\nname = "x"\nsource = ["a"]\n', 3, "unknown key 'source'", "sources"),
        ('[project]\n\n# c\n"sorces" = ["a"]\n', 4, "unknown key 'sorces'", "sources"),
        ('project.srcs = ["a"]\n', 1, "unknown key 'srcs'", "sources"),
        ("[bild]\njobs = 1\n", 1, "unknown section 'bild'", "build"),
        ('[project]\nname="x"\n[target.cdua]\narchs = []\n', 3, "unknown target 'cdua'", "cuda"),
        ("jobs = 1\n", 1, "unknown key 'jobs'", "belongs into [build]"),
        ('\n[build]\ntypes = "coer"\n', 3, "types cannot be 'coer'", "core"),
        ("[build]\njobs = -1\n", 2, "jobs must be a whole number", ""),
        ("[build]\njobs = true\n", 2, "jobs must be a whole number", ""),
        ('[project]\nsources = "a.cu"\n', 2, "must be a list of strings", "sources = ["),
        ("[project]\nname = 3\n", 2, "name must be a string", ""),
        ('[build]\ntargets = ["cuda", "opencl"]\n', 2, "cannot be 'opencl'", "cuda, rocm, cpu"),
        ("[project]\nname =\n", 2, "not valid TOML", "docs/config.md"),
        ("[[project]]\nname = 'x'\n", 1, "project must be a table", "once"),
        ("build = 3\n", 1, "build must be a table", "[build]"),
    ],
)
def test_mistakes_name_file_and_line(
    tmp_path: Path, text: str, line: int, message: str, hint: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        config.load(start=tmp_path, env={})
    assert error.value.message.startswith(f"{path}:{line}: "), error.value.message
    assert message in error.value.message
    assert hint in error.value.hint


def test_mistakes_in_pyproject_name_its_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "[project]\n[tool.portgpu.build]\n\njob = 1\n", "pyproject.toml")
    with pytest.raises(ConfigError, match=rf"{re.escape(str(path))}:4: unknown key 'job'"):
        config.load(start=tmp_path, env={})


def test_bad_environment_value_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PORTGPU_JOBS"):
        config.load(start=tmp_path, env={"PORTGPU_JOBS": "many"})
    with pytest.raises(ConfigError, match="PORTGPU_TYPES"):
        config.load(start=tmp_path, env={"PORTGPU_TYPES": "some"})


def test_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        config.load(tmp_path / "nope.toml")
    with pytest.raises(ConfigError, match="no such file"):
        config.load(start=tmp_path, env={"PORTGPU_CONFIG": str(tmp_path / "nope.toml")})


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "portgpu.toml").write_bytes(b"[project]\nname = '\xff'\n")
    with pytest.raises(ConfigError, match="UTF-8"):
        config.load(start=tmp_path, env={})


def test_reference_in_docs_is_fresh() -> None:
    page = Path(__file__).parents[2] / "docs" / "config.md"
    text = page.read_text(encoding="utf-8")
    held = text.split("<!-- keys: begin -->\n")[1].split("<!-- keys: end -->")[0]
    assert held.strip() == config_docs.reference().strip(), (
        "docs/config.md is stale; run: python -m portgpu.config_docs docs/config.md"
    )


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_configuration_that_is_no_file_is_not_ignored(tmp_path: Path, kind: str) -> None:
    own = tmp_path / "portgpu.toml"
    if kind == "folder":
        own.mkdir()
    else:
        own.symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match=r"portgpu\.toml: (no file|a link to nowhere)") as told:
        config.load(start=tmp_path, env={})
    assert told.value.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[project]\nname = 3\n", 'write name = "3"'),
        ("[project]\nname = []\n", 'write name = "…"'),
        ('[build]\njobs = "many"\n', "write jobs = 1"),
        ("[build]\nstd = 17\n", 'write std = "c++17"'),
        ('[[test]]\nname = "a"\ntimeout = "1"\n', "write timeout = 60.0"),
        ('[[test]]\nname = "a"\n[[test]]\nname = "a"\n', "another name"),
        ('[[test]]\nname = "a"\ntimeout = 0\n', "timeout = 60"),
        ('[[test]]\nname = "a"\nenv = ["x"]\n', "NAME=VALUE"),
    ],
)
def test_every_mistake_says_what_to_write(tmp_path: Path, text: str, hint: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as told:
        config.load(start=tmp_path, env={})
    assert hint in told.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no sources are named"),
        ("# later\n", "no sources are named"),
        ('[project]\nname = "x"\n', "no sources are named"),
        ('[project]\nsources = ["a.cu"]\n[translate]\nallow = ["PG9999"]\n', "PG9999"),
        ('[project]\nsources = ["a.cu"]\n[lint]\nallow = ["PG9999: why"]\n', "PG9999"),
        ('[project]\nsources = ["a.cu"]\n[lint]\nallow = ["PG2003"]\n', "cannot read"),
    ],
)
@pytest.mark.parametrize("command", ["build", "test"])
def test_build_and_test_refuse_a_project_without_sources_or_wrong_findings(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    message: str,
    command: str,
) -> None:
    write(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    assert portgpu([command, "--target", "cpu"]) == 2
    shown = capsys.readouterr().err
    assert message in shown and "  next: " in shown
    assert not (tmp_path / "build").exists()


def test_accepted_findings_may_be_beginnings(tmp_path: Path) -> None:
    write(tmp_path, '[project]\nsources = ["a.cu"]\n[lint]\nallow = ["PG20: old", "PG2013: w"]\n')
    check_project(config.load(start=tmp_path, env={}))


def test_a_toolchain_error_names_what_named_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, '[project]\nsources = ["a.cu"]\n')
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    monkeypatch.chdir(tmp_path)
    words = ["build", "--target", "rocm"]
    assert portgpu([*words, "--rocm-path", "/nope"]) == 3
    assert "--rocm-path: /nope" in capsys.readouterr().err
    monkeypatch.setenv("PORTGPU_ROCM", "/nope")
    assert portgpu(words) == 3
    shown = capsys.readouterr().err
    assert "PORTGPU_ROCM: /nope" in shown and "--rocm-path" not in shown
    monkeypatch.delenv("PORTGPU_ROCM")
    write(tmp_path, '[project]\nsources = ["a.cu"]\n[toolchain]\nrocm = "/nope"\n')
    assert portgpu(words) == 3
    assert "portgpu.toml: [toolchain] rocm: /nope" in capsys.readouterr().err
