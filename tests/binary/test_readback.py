"""What is read back from real binaries, held to what the vendors' own tools say about them."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from portgpu import binary
from portgpu.toolchain import find_cuda, find_rocm


def kernel_source(rng: random.Random, name: str) -> str:
    """A kernel with random needs: shared memory, a local array, pressure that spills."""
    shared = rng.choice([0, 1, 7, 96, 513, 2048])
    local = rng.choice([0, 16, 50])
    pressure = rng.choice([1, 24, 110])
    bound = rng.choice([0, 64, 256, 1024])
    bounds = f"__launch_bounds__({bound})" if bound else ""
    body = [f"float a[{pressure}];"]
    body += [f"for (int i = 0; i < {pressure}; i++) a[i] = p[i * 1024 + threadIdx.x];"]
    if shared:
        body += [f"__shared__ float s[{shared}]; s[threadIdx.x % {shared}] = a[0];"]
        body += [f"__syncthreads(); a[0] += s[(threadIdx.x * 3) % {shared}];"]
    if local:
        body += [f"float l[{local}]; for (int i = 0; i < {local}; i++) l[i] = p[i];"]
        body += [f"for (int i = 0; i < n; i++) l[(i * n) % {local}] += l[(i + n) % {local}];"]
        body += [f"a[0] += l[n % {local}];"]
    body += [
        "for (int k = 0; k < n; k++) {",
        "#pragma unroll",
        f"for (int i = 0; i < {pressure}; i++)",
    ]
    body += [f"a[i] = a[i] * a[(i * 7 + 1) % {pressure}] + p[k]; }}"]
    body += [
        "#pragma unroll",
        f"for (int i = 0; i < {pressure}; i++) p[i * 1024 + threadIdx.x] = a[i];",
    ]
    lines = "\n  ".join(body)
    return f'extern "C" __global__ void {bounds} {name}(float* p, int n) {{\n  {lines}\n}}\n'


@pytest.mark.cuda_compiler
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_cubin_agrees_with_ptxas(tmp_path: Path, seed: int, arch: str) -> None:
    rng = random.Random(seed)
    source = tmp_path / "k.cu"
    source.write_text("".join(kernel_source(rng, f"k{i}") for i in range(8)))
    virtual = arch.replace("sm_", "compute_")
    said = subprocess.run(
        [
            find_cuda().compiler,
            *("-c", "-Xptxas", "-v", "-gencode", f"arch={virtual},code={arch}"),
            *("-gencode", f"arch={virtual},code={virtual}", "-o", tmp_path / "k.o", source),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    expected = {}
    for part in said.split("Compiling entry function '")[1:]:
        stack, spills = re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores", part
        ).groups()  # type: ignore[union-attr]
        registers = re.search(r"Used (\d+) registers", part)[1]  # type: ignore[index]
        shared = re.search(r"(\d+) bytes smem", part)
        expected[part.split("'")[0]] = (
            int(registers),
            int(shared[1]) if shared else 0,
            int(stack),
            int(spills),
        )
    held = binary.read(tmp_path / "k.o")
    assert held.archs == (virtual, arch)
    found = {k.name: (k.registers, k.shared, k.stack, k.spills) for k in held.kernels}
    assert len(found) == 8
    assert found == expected


@pytest.mark.cuda_compiler
@pytest.mark.parametrize("mode", ["none", "size", "speed"])
def test_compressed_fatbins_read_the_same(tmp_path: Path, seed: int, mode: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(kernel_source(random.Random(seed), "k") * 1)
    nvcc = find_cuda().compiler
    objects = []
    for flags in (["-Xfatbin", "-compress-all", f"--compress-mode={mode}"], ["--no-compress"]):
        path = tmp_path / f"{len(objects)}.o"
        subprocess.run([nvcc, "-c", "-arch=sm_80", *flags, "-o", path, source], check=True)
        objects.append(binary.read(path))
    assert objects[0].kernels == objects[1].kernels
    assert [i.size for i in objects[0].images] == [i.size for i in objects[1].images]


@pytest.mark.cuda_compiler
def test_kinds_of_cuda_files(tmp_path: Path) -> None:
    nvcc = find_cuda().compiler
    (tmp_path / "k.cu").write_text("__global__ void k(float* p) { *p = 1; }\nint main() {}\n")
    (tmp_path / "host.cu").write_text("int answer() { return 42; }\n")

    def call(*words: str) -> None:
        subprocess.run([nvcc, *words], check=True, cwd=tmp_path)

    call("-cubin", "-arch=sm_90a", "-o", "k.cubin", "k.cu")
    call("-fatbin", "-gencode=arch=compute_80,code=sm_80", "-o", "k.fatbin", "k.cu")
    call("-lib", "-gencode=arch=compute_80,code=sm_80", "-o", "k.a", "k.cu", "host.cu")
    call("-gencode=arch=compute_80,code=sm_80", "-o", "prog", "k.cu")
    for name, archs in (
        ("k.cubin", ("sm_90a",)),
        ("k.fatbin", ("sm_80",)),
        ("k.a", ("sm_80",)),
    ):
        held = binary.read(tmp_path / name)
        assert held.archs == archs, name
        assert {k.name for k in held.kernels} == {"_Z1kPf"}
    assert {k.name for k in binary.read(tmp_path / "prog").kernels} == {"_Z1kPf"}


@pytest.mark.rocm_compiler
def test_code_object_agrees_with_the_assembly(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    source = tmp_path / "k.hip"
    text = "".join(kernel_source(rng, f"k{i}") for i in range(4))
    source.write_text("#include <hip/hip_runtime.h>\n" + text)
    rocm = find_rocm()
    call = [str(rocm.compiler), *rocm.compile_flags, "-x", "hip", "-O3"]
    archs = ["gfx90a:xnack-", "gfx1030"]
    offload = [f"--offload-arch={arch}" for arch in archs]
    env = {**__import__("os").environ, **rocm.env}
    subprocess.run(
        [*call, *offload, "-c", "-o", tmp_path / "k.o", source], check=True, env=env, cwd=tmp_path
    )
    held = binary.read(tmp_path / "k.o")
    assert set(held.archs) == set(archs)
    for arch in archs:
        subprocess.run(
            [*call, f"--offload-arch={arch}", "--cuda-device-only", "-S", "-o", "k.s", source],
            check=True,
            env=env,
            cwd=tmp_path,
        )
        expected = {}
        listing = (tmp_path / "k.s").read_text().split("amdhsa.kernels:")[1].split("\namdhsa.")[0]
        for entry in re.split(r"\n  - ", listing)[1:]:
            values = dict(re.findall(r"^ *\.(\w+): +(\S+)$", entry, re.M))
            expected[values["name"]] = tuple(
                int(values.get(key, 0))
                for key in (
                    "vgpr_count",
                    "sgpr_count",
                    "agpr_count",
                    "group_segment_fixed_size",
                    "private_segment_fixed_size",
                    "max_flat_workgroup_size",
                    "wavefront_size",
                    "vgpr_spill_count",
                    "sgpr_spill_count",
                )
            )
        found = {
            k.name: (k.registers, k.sgprs, k.agprs, k.shared, k.stack, k.threads, k.wave, k.spills)
            for k in held.kernels
            if k.arch == arch
        }
        expected = {name: (*row[:-2], row[-2] + row[-1]) for name, row in expected.items()}
        assert len(found) == 4
        assert found == expected
