"""Reads AMD's Python binding wheels: C declarations from `.pxd`, enum values by importing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from mapping_check import clang_facts
from mapping_check.facts import Fact, Facts, merge

_FUNCTION = re.compile(r"^cdef (?P<decl>[^:=]+?\))\s*(?:except\??[^\n]*?)?\s*(?:nogil|noexcept)")
_VARIABLE = re.compile(r"^    cdef (?:unsigned |signed )?(?:int|long|char|float|double)[ *]+(\w+)$")

# Types that the declarations use and the bindings take from elsewhere.
_PREAMBLE = """#pragma once
#include <stddef.h>
#include <stdint.h>
"""
_COMPLEX = """typedef float2 hipFloatComplex, hipComplex;
typedef double2 hipDoubleComplex;
"""

_VALUES = """
import enum, importlib, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module("rocm.bindings." + name)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        continue
    for key, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, enum.Enum):
            found.update((k, int(v.value)) for k, v in value.__members__.items())
        elif isinstance(value, int) and not isinstance(value, bool):
            found[key] = int(value)
json.dump(found, sys.stdout)
"""


def read(root: Path, modules: list[str]) -> Facts:
    """Facts of `rocm.bindings.<module>`, whose wheels are unpacked at `root`."""
    facts: Facts = {}
    for module in modules:
        path = root / "rocm" / "bindings" / f"cy{module}.pxd"
        text = path.read_text(encoding="utf-8")
        source = path.with_suffix(".hpp")
        shared = "" if module == "hip" else '#include "cyhip.hpp"\n'
        source.write_text(_PREAMBLE + shared + _to_c(text), encoding="utf-8")
        options = ["-x", "c++", "-std=c++17"]
        found = clang_facts.read([source.name], source.parent, options, roots=[source])
        header = _header(text, module)
        for fact in found.values():
            fact.header = header
        for line in text.splitlines():
            if match := _VARIABLE.match(line):
                found.setdefault(match[1], Fact(match[1], {"macro"}, header))
        merge(facts, found)
    for name, value in _values(root, modules).items():
        if name in facts and facts[name].kinds & {"enum", "macro"}:
            facts[name].value = value
    return facts


def _header(text: str, module: str) -> str:
    match = re.search(r'cdef extern from "([^"]+)"', text)
    return match[1] if match else f"{module}.h"


def _to_c(text: str) -> str:
    """A C++ header with the declarations of a `.pxd`; records are left without members."""
    out = []
    enum: list[str] | None = None
    for name in re.findall(r"cimport \w+ as (\w+)", text):
        out.append(f"typedef int {name};")
    for line in text.splitlines():
        code = line.split("#")[0].rstrip()
        stripped = code.strip()
        if enum is not None and (not stripped or not code.startswith("        ")):
            out.append(", ".join(enum) + " };")
            enum = None
        if enum is not None:
            enum.append(stripped)
            continue
        if match := re.match(r'(?:ctypedef|cdef) enum(?: (\w+))?(?: "\w+")?:', stripped):
            out.append(f"enum {match[1] or ''} {{")
            enum = []
        elif match := re.match(r'(?:ctypedef|cdef) (struct|union) (\w+)(?: "\w+")?:', stripped):
            out.append(f"{match[1]} {match[2]} {{}};")
        elif stripped.startswith("ctypedef ") and not stripped.endswith(":"):
            out.append(stripped.removeprefix("c").replace("bint", "bool") + ";")
        elif match := _FUNCTION.match(stripped):
            out.append(match["decl"] + ";")
    if enum is not None:
        out.append(", ".join(enum) + " };")
    if "struct double2 {};" in out:
        out.insert(out.index("struct double2 {};") + 1, _COMPLEX)
    return "\n".join(out) + "\n"


def _values(root: Path, modules: list[str]) -> dict[str, int]:
    run = subprocess.run(
        [sys.executable, "-c", _VALUES, *modules],
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.stderr:
        print(run.stderr, file=sys.stderr, end="")
    values: dict[str, int] = json.loads(run.stdout or "{}")
    return values
