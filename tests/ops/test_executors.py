"""The one table of executors, and one more executor that comes from another distribution."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from portgpu.errors import Exit, ToolchainError, UsageError
from portgpu.run import Executor, executors, find, names, register

ROOT = Path(__file__).resolve().parents[2]

# Memory of its own: every address that the test plan sees is moved, as that of a device would be.
TOY = """
import os
from portgpu.ops.abi import Library
from portgpu.run import Executor

MOVED = 1 << 50

class ToyLibrary(Library):
    def malloc(self, size):
        return super().malloc(size) + MOVED
    def free(self, data):
        super().free(data - MOVED)
    def memcpy(self, dst, src, size, kind, stream=0):
        back = lambda a: a - MOVED if a >= MOVED else a
        super().memcpy(back(dst), back(src), size, kind, stream)
    def call(self, op, tensors, params, workspace=0, workspace_size=0, stream=0):
        for t in {id(t): t for t in tensors if t is not None}.values():
            t.data = t.data - MOVED if t.data and t.data >= MOVED else t.data
        workspace -= MOVED if workspace >= MOVED else 0
        status = super().call(op, tensors, params, workspace, workspace_size, stream)
        if status == 0 and os.environ.get("TOY_FAULT") == op.name:
            import ctypes
            ctypes.memset(tensors[-1].data, 0x55, 1)
        return status

class Toy(Executor):
    name, accepts, widths = "toy", "cpu", (64,)
    def environment(self, width=0, device=0):
        return {"PORTGPU_WARP_SIZE": str(width), "TOY_WIDTH": str(width)}
    def command(self, executable, arguments):
        return ["env", "TOY_RUNS=1", *super().command(executable, arguments)]
    def open(self, library, registry):
        assert os.environ["TOY_WIDTH"] == "64"
        return ToyLibrary(library, registry)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs portgpu where a distribution with one more executor is installed."""
    site = tmp_path / "site"
    info = site / "toy_executor-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-executor\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[portgpu.executors]\ntoy = toy_executor:Toy\nbroken = toy_executor:Absent\n"
        "cpu = toy_executor:Toy\n"
    )
    (site / "toy_executor.py").write_text(TOY)

    def call(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *args],
            env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", **env},
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    return call


def test_op_plan_on_one_more_executor(
    toy: Callable[..., subprocess.CompletedProcess[str]], cpu_library: Path, tmp_path: Path
) -> None:
    args = ["-m", "portgpu.testing", "--lib", f"toy={cpu_library}", "--quick", "--op", "softmax"]
    args += ["--op", "sum", "--json", str(tmp_path / "r.json")]
    ran = toy(*args)
    assert ran.returncode == Exit.OK, ran.stderr
    facts = json.loads((tmp_path / "r.json").read_text())
    (leg,) = facts["legs"]
    assert leg["name"] == "toy, 64 lanes" and facts["passed"]
    assert leg["run"] == leg["planned"] > 150
    assert leg["library"]["device"]["warp_size"] == 64
    ran = toy(*args, "-k", "sum/f32", TOY_FAULT="sum")
    assert ran.returncode == Exit.TEST  # its results are judged like all others
    failures = json.loads((tmp_path / "r.json").read_text())["legs"][0]["failures"]
    assert failures and all(f["id"].startswith("sum/") for f in failures)


def test_project_tests_on_one_more_executor(
    toy: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "t.cu").write_text(
        "#include <cstdio>\n#include <cstdlib>\n__global__ void k(int* x) { *x = warpSize; }\n"
        "int main() { int *x, h = 0; cudaMalloc(&x, 4); k<<<1, 1>>>(x);\n"
        "  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);\n"
        '  std::printf("runs %s, %s wide\\n", getenv("TOY_RUNS"), getenv("PORTGPU_WARP_SIZE"));\n'
        "  return h != 32; }\n"
    )
    (tmp_path / "portgpu.toml").write_text(
        '[project]\nname = "p"\n[[test]]\nname = "t"\nsources = ["t.cu"]\n'
        'output = "runs 1, 64 wide"\n'
    )
    ran = toy("-m", "portgpu", "test", "--target", "toy")
    assert ran.returncode == Exit.OK, ran.stderr
    assert "toy, 64 lanes: passed: 1 tests" in ran.stdout


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("toy", Exit.USAGE, "the executor 'toy' does not compile programs"),
        ("broken", Exit.TOOLCHAIN, "executor broken (toy_executor:Absent) cannot be loaded"),
        ("absent", Exit.USAGE, "no target is called 'absent'"),
        ("toi", Exit.USAGE, "did you mean toy"),
        ("cpu", Exit.USAGE, "no such file"),  # a built-in name is not replaced
    ],
)
def test_programs_on_executors(
    toy: Callable[..., subprocess.CompletedProcess[str]], target: str, code: Exit, words: str
) -> None:
    ran = toy("-m", "portgpu", "run", "none.cu", "--target", target)
    assert ran.returncode == code, ran.stderr
    assert words in ran.stderr and "Traceback" not in ran.stderr


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_table", dict(executors._table))

    class Own(Executor):
        name, accepts = "own", "rocm"

        def command(self, executable: Path, arguments: Sequence[str]) -> list[str]:
            return ["emulate", str(executable), *arguments]

    assert names()[:3] == ("cpu", "cuda", "rocm")
    own = Own()
    register(own)
    assert find("own") is own and "own" in names()
    assert own.command(Path("x"), ["-a"]) == ["emulate", "x", "-a"]
    assert own.problem() is None
    with pytest.raises(UsageError, match="called 'own' already"):
        register(Own())
    with pytest.raises(UsageError, match="not an executor"):
        register(object())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is not a target"):
        register(type("Odd", (Executor,), {"name": "odd", "accepts": "amdgcn"})())
    point = EntryPoint("gone", "nowhere:Gone", executors.GROUP)
    monkeypatch.setattr(executors, "_outside", lambda: {"gone": point})
    with pytest.raises(ToolchainError, match=r"gone \(nowhere:Gone\) cannot be loaded"):
        find("gone")
