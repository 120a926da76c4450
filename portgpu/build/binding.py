"""Builds the compiled Python binding of an op library, beside the library.

One C file set serves every library and every Python from 3.11 on (the limited API). Without
Python's headers or a compiler that fits, the library still works, through ctypes.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sysconfig
from pathlib import Path

from portgpu import process, resources
from portgpu.build import files
from portgpu.console import note
from portgpu.errors import BuildError, PortgpuError
from portgpu.resources import BINDING


def build(library: Path, *, quiet: bool = False) -> Path | None:
    """Make the binding beside `library` unless it is there and fresh; None, with a note, if not."""
    out = library.with_name(BINDING)
    sources = sorted(resources.package("ops", "native").glob("*.[ch]"))
    header = resources.kernels("pg_ops_abi.h")
    include = Path(sysconfig.get_paths()["include"])
    stamp = files.digest(b"\0".join(path.read_bytes() for path in [*sources, header]))
    key = out.with_suffix(".key")
    if out.is_file() and key.is_file() and key.read_text("utf-8") == stamp:
        return out
    if not (include / "Python.h").is_file():
        _without("Python's headers are not here (Debian: apt install python3-dev)", quiet)
        return None
    compiler = _c_compiler()
    if not compiler:
        _without("no C compiler is here; CC names one (Debian: apt install gcc)", quiet)
        return None
    partial = out.with_suffix(f".{os.getpid()}.tmp")
    try:
        process.run(
            [*compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC",
             "-fvisibility=hidden", f"-I{include}", f"-I{header.parent}",
             *(path for path in sources if path.suffix == ".c"), "-o", partial, "-ldl"],
            error=BuildError,
            what="compiling the Python binding",
        )  # fmt: skip
        partial.replace(out)
        files.write(key, stamp.encode())
    except PortgpuError as error:
        _without(f"{error.message}\n{error.detail}".rstrip(), quiet)
        return None
    finally:
        partial.unlink(missing_ok=True)
    return out


def _c_compiler() -> list[str]:
    """The words of a C compiler's call. A C++ driver would compile `.c` files as C++."""
    words = shlex.split(os.environ.get("CC", ""))
    candidates = [words] if words else [["cc"], ["gcc"], ["clang"]]
    return next((each for each in candidates if shutil.which(each[0])), [])


def _without(why: str, quiet: bool) -> None:
    if not quiet:
        note(f"note: no compiled binding, ops from Python go through ctypes: {why}")
