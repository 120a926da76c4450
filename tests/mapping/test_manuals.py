"""Rows that no header shows, against the tools: what nvcc, clang and CMake list themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu import mapping
from portgpu.toolchain import find_cuda

TABLES = mapping.load()
# Spellings that nvcc takes but does not list.
UNLISTED = frozenset(
    (
        "--cudafe-options",
        "-Xcudafe",
        "--fatbin-options",
        "-Xfatbin",
        "-arch=native",
        "-compress-all",
    )
)


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.cuda_compiler
def test_every_option_of_nvcc_has_a_row_and_every_row_is_an_option() -> None:
    toolchain = find_cuda()
    listed: set[str] = set()
    for line in _output(str(toolchain.compiler), "--help").splitlines():
        found = re.match(r"(--[\w+-]+)(?:\s.*)?\s+\((-[\w+-]+)\)", line) or re.match(
            r"(--[\w+-]+)()", line
        )
        if found:
            listed |= set(found.groups()) - {""}
    assert len(listed) > 150
    rows = set(TABLES.flags)
    if str(toolchain.version).startswith("13.0"):
        assert listed - rows == set()
    assert len(listed & rows) > 150
    said = {r.cuda for r in TABLES.flags.values() if "nvcc13.0" in r.verified.split()}
    assert rows - UNLISTED == said


def test_what_flags_become_is_known_to_clang() -> None:
    clang = next((c for c in ("clang-19", "clang-20", "clang-15") if shutil.which(c)), None)
    if clang is None:
        pytest.skip("no clang here")
    # Options of AMD's driver or of older and newer clang, and joined ones that have no list.
    others = {"--genco", "-parallel-jobs", "--no-offload-compress", "-l", "-Wl", "@", "-O", "-O0"}
    flags = {r.hip.split()[0].rstrip(",") for r in TABLES.flags.values() if r.hip}
    names = {f.split("=")[0] for f in flags} - others - {"-m64", "-Werror", "-shared"}
    known: set[str] = set()
    for start in ("-", "--"):
        for line in _output(clang, f"--autocomplete={start}").splitlines():
            known.add(line.split("\t")[0].split(" ")[0].rstrip("="))
    assert names - known == set()


def _cmake() -> str:
    import sys

    beside = Path(sys.executable).with_name("cmake")
    found = str(beside) if beside.exists() else shutil.which("cmake")
    if not found:
        pytest.skip("no cmake here")
    return found


def test_targets_and_variables_of_cmake_have_rows() -> None:
    cmake = _cmake()
    module = _output(cmake, "--help-module", "FindCUDAToolkit")
    names = set(re.findall(r"CUDA::\w+|CUDAToolkit_\w+", module))
    for kind in ("variable", "property"):
        names |= {n for n in _output(cmake, f"--help-{kind}-list").split() if "CUDA" in n}
    rows = set(TABLES.cmake)
    assert len(names) > 90
    assert {n for n in names if n not in rows and "<" not in n} == set()
    # HIP's side too: what CMake itself knows about the language.
    lists = _output(cmake, "--help-variable-list") + _output(cmake, "--help-property-list")
    known = set(lists.split())
    for row in TABLES.cmake.values():
        if row.hip.startswith(("CMAKE_HIP_", "HIP_")) and row.hip not in known:
            generic = re.sub(r"_(DEBUG|RELEASE|MINSIZEREL|RELWITHDEBINFO)$", "_<CONFIG>", row.hip)
            generic = generic.replace("HIP", "<LANG>")
            assert generic in known or row.hip in ("HIP_PATH", "HIP_VISIBLE_DEVICES"), row.hip
