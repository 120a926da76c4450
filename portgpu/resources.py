"""Finds the files that travel with portgpu: templates, kernels and data tables.

A wheel carries `templates/` and `kernels/` inside the package (`portgpu/_checkout/`); an editable
install and a bare checkout have them beside it. `portgpu/data/` is always inside the package.
"""

from __future__ import annotations

from pathlib import Path

from portgpu.errors import InternalError

_PACKAGE = Path(__file__).resolve().parent
# The compiled Python binding, beside the op library that it belongs to.
BINDING = "_portgpu_ops.abi3.so"


def data(*parts: str) -> Path:
    """Path of a file or folder in `portgpu/data/`; raises `InternalError` when it is missing."""
    return _existing(_PACKAGE / "data", parts)


def templates(*parts: str) -> Path:
    """Path in `templates/`; raises `InternalError` when it is missing."""
    return _existing(_root("templates"), parts)


def kernels(*parts: str) -> Path:
    """Path in `kernels/`, the op library's sources; raises `InternalError` when it is missing."""
    return _existing(_root("kernels"), parts)


def package(*parts: str) -> Path:
    """Path of a file or folder of the package itself; raises `InternalError` when it is missing."""
    return _existing(_PACKAGE, parts)


def _root(name: str) -> Path:
    packaged = _PACKAGE / "_checkout" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def _existing(root: Path, parts: tuple[str, ...]) -> Path:
    path = root.joinpath(*parts)
    if not path.exists():
        raise InternalError(
            f"{path} is missing from this installation",
            hint="reinstall portgpu: python -m pip install --force-reinstall portgpu",
        )
    return path
