"""Occupancy of NVIDIA GPUs against the toolkit's own calculator, `cuda_occupancy.h`."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from portgpu.binary import Kernel, occupancy
from portgpu.toolchain import find_cuda
from portgpu.toolchain.archs import lookup

SEED = 20261130
ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103",
         "sm_110", "sm_120", "sm_121")  # fmt: skip
PROGRAM = """
#include <cstddef>
#include <climits>
#include "cuda_occupancy.h"
#include <cstdio>
int main() {
  int major, minor, threads, regs, block; size_t per_sm, optin, reserved, shared;
  while (std::scanf("%d %d %d %zu %zu %zu %d %zu %d", &major, &minor, &threads, &per_sm, &optin,
                    &reserved, &regs, &shared, &block) == 9) {
    cudaOccDeviceProp prop = {};
    prop.computeMajor = major; prop.computeMinor = minor; prop.maxThreadsPerBlock = 1024;
    prop.maxThreadsPerMultiprocessor = threads; prop.regsPerBlock = 65536;
    prop.regsPerMultiprocessor = 65536; prop.warpSize = 32; prop.sharedMemPerBlock = 49152;
    prop.sharedMemPerMultiprocessor = per_sm; prop.numSms = 1;
    prop.sharedMemPerBlockOptin = optin; prop.reservedSharedMemPerBlock = reserved;
    cudaOccFuncAttributes attributes = {};
    attributes.maxThreadsPerBlock = 1024; attributes.numRegs = regs;
    attributes.sharedSizeBytes = shared;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = optin - shared;
    cudaOccDeviceState state = {};
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result = {};
    cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &prop, &attributes, &state, block, 0);
    std::printf("%d %d\\n", int(error), result.activeBlocksPerMultiprocessor);
  }
}
"""


@pytest.mark.cuda_compiler
def test_blocks_agree_with_the_toolkit(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    pick = random.Random(SEED)
    include = find_cuda().root / "include"
    (tmp_path / "calculator.cpp").write_text(PROGRAM)
    command = ["c++", "-w", f"-I{include}", "calculator.cpp", "-o", "calculator"]
    subprocess.run(command, check=True, cwd=tmp_path)
    cases, lines = [], []
    for _ in range(1500):
        arch = lookup(pick.choice(ARCHS))
        assert arch is not None and arch.limits
        number = int(arch.name[3:])
        reserved = 1024 if number >= 80 else 0
        shared = pick.choice([0, 0, pick.randrange(1, 49153)])
        regs, block = pick.randrange(1, 256), 32 * pick.randrange(1, 33)
        cases.append((arch, regs, shared, block))
        per_sm = arch.limits["shared"] * 1024
        numbers = (number // 10, number % 10, arch.limits["warps"] * 32, per_sm, per_sm - reserved,
                   reserved, regs, shared, block)  # fmt: skip
        lines.append(" ".join(map(str, numbers)))
    done = subprocess.run(
        [tmp_path / "calculator"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    wrong = []
    for (arch, regs, shared, block), line in zip(cases, done.stdout.splitlines(), strict=True):
        error, blocks = map(int, line.split())
        found = occupancy.of(Kernel("k", arch.name, regs, shared=shared), block)
        assert found is not None
        if error or found.warps != blocks * block // 32:
            wrong.append((arch.name, regs, shared, block, error, blocks * block // 32, found))
    assert not wrong, f"{len(wrong)} of {len(cases)}, such as {wrong[:3]}"
