"""The registry: every module of this package that defines a `Rule` is found by its file."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from portgpu.lint.rule import Rule


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """One instance of each rule, sorted by ID. Raises `ValueError` for an ID used twice."""
    found: dict[str, Rule] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for value in vars(module).values():
            if not isinstance(value, type) or value.__module__ != module.__name__:
                continue
            if issubclass(value, Rule) and hasattr(value, "id"):
                if value.id in found:
                    raise ValueError(f"two rules are called {value.id}")
                found[value.id] = value()
    return tuple(found[key] for key in sorted(found))
