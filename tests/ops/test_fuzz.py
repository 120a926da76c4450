"""Random wrong calls, by C, Python and the binding: refused with a sentence, nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from portgpu.errors import TestError
from portgpu.ops import load
from portgpu.testing import fuzz_python, session

COUNT = 40  # calls of each op


def test_python_functions(cpu_library: Path, seed: int) -> None:
    """The compiled binding and ctypes end every wrong call alike."""
    both = [load("cpu", cpu_library, compiled=compiled) for compiled in (True, False)]
    assert [ops.binding.split()[0] for ops in both] == ["compiled", "ctypes"]
    held = [op for op in both[0].library.registry if both[0].library.has(op)]
    ended: set[str] = set()
    problems: list[str] = []
    for op in held:
        ways = [list(fuzz_python.outcomes(ops, op, seed, COUNT)) for ops in both]
        for (said, compiled, first), (_, python, second) in zip(*ways, strict=True):
            problems += [f"{said}: {text}" for text in (first, second) if text]
            if compiled != python:
                problems.append(f"{said}: {compiled} by the binding, {python} by ctypes")
            ended.add(compiled)
    assert not problems, "\n".join(problems)
    assert len(held) > 30 and {"result", "TypeError", "OpDtypeError", "OpShapeError"} <= ended


def test_good_calls_are_good(cpu_library: Path) -> None:
    """What the wrong calls are made from passes, with `out` and without."""
    ops = load("cpu", cpu_library)
    for op in ops.library.registry:
        if not ops.library.has(op):
            continue
        call = fuzz_python.good_call(op)
        given = getattr(ops, op.name)(**call)
        if op.inout:
            continue
        del call["out"]
        made = getattr(ops, op.name)(**call)
        pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (given, made)), strict=True)
        for a, b in pairs:
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), op.name


def test_c_functions(cpu_library: Path, tmp_path: Path, seed: int) -> None:
    library = load("cpu", cpu_library).library
    ops = [op.name for op in library.registry if library.has(op)]
    (leg,) = session.run(
        session.Options(libs={"cpu": cpu_library}, widths=(32,), ops=ops, match="/fuzz", seed=seed,
                        fuzz=COUNT, output=tmp_path / "report", quiet=True)
    )  # fmt: skip
    assert len(leg.results) == COUNT * len(ops)


@pytest.mark.parametrize(
    ("op", "message"),
    [("add_lenient", "came without a sentence"), ("add_writes", "but wrote to the buffer of out")],
)
def test_broken_promise_is_found(
    fake_library: Callable[..., Path], fake_registry: Path, tmp_path: Path, op: str, message: str
) -> None:
    report = tmp_path / "report.json"
    with pytest.raises(TestError):
        session.run(
            session.Options(libs={"cpu": fake_library()}, widths=(32,), ops=(op,), match="/fuzz",
                            registry=fake_registry, seed=3, fuzz=20, timeout=5, form="json",
                            output=report, quiet=True)
        )  # fmt: skip
    (leg,) = json.loads(report.read_text())["legs"]
    assert any(message in failure["message"] for failure in leg["failures"])
