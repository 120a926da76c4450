"""The op registry: `kernels/registry.toml`, read into typed objects.

Everything that knows ops (C header, Python functions, tests, documentation) reads them here. The
file's own header comment documents its keys.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portgpu import resources
from portgpu.errors import ConfigError, UsageError, nearest
from portgpu.ops.dtypes import DTYPES

PARAM_TYPES = ("i32", "i64", "f64", "bool", "axes")
INDEX_TYPES = ("i64", "i32")
AXIS_NONE = -(2**31)  # PG_AXIS_NONE: the flattened array


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor argument. `dtypes` is empty when it follows the main input."""

    name: str
    optional: bool = False
    dtypes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Param:
    """A scalar parameter. `default` is None when the caller must give it; for axes, all axes."""

    name: str
    type: str  # one of PARAM_TYPES
    default: Any = None
    choices: tuple[str, ...] = ()  # words in Python for the i32 values 0, 1, ... in C

    @property
    def required(self) -> bool:
        return self.default is None and self.type != "axes"


@dataclass(frozen=True, slots=True)
class Op:
    """One op as the registry describes it."""

    name: str
    file: str
    summary: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    inout: bool
    params: tuple[Param, ...]
    core_types: tuple[str, ...]
    all_types: tuple[str, ...]  # core included
    workspace: bool
    reference: str
    tolerance: str
    shape: str  # rule by which the shapes of inputs and outputs belong together
    deterministic: bool
    note: str

    def types(self, level: str) -> tuple[str, ...]:
        """Element types of the main tensor at `level` ("core" or "all")."""
        return self.core_types if level == "core" else self.all_types

    @property
    def main(self) -> int | None:
        """Position of the main input: the first without types of its own; None if none is."""
        return next((i for i, t in enumerate(self.inputs) if not t.dtypes), None)

    def param(self, name: str) -> Param | None:
        """The parameter called `name`, or None."""
        return next((p for p in self.params if p.name == name), None)


@dataclass(frozen=True, slots=True)
class Registry:
    """All ops by name, in the order of the file."""

    ops: Mapping[str, Op]
    path: Path

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops.values())

    def __len__(self) -> int:
        return len(self.ops)

    def get(self, name: str) -> Op:
        """The op called `name`; raises `UsageError` with the nearest spelling."""
        op = self.ops.get(name.removeprefix("pg_"))
        if op is None:
            raise UsageError(
                f"no op is called {name!r}",
                hint=nearest(name, list(self.ops)) or f"the ops are: {', '.join(self.ops)}",
            )
        return op


@functools.cache
def load(path: Path | None = None) -> Registry:
    """Read the registry (by default `kernels/registry.toml`).

    Raises `ConfigError` that names the file and the op for a mistake in it.
    """
    path = path or resources.kernels("registry.toml")
    try:
        tables = tomllib.loads(path.read_text("utf-8")).get("op", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}", hint="correct the TOML at that place") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", hint="name a readable registry") from None
    ops: dict[str, Op] = {}
    for table in tables:
        for op in _ops(table, path):
            if op.name in ops:
                raise ConfigError(f"{path}: op {op.name!r} is defined twice", hint="remove one")
            ops[op.name] = op
    return Registry(ops, path)


_REQUIRED = ("file", "outputs", "types", "shape", "tolerance")
_KEYS = {
    *_REQUIRED, "name", "names", "summary", "inputs", "inout", "params", "out_dtype",
    "input_dtypes", "workspace", "reference", "deterministic", "note",
}  # fmt: skip


def _ops(table: Mapping[str, Any], path: Path) -> Iterator[Op]:
    names = table.get("names") or [table.get("name", "")]
    where = f"{path}: op {names[0]!r}"
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        keys = sorted(_KEYS)
        hint = nearest(unknown[0], keys) or f"keys are {', '.join(keys)}"
        raise ConfigError(f"{where}: unknown key {unknown[0]!r}", hint=hint)
    missing = [key for key in _REQUIRED if key not in table] or [n for n in names if not n]
    if missing:
        raise ConfigError(
            f"{where}: key {(missing[0] or 'name')!r} is missing",
            hint=f"every op needs a name and {', '.join(_REQUIRED)}",
        )
    core = tuple(table["types"].get("core", []))
    every = core + tuple(t for t in table["types"].get("all", []) if t not in core)
    own = {name: _choices(value, every) for name, value in table.get("input_dtypes", {}).items()}
    inputs = tuple(
        Tensor(t.removesuffix("?"), t.endswith("?"), own.get(t.removesuffix("?"), ()))
        for t in table.get("inputs", [])
    )
    out = table.get("out_dtype", "same")
    outputs = tuple(
        Tensor(t, False, _choices(out.get(t, "same") if isinstance(out, dict) else out, every))
        for t in table["outputs"]
    )
    params = tuple(
        Param(str(p["name"]), str(p["type"]), p.get("default"), tuple(p.get("choices", ())))
        for p in table.get("params", [])
    )
    for param in params:
        if param.type not in PARAM_TYPES:
            raise ConfigError(
                f"{where}: parameter {param.name!r} has unknown type {param.type!r}",
                hint=nearest(param.type, PARAM_TYPES) or f"types are {', '.join(PARAM_TYPES)}",
            )
    for name in (*every, *(d for t in (*inputs, *outputs) for d in t.dtypes)):
        if name not in DTYPES:
            raise ConfigError(
                f"{where}: unknown element type {name!r}",
                hint=nearest(name, list(DTYPES)) or f"types are {', '.join(DTYPES)}",
            )
    for name in names:
        yield Op(
            name=name,
            file=str(table["file"]),
            summary=str(table.get("summary", "")),
            inputs=inputs,
            outputs=outputs,
            inout=bool(table.get("inout", False)),
            params=params,
            core_types=core,
            all_types=every,
            workspace=bool(table.get("workspace", False)),
            reference=str(table.get("reference", name)),
            tolerance=str(table["tolerance"]),
            shape=str(table["shape"]),
            deterministic=bool(table.get("deterministic", True)),
            note=str(table.get("note", "")),
        )


def _choices(value: Any, every: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(v) for v in value)
    return {"same": (), "index": INDEX_TYPES, "any": every}.get(str(value), (str(value),))
