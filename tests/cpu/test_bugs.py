"""Planted bugs: the CPU target names each with its line; the correct twin of each passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import HERE, Exe

BUGS = HERE / "bugs"
CUDA = ("barriers.cu", "limits.cu", "memory.cu", "races.cu", "warps.cu")
_MARK = re.compile(r"// ((?:PG4\d{3} ?)+)$")
# Seen by the checker only, or with their line only there.
CHECKED = frozenset(
    [
        "dynamic_overrun",
        "global_slack",
        "host_pointer",
        "uninitialised_shared",
        "uninitialised_global",
        "vector_tail",
        "missing_barrier",
        "write_after_read",
        "no_atomic",
        "late_zero",
        "global_race",
        "same_value",
        "two_stage",
        "no_syncwarp",
    ]
)


def planted(file: str) -> list[tuple[str, str, dict[int, set[str]]]]:
    """(file, name, line -> finding IDs) of each bug in a file."""
    found = []
    marks: dict[int, set[str]] = {}
    name = ""
    for number, line in enumerate((BUGS / file).read_text().splitlines(), 1):
        if start := re.match(r"PLANT\((\w+)\)", line):
            name = start[1]
        if mark := _MARK.search(line):
            marks[number] = set(mark[1].split())
        if line == "}" and name:
            found.append((file, name, marks))
            name, marks = "", {}
    return found


CASES = [case for file in CUDA for case in planted(file)]
WAVES = planted("waves.cpp")


@pytest.fixture(scope="module")
def plain(build: Callable[..., Exe]) -> Exe:
    return build("bugs/all.cu")


@pytest.fixture(scope="module")
def checked(build: Callable[..., Exe]) -> Exe:
    return build("bugs/all.cu", race=True)


@pytest.fixture(scope="module")
def waves(build: Callable[..., Exe]) -> Exe:
    return build("bugs/waves.cpp", race=True, arch="gfx90a")


def test_there_are_enough() -> None:
    assert len(CASES) + len(WAVES) >= 45
    assert all(marks for _, _, marks in CASES + WAVES)


@pytest.mark.parametrize(("file", "name", "marks"), CASES, ids=[c[1] for c in CASES])
def test_bug_is_found(
    plain: Exe, checked: Exe, file: str, name: str, marks: dict[int, set[str]]
) -> None:
    exe = checked if name in CHECKED else plain
    check(exe, file, name, marks)


@pytest.mark.parametrize(("file", "name", "marks"), WAVES, ids=[c[1] for c in WAVES])
def test_bug_of_a_wave_is_found(
    waves: Exe, file: str, name: str, marks: dict[int, set[str]]
) -> None:
    check(waves, file, name, marks)


def check(exe: Exe, file: str, name: str, marks: dict[int, set[str]]) -> None:
    ran = exe.run("bad", name, PORTGPU_CPU_TIMEOUT="2", PORTGPU_CPU_IGNORE="")
    assert ran.code == 86, ran
    said = re.search(r"error (PG4\d{3}): (\S+?):(\d+):", ran.err)
    assert said, ran.err
    assert Path(said[2]).name == file
    assert said[1] in marks.get(int(said[3]), set()), ran.err
    assert f"portgpu explain {said[1]}" in ran.err


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"PORTGPU_WARP_SIZE": "64"},
        {"PORTGPU_CPU_THREADS": "1"},
        *({"PORTGPU_SCHEDULE": "shuffled", "PORTGPU_SEED": str(seed)} for seed in range(5)),
    ],
    ids=str,
)
def test_correct_twins_pass(plain: Exe, env: dict[str, str]) -> None:
    ran = plain.run("good", **env)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize("width", ["32", "64"])
def test_correct_twins_pass_the_checker(checked: Exe, width: str) -> None:
    ran = checked.run("good", PORTGPU_WARP_SIZE=width)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_correct_twins_of_waves_pass(waves: Exe) -> None:
    ran = waves.run("good")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_assumption_of_32_lanes_holds_at_32(waves: Exe) -> None:
    # The same binary: what fails on 64 lanes is right on 32.
    for name in ("partials_of_32", "shuffle_in_loop"):
        ran = waves.run("bad", name, PORTGPU_WARP_SIZE="32", PORTGPU_AS="gfx1030")
        assert (name, ran.code) == (name, 0 if name == "partials_of_32" else 86), ran.err


def test_report_mode_goes_on(plain: Exe) -> None:
    ran = plain.run("bad", "early_return", PORTGPU_CPU_ON_ERROR="report", PORTGPU_CPU_IGNORE="")
    assert ran.code == 1  # the program's own check fails
    assert "PG4002" in ran.err


@pytest.mark.parametrize("env", [{}, {"PORTGPU_CPU_IGNORE": "PG4002,PG4001"}], ids=str)
def test_early_return_is_a_warning(plain: Exe, env: dict[str, str]) -> None:
    """Devices go on with the threads that are left; the warning comes once for each line."""
    ran = plain.run("bad", "early_return", **env)
    assert ran.err.count("warning PG4002") == 1
    assert ran.code == 0, ran


def test_a_wrong_environment_is_named(plain: Exe) -> None:
    for name, value in (
        ("PORTGPU_WARP_SIZE", "48"),
        ("PORTGPU_AS", "sm_1"),
        ("PORTGPU_CPU_THREADS", "-1"),
        ("PORTGPU_SCHEDULE", "random"),
        ("PORTGPU_CPU_ON_ERROR", "maybe"),
    ):
        ran = plain.run("good", **{name: value})
        assert ran.code == 86, name
        assert f"{name}={value}" in ran.err
        assert "next: use" in ran.err
