"""AMD kernels called by name: arguments and limits, held to clang's assembly and llvm-readelf."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portgpu import cli
from portgpu.binary import amd_kernels
from portgpu.binary.amd_kernels import Argument, KernelImage
from portgpu.errors import Exit, InputError, PortgpuError, UsageError
from portgpu.toolchain import find_rocm

SOURCE = """
#include <hip/hip_runtime.h>
struct S { char a; double b; float c[3]; };
template <class T> __global__ void scale(T* y, const T* x, T f, int n, S s) {
  extern __shared__ char raw[];
  T* t = (T*)raw;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) y[i] = f * t[threadIdx.x ^ 1] + s.c[0] + gridDim.x;
}
template __global__ void scale<float>(float*, const float*, float, int, S);
template __global__ void scale<double>(double*, const double*, double, int, S);
namespace inner { __global__ void none() {} }
extern "C" __global__ void __launch_bounds__(128) bare(char a, short b, size_t c, char* p) {
  __shared__ int q[33];
  q[threadIdx.x % 33] = a;
  __syncthreads();
  if (p) *p = b + c + q[3];
}
"""
ARCHS = ("gfx90a", "gfx1030")


class S(ctypes.Structure):
    _fields_ = (("a", ctypes.c_char), ("b", ctypes.c_double), ("c", ctypes.c_float * 3))


@pytest.fixture(scope="module")
def hipcc(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Compiles SOURCE; returns the output's path."""
    folder = tmp_path_factory.mktemp("amd")
    (folder / "k.hip").write_text(SOURCE)
    rocm = find_rocm()

    def call(output: str, *words: str) -> Path:
        command = [str(rocm.compiler), *rocm.compile_flags, "-x", "hip", "-O2", "k.hip", *words]
        env = {**os.environ, **rocm.env}
        subprocess.run([*command, "-o", output], check=True, env=env, cwd=folder)
        return folder / output

    return call


@pytest.fixture(scope="module")
def obj(hipcc: Any) -> Path:
    found: Path = hipcc("k.o", "-c", *[f"--offload-arch={arch}" for arch in ARCHS])
    return found


def assembly(path: Path) -> dict[str, dict[str, Any]]:
    """The kernels of clang's own listing: metadata in YAML, descriptor as directives."""
    text = path.read_text()
    kernels: dict[str, dict[str, Any]] = {}
    listing = text.split("amdhsa.kernels:")[1].split("\namdhsa.")[0]
    for entry in re.split(r"\n  - ", listing)[1:]:
        plain = re.sub(r"(?s)\.args:.*?\n    \.(?=group)", ".", entry)
        own = dict(re.findall(r"^ *\.(\w+): +'?([^'\n]+?)'?$", plain, re.M))
        args = []
        part = re.search(r"\.args:\s*(.*?)\n    \.\w", entry, re.S)
        for one in re.split(r"\n? *- (?=\.)", part[1] if part else "")[1:]:
            fields = dict(re.findall(r"\.(\w+): +(\S+)", one))
            args.append((int(fields["offset"]), int(fields["size"]), fields["value_kind"],
                         fields.get("address_space", "")))  # fmt: skip
        block = text.split(f".amdhsa_kernel {own['name']}\n")[1].split(".end_amdhsa_kernel")[0]
        kernels[own["name"]] = {"args": args, "directives": dict(
            re.findall(r"\.amdhsa_(\w+) (\d+)", block)), **own}  # fmt: skip
    return kernels


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("arch", ARCHS)
def test_arguments_agree_with_the_assembly(hipcc: Any, obj: Path, arch: str) -> None:
    told = assembly(hipcc("k.s", "-S", "--cuda-device-only", f"--offload-arch={arch}"))
    kernels = {k.name: k for k in amd_kernels.load(obj, arch)}
    assert kernels.keys() == told.keys() and len(kernels) == 4
    for name, kernel in kernels.items():
        want = told[name]
        assert [(a.offset, a.size, a.kind, a.space) for a in kernel.arguments] == want["args"]
        assert kernel.kernarg_size == int(want["kernarg_segment_size"])
        assert kernel.kernarg_align == int(want["kernarg_segment_align"])
        assert kernel.threads == int(want["max_flat_workgroup_size"])
        assert kernel.wave == int(want["wavefront_size"])
        directives = want["directives"]
        assert kernel.shared == int(directives["group_segment_fixed_size"])
        assert kernel.private == int(directives["private_segment_fixed_size"])
        rsrc2 = kernel.registers["compute_pgm_rsrc2"]
        assert rsrc2 >> 1 & 31 == int(directives.get("user_sgpr_count", rsrc2 >> 1 & 31))
        ids = [int(directives[f"system_sgpr_workgroup_id_{axis}"]) for axis in "xyz"]
        assert [rsrc2 >> bit & 1 for bit in (7, 8, 9)] == ids


