"""Rows against the compilers, which read the headers on their own.

For each side, one translation unit names every function, type and constant that the tables say the
installed headers have: what the compiler does not know is an error, and constants whose values the
tables call equal are asserted equal to what was seen on the other side.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from portgpu import mapping
from portgpu.mapping import Entry, Kind, Status
from portgpu.toolchain import find_cuda

TABLES = mapping.load()
_SYNTAX = ["-fsyntax-only", "-ferror-limit=0", "-w", "-x", "hip", "--offload-host-only"]
_HIP = Path("/usr/include/hip/hip_runtime_api.h")


def _rows(families: tuple[str, ...], header_set: str) -> list[Entry]:
    return [
        row
        for family in families
        for row in TABLES.family(family)
        if header_set in row.verified.split() and row.status in (Status.SAME, Status.DIFFERS)
    ]


def _probe(names: list[tuple[str, Kind]]) -> str:
    lines = []
    for index, (name, kind) in enumerate(names):
        if kind in (Kind.FUNCTION, Kind.TYPE, Kind.STRUCT):
            # Overloaded names have no address of their own: naming them in a using is enough.
            lines.append(f"namespace n{index} {{ using ::{name}; }}")
        elif kind is Kind.ENUM:
            lines.append(f"constexpr auto v{index} = {name};")
        elif kind is Kind.MACRO:
            lines.append(f"#ifndef {name}\n#error no {name}\n#endif")
    return "\n".join(lines) + "\n"


def _compile(command: list[str], source: Path) -> str:
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(
        [*command, str(source)], capture_output=True, text=True, check=False, env=environment
    )
    return done.stderr if done.returncode else ""


@pytest.mark.rocm_compiler
@pytest.mark.skipif(not _HIP.exists(), reason="no HIP headers in /usr/include")
def test_hip_side_of_installed_headers(tmp_path: Path) -> None:
    rows = _rows(("runtime", "driver", "errors"), "hip5.2")
    names = sorted({(row.hip, row.kind) for row in rows})
    assert len(names) > 900
    source = tmp_path / "probe.cpp"
    source.write_text(
        "#include <hip/hip_runtime_api.h>\n#include <hip/hip_runtime.h>\n#include <hip/hiprtc.h>\n"
        "#include <hip/hip_ext.h>\n" + _probe(names)
    )
    command = ["hipcc", *_SYNTAX]
    assert _compile(command, source) == ""
    # The probe can fail: a name that is nowhere is reported.
    source.write_text(source.read_text() + _probe([("hipNoSuchThing", Kind.FUNCTION)]))
    assert "hipNoSuchThing" in _compile(command, source)


@pytest.mark.cuda_compiler
def test_cuda_side_of_installed_headers(tmp_path: Path) -> None:
    toolchain = find_cuda()
    match = re.match(r"(\d+)\.(\d+)", str(toolchain.version))
    assert match
    header_set = f"cuda{match[1]}.{match[2]}"
    rows = _rows(("runtime", "driver", "errors"), header_set)
    if not rows:
        pytest.skip(f"the tables were not checked against {header_set}")
    skip = re.compile(r"GL|Egl|EGL|VDPAU|Vdpau|D3D|cudaProfiler|cuProfiler|cudaOcc")
    names = sorted({(row.cuda, row.kind) for row in rows if not skip.search(row.cuda)})
    assert len(names) > 1500
    source = tmp_path / "probe.cu"
    functions = [name for name, kind in names if kind is Kind.FUNCTION]
    plain = [(name, kind) for name, kind in names if kind is not Kind.FUNCTION]
    calls = "".join(
        f"#ifndef {name}\nnamespace f{i} {{ using ::{name}; }}\n#endif\n"
        for i, name in enumerate(functions)
    )
    source.write_text(
        "#include <cuda_runtime.h>\n#include <cuda.h>\n#include <library_types.h>\n"
        "#include <math_constants.h>\n#include <cuda_device_runtime_api.h>\n"
        + _probe(plain)
        + calls
    )
    command = [str(toolchain.compiler), "-std=c++17", "-arch=sm_80", "--cuda", "-w"]
    assert _compile([*command, "-o", str(tmp_path / "probe.ii")], source) == ""


@pytest.mark.rocm_compiler
@pytest.mark.skipif(not _HIP.exists(), reason="no HIP headers in /usr/include")
def test_names_without_partner_are_not_there(tmp_path: Path, seed: int) -> None:
    """A random sample: HIP 5.2 declares nothing under the name that the usual rule gives."""
    rows = [
        row
        for family in ("runtime", "driver")
        for row in TABLES.family(family)
        if row.status is Status.UNSUPPORTED and row.kind is Kind.FUNCTION and not row.hip
    ]
    sample = random.Random(seed).sample(rows, 200)
    names = sorted({re.sub("^(cuda|cu)", "hip", row.cuda) for row in sample})
    source = tmp_path / "probe.cpp"
    head = "#include <hip/hip_runtime_api.h>\n"
    source.write_text(head + _probe([(name, Kind.FUNCTION) for name in names]))
    errors = _compile(["hipcc", *_SYNTAX], source)
    assert [name for name in names if f"named '{name}'" not in errors] == []
