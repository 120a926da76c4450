"""What a single file gets of our header: what it needs, with what that needs, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.translate import Options, inline, translate
from portgpu.translate.shake import shake

PROGRAMS = Path(__file__).parent / "programs"
COMMON = (PROGRAMS / "common.cuh").read_text().replace("#pragma once\n", "")
HEADER = b"""#ifndef PORTGPU_X_H
#define PORTGPU_X_H
#include <base.h>
#define BOTH inline
namespace pg_compat {
namespace detail {
// Adds.
BOTH int add(int a) { return a; }
}  // namespace detail
struct pair { int a, b; };
BOTH bool operator==(pair a, pair b) { return true; }
enum class color { red, green };
template <class T> T up(T v) { return detail::add(v); }  // up
template <class T> using alias = T;
#define MAKE(NAME, T) \\
  BOTH T NAME##_one(T v) { return up(v); } \\
  BOTH T NAME##_two(T v) { return v; }
MAKE(a, int)
MAKE(b, pair)
#undef MAKE
#if SOMETHING
int unused;
#elif OTHER
pair named;
#else
#define named 1
#endif
}
#ifndef PORTGPU_Y_H
#define PORTGPU_Y_H
#include <other.h>
void y();
#endif
#endif
"""


def needs(text: str) -> str:
    return shake(HEADER, text.encode()).decode()


def test_declarations_stay_with_what_they_need() -> None:
    assert needs("int x;") == ""
    found = needs("int x = pg_compat::a_one(1);")
    assert "MAKE(a, int)\n#undef MAKE" in found and "T up(T v)" in found and "// Adds." in found
    assert "pair" not in found and "alias" not in found and "other.h" not in found
    assert found.index("int add") < found.index("T up") < found.index("MAKE(a")


def test_operators_conditions_and_includes() -> None:
    found = needs("pg_compat::pair p; y();")
    assert "operator==" in found and "#define BOTH" in found and "#include <other.h>" in found
    found = needs("f(named);")
    assert "#elif OTHER\npair named;\n#else\n#define named 1\n#endif" in found
    assert "#if SOMETHING\n#elif" in found and "struct pair" in found and "unused" not in found
    assert "enum class color" in needs("green")


def standalone(name: str) -> bytes:
    """A program that includes nothing of its own, translated, with its shims."""
    code = (PROGRAMS / f"{name}.cu").read_text().replace('#include "common.cuh"\n', COMMON)
    result = translate(code.encode(), f"{name}.cu", Options())
    assert b'"portgpu/' in result.text
    return inline.paste_needed(result.text)


def test_files_of_their_own_get_everything() -> None:
    ours = b'#include "portgpu/hip_compat.h"\n'
    code = b"int f() { return pg_compat::warp_size; }\n"
    alone = inline.paste_needed(ours + code)
    assert alone.count(b"\n") < 60 and b"constexpr int warp_size = 32;" in alone
    assert inline.paste_needed(ours + b'#include "x.h"\n' + code) == inline.paste(
        ours + b'#include "x.h"\n' + code
    )


def test_the_command_pastes_what_is_needed(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k(int* p) { *p = __popc(__ballot_sync(~0u, *p)); }\n")
    assert portgpu(["translate", str(path)]) == 0
    printed = capfdbinary.readouterr().out
    assert b"ballot_sync" in printed and printed.count(b"\n") < 100
    out = tmp_path / "o.hip"
    assert portgpu(["translate", str(path), "-o", str(out), "--compat", "inline"]) == 0
    assert out.read_bytes() == printed


def compiles(name: str, folder: Path) -> None:
    source = folder / f"{name}.hip"
    source.write_bytes(standalone(name))
    hipcc = shutil.which("hipcc")
    assert hipcc is not None
    done = subprocess.run(
        [hipcc, "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w", str(source)],
        env={**os.environ, "HIP_PLATFORM": "amd"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("name", ["bfloat16_math", "cooperative_tiles"])
def test_it_compiles(name: str, tmp_path: Path) -> None:
    compiles(name, tmp_path)


@pytest.mark.slow
@pytest.mark.rocm_compiler
def test_all_programs_compile(tmp_path: Path) -> None:
    count = 0
    for path in sorted(PROGRAMS.glob("*.cu")):
        text = path.read_bytes().replace(b'#include "common.cuh"\n', COMMON.encode())
        if b'"portgpu/' in translate(text, path.name, Options()).text:
            compiles(path.stem, tmp_path)
            count += 1
    assert count >= 40


def test_local_headers_that_need_no_shims_do_not_matter(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "a.cu"
    path.write_text('#include "b.h"\n__global__ void k(int* p) { __syncwarp(); }\n')
    (tmp_path / "b.h").write_text('#pragma once\n#include "c.h"\nint n;\n')
    (tmp_path / "c.h").write_text("#pragma once\nvoid f() { cudaFree(0); }\n")
    assert portgpu(["translate", str(path)]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") < 80
    (tmp_path / "c.h").write_text("#pragma once\n__device__ int w() { return warpSize; }\n")
    assert portgpu(["translate", str(path)]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") > 1000
