"""A small project and ways to build it, in this process and as a command of its own.

The C++ compiler of the cpu target is the real one behind a script that writes down each call and
leaves the emulator's runtime empty, which would take most of the time and is tested elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from portgpu.build import state
from portgpu.cli import run

KERNEL = """#include "shared.h"
__global__ void NAME(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= FACTOR;
}
extern "C" int run_NAME(float* p, int n) {
  NAME<<<1, 32>>>(p, n);
  return 0;
}
"""


@dataclass
class Project:
    """A folder with portgpu.toml and sources."""

    root: Path
    cxx: Path
    capsys: pytest.CaptureFixture[str]
    out: str = ""
    err: str = ""

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def build(self, *options: str) -> int:
        """`portgpu build` in this process; keeps the output."""
        self.capsys.readouterr()
        code = run(["build", *options])
        self.out, self.err = self.capsys.readouterr()
        return code

    def start(self, *options: str) -> subprocess.Popen[str]:
        """`portgpu build` as a process."""
        return subprocess.Popen(
            [sys.executable, "-m", "portgpu", "build", *options],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def calls(self) -> list[str]:
        """Sources that were compiled (or `link`) since the last call of this."""
        log = self.cxx.with_name("calls.log")
        lines = log.read_text().split() if log.is_file() else []
        log.unlink(missing_ok=True)
        return sorted(lines)

    def record(self) -> dict[str, Any]:
        """`build.json`."""
        found: dict[str, Any] = json.loads((self.root / "build" / "build.json").read_text())
        return found


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    """Two sources and a header; builds for the cpu target with a compiler that counts its calls."""
    real = shutil.which("c++") or shutil.which("g++")
    assert real is not None
    tools = tmp_path / "tools"
    tools.mkdir()
    cxx = tools / "countingcxx"
    cxx.write_text(
        f"""#!/bin/sh
case "$*" in
*-E*) exec {real} "$@" ;;
esac
for last; do :; done
case "$*" in
*-shared*) echo link >> {tools}/calls.log ;;
*) basename "$last" >> {tools}/calls.log ;;
esac
[ -z "$SLOW_CXX" ] || sleep "$SLOW_CXX"
case "$last" in
*pgcpu.cpp)
  while [ "$1" != -o ]; do [ "$1" != -MF ] || dep=$2; [ "$1" != -MT ] || to=$2; shift; done
  echo "$to: $(echo "$last" | sed 's/ /\\\\ /g')" > "$dep"
  echo | {real} -x c++ -fPIC -c - -o "$2"; exit $? ;;
esac
exec {real} -O0 "$@"
"""
    )
    cxx.chmod(0o755)
    for name in list(os.environ):
        if name.startswith("PORTGPU_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CXX", str(cxx))
    # portgpu's own files may be edited while tests run; test_own_files_count looks at them.
    monkeypatch.setattr(state, "_tool_stamp", lambda: "fixed")
    root = tmp_path / "project"
    made = Project(root, cxx, capsys)
    made.write(
        "portgpu.toml",
        '[project]\nname = "demo"\nsources = ["src/*.cu"]\ninclude_dirs = ["include"]\n'
        '[build]\ntargets = ["cpu"]\n',
    )
    made.write("src/one.cu", KERNEL.replace("NAME", "one"))
    made.write("src/two.cu", KERNEL.replace("NAME", "two"))
    made.write("include/shared.h", "#pragma once\n#define FACTOR 3\n")
    monkeypatch.chdir(root)
    return made
