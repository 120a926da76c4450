"""Odd trees and odd places: what a stranger's project and machine may look like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KERNEL = """__global__ void NAME(float* p) { p[threadIdx.x] *= FACTOR; }
extern "C" int run_NAME(float* p) { NAME<<<1, 32>>>(p); return 0; }
"""


def test_includes_through_linked_folders(project: Any) -> None:
    """A header behind a link inside the tree, and one behind a link that leaves it."""
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "far.h").write_text("#pragma once\n#define FAR 5\n")
    project.write("common/near.h", '#pragma once\n#include "deeper/deep.h"\n')
    project.write("common/deeper/deep.h", "#pragma once\nstruct Deep { float value; };\n")
    (project.root / "src" / "near").symlink_to("../common")
    (project.root / "src" / "far").symlink_to(outside)
    (project.root / "src" / "copy.h").symlink_to("../common/near.h")
    project.write(
        "src/one.cu",
        '#include "near/near.h"\n#include "far/far.h"\n#include "copy.h"\n'
        '#include "../common/near.h"\nstatic_assert(FAR == 5);\nDeep deep;\n'
        + KERNEL.replace("NAME", "one").replace("FACTOR", "FAR"),
    )
    assert project.build() == 0, project.err
    project.calls()
    (outside / "far.h").write_text("#pragma once\n#define FAR 6\n")
    assert project.build() == 5
    assert "src/one.cu:5:" in project.err
    (outside / "far.h").write_text("#pragma once\n#define FAR 5\n")
    assert project.build() == 0
    assert project.build() == 0
    assert "up to date" in project.out
    # The link leads elsewhere now.
    other = project.root.parent / "other"
    other.mkdir()
    (other / "far.h").write_text("#pragma once\n#define FAR 5\n")
    (project.root / "src" / "far").unlink()
    (project.root / "src" / "far").symlink_to(other)
    assert project.build() == 0
    assert "up to date" not in project.out


def test_very_long_paths(project: Any) -> None:
    deep = "/".join(["d" * 60] * 12)
    project.write(
        f"src/{deep}/{'k' * 100}.cu", KERNEL.replace("NAME", "deep").replace("FACTOR", "2")
    )
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace("src/*.cu", "src/**/*.cu"))
    assert project.build() == 0, project.err
    assert project.build() == 0
    assert "up to date" in project.out


def test_path_longer_than_the_system_takes(project: Any) -> None:
    inner = project.root / "build" / ("d" * 300)
    assert project.build("-B", str(inner)) == 9
    assert "Traceback" not in project.err
    assert "--build-dir" in project.err


def test_sources_that_are_not_utf8(project: Any) -> None:
    source = project.root / "src" / "one.cu"
    text = (
        b"// caf\xe9 \xff\xfe\r\n" + KERNEL.replace("NAME", "one").replace("FACTOR", "2").encode()
    )
    source.write_bytes(text + b'const char* word = "na\xefve";')
    assert project.build() == 0, project.err
    copy = project.root / "build" / "cpu" / "project" / "src" / "src" / "one.cu"
    assert copy.read_bytes().startswith(b"// caf\xe9 \xff\xfe\r\n")
    assert copy.read_bytes().endswith(b'"na\xefve";')
    source.write_bytes(text + b"#error caf\xe9\n")
    assert project.build() == 5
    assert "src/one.cu:4:" in project.err


def test_file_name_that_is_not_utf8(project: Any) -> None:
    name = os.fsencode(str(project.root / "src")) + b"/k\xe9.cu"
    try:
        with open(name, "wb") as file:  # noqa: PTH123
            file.write(KERNEL.replace("NAME", "odd").replace("FACTOR", "2").encode())
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    code = project.build()
    assert code == 2, project.err
    assert "not UTF-8" in project.err
    assert "Traceback" not in project.err


def test_from_another_folder_and_with_other_spellings(project: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(project.root.parent)
    config = str(project.root / "portgpu.toml")
    assert project.build("--config", config) == 0, project.err
    assert (project.root / "build" / "cpu" / "libdemo_cpu.so").is_file()
    project.calls()
    for spelling in (
        project.root / "build",
        Path("project/build"),
        Path("project/../project/build"),
    ):
        assert project.build("--config", config, "-B", str(spelling)) == 0
        assert project.calls() == [], spelling
        assert "up to date" in project.out
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "#error planted\n")
    assert project.build("--config", "project/portgpu.toml") == 5
    assert "project/src/one.cu:" in project.err


def test_source_that_is_empty_or_without_kernels(project: Any) -> None:
    project.write("src/one.cu", "")
    assert project.build() == 0, project.err


def test_library_names_with_odd_letters(project: Any) -> None:
    text = (project.root / "portgpu.toml").read_text()
    for name in ("../x", "a/b", "a b", "$x"):
        project.write("portgpu.toml", text.replace('"demo"', f'"{name}"'))
        assert project.build() == 2, name
        assert "name" in project.err
    project.write("portgpu.toml", text.replace('"demo"', '"de-mo.1"'))
    assert project.build() == 0, project.err
    assert (project.root / "build" / "cpu" / "libde-mo.1_cpu.so").is_file()


def test_folder_names_in_place_of_files(project: Any) -> None:
    (project.root / "src" / "folder.cu").mkdir()
    assert project.build() == 0, project.err
    (project.root / "build" / "cpu" / "state.json").unlink()
    (project.root / "build" / "cpu" / "state.json").mkdir()
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "// edited\n")
    assert project.build() == 9
    assert "Traceback" not in project.err
    assert "state.json" in project.err


def test_missing_include_dir_is_told(project: Any) -> None:
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace('["include"]', '["inclde"]'))
    assert project.build() == 2
    assert "include_dirs: 'inclde'" in project.err
    assert "did you mean include" in project.err


def test_no_compiler_at_all(project: Any, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert project.build() == 3
    assert "no C++ compiler found" in project.err
    assert "g++" in project.err.split("next:")[1]


def test_compiler_that_is_too_old_or_no_compiler(project: Any, tmp_path: Path) -> None:
    liar = tmp_path / "c++"
    liar.write_text("#!/bin/sh\necho 'error: unrecognized option -std=c++17' >&2; exit 1\n")
    liar.chmod(0o755)
    assert project.build("--cxx", str(liar)) == 3
    assert "--cxx" in project.err
    liar.write_text("#!/bin/sh\nexit 0\n")
    assert project.build("--cxx", str(liar)) == 3
    assert "neither GCC nor Clang" in project.err


def test_bare_checkout_starts_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "cli.py", "build", "-t", "cpu", "--configure-only"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "build" / "cpu" / "project" / "CMakeLists.txt").is_file()


def test_wide_globs_leave_headers_and_tests_alone(project: Any) -> None:
    project.write("src/README.md", "no source")
    project.write("src/inner.cuh", "#error compiled by itself\n")
    project.write("src/one_test.cu", "int main() { return 0; }\n")
    project.write("src/two_test.cu", "int main() { return 0; }\n")
    text = (project.root / "portgpu.toml").read_text().replace("src/*.cu", "**/*")
    tables = '[[test]]\nname = "t"\nsources = ["src/*_test.cu"]\n'
    project.write("portgpu.toml", text + tables)
    assert project.build() == 0, project.err
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp", "two.cu"]
    project.write("portgpu.toml", text.replace("**/*", "src/*.md"))
    assert project.build() == 2
    assert "matches no file that is a source" in project.err
