"""Types and constant values that libclang finds in a file, looked up by span.

libclang parses the file with our own declarations of CUDA, HIP or the dialect in place of an SDK;
headers that are not in the project are empty. What it cannot understand is simply not there, and
the linter's own parser stands alone.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
from pathlib import Path
from typing import Any

from portgpu.lint.nodes import Expr
from portgpu.lint.project import Project, Unit

_ARRAY = re.compile(r"\[\d*\]$")
_VIRTUAL = "/portgpu-headers"  # exists in libclang's memory only
_DECLARATIONS = Path(__file__).parent / "declarations"
_ARGUMENTS = [
    "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-nostdinc",
    "-nostdinc++", "-ferror-limit=0", "-w", "-Wno-error", "-fno-spell-checking",
    "--cuda-path=/nowhere", f"-I{_VIRTUAL}",
]  # fmt: skip


class Facts:
    """Answers for one file; unknown is an empty string or None."""

    def __init__(
        self, types: dict[tuple[int, int], str], values: dict[tuple[int, int], int]
    ) -> None:
        self.types = types
        self.values = values

    def type(self, expr: Expr) -> str:
        """The canonical type of an expression."""
        return "" if expr.macro else self.types.get((expr.start, expr.end), "")

    def value(self, expr: Expr) -> int | None:
        """The value of a constant expression."""
        return None if expr.macro else self.values.get((expr.start, expr.end))


EMPTY = Facts({}, {})


@functools.cache
def _library() -> Any:
    """The cindex module, or None when libclang cannot be loaded."""
    try:
        from clang import cindex

        cindex.Index.create()
    except Exception:  # no library, or one of another version beside it
        return None
    return cindex


def available() -> bool:
    """Whether libclang can be used here."""
    return _library() is not None


def facts(project: Project, unit: Unit) -> Facts:
    """What libclang knows about a unit; empty when it is not there or the file defeats it."""
    cindex = _library()
    if cindex is None:
        return EMPTY
    main = _place(project, unit.path)
    unsaved = [(main, unit.data.decode("latin-1"))]
    for source in [unit, *unit.closure]:
        for name, _ in source.scanned.includes:
            target = project.resolve(source.path, name)
            place = f"{_VIRTUAL}/{_ascii(name)}"
            if target is None:
                unsaved.append((place, ""))
            else:
                unsaved.append((place, f'#include "{_place(project, target)}"\n'))
    for source in unit.closure:
        place = _place(project, source.path)
        if place.startswith(_VIRTUAL):
            unsaved.append((place, source.data.decode("latin-1")))
    header = _DECLARATIONS / f"{unit.mode}.h"
    try:
        parsed = cindex.Index.create().parse(
            main,
            [*_ARGUMENTS, "-include", str(header)],
            [(name, _ascii(text)) for name, text in unsaved],
            0,
        )
    except cindex.TranslationUnitLoadError:
        return EMPTY
    return _collect(cindex, parsed)


def _place(project: Project, path: str) -> str:
    """The name under which libclang knows a file: its path, or another where that is not ASCII."""
    real = str((project.root / path).resolve())
    if real.isascii() and '"' not in real:
        return real
    digest = hashlib.blake2b(os.fsencode(real), digest_size=8).hexdigest()
    return f"{_VIRTUAL}/{digest}/{_ascii(Path(real).name)}"


def _ascii(text: str) -> str:
    """cindex encodes as UTF-8; other bytes become question marks, so that offsets hold."""
    return text.encode("ascii", "replace").decode()


def _collect(cindex: Any, parsed: Any) -> Facts:
    lib = cindex.conf.lib
    kinds = cindex.CursorKind
    first, last = 100, 199  # expression kinds
    reference = kinds.DECL_REF_EXPR.value
    member = kinds.MEMBER_REF_EXPR.value
    call = kinds.CALL_EXPR.value
    enum_constant = kinds.ENUM_CONSTANT_DECL.value
    types: dict[tuple[int, int], str] = {}
    values: dict[tuple[int, int], int] = {}
    spelled: dict[Any, str] = {}
    main = parsed.get_file(parsed.spelling)

    def spelling(cursor: Any) -> str:
        own = lib.clang_getCursorType(cursor)
        own._tu = parsed
        canonical = lib.clang_getCanonicalType(own)
        canonical._tu = parsed
        key = (canonical._kind_id, canonical.data[0])
        text = spelled.get(key)
        if text is None:
            text = str(lib.clang_getTypeSpelling(canonical))
            # Arrays count as the pointers that they become.
            spelled[key] = text = _ARRAY.sub("*", text)
        return text

    def constant(cursor: Any) -> int | None:
        target = lib.clang_getCursorReferenced(cursor)
        if target is None:
            return None
        target._tu = parsed
        if target._kind_id == enum_constant:
            return int(lib.clang_getEnumConstantDeclValue(target))
        if target._kind_id != kinds.VAR_DECL.value or not target.type.is_const_qualified():
            return None
        return _evaluate(lib, target)

    offset = ctypes.c_uint()
    line = ctypes.c_uint()
    column = ctypes.c_uint()

    def place(location: Any) -> int:
        lib.clang_getInstantiationLocation(
            location, file_pointer, ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset)
        )
        return offset.value

    file_object = cindex.c_object_p()
    file_pointer = ctypes.byref(file_object)

    def visit(cursor: Any, parent: Any, _: Any) -> int:
        kind = cursor._kind_id
        cursor._tu = parsed
        if first <= kind <= last:
            extent = lib.clang_getCursorExtent(cursor)
            span = (
                place(lib.clang_getRangeStart(extent)),
                place(lib.clang_getRangeEnd(extent)),
            )
            # Implicit conversions wrap an expression of the same span: the innermost type counts.
            text = spelling(cursor)
            if text and "dependent" not in text and "overloaded" not in text:
                types[span] = text
            value = None
            if kind in (reference, member):
                value = constant(cursor)
            elif kind == call and text in _INTEGERS:
                value = _evaluate(lib, cursor)
            if value is not None:
                values[span] = value
        return 2

    callback = cindex.callbacks["cursor_visit"](visit)
    for top in parsed.cursor.get_children():
        if top.location.file is not None and top.location.file.name == main.name:
            lib.clang_visitChildren(top, callback, None)
    return Facts(types, values)


_INTEGERS = frozenset(
    ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "bool")
)


@functools.cache
def _prepare(lib: Any) -> Any:
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    lib.clang_EvalResult_getKind.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    return lib


def _evaluate(lib: Any, cursor: Any) -> int | None:
    lib = _prepare(lib)
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        if lib.clang_EvalResult_getKind(result) != 1:  # CXEval_Int
            return None
        return int(lib.clang_EvalResult_getAsLongLong(result))
    finally:
        lib.clang_EvalResult_dispose(result)