@pytest.mark.rocm_compiler
def test_entries_agree_with_readelf(obj: Path, tmp_path: Path) -> None:
    readelf = next((p for v in ("", "-19", "-15") if (p := shutil.which(f"llvm-readelf{v}"))), "")
    if not readelf:
        pytest.skip("no llvm-readelf")
    for kernel in amd_kernels.load(obj):
        (tmp_path / "k.co").write_bytes(kernel.code)
        said = subprocess.run(
            [readelf, "--symbols", "--program-headers", "--wide", tmp_path / "k.co"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        places = {
            words[7]: int(words[1], 16)
            for line in said.splitlines()
            if len(words := line.split()) == 8 and words[0].endswith(":") and words[0] != "Num:"
        }
        assert kernel.entry == places[kernel.name]
        assert kernel.descriptor == places[f"{kernel.name}.kd"]
        loads = re.findall(r"LOAD +0x\w+ 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+)", said)
        assert [(s.address, len(s.data), s.size) for s in kernel.segments] == [
            tuple(int(n, 16) for n in row) for row in loads
        ]


@pytest.mark.rocm_compiler
def test_every_container_gives_the_same(hipcc: Any, obj: Path) -> None:
    """Object, shared library, archive, compressed bundle, bare code object."""
    want = [k.to_json() for k in amd_kernels.load(obj)]
    lib = hipcc("k.so", "-shared", "-fPIC", *[f"--offload-arch={a}" for a in ARCHS])
    archive = obj.with_suffix(".a")
    subprocess.run(["ar", "rcs", archive, obj], check=True)
    for path in (lib, archive):
        assert sorted(map(str, want)) == sorted(str(k.to_json()) for k in amd_kernels.load(path))
    bare = obj.with_suffix(".hsaco")
    bare.write_bytes(amd_kernels.load(obj, "gfx1030")[0].code)
    assert [k.to_json() for k in amd_kernels.load(bare)] == [
        w for w in want if w["arch"] == "gfx1030"
    ]
    library = ctypes.util.find_library("zstd")
    if library:
        plain = _bundle({a: amd_kernels.load(obj, a)[0].code for a in ARCHS})
        zstd = ctypes.CDLL(library)
        zstd.ZSTD_compress.restype = ctypes.c_size_t
        out = ctypes.create_string_buffer(len(plain) + 1000)
        size = zstd.ZSTD_compress(
            out, ctypes.c_size_t(len(out)), plain, ctypes.c_size_t(len(plain)), 3
        )
        packed = b"CCOB" + struct.pack("<HHIIQ", 2, 1, 24 + size, len(plain), 0) + out.raw[:size]
        (obj.parent / "packed").write_bytes(packed)
        packed_ones = [str(k.to_json()) for k in amd_kernels.load(obj.parent / "packed")]
        assert sorted(packed_ones) == sorted(map(str, want))


def _bundle(codes: dict[str, bytes]) -> bytes:
    rows, body = [], b""
    start = 32 + sum(24 + len(f"hipv4-amdgcn-amd-amdhsa--{a}") for a in codes)
    for arch, code in codes.items():
        name = f"hipv4-amdgcn-amd-amdhsa--{arch}".encode()
        rows.append(struct.pack("<QQQ", start + len(body), len(code), len(name)) + name)
        body += code
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(codes)) + b"".join(rows)
    return head + body


@pytest.mark.rocm_compiler
def test_pack(obj: Path) -> None:
    kernels = amd_kernels.load(obj, "gfx90a")
    kernel = amd_kernels.find(kernels, "scale<float>")
    given = S(b"q", 2.5, (1.0, 2.0, 3.0))
    args = [0x7F00_0000_1000, np.uint64(0x7F00_0000_2000), 1.5, -7, given]
    block = kernel.pack(args, grid=(10, 2, 1), block=(256, 1, 1), dynamic_shared=1024)
    assert len(block) == kernel.kernarg_size
    y, x, f, n = struct.unpack_from("<QQfi", block)
    assert (y, x, f, n) == (0x7F00_0000_1000, 0x7F00_0000_2000, 1.5, -7)
    assert block[24 : 24 + ctypes.sizeof(S)] == bytes(given)
    # A struct of the same layout, made by the compiler's own rules, holds the explicit part.
    assert kernel.explicit[-1].offset + kernel.explicit[-1].size == 24 + ctypes.sizeof(S)
    double = amd_kernels.find(kernels, kernels[1].display)
    assert struct.unpack_from("<d", double.pack([0, 0, 1.5, 1, given], grid=(1, 1, 1),
                                                block=(64, 1, 1)), 16) == (1.5,)  # fmt: skip


def test_pack_fills_hidden_arguments() -> None:
    """Code object version 5 hands the launch's shape over as arguments."""
    kinds = [("global_buffer", 8), *[(f"hidden_block_count_{a}", 4) for a in "xyz"]]
    kinds += [(f"hidden_{k}_{a}", 2) for k in ("group_size", "remainder") for a in "xyz"]
    kinds += [("hidden_global_offset_x", 8), ("hidden_grid_dims", 2)]
    kinds += [("hidden_hostcall_buffer", 8), ("hidden_dynamic_lds_size", 4)]
    arguments, at = [], 0
    for kind, size in kinds:
        at = -(-at // size) * size
        arguments.append(Argument(at, size, kind))
        at += size
    kernel = KernelImage("k", "gfx942", tuple(arguments), at, 8, 0, 0, 256, 64, None, False, 0, 0,
                         {}, (), b"")  # fmt: skip
    block = kernel.pack([16], grid=(5, 6, 1), block=(32, 2, 1), dynamic_shared=99,
                        hidden={"hidden_hostcall_buffer": 0xABC})  # fmt: skip
    found = {
        a.kind: int.from_bytes(block[a.offset : a.offset + a.size], "little") for a in arguments
    }
    assert found == {
        "global_buffer": 16, "hidden_block_count_x": 5, "hidden_block_count_y": 6,
        "hidden_block_count_z": 1, "hidden_group_size_x": 32, "hidden_group_size_y": 2,
        "hidden_group_size_z": 1, "hidden_remainder_x": 0, "hidden_remainder_y": 0,
        "hidden_remainder_z": 0, "hidden_global_offset_x": 0, "hidden_grid_dims": 2,
        "hidden_hostcall_buffer": 0xABC, "hidden_dynamic_lds_size": 99,
    }  # fmt: skip


@pytest.mark.rocm_compiler
def test_bad_arguments(obj: Path) -> None:
    kernels = amd_kernels.load(obj, "gfx90a")
    kernel = amd_kernels.find(kernels, "bare")
    one = (1, 1, 1)
    for values, words in (
        ([1, 2, 3], "takes 4 arguments, not 3"),
        ([300, 2, 3, 0], "argument 1: 300 does not fit in 1 bytes"),
        ([1, -40000, 3, 0], "argument 2: -40000 does not fit in 2 bytes"),
        ([1, 2, 3, -1], "argument 4: -1 does not fit in 8 bytes"),
        ([1, 2, 3, b"12345678"], "argument 4: 8 bytes given"),
        ([1, 2, b"1234", 0], "argument 3: 4 bytes given"),
        ([1, 2, 3, "x"], "argument 4: str cannot be passed"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            kernel.pack(values, grid=one, block=one)
        assert caught.value.hint
    with pytest.raises(UsageError, match="has 256 threads; 1 to 128"):
        kernel.pack([1, 2, 3, 0], grid=one, block=(256, 1, 1))
    with pytest.raises(UsageError, match="cannot be launched"):
        kernel.pack([1, 2, 3, 0], grid=(1 << 26, 1, 1), block=(64, 1, 1))
    with pytest.raises(UsageError, match="2 kernels are called 'bare'"):
        amd_kernels.find(amd_kernels.load(obj), "bare")
    with pytest.raises(UsageError, match="no kernel is called 'scal<float>'") as caught:
        amd_kernels.find(kernels, "scal<float>")
    assert "scale<float>" in caught.value.hint


@pytest.mark.rocm_compiler
def test_damaged_code_objects_are_input_errors(obj: Path, tmp_path: Path, seed: int) -> None:
    code = amd_kernels.load(obj, "gfx90a")[0].code
    rng = np.random.default_rng(seed)
    for _ in range(300):
        bad = bytearray(code[: int(rng.integers(64, len(code)))] if rng.random() < 0.3 else code)
        for at in rng.integers(0, len(bad), 8):
            bad[at] = int(rng.integers(256))
        (tmp_path / "bad").write_bytes(bad)
        try:
            for kernel in amd_kernels.load(tmp_path / "bad"):
                kernel.to_json()
        except PortgpuError as error:
            assert isinstance(error, InputError)


@pytest.mark.rocm_compiler
def test_command(obj: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspect", str(obj), "--arguments", "--kernel", "scale<float>"]) == Exit.OK
    text = capsys.readouterr().out
    assert "void scale<float>(float*, float const*, float, int, S) [gfx1030]" in text
    assert re.search(r"1 +0 +8 +global_buffer global", text)
    assert re.search(r"5 +24 +32 +by_value", text)
    assert cli.run(["inspect", str(obj), "--arguments", "--format", "json"]) == Exit.OK
    kernels = json.loads(capsys.readouterr().out)["files"][0]["kernels"]
    assert len(kernels) == 8 and kernels[0]["arguments"]
    assert cli.run(["inspect", "/bin/true", "--arguments"]) == Exit.USAGE
    assert "no AMD kernel" in capsys.readouterr().err
