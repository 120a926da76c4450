"""What lands in the project folder, and where messages point."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from portgpu.build import ninja
from portgpu.build.model import original_place
from portgpu.build.stage import moved_lines
from portgpu.console import Progress, size, table


def test_moved_lines_point_back(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        original = [f"line {i}" for i in range(rng.randrange(1, 40))]
        copy: list[tuple[str, int]] = []
        for number, text in enumerate(original, 1):
            if rng.random() < 0.1:
                continue
            if rng.random() < 0.1:
                copy.append((f"added {rng.random()}", 0))
            copy.append((text, number))
        before = "\n".join(original).encode()
        after = "\n".join(text for text, _ in copy).encode()
        moved = moved_lines(before, after)
        if before.count(b"\n") == after.count(b"\n"):
            assert moved == []
            continue
        for number, (_, wanted) in enumerate(copy, 1):
            if wanted:
                assert original_place({"f": moved}, "f", number) == wanted


def test_error_behind_added_lines(project: Any) -> None:
    """The translated file has more lines than the original; the message has the original's."""
    source = project.root / "src" / "one.cu"
    source.write_text(source.read_text() + "#error planted\n")
    wanted = source.read_text().count("\n")
    assert project.build() == 5
    assert f"src/one.cu:{wanted}:" in project.err


@pytest.mark.rocm_compiler
def test_shims_travel_with_the_project(project: Any) -> None:
    project.write(
        "src/deep/warp.cu",
        "#include <cuda_runtime.h>\n"
        "__global__ void any(int* p) {\n"
        "  unsigned m = __ballot_sync(0xffffffffu, p[threadIdx.x] > 0);\n"
        "  if (threadIdx.x == 0) *p = __popc(m);\n"
        "}\n"
        'extern "C" int go(int* p) { any<<<1, 64>>>(p); return cudaDeviceSynchronize(); }\n',
    )
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace("src/*.cu", "src/**/*.cu"))
    assert project.build("-t", "rocm", "-a", "gfx90a") == 0, project.err
    staged = project.root / "build" / "rocm" / "project" / "src"
    translated = (staged / "src" / "deep" / "warp.cu").read_text()
    assert "hipDeviceSynchronize" in translated
    assert "cuda" not in translated
    # What needed no change is the original, byte by byte.
    header = project.root / "include" / "shared.h"
    assert (staged / "include" / "shared.h").read_bytes() == header.read_bytes()
    line = (project.root / "src" / "deep" / "warp.cu").read_text().count("\n") + 1
    with (project.root / "src" / "deep" / "warp.cu").open("a") as file:
        file.write("#error planted\n")
    assert project.build("-t", "rocm", "-a", "gfx90a") == 5
    assert f"src/deep/warp.cu:{line}:" in project.err


def test_headers_outside_include_dirs_and_in_macros(project: Any) -> None:
    project.write("common/parts.inc", "#define PART 1\n")
    project.write("src/local.h", '#include "../common/parts.inc"\n')
    project.write(
        "src/one.cu",
        '#include "local.h"\n#define WHICH "shared.h"\n#include WHICH\n'
        "static_assert(PART == 1 && FACTOR == 3);\n",
    )
    assert project.build() == 0, project.err
    staged = project.root / "build" / "cpu" / "project" / "src"
    assert (staged / "common" / "parts.inc").is_file()
    project.calls()
    # The header behind the macro was used where it is, and is watched all the same.
    header = project.root / "include" / "shared.h"
    header.write_text("#pragma once\n#define FACTOR 4\n")
    assert project.build() == 5
    header.write_text("#pragma once\n#define FACTOR 3\n")
    assert project.build() == 0


def test_exclude_and_target_exclude(project: Any) -> None:
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text + '[target.cpu]\nexclude = ["src/two.cu"]\n')
    assert project.build() == 0
    assert project.calls() == ["link", "one.cu", "pgcpu.cpp"]


def test_dependency_files() -> None:
    text = "obj/a.o: /x/a.cu \\\n  /with\\ space/b.h /dollar$$/c.h \\\n /hash\\#/d.h\n"
    assert ninja.parse_depfile(text) == ["/x/a.cu", "/with space/b.h", "/dollar$/c.h", "/hash#/d.h"]
    assert ninja.parse_depfile("a.o:\n") == []


def test_op_library_without_configuration(tmp_path: Path, monkeypatch: Any) -> None:
    from portgpu.build import plan
    from portgpu.config import load

    monkeypatch.chdir(tmp_path)
    root, sources = plan.sources_of(load(), "cpu")
    assert root.name == "kernels"
    assert {"softmax.cu", "sort.cu"} <= {source.relative for source in sources}


class _Terminal:
    def __init__(self, tty: bool) -> None:
        self.text, self._tty = "", tty

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return self._tty


def test_progress_on_terminals_and_in_ci(monkeypatch: Any) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    live, plain = _Terminal(True), _Terminal(False)
    for stream in (live, plain):
        progress = Progress("cuda", stream=stream)  # type: ignore[arg-type]
        for done in range(101):
            progress.step(done, 100, f"file{done}.cu")
        progress.clear()
    assert "\n" not in live.text
    assert live.text.endswith("\r\x1b[K")
    assert plain.text.splitlines() == ["[cuda] 0/100 file0.cu", "[cuda] 100/100 file100.cu"]
    monkeypatch.setenv("CI", "true")
    in_ci = _Terminal(True)
    Progress("cpu", stream=in_ci).step(1, 2, "a.cu")  # type: ignore[arg-type]
    assert in_ci.text == "[cpu] 1/2 a.cu\n"


def test_tables_and_sizes() -> None:
    assert table(["a", "n"], [["x", "10"], ["yy", "9"]], right=(1,)) == (
        "a    n\n--  --\nx   10\nyy   9"
    )
    assert [size(n) for n in (0, 999, 1000, 12_345_678, 5_000_000_000)] == [
        "0 B",
        "999 B",
        "1.0 KB",
        "12.3 MB",
        "5.0 GB",
    ]


def test_globs_do_not_find_copies_in_build_folders(project: Any) -> None:
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace("src/*.cu", "**/*.cu"))
    assert project.build() == 0
    assert project.build("-B", "second") == 0
    project.calls()
    assert project.build() == 0
    assert "up to date" in project.out
    assert len(project.record()["targets"]["cpu"]["objects"]) == 2
    assert (project.root / "build" / ".gitignore").read_text() == "*\n"


def test_build_folder_that_is_the_project_is_left_alone(project: Any) -> None:
    project.write(".gitignore", "mine\n")
    assert project.build("-B", ".") == 0
    assert (project.root / ".gitignore").read_text() == "mine\n"
    assert not (project.root / "CACHEDIR.TAG").exists()
    assert (project.root / "cpu" / "libdemo_cpu.so").is_file()
