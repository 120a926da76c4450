"""Reads C and C++ headers through libclang into facts: functions, types, enumerators, macros."""

from __future__ import annotations

import contextlib
import functools
import re
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from mapping_check.facts import _DEVICE_POINTERS, Fact, Facts, Type

_KEEP_GOING = 0x200  # go on after a header that is missing
_MACROS = 0x01
_NO_BODIES = 0x40

_INTEGERS = {
    TypeKind.CHAR_S: "i",
    TypeKind.CHAR_U: "u",
    TypeKind.SCHAR: "i",
    TypeKind.UCHAR: "u",
    TypeKind.SHORT: "i",
    TypeKind.USHORT: "u",
    TypeKind.INT: "i",
    TypeKind.UINT: "u",
    TypeKind.LONG: "i",
    TypeKind.ULONG: "u",
    TypeKind.LONGLONG: "i",
    TypeKind.ULONGLONG: "u",
    TypeKind.WCHAR: "i",
}
_FUNCTIONS = (
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
)
_CLASSES = (
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.UNION_DECL,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
)
_ALIASES = (
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
)

# What the vendors' build systems generate and a checkout lacks.
_EXPORTS = [
    f"-D{name}_EXPORT="
    for name in ("HIPBLAS", "HIPBLASLT", "HIPSPARSE", "HIPSOLVER", "HIPFFT", "ROCBLAS", "ROCSPARSE")
] + [
    "-DMIOPEN_EXPORT=",
    "-DMIOPEN_BACKEND_HIP=1",
    "-DMIOPEN_BETA_API=1",
    "-DROCSOLVER_EXPORT=",
    "-DHIPRANDAPI=",
    "-DROCRANDAPI=",
]


def clang_includes(version: int = 0) -> Path:
    """clang's own headers, of `version` or the newest; libclang's wheel does not carry them."""
    found = [
        path
        for path in Path("/usr/lib").glob("llvm-*/lib/clang/*/include")
        if (path / "stddef.h").exists() and f"/llvm-{version or ''}" in str(path)
    ]
    if not found:
        raise SystemExit(f"clang {version or ''} is needed for its headers: apt install clang")
    return max(found, key=lambda p: [int(n) for n in re.findall(r"\d+", str(p))])


def read(
    headers: list[str],
    include: Path,
    options: list[str],
    *,
    roots: list[Path] | None = None,
    clang: int = 0,
    namespaces: bool = False,
) -> Facts:
    """Facts of what is declared in files below `roots` when `headers` are included together.

    `include` is searched for the headers and is the only root by default. With `namespaces`, names
    inside namespaces and classes are recorded too, qualified ("cub::BlockReduce").
    """
    text = "".join(f"#include <{name}>\n" for name in headers)
    index = cindex.Index.create()
    own = ["-isystem", str(clang_includes(clang))]
    arguments = [*options, *_EXPORTS, "-I", str(include), *own, "-w", "-ferror-limit=0"]
    unit = index.parse(
        "probe.cpp",
        args=arguments,
        unsaved_files=[("probe.cpp", text)],
        options=_KEEP_GOING | _MACROS | _NO_BODIES,
    )
    facts: Facts = {}
    places = tuple(str(root.resolve()) for root in roots or [include])
    _walk(unit.cursor, "", places, facts, namespaces)
    return facts


@functools.cache
def _resolve(name: str) -> str:
    return str(Path(name).resolve())


