"""Bad input, failing compilers, interrupted and concurrent builds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest


def test_syntax_error_names_the_original(project: Any) -> None:
    source = project.root / "src" / "two.cu"
    lines = source.read_text().count("\n")
    source.write_text(source.read_text() + "int x = ;\n")
    assert project.build() == 5
    assert re.search(rf"^src/two\.cu:{lines + 1}:\d+: error:", project.err, re.M), project.err
    assert "src/two.cu did not compile with" in project.err
    assert str(project.cxx) in project.err  # the command, to copy
    assert "Traceback" not in project.err
    source.write_text(source.read_text().replace("int x = ;\n", ""))
    assert project.build() == 0


def test_error_in_a_header_names_the_original(project: Any) -> None:
    project.write("include/shared.h", "#pragma once\n\n#error planted\n")
    assert project.build() == 5
    assert re.search(r"include/shared\.h:3:", project.err)
    assert "/build/cpu/project/src" not in project.err.replace("-I", "").split("error:")[1]


def test_keep_going_shows_all_errors(project: Any) -> None:
    for name in ("one", "two"):
        path = project.root / "src" / f"{name}.cu"
        path.write_text(path.read_text() + "int x = ;\n")
    assert project.build("-j", "1") == 5
    first = project.err
    assert ("src/one.cu:" in first) != ("src/two.cu:" in first)
    assert project.build("-j", "1", "--keep-going") == 5
    assert "src/one.cu:" in project.err
    assert "src/two.cu:" in project.err


def test_command_that_failed_can_be_run_again(project: Any) -> None:
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "#error planted\n")
    assert project.build() == 5
    command = next(line[2:] for line in project.err.splitlines() if line.startswith("$ "))
    again = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert again.returncode != 0
    assert "planted" in again.stderr


def test_link_error(project: Any) -> None:
    project.write(
        "portgpu.toml",
        (project.root / "portgpu.toml").read_text()
        + '[target.cpu]\nlink_flags = ["-lno_such_library_here"]\n',
    )
    assert project.build() == 5
    assert "link libdemo_cpu.so failed" in project.err
    assert "no_such_library_here" in project.err


def test_verbose_shows_commands_quiet_shows_nothing(project: Any) -> None:
    assert project.build("--verbose") == 0
    assert project.out.count("countingcxx -x c++") == 3
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "// changed\n")
    assert project.build("--quiet") == 0
    assert (project.out, project.err) == ("", "")


def test_warnings_are_shown_once_and_kept(project: Any) -> None:
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "#warning planted\n")
    assert project.build() == 0
    assert "src/one.cu:10:" in project.err
    assert any("planted" in line for line in project.record()["targets"]["cpu"]["warnings"])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--target", "cud"], 2, "did you mean cuda"),
        (["--target", "cuda,,cpu"], 2, "'' is not a target"),
        (["--arch", "sm_9O"], 2, "did you mean sm_9"),
        (["--target", "cpu", "--arch", "gfx90a"], 2, "belongs to target rocm"),
        (["--tpyes", "all"], 2, "--types"),
        (["--types", "some"], 2, "'core', 'all'"),
        (["--jobs", "0"], 2, "jobs"),
        (["--config", "none.toml"], 2, "no such file"),
        (["--cxx", "no-such-compiler"], 3, "--cxx: no-such-compiler: no such program"),
        (["--target", "cuda", "--cuda-path", "/nonexistent"], 3, "--cuda-path: /nonexistent"),
        (["--target", "rocm", "--rocm-path", "/nonexistent"], 3, "--rocm-path: /nonexistent"),
        (["--cmake", "/nonexistent/cmake"], 3, "no usable cmake"),
        (["--build-dir", "portgpu.toml"], 9, "portgpu.toml"),
    ],
)
def test_bad_input(project: Any, options: list[str], code: int, message: str) -> None:
    assert project.build(*options) == code, project.err
    assert message in project.err
    assert "Traceback" not in project.err
    assert project.calls() == []


def test_no_sources(project: Any) -> None:
    project.write("portgpu.toml", '[project]\nsources = ["nope/*.cu"]\n')
    assert project.build("-t", "cpu") == 2
    assert "'nope/*.cu' matches no file" in project.err
    project.write("portgpu.toml", '[project]\nsources = ["src/*.cu"]\nexclude = ["src/*"]\n')
    assert project.build("-t", "cpu") == 2
    assert "nothing is left" in project.err


def test_source_that_cannot_be_read(project: Any) -> None:
    (project.root / "src" / "dangling.cu").symlink_to(project.root / "nowhere")
    assert project.build() == 0  # a dangling link is no file
    outside = project.root.parent / "outside.cu"
    outside.write_text("")
    project.write("portgpu.toml", f'[project]\nsources = ["{outside}"]\n')
    assert project.build("-t", "cpu") == 2
    assert "lies outside" in project.err


def test_read_only_build_folder(project: Any) -> None:
    if os.geteuid() == 0:
        # Root may write anywhere except where the file system itself refuses.
        assert project.build("--build-dir", "/proc/portgpu") == 9
    else:
        folder = project.root / "fixed"
        folder.mkdir()
        folder.chmod(0o555)
        assert project.build("--build-dir", str(folder)) == 9
    assert "--build-dir" in project.err
    assert "Traceback" not in project.err


def test_full_disk_while_compiling(project: Any, monkeypatch: Any) -> None:
    project.cxx.write_text(
        project.cxx.read_text().replace(
            "for last;",
            'case "$*" in *-shared*) echo "ld: No space left on device"; exit 1;; esac\nfor last;',
        )
    )
    assert project.build() == 9
    assert "no space left on device" in project.err
    assert "free some space" in project.err


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_children_and_leaves_a_good_folder(
    project: Any, monkeypatch: Any, sent: signal.Signals
) -> None:
    monkeypatch.setenv("SLOW_CXX", "30")
    build = project.start()
    log = project.cxx.with_name("calls.log")
    while not log.is_file():
        time.sleep(0.02)
    started = time.monotonic()
    build.send_signal(sent)
    output, _ = build.communicate(timeout=20)
    assert build.returncode == 130, output
    assert time.monotonic() - started < 10
    assert "interrupted" in output
    assert "Traceback" not in output
    assert not _running(project.root)
    assert not list((project.root / "build").rglob("*.o"))
    monkeypatch.delenv("SLOW_CXX")
    project.calls()
    assert project.build() == 0
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp", "two.cu"]


def test_killed_build_holds_its_lock_until_compilers_are_gone(
    project: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("SLOW_CXX", "1.5")
    build = project.start()
    log = project.cxx.with_name("calls.log")
    while not log.is_file():
        time.sleep(0.02)
    build.kill()
    build.communicate()
    monkeypatch.delenv("SLOW_CXX")
    assert project.build() == 0, project.err
    assert "another build is at work here" in project.err
    assert project.build() == 0
    assert "up to date" in project.out


def test_two_builds_at_once(project: Any) -> None:
    builds = [project.start() for _ in range(3)]
    outputs = [build.communicate(timeout=120)[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0, 0], outputs
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp", "two.cu"]
    assert set(project.record()["targets"]) == {"cpu"}


def _running(folder: Path) -> list[str]:
    """Processes that still mention a folder on their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder / "build") in command:
            found.append(command)
    return found


def test_configured_places_are_relative_to_the_file(project: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("CXX")
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text + f'[toolchain]\ncxx = "{project.cxx}"\n')
    inner = project.root / "src"
    monkeypatch.chdir(inner)
    assert project.build() == 0, project.err
    assert (project.root / "build" / "cpu" / "libdemo_cpu.so").is_file()
    assert not (inner / "build").exists()
