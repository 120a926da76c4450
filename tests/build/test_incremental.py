"""What is compiled again, and what is not."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest


def test_first_build_then_nothing(project: Any) -> None:
    assert project.build() == 0, project.err
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp", "two.cu"]
    assert (project.root / "build" / "cpu" / "libdemo_cpu.so").is_file()
    before = (project.root / "build" / "build.json").stat().st_mtime_ns
    assert project.build() == 0
    assert project.calls() == []
    assert "up to date" in project.out
    assert (project.root / "build" / "build.json").stat().st_mtime_ns == before


def test_second_build_runs_no_program_and_is_quick(project: Any) -> None:
    output, _ = (build := project.start()).communicate()
    assert build.returncode == 0, output
    # Nothing on the PATH: a compiler, CMake or Ninja could not even be found.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    times, walls = [], []
    for _ in range(3):
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import os, subprocess, sys; from portgpu.cli import main\n"
                "def no(*a, **k): raise SystemExit('a program was started')\n"
                "subprocess.Popen = no; os.posix_spawn = no; os.system = no\n"
                "main()",
                "build",
            ],
            cwd=project.root,
            env=env,
            capture_output=True,
            text=True,
        )
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "up to date" in done.stdout
    # Processor time, since others may be using the machine; nothing is waited for but the disk.
    print(f"second build: {min(walls):.3f} s, of which {min(times):.3f} s processor time")
    assert min(times) < 0.5


def test_one_kernel_edited(project: Any) -> None:
    assert project.build() == 0
    project.calls()
    source = project.root / "src" / "two.cu"
    source.write_text(source.read_text().replace("p[i] *=", "p[i] +="))
    assert project.build() == 0
    assert project.calls() == ["link", "two.cu"]


def test_touched_but_equal_is_not_compiled(project: Any) -> None:
    assert project.build() == 0
    project.calls()
    os.utime(project.root / "src" / "two.cu")
    assert project.build() == 0
    assert project.calls() == []


def test_same_size_and_time_but_other_content_is_compiled(project: Any) -> None:
    assert project.build() == 0
    project.calls()
    header = project.root / "include" / "shared.h"
    stat = header.stat()
    header.write_text(header.read_text().replace("FACTOR 3", "FACTOR 4"))
    os.utime(header, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert project.build() == 0
    assert project.calls() == ["link", "one.cu", "two.cu"]


def test_flags_defines_types_and_environment_count(project: Any, monkeypatch: Any) -> None:
    assert project.build() == 0
    project.calls()
    assert project.build("--types", "all") == 0
    assert "one.cu" in project.calls()
    assert project.build("--types", "all") == 0
    assert project.calls() == []
    toml = project.root / "portgpu.toml"
    toml.write_text(toml.read_text() + '[target.cpu]\ndefines = ["DEMO_A=1"]\n')
    assert project.build("--types", "all") == 0
    assert "two.cu" in project.calls()
    monkeypatch.setenv("CPATH", str(project.root))
    assert project.build("--types", "all") == 0  # asked for again, and Ninja finds nothing to do
    assert "up to date" not in project.out


def test_removed_and_added_sources(project: Any) -> None:
    assert project.build() == 0
    project.calls()
    (project.root / "src" / "one.cu").unlink()
    project.write(
        "src/three.cu", (project.root / "src" / "two.cu").read_text().replace("two", "three")
    )
    assert project.build() == 0
    assert project.calls() == ["link", "three.cu"]
    staged = project.root / "build" / "cpu" / "project" / "src" / "src"
    assert sorted(path.name for path in staged.iterdir()) == ["three.cu", "two.cu"]
    assert [o["source"] for o in project.record()["targets"]["cpu"]["objects"]] == [
        "src/three.cu",
        "src/two.cu",
    ]


@pytest.mark.parametrize("what", ["library", "object", "staged", "state", "ninja", "garbage"])
def test_damage_in_the_build_folder_is_repaired(project: Any, what: str) -> None:
    assert project.build() == 0
    project.calls()
    folder = project.root / "build" / "cpu"
    library = folder / "libdemo_cpu.so"
    good = library.stat().st_size
    if what == "library":
        library.write_bytes(b"half")
    elif what == "object":
        next(folder.glob("ninja/obj/src/src/one.cu.o")).unlink()
    elif what == "staged":
        (folder / "project" / "src" / "src" / "one.cu").write_text("garbage")
    elif what == "state":
        (folder / "state.json").write_text('{"key": ')
    elif what == "ninja":
        shutil.rmtree(folder / "ninja")
    else:
        (folder / "project" / "src" / "src" / "left_over.cu").write_text("x")
    assert project.build() == 0, project.err
    assert library.stat().st_size == good
    assert project.build() == 0
    assert project.calls() == [] or what != "garbage"


def test_moved_build_folder_starts_afresh(project: Any) -> None:
    assert project.build() == 0
    project.calls()
    (project.root / "build").rename(project.root / "other")
    assert project.build("--build-dir", "other") == 0, project.err
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp", "two.cu"]


def test_edit_during_the_build_is_seen_by_the_next(project: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SLOW_CXX", "0.7")
    build = project.start()
    source = project.root / "src" / "one.cu"
    staged = project.root / "build" / "cpu" / "project" / "src" / "src" / "two.cu"
    while not staged.is_file():
        time.sleep(0.02)
    time.sleep(0.3)
    source.write_text(source.read_text() + "// edited\n")
    output, _ = build.communicate(timeout=60)
    assert build.returncode == 0, output
    monkeypatch.delenv("SLOW_CXX")
    project.calls()
    assert project.build() == 0
    assert "one.cu" in project.calls()


def test_generated_project_builds_without_portgpu(project: Any, tmp_path: Path) -> None:
    assert project.build("--configure-only") == 0
    assert project.calls() == []
    copy = tmp_path / "elsewhere with space"
    shutil.copytree(project.root / "build" / "cpu" / "project", copy)
    subprocess.run(
        ["cmake", "-G", "Ninja", "-B", "out"], cwd=copy, check=True, stdout=subprocess.DEVNULL
    )
    subprocess.run(["ninja", "-C", "out"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    assert (copy / "out" / "libdemo_cpu.so").is_file()
    project.calls()
    header = copy / "src" / "include" / "shared.h"
    header.write_text(header.read_text() + "// changed\n")
    subprocess.run(["ninja", "-C", "out"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    assert project.calls() == ["link", "one.cu", "two.cu"]


def test_odd_names(project: Any) -> None:
    """Spaces, dollars, quotes and non-ASCII in paths, semicolons and quotes in macros."""
    kernel = (project.root / "src" / "one.cu").read_text()
    project.write("src/sp ace/ö$x'y.cu", kernel.replace("one", "odd"))
    project.write("src/sp ace/local.h", "#define LOCAL 1\n")
    source = project.root / "src" / "sp ace" / "ö$x'y.cu"
    source.write_text(
        '#include "local.h"\nstatic_assert(sizeof(TEXT) == 7 && LOCAL, "");\n' + kernel
    )
    project.write(
        "portgpu.toml",
        '[project]\nname = "demo"\nsources = ["src/**/*.cu"]\ninclude_dirs = ["include"]\n'
        "defines = ['TEXT=\"a;b $c\"']\n[build]\ntargets = ['cpu']\n",
    )
    source.write_text(source.read_text().replace("one", "odd").replace("== 7", "== 7"))
    for name in ("one", "two"):
        path = project.root / "src" / f"{name}.cu"
        path.write_text(path.read_text())
    assert project.build() == 0, project.err
    project.calls()
    assert project.build() == 0
    assert "up to date" in project.out
    header = project.root / "src" / "sp ace" / "local.h"
    header.write_text("#define LOCAL 2\n")
    assert project.build() == 0
    assert project.calls() == ["link", "ö$x'y.cu"]


@pytest.mark.parametrize(
    "target",
    [
        "cpu",
        pytest.param("cuda", marks=pytest.mark.cuda_compiler),
        pytest.param("rocm", marks=pytest.mark.rocm_compiler),
    ],
)
def test_more_objects_than_a_command_line_takes(
    project: Any, monkeypatch: Any, target: str
) -> None:
    from portgpu.build import project as generated

    monkeypatch.setattr(generated, "_MANY", 1)
    (project.root / "src" / "one.cu").rename(project.root / "src" / "on e.cu")
    arch = {"cpu": [], "cuda": ["-a", "sm_80"], "rocm": ["-a", "gfx90a"]}[target]
    assert project.build("-t", target, *arch) == 0, project.err
    symbols = subprocess.run(
        ["nm", "-D", project.root / "build" / target / f"libdemo_{target}.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert " T run_one\n" in symbols
    assert " T run_two\n" in symbols


def test_launcher(project: Any, monkeypatch: Any) -> None:
    launcher = project.cxx.with_name("launcher")
    launcher.write_text(f'#!/bin/sh\necho launched >> {launcher}.log\nexec "$@"\n')
    launcher.chmod(0o755)
    monkeypatch.setenv("PORTGPU_LAUNCHER", str(launcher))
    assert project.build() == 0, project.err
    assert Path(f"{launcher}.log").read_text().count("launched") == 4
    monkeypatch.delenv("PORTGPU_LAUNCHER")
    monkeypatch.setenv("CXX", f"{launcher} {project.cxx}")
    Path(f"{launcher}.log").unlink()
    assert project.build() == 0, project.err
    assert Path(f"{launcher}.log").read_text().count("launched") == 5  # the probe, too


def test_build_folder_behind_a_link(project: Any, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (project.root / "linked").symlink_to(tmp_path / "real")
    assert project.build("-B", "linked") == 0, project.err
    project.calls()
    assert project.build("-B", "linked") == 0
    assert "up to date" in project.out
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "// edited\n")
    assert project.build("-B", "linked") == 0
    assert project.calls() == ["link", "one.cu"]
    source.write_text(source.read_text() + "#error planted\n")
    assert project.build("-B", "linked") == 5
    assert "src/one.cu:11:" in project.err


def test_own_files_count(project: Any, monkeypatch: Any) -> None:
    """Another translator or table makes other code: the record does not hold then."""
    monkeypatch.undo()
    monkeypatch.chdir(project.root)
    from portgpu import resources
    from portgpu.build import state

    first = state._tool_stamp()
    path = resources.templates("cmake") / "CMakeLists.txt.j2"
    stat = path.stat()
    try:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1000))
        assert state._tool_stamp() != first
    finally:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