def _walk(
    cursor: cindex.Cursor, scope: str, roots: tuple[str, ...], facts: Facts, namespaces: bool
) -> None:
    for child in cursor.get_children():
        try:
            kind = child.kind
        except ValueError:
            continue  # a cursor kind that the Python bindings do not know
        if kind is CursorKind.LINKAGE_SPEC or kind is CursorKind.UNEXPOSED_DECL:
            _walk(child, scope, roots, facts, namespaces)
            continue
        file = child.location.file
        if file is None or not _resolve(file.name).startswith(roots):
            continue
        if kind is CursorKind.NAMESPACE:
            if namespaces or not child.spelling:
                inner = f"{scope}{child.spelling}::" if child.spelling else scope
                _add(facts, scope + child.spelling, "namespace", file.name)
                # Version namespaces are inline or imported by a `using`; readers leave them out.
                inner = re.sub(r"\b(__v\d+|__[34]|_V_\w+|(CUB|THRUST)_\d\w*|v\d+)::", "", inner)
                _walk(child, inner, roots, facts, namespaces)
            continue
        name = child.spelling
        if kind is CursorKind.ENUM_DECL:
            for item in child.get_children():
                if item.kind is CursorKind.ENUM_CONSTANT_DECL:
                    fact = _add(facts, scope + item.spelling, "enum", file.name)
                    fact.value = item.enum_value
        if not name or name.startswith("operator") or "unnamed" in name or "anonymous" in name:
            continue
        if kind is CursorKind.MACRO_DEFINITION:
            _macro(facts, child, file.name)
        elif kind in _FUNCTIONS:
            fact = _add(facts, scope + name, "function", file.name)
            _signature(fact, child)
        elif kind in _CLASSES or kind in _ALIASES or kind is CursorKind.ENUM_DECL:
            _add(facts, scope + name, "type", file.name)
            if namespaces and kind in _CLASSES and child.is_definition():
                _walk(child, f"{scope}{name}::", roots, facts, namespaces)
        elif kind is CursorKind.VAR_DECL:
            _add(facts, scope + name, "variable", file.name)
        elif kind is CursorKind.CXX_METHOD and namespaces:
            _add(facts, scope + name, "method", file.name)
        elif kind is CursorKind.USING_DECLARATION:
            _add(facts, scope + name.rsplit("::", 1)[-1], "using", file.name)


def _add(facts: Facts, name: str, kind: str, file: str) -> Fact:
    fact = facts.get(name)
    if fact is None:
        fact = facts[name] = Fact(name, header=file.rpartition("/include/")[2])
    fact.kinds.add(kind)
    return fact


def _macro(facts: Facts, cursor: cindex.Cursor, file: str) -> None:
    tokens = [token.spelling for token in cursor.get_tokens()][1:]
    fact = _add(facts, cursor.spelling, "macro", file)
    body = " ".join(tokens)
    fact.body = body[:200]
    while len(tokens) >= 3 and tokens[0] == "(" and tokens[-1] == ")":
        tokens = tokens[1:-1]
    if tokens and tokens[-1].startswith("__CUDART_API_PT"):
        tokens = []
    # `#define f __CUDA_API_PTSZ(f)` and the like give the same name again: no alias.
    if len(tokens) == 1 and re.fullmatch(r"[A-Za-z_]\w*", tokens[0]):
        fact.alias = tokens[0] if tokens[0] != cursor.spelling else ""
    elif tokens:
        with contextlib.suppress(ValueError):
            text = "".join(tokens)
            fact.value = int(re.sub(r"(?<=[0-9a-fA-F])[uUlL]+$", "", text), 0)


def _signature(fact: Fact, cursor: cindex.Cursor) -> None:
    parameters = [c for c in cursor.get_children() if c.kind is CursorKind.PARM_DECL]
    types = tuple(_type(p.type) for p in parameters)
    if types not in fact.overloads:
        fact.overloads.append(types)
    with_default = sum(any(t.spelling == "=" for t in p.get_tokens()) for p in parameters)
    fact.defaults = max(fact.defaults, with_default)


def _type(value: cindex.Type) -> Type:
    depth = 0
    const = False
    while True:
        if _type_kind(value) is None:
            break
        if value.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
            value = value.get_pointee()
        elif value.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            value = value.element_type
        else:
            break
        depth += 1
        const = const or (depth == 1 and value.is_const_qualified())
    base = re.sub(r"\b(const|volatile|struct|enum|union|class|restrict)\b", "", value.spelling)
    return Type(depth, " ".join(base.split()), _kind(value, base.strip()), const)


def _kind(value: cindex.Type, base: str) -> str:
    if base in _DEVICE_POINTERS:
        return "d"
    canonical = value.get_canonical()
    kind = _type_kind(canonical)
    if kind is None:
        return "f2"  # the kinds that libclang's Python side does not know are the 16-bit floats
    if kind is TypeKind.VOID:
        return "v"
    if kind is TypeKind.BOOL:
        return "b1"
    if kind in _INTEGERS:
        return f"{_INTEGERS[kind]}{max(canonical.get_size(), 0)}"
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE, TypeKind.HALF):
        return f"f{canonical.get_size()}"
    if kind is TypeKind.ENUM:
        return "e"
    if kind in (TypeKind.POINTER, TypeKind.BLOCKPOINTER, TypeKind.MEMBERPOINTER):
        return "p"
    if kind is TypeKind.RECORD:
        return "r"
    if kind in (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO):
        return "fn"
    return "?"


def _type_kind(value: cindex.Type) -> TypeKind | None:
    try:
        return value.kind
    except ValueError:
        return None
