"""Every way of the logistic regression bench takes the same steps as NumPy in float64."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import portgpu.ops as pg

BENCH = Path(__file__).parents[2] / "bench" / "ops" / "logistic.py"


@pytest.fixture(scope="module")
def bench() -> Any:
    spec = importlib.util.spec_from_file_location("bench_logistic", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_logistic"] = module
    spec.loader.exec_module(module)
    module.CHECKED = 6
    return module


@pytest.mark.parametrize("way", ["per op", "captured", "fused", "fused captured", "many a call"])
def test_ways_agree_with_numpy(bench: Any, cpu_library: Path, way: str) -> None:
    ways = bench.Ways(pg.load("cpu", cpu_library))
    run, steps = {
        "per op": lambda: (ways.per_op, 1),
        "captured": lambda: (ways.captured(ways.per_op, 3), 3),
        "fused": lambda: (ways.fused, 1),
        "fused captured": lambda: (ways.captured(lambda: ways.fused(3), 1), 3),
        "many a call": lambda: (lambda: ways.fused(6), 6),
    }[way]()
    assert bench.check(ways, run, steps) < 1e-6
