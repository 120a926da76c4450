"""The GPUs of this machine. Drivers are asked in a child process: a broken one harms nobody."""

from __future__ import annotations

import csv
import ctypes
import functools
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from portgpu import process
from portgpu.errors import PortgpuError

_KFD = Path("/sys/class/kfd/kfd/topology/nodes")
_COMPUTE_MAJOR, _COMPUTE_MINOR, _INTEGRATED = 75, 76, 18


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU. `arch` is spelt as compilers spell it; `memory` is in bytes, 0 when unknown."""

    target: str  # cuda | rocm
    index: int
    name: str
    arch: str
    memory: int = 0
    source: str = ""


@functools.cache
def find_devices() -> tuple[Device, ...]:
    """All GPUs that can be seen, NVIDIA's first. Never raises; see `problems`."""
    return (*_nvidia(), *_amd())


def problems() -> list[str]:
    """Why a GPU that seems to be in the machine cannot be used."""
    found = []
    if shutil.which("nvidia-smi") and not _nvidia():
        said = _call(["nvidia-smi"])
        first = next((line for line in said.splitlines() if line.strip()), "no answer")
        found.append(f"nvidia-smi is installed but shows no GPU: {first.strip()}")
    if _KFD.is_dir() and _kfd_nodes() and not Path("/dev/kfd").exists():
        found.append(
            "the kernel lists AMD GPUs but /dev/kfd is missing (container without --device?)"
        )
    elif Path("/dev/kfd").exists() and not _readable("/dev/kfd"):
        found.append("/dev/kfd cannot be opened: add this user to the groups render and video")
    return found


def _readable(path: str) -> bool:
    try:
        with Path(path).open("rb"):
            return True
    except OSError:
        return False


def _call(command: list[str], timeout: float = 30) -> str:
    try:
        return process.run(command, check=False, timeout=timeout).output
    except PortgpuError:
        return ""


@functools.cache
def _nvidia() -> tuple[Device, ...]:
    """From the driver library, or nvidia-smi where that cannot be loaded."""
    text = _call([sys.executable, "-I", __file__], 60)
    try:
        rows: list[dict[str, Any]] = json.loads(text.strip().splitlines()[-1])
        found = [Device(**row) for row in rows]
    except (ValueError, IndexError, TypeError):
        found = []
    return tuple(found) or tuple(_smi())


def _smi() -> Iterator[Device]:
    if not shutil.which("nvidia-smi"):
        return
    fields = "index,name,compute_cap,memory.total"
    said = _call(["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"])
    for row in csv.reader(said.splitlines(), skipinitialspace=True):
        if len(row) == 4 and re.fullmatch(r"\d+", row[0]) and re.fullmatch(r"\d+\.\d", row[2]):
            memory = int(row[3]) << 20 if row[3].isdigit() else 0
            arch = "sm_" + row[2].replace(".", "")
            yield Device("cuda", int(row[0]), row[1], arch, memory, "nvidia-smi")


def _driver() -> list[dict[str, Any]]:
    """Asks libcuda; runs in the child process."""
    names = ("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1")
    cuda = None
    for name in names:
        try:
            cuda = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if cuda is None or cuda.cuInit(0) != 0:
        return []
    count = ctypes.c_int()
    if cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    found = []
    for index in range(count.value):
        handle = ctypes.c_int()
        name_buffer = ctypes.create_string_buffer(256)
        memory = ctypes.c_size_t()
        major, minor = ctypes.c_int(), ctypes.c_int()
        if cuda.cuDeviceGet(ctypes.byref(handle), index) != 0:
            continue
        cuda.cuDeviceGetName(name_buffer, 256, handle)
        cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)
        cuda.cuDeviceGetAttribute(ctypes.byref(major), _COMPUTE_MAJOR, handle)
        cuda.cuDeviceGetAttribute(ctypes.byref(minor), _COMPUTE_MINOR, handle)
        found.append(
            {
                "target": "cuda",
                "index": index,
                "name": name_buffer.value.decode("utf-8", "replace"),
                "arch": f"sm_{major.value}{minor.value}",
                "memory": memory.value,
                "source": "CUDA driver",
            }
        )
    return found


def _amd() -> tuple[Device, ...]:
    """From the kernel's topology, which needs no ROCm; names from rocminfo when it is there."""
    nodes = _kfd_nodes()
    if not nodes:
        return ()
    names = re.findall(r"Marketing Name:[ \t]*(.*?)[ \t]*$", _call(["rocminfo"]), re.M)
    gpus = [name for name in names if name and "CPU" not in name and "Processor" not in name]
    found = []
    for index, (version, memory) in enumerate(nodes):
        arch = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
        name = gpus[index] if len(gpus) == len(nodes) else arch
        found.append(Device("rocm", index, name, arch, memory, "kernel topology"))
    return tuple(found)


def _kfd_nodes() -> list[tuple[int, int]]:
    """`gfx_target_version` and memory of each GPU node."""
    found = []
    try:
        folders = sorted(_KFD.iterdir(), key=lambda path: int(path.name))
    except (OSError, ValueError):
        return []
    for folder in folders:
        version = _property(folder / "properties", "gfx_target_version")
        if version:
            memory = sum(
                _property(bank / "properties", "size_in_bytes")
                for bank in folder.glob("mem_banks/*")
            )
            found.append((version, memory))
    return found


def _property(path: Path, name: str) -> int:
    try:
        text = path.read_text()
    except OSError:
        return 0
    match = re.search(rf"^{name} (\d+)$", text, re.M)
    return int(match[1]) if match else 0


def to_json(device: Device) -> dict[str, Any]:
    """Plain data of a device."""
    return asdict(device)


if __name__ == "__main__":
    print(json.dumps(_driver()))
