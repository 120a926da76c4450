"""The headers route, kinds of sources, programs, and the compile commands for editors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CUDA = """#include <cuda_runtime.h>
#include "shared.h"
__global__ void sums(const float* x, float* y) {
  float v = x[threadIdx.x] * FACTOR;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) *y = v;
}
extern "C" int run_sums(const float* x, float* y) {
  sums<<<1, 32>>>(x, y);
  return cudaDeviceSynchronize();
}
"""
HIP = """#include <hip/hip_runtime.h>
__global__ void lanes(int* y) { *y = warpSize; }
extern "C" int run_lanes(int* y) { lanes<<<1, 1>>>(y); return hipDeviceSynchronize(); }
"""
DIALECT = """#include "portgpu.h"
__global__ void total(float* y) { *y = pg::block_sum<64>(*y); }
extern "C" int run_total(float* y) { return PG_LAUNCH(total, 1, 64, 0, nullptr, y); }
"""
HOST = """#include "shared.h"
#ifdef __CUDACC__
#error compiled as device code
#endif
int host() { register_it: return FACTOR; }
"""
C = "#ifdef __cplusplus\n#error compiled as C++\n#endif\nint plain(int new) { return new; }\n"


@pytest.fixture
def mixed(project: Any) -> Any:
    """One source of each kind, in folders with blanks and with equal file names."""
    for old in ("one", "two"):
        (project.root / "src" / f"{old}.cu").unlink()
    project.write("src/a b/kernel.cu", CUDA)
    project.write("src/c/kernel.cu", DIALECT)
    project.write("src/c/kernel.hip", HIP)
    project.write("src/host.cpp", HOST)
    project.write("src/plain.c", C)
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace("src/*.cu", "src/**/*.*"))
    return project


def _targets() -> list[Any]:
    return [
        pytest.param("cuda", ["-a", "sm_90"], marks=pytest.mark.cuda_compiler),
        pytest.param("rocm", ["-a", "gfx90a"], marks=pytest.mark.rocm_compiler),
        pytest.param("rocm", ["-a", "gfx90a", "--route", "headers"],
                     marks=pytest.mark.rocm_compiler),
        pytest.param("cpu", []),
    ]  # fmt: skip


@pytest.mark.parametrize(("target", "options"), _targets())
def test_each_kind_of_source(mixed: Any, target: str, options: list[str]) -> None:
    assert mixed.build("-t", target, *options) == 0, mixed.err
    assert "warning" not in mixed.err, mixed.err
    objects = {o["source"]: o for o in mixed.record()["targets"][target]["objects"]}
    assert set(objects) == {
        "src/a b/kernel.cu", "src/c/kernel.cu", "src/c/kernel.hip", "src/host.cpp", "src/plain.c",
    }  # fmt: skip
    library = mixed.record()["targets"][target]["library"]
    said = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    for name in ("run_sums", "run_total", "run_lanes", "_Z4hostv", "plain"):
        assert f" T {name}\n" in said
    if target != "cpu":
        assert objects["src/c/kernel.hip"]["kernels"]
        assert not objects["src/host.cpp"]["kernels"]
    assert mixed.build("-t", target, *options) == 0
    assert "up to date" in mixed.out


@pytest.mark.rocm_compiler
def test_both_routes_make_the_same_code(mixed: Any) -> None:
    found = []
    for folder, route in (("one", "rewrite"), ("two", "headers")):
        assert mixed.build("-t", "rocm", "-a", "gfx90a", "--route", route, "-B", folder) == 0
        entry = json.loads((mixed.root / folder / "build.json").read_text())["targets"]["rocm"]
        kernels = [k for o in entry["objects"] for k in o["kernels"]]
        found.append(sorted(kernels, key=lambda k: str(k["name"])))
    assert found[0] == found[1]
    assert len(found[0]) == 3


@pytest.mark.rocm_compiler
def test_headers_route_leaves_sources_and_names_them(mixed: Any) -> None:
    options = ("-t", "rocm", "-a", "gfx90a", "--route", "headers")
    source = mixed.root / "src" / "a b" / "kernel.cu"
    source.write_text(CUDA + "#error planted\n")
    assert mixed.build(*options) == 5
    line = CUDA.count("\n") + 1
    assert re.search(rf"^src/a b/kernel\.cu:{line}:\d+: error:", mixed.err, re.M), mixed.err
    assert not list((mixed.root / "build/rocm/project").rglob("kernel.cu"))
    source.write_text(CUDA)
    assert mixed.build(*options) == 0, mixed.err
    # Other content under the same time and size is seen, also by Ninja.
    header = mixed.root / "include" / "shared.h"
    before = _objects(mixed)
    stat = header.stat()
    header.write_text(header.read_text().replace("FACTOR 3", "FACTOR 4"))
    import os

    os.utime(header, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert mixed.build(*options) == 0
    changed = {name for name, data in _objects(mixed).items() if before[name] != data}
    assert changed == {"kernel.cu.o", "host.cpp.o"}
    assert mixed.build(*options) == 0
    assert "up to date" in mixed.out
    # The other way and back again in the same folder.
    assert mixed.build("-t", "rocm", "-a", "gfx90a") == 0, mixed.err
    assert not (mixed.root / "build/rocm/project/shadow").exists()
    assert mixed.build(*options) == 0, mixed.err


def _objects(project: Any) -> dict[str, bytes]:
    folder = project.root / "build" / "rocm" / "ninja" / "obj" / "src" / "src"
    names = ("a b/kernel.cu.o", "host.cpp.o", "plain.c.o")
    return {Path(name).name: (folder / name).read_bytes() for name in names}


def test_headers_route_refuses_native_warps(project: Any) -> None:
    assert project.build("-t", "rocm", "--route", "headers", "--warp", "native") == 2
    assert "--route rewrite" in project.err
    assert project.build("--route", "header") == 2


def test_program(project: Any) -> None:
    project.write("src/main.cpp", '#include <cstdio>\nint main() { std::puts("hello"); }\n')
    text = (project.root / "portgpu.toml").read_text()
    text = text.replace('"src/*.cu"', '"src/*.cpp"')
    project.write("portgpu.toml", text.replace("[project]", '[project]\nkind = "program"'))
    assert project.build() == 0, project.err
    program = project.root / "build" / "cpu" / "demo_cpu"
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"
    assert project.build() == 0
    assert "up to date" in project.out


@pytest.mark.rocm_compiler
def test_compile_commands_are_clangs_own(mixed: Any) -> None:
    assert mixed.build("-t", "cpu") == 0, mixed.err
    assert mixed.build("-t", "rocm", "-a", "gfx90a") == 0, mixed.err
    build = mixed.root / "build"
    merged = json.loads((build / "compile_commands.json").read_text())
    assert merged == json.loads((build / "rocm" / "compile_commands.json").read_text())
    names = {Path(entry["file"]).relative_to(mixed.root).as_posix() for entry in merged}
    assert "src/a b/kernel.cu" in names
    assert len(names) == 5
    cpu = json.loads((build / "cpu" / "compile_commands.json").read_text())
    assert len(cpu) == 3  # `<<<>>>` is no C++
    clang = shutil.which("clang++-15") or shutil.which("clang++")
    if clang is None:
        pytest.skip("no clang to read the commands with")
    for entry in [*merged, *cpu]:
        words = [clang, *entry["arguments"][1:], "-fsyntax-only", "-Werror"]
        words.remove("-c")
        done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
        assert done.returncode == 0, (entry["file"], done.stderr)


def test_compile_commands_without_compiling(project: Any) -> None:
    assert project.build("--configure-only") == 0
    assert project.calls() == []
    entries = json.loads((project.root / "build" / "compile_commands.json").read_text())
    assert entries == []  # `<<<>>>` in both
    project.write("src/one.cu", DIALECT)
    assert project.build("--configure-only") == 0
    entries = json.loads((project.root / "build" / "compile_commands.json").read_text())
    assert [Path(e["file"]).name for e in entries] == ["one.cu"]


@pytest.mark.cuda_compiler
def test_plain_sources_that_use_the_dialect(project: Any) -> None:
    """The dialect through a header of the project, launches and all, in a .cpp file."""
    project.write("include/all.h", DIALECT.replace("__global__", "template <int N> __global__")
                  .replace("total,", "(total<1>),").replace('extern "C"', "inline"))  # fmt: skip
    project.write("src/use.cpp", '#include "all.h"\nint use(float* y) { return run_total(y); }\n')
    text = (project.root / "portgpu.toml").read_text()
    project.write("portgpu.toml", text.replace("src/*.cu", "src/*.cpp"))
    for target, arch in (("cuda", ["-a", "sm_90"]), ("cpu", [])):
        assert project.build("-t", target, *arch) == 0, project.err
    kernels = project.record()["targets"]["cuda"]["objects"][0]["kernels"]
    assert [kernel["name"] for kernel in kernels] == ["_Z5totalILi1EEvPf"]


def test_macos_spelling(project: Any, monkeypatch: Any) -> None:
    """Read without a Mac: the name and flags that its linker takes."""
    from portgpu.build import model, plan
    from portgpu.build import project as generated
    from portgpu.config import load

    monkeypatch.setattr(model, "LIBRARY_SUFFIX", ".dylib")
    monkeypatch.setattr("sys.platform", "darwin")
    request = model.Request(load(), project.root / "build", ("cpu",))
    made = plan.make(request, "cpu")
    assert made.library.name == "libdemo_cpu.dylib"
    assert generated.link_kind(made) == [
        "-dynamiclib",
        "-Wl,-install_name,@rpath/libdemo_cpu.dylib",
    ]
