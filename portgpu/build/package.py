"""Installs op libraries: a prefix for C and C++ (headers, CMake package), wheels for Python."""

from __future__ import annotations

import base64
import hashlib
import shutil
import sysconfig
import zipfile
from pathlib import Path

from portgpu import __version__, resources
from portgpu.build import files
from portgpu.errors import OutputError, ToolchainError
from portgpu.resources import BINDING

_VERSION_FILE = """\
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""


def contents(library: Path) -> dict[str, bytes]:
    """What an installed op library consists of: path below the prefix -> content."""
    try:
        from portgpu.ops import header
    except ImportError:
        raise ToolchainError(
            "NumPy is needed to write the library's header", hint="pip install 'portgpu[ops]'"
        ) from None
    found = {
        f"lib/{library.name}": library.read_bytes(),
        "include/portgpu_ops/portgpu_ops.h": header.render().encode(),
        "include/portgpu_ops/pg_ops_abi.h": resources.kernels("pg_ops_abi.h").read_bytes(),
        "lib/cmake/portgpu_ops/portgpu_ops-config.cmake": resources.templates(
            "cmake", "portgpu_ops-config.cmake"
        ).read_bytes(),
        "lib/cmake/portgpu_ops/portgpu_ops-config-version.cmake": _VERSION_FILE.format(
            version=__version__
        ).encode(),
    }
    binding = library.with_name(BINDING)
    if binding.is_file():
        found[f"lib/{BINDING}"] = binding.read_bytes()
    return found


def install(library: Path, prefix: Path) -> list[Path]:
    """Install a library below `prefix`; returns the files. Raises `OutputError`."""
    made = []
    for name, data in contents(library).items():
        path = prefix / name
        files.write(path, data)
        if name.endswith(".so"):
            path.chmod(0o755)
        made.append(path)
    return made


_INIT = '''\
"""portgpu's op library for {target}: `load()` gives its functions."""

from pathlib import Path

_ROOT = Path(__file__).parent
__version__ = "{version}"


def library_path() -> Path:
    """The shared library."""
    return _ROOT / "lib" / "{library}"


def include_dir() -> Path:
    """Folder of portgpu_ops.h."""
    return _ROOT / "include" / "portgpu_ops"


def cmake_dir() -> Path:
    """What portgpu_ops_DIR must be for find_package(portgpu_ops)."""
    return _ROOT / "lib" / "cmake" / "portgpu_ops"


def load():
    """The ops as functions; needs the package portgpu."""
    import portgpu.ops

    return portgpu.ops.load("{target}", library_path())
'''
_METADATA = """\
Metadata-Version: 2.3
Name: {name}
Version: {version}
Summary: portgpu's op library, built for {target}
License-Expression: MIT
Requires-Python: >=3.11
Requires-Dist: portgpu[ops]=={version}
"""


def wheel(target: str, library: Path, folder: Path) -> Path:
    """Write the wheel `portgpu_ops_<target>` into `folder`: library, binding, headers, CMake.

    The package needs `portgpu` of the same version; C programs need only its files.
    """
    name = f"portgpu_ops_{target}"
    inside = contents(library)
    python = "cp311-abi3" if f"lib/{BINDING}" in inside else "py3-none"
    tag = f"{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"{name}-{__version__}.dist-info"
    entries = {f"{name}/{path}": data for path, data in inside.items()}
    entries[f"{name}/__init__.py"] = _INIT.format(
        target=target, version=__version__, library=library.name
    ).encode()
    entries[f"{info}/METADATA"] = _METADATA.format(
        name=name.replace("_", "-"), version=__version__, target=target
    ).encode()
    wheel_file = f"Wheel-Version: 1.0\nGenerator: portgpu {__version__}\n"
    entries[f"{info}/WHEEL"] = f"{wheel_file}Root-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in entries.items())
    entries[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    out = folder / f"{name}-{__version__}-{tag}.whl"
    partial = out.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in entries.items():
                entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # equal content, equal wheel
                entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        shutil.move(partial, out)
    except OSError as error:
        raise OutputError(
            f"{out}: {error.strerror}", hint="check that the folder is writable"
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return out


def _digest(data: bytes) -> str:
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={value}"
