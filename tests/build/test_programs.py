"""`[[test]]` programs: built with the project's library, run, judged."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from portgpu.cli import run

HEADER = "#pragma once\nint answer();\n"
MAIN = """#include "api.h"
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  const char* word = std::getenv("WORD");
  std::printf("answer %d\\nargs %d %s\\nword %s\\n", answer(), argc, argc > 1 ? argv[1] : "-",
              word ? word : "-");
  std::printf("width %s\\n", std::getenv("PORTGPU_WARP_SIZE"));
  std::fprintf(stderr, "to stderr\\n");
  FAULT
  return EXIT;
}
"""


@pytest.fixture
def test(project: Any) -> Callable[..., int]:
    """Runs `portgpu test` on a project with one library source and the given `[[test]]` keys."""
    project.write("include/api.h", HEADER)
    project.write("src/answer.cpp", '#include "api.h"\nint answer() { return 42; }\n')
    project.write("tests/main.cpp", MAIN.replace("FAULT", "").replace("EXIT", "0"))
    head = (project.root / "portgpu.toml").read_text().replace("src/*.cu", "src/*.cpp")

    def call(tables: str, *options: str) -> int:
        project.write("portgpu.toml", head + tables)
        project.capsys.readouterr()
        code = run(["test", *options])
        project.out, project.err = project.capsys.readouterr()
        return code

    return call


ONE = '[[test]]\nname = "one"\nsources = ["tests/main.cpp"]\n'


def test_runs_at_both_widths(project: Any, test: Any) -> None:
    keys = 'args = ["a b"]\nenv = ["WORD=x=y"]\noutput = "^word x=y$"\n'
    assert test(ONE + keys) == 0, project.err + project.out
    assert "cpu, 32 lanes: passed: 1 tests" in project.out
    assert "cpu, 64 lanes: passed: 1 tests" in project.out
    assert test(ONE + 'output = "^width 64$"\n', "--warp-size", "64") == 0
    assert test(ONE + 'output = "^width 64$"\n') == 6
    assert "1 of 1 tests failed on cpu, 32 lanes" in project.err
    assert "the output does not match '^width 64$'" in project.out
    assert "  answer 42" in project.out
    assert test(ONE + 'output = "to stderr"\n') == 0


@pytest.mark.parametrize(
    ("fault", "code", "keys", "message"),
    [
        ("", "3", "", "exit code 3, not 0"),
        ("", "3", "exit_code = 3\n", ""),
        ("", "0", "exit_code = 3\n", "exit code 0, not 3"),
        ("std::abort();", "0", "", "ended by signal 6"),
        ("for (;;) {}", "0", "timeout = 0.5\n", "no end within 0.5 s"),
    ],
)
def test_verdicts(project: Any, test: Any, fault: str, code: str, keys: str, message: str) -> None:
    project.write("tests/main.cpp", MAIN.replace("FAULT", fault).replace("EXIT", code))
    assert test(ONE + keys, "--warp-size", "32") == (6 if message else 0), project.err
    assert message in project.out


def test_one_that_does_not_build_fails_and_the_others_run(project: Any, test: Any) -> None:
    project.write("tests/bad.cpp", "int main() { return ; }\n")
    tables = '[[test]]\nname = "bad"\nsources = ["tests/bad.cpp"]\n' + ONE
    assert test(tables) == 5
    assert "tests/bad.cpp:1:" in project.err
    assert "FAILED bad on cpu, 32 lanes: did not build" in project.out
    assert "one   cpu, 64 lanes  passed" in project.out
    assert test(tables, "-k", "one") == 0
    assert test(tables, "-k", "nothing") == 2
    assert "tests: bad, one" in project.err


def test_library_changes_are_seen(project: Any, test: Any) -> None:
    assert test(ONE + 'output = "answer 42"\n') == 0
    project.write("src/answer.cpp", '#include "api.h"\nint answer() { return 43; }\n')
    project.calls()
    assert test(ONE + 'output = "answer 43"\n') == 0
    assert project.calls() == ["answer.cpp", "link"]
    assert test(ONE + 'output = "answer 43"\n') == 0
    assert project.calls() == []


def test_formats(project: Any, test: Any, tmp_path: Path) -> None:
    assert test(ONE + "exit_code = 9\n", "--format", "json", "-q") == 6
    data = json.loads(project.out)
    assert not data["passed"]
    assert [leg["warp_size"] for leg in data["legs"]] == [32, 64]
    assert data["legs"][0]["tests"][0]["message"] == "exit code 0, not 9"
    assert test(ONE, "--format", "junit", "-o", str(tmp_path / "out.xml")) == 0
    suites = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "0"]
    assert test(ONE, "--build-only", "--format", "junit") == 0
    assert project.out.count("<skipped") == 1
    assert test(ONE, "--build-only") == 0
    assert "cpu: built, not run: 1 tests" in project.out


@pytest.mark.cuda_compiler
def test_absent_device_is_no_success(project: Any, test: Any, monkeypatch: Any) -> None:
    from portgpu.toolchain import devices

    monkeypatch.setattr(devices, "find_devices", lambda: ())
    assert test(ONE, "-t", "cpu,cuda") == 7
    assert "cpu, 64 lanes: passed" in project.out
    assert "cuda: FAILED: nothing ran (no NVIDIA GPU is here to run on)" in project.out
    assert test(ONE, "-t", "cuda", "--build-only", "-a", "sm_90") == 0, project.err
    assert "cuda: built, not run: 1 tests" in project.out


def test_target_without_a_test_is_no_success(project: Any, test: Any) -> None:
    assert test(ONE + 'targets = ["rocm"]\n') == 6
    assert "no test is for target cpu" in project.err


def test_program_tests_itself(project: Any, test: Any) -> None:
    text = '[[test]]\nname = "self"\noutput = "answer 42"\nargs = ["1"]\n'
    assert test(text) == 2
    assert 'kind = "program"' in project.err
    project.write("src/main.cpp", (project.root / "tests/main.cpp").read_text())
    head = (project.root / "portgpu.toml").read_text().split("[[test]]")[0]
    project.write("portgpu.toml", head.replace("[project]", '[project]\nkind = "program"') + text)
    assert run(["test"]) == 0
    assert not (project.root / "build" / "tests").exists()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ('[[test]]\nname = "a/b"\n', ":8: [[test]] needs a name"),
        ("[[test]]\nsources = []\n", "[[test]] needs a name"),
        (ONE + ONE, ":11: a second test is called 'one'"),
        (ONE + "\n[[test]]\nname = 'two'\ntimout = 3\n", ":13: unknown key 'timout' in [test]"),
        (ONE + "output = '('\n", ":10: not a regular expression"),
        (ONE + "env = ['x']\n", "'x' is not NAME=VALUE"),
        (ONE + "timeout = 0\n", "timeout must be above 0"),
        (ONE + "targets = ['gpu']\n", "targets cannot be 'gpu'"),
        ("[test]\nname = 'x'\n", "write [[test]]"),
        ("[[tests]]\nname = 'x'\n", ":7: unknown section 'tests'\n  next: did you mean test"),
    ],
)
def test_bad_tables(project: Any, test: Any, tables: str, message: str) -> None:
    assert test(tables) == 2
    assert message in project.err, project.err
    assert "Traceback" not in project.err


def test_options_of_the_op_library_are_refused(project: Any, test: Any) -> None:
    assert test(ONE, "--seed", "3") == 2
    assert "has tests of its own" in project.err


def test_real_kernels_on_the_emulator(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """CUDA, HIP and dialect sources in one library, and a test of it with kernels of its own."""
    for name in list(os.environ):
        if name.startswith("PORTGPU_"):
            monkeypatch.delenv(name)
    files = {
        "src/a b/kernel.cu": "#include <cuda_runtime.h>\n#include <tiny/tiny.hpp>\n"
        "__global__ void twice(int* p, int n) {"
        " if (threadIdx.x < n) p[threadIdx.x] = tiny::twice(p[threadIdx.x]); }\n"
        'extern "C" int run_twice(int* p, int n) { twice<<<1, 64>>>(p, n);'
        " return cudaDeviceSynchronize(); }\n",
        "src/c/kernel.cu": '#include "portgpu.h"\n'
        "__global__ void total(int* p) {"
        " int v = pg::block_sum<64>(int(threadIdx.x)); if (threadIdx.x == 0) *p = v; }\n"
        'extern "C" int run_total(int* p) { return PG_LAUNCH(total, 1, 64, 0, nullptr, p); }\n',
        "src/c/kernel.hip": "#include <hip/hip_runtime.h>\n"
        "__global__ void lanes(int* p) { *p = warpSize; }\n"
        'extern "C" int run_lanes(int* p) { hipLaunchKernelGGL(lanes, dim3(1), dim3(1), 0, 0, p);'
        " return hipDeviceSynchronize(); }\n",
        "third party/tiny/tiny.hpp": "#pragma once\nnamespace tiny {"
        " template <class T> constexpr T twice(T x) { return x + x; } }\n",
        "tests/test.cu": "#include <cuda_runtime.h>\n#include <cstdio>\n"
        'extern "C" { int run_twice(int*, int); int run_total(int*); int run_lanes(int*); }\n'
        "__global__ void lanes(int* p) { *p = warpSize; }\n"
        "int main() {\n  int *p, host[3] = {1, 2, 3}, t, l, w;\n  cudaMalloc(&p, sizeof host);\n"
        "  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);\n"
        "  int code = run_twice(p, 3);\n"
        "  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);\n"
        "  code |= run_total(p);\n  cudaMemcpy(&t, p, 4, cudaMemcpyDeviceToHost);\n"
        "  code |= run_lanes(p);\n  cudaMemcpy(&l, p, 4, cudaMemcpyDeviceToHost);\n"
        "  lanes<<<1, 1>>>(p);\n  cudaMemcpy(&w, p, 4, cudaMemcpyDeviceToHost);\n"
        '  std::printf("%d: %d %d %d, %d, hip %d, cuda %d\\n",'
        " code, host[0], host[1], host[2], t, l, w);\n}\n",
        "portgpu.toml": '[project]\nname = "real"\nsources = ["**/*.cu", "**/*.hip"]\n'
        'include_dirs = ["third party"]\n[target.cpu]\nflags = ["-O0"]\n'
        '[[test]]\nname = "test"\nsources = ["tests/test.cu"]\n'
        'output = "^0: 2 4 6, 2016, hip (32|64), cuda 32$"\n',
    }
    for name, text in files.items():
        path = tmp_path / "my project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path / "my project")
    assert run(["test", "-q", "--format", "json"]) == 0, capsys.readouterr()
    legs = json.loads(capsys.readouterr().out)["legs"]
    assert [leg["tests"][0]["output"].split(", ")[2] for leg in legs] == ["hip 32", "hip 64"]


def test_interrupt_ends_the_program(project: Any, test: Any) -> None:
    project.write(
        "tests/main.cpp",
        "#include <cstdio>\n#include <unistd.h>\n"
        'int main() { std::fclose(std::fopen("started", "w")); ::sleep(60); }\n',
    )
    assert test(ONE, "--build-only") == 0, project.err
    started = project.root / "started"
    child = subprocess.Popen(
        [sys.executable, "-m", "portgpu", "test", "-q"],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not started.exists():
        assert child.poll() is None, child.communicate()[0]
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=20)
    assert child.returncode == 130, said
    assert "Traceback" not in said
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            assert str(project.root / "build" / "tests") not in entry.read_text()
