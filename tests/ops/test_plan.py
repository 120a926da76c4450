"""Every op has every point of the test plan that can apply to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from portgpu import cli
from portgpu.ops import registry
from portgpu.testing import cases, coverage

ROOT = Path(__file__).parents[2]


def test_no_op_lacks_a_point() -> None:
    rows = coverage.table(registry.load())
    assert [row.op for row in rows] == [op.name for op in registry.load()]
    assert not [f"{row.op}: {', '.join(row.gaps)}" for row in rows if row.gaps]


def test_a_gap_is_seen() -> None:
    """A plan that is cut short has gaps, and the table says so."""
    rows = coverage.table(registry.load(), level="quick")
    gaps = {gap for row in rows for gap in row.gaps}
    assert gaps >= {"lengths", ">65535", "in", "out"}
    assert "GAP" in coverage.render(rows)


def test_places_that_hold_for_all_exist() -> None:
    for where in coverage.EVERYWHERE.values():
        for word in where.replace(",", " ").replace(")", " ").replace("(", " ").split():
            name = word.rstrip(":;")
            if name.startswith(("tests/", "portgpu/", "ci/")):
                assert list(ROOT.glob(name)), name


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["test", "--plan"]) == 0
    text = capsys.readouterr().out
    assert "softmax" in text and "outside the axis" in text and "GAP" not in text


def test_sample_is_small_and_good(seed: int) -> None:
    table = registry.load()
    sample = cases.plan(table, types="all", level="quick", seed=seed, sample=2, fuzz=1)
    good = [case for case in sample if not case.fuzz]
    assert not any(case.statuses for case in sample)
    assert {case.op for case in good} == {op.name for op in table}
    counts = [
        sum(c.op == op and c.dtype == t for c in good) for op, t in {(c.op, c.dtype) for c in good}
    ]
    assert max(counts) == 2 and len(sample) - len(good) == len(table)
