"""Results of other commands: what is read, the matrix, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_report_html import leg

from portgpu.errors import InputError
from portgpu.report import inputs
from portgpu.report.model import Built, matrix
from portgpu.testing.results import CaseResult, to_json
from portgpu.testing.results import Leg as Ran


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_test_results_are_what_portgpu_test_writes(tmp_path: Path) -> None:
    ran = Ran("cpu, 32 lanes", "cpu", "lib.so", 3, {"device": {"arch": "cpu", "name": "c"}})
    ran.results = [
        CaseResult("exp/f32/1", "exp", "f32", "", "", 0.5, 0.25, 0.1),
        CaseResult("exp/f32/2", "exp", "f32", "w", "wrong", float("inf"), 9.0, 0.1),
    ]
    path = write(tmp_path / "t.json", to_json([ran], seed=1, level="quick", types="core"))
    (found,) = inputs.tests(path)
    assert (found.verdict, found.failed, found.not_run) == ("failed", 1, 1)
    assert found.text == "FAILED, 1 of 3 cases passed, 1 failed, 1 not run"
    assert found.ops[0]["ulp"] == {"f32": 0.5} and found.failures[0]["message"] == "wrong"


def test_matrix_of_targets_architectures_and_results() -> None:
    builds = [
        Built("rocm", "n", "t", ("gfx90a", "gfx942"), ("gfx90a",), 1, ()),
        Built("cuda", "n", "t", ("sm_80", "sm_90"), ("sm_80", "sm_90"), 1, ()),
        Built("cpu", "n", "t", ("host",), ("x86_64",), 1, ()),
    ]
    legs = [
        leg(), leg("32", target="cpu", arch="cpu"), leg("64", target="cpu", arch="cpu"),
        leg("rocm", target="rocm", arch="gfx90a:sramecc+:xnack-", passed=False, failed=2),
    ]  # fmt: skip
    rows = {(r.target, r.arch): r for r in matrix(builds, legs)}
    assert list(rows) == [
        ("cuda", "sm_80"), ("cuda", "sm_90"), ("rocm", "gfx90a"), ("rocm", "gfx942"),
        ("cpu", "x86_64"),
    ]  # fmt: skip
    assert {k: r.verdict for k, r in rows.items()} == {
        ("cuda", "sm_80"): "untested", ("cuda", "sm_90"): "passed", ("rocm", "gfx90a"): "failed",
        ("rocm", "gfx942"): "failed", ("cpu", "x86_64"): "passed",
    }  # fmt: skip
    assert rows["rocm", "gfx942"].build == "missing"
    assert len(rows["cpu", "x86_64"].legs) == 2
    only = matrix([], [leg("b", arch="", built_only=True)])
    assert [(r.arch, r.verdict, r.build) for r in only] == [
        ("sm_80", "built", "unknown"), ("sm_90", "built", "unknown")
    ]  # fmt: skip


def test_legs_of_the_same_name_are_told_apart_by_their_files() -> None:
    legs = inputs.distinct([leg("a", file="1.json"), leg("a", file="2.json"), leg("b")])
    assert [one.name for one in legs] == ["a, 1.json", "a, 2.json", "b"]


def test_bench_rows_in_every_form(tmp_path: Path) -> None:
    rows = [
        {"case": "a", "us": 2, "floor_us": 1.0, "ratio": 2, "reach": None},
        {"case": "b", "ms": 1, "torch_us": 7.5},
        {"elements": 4096, "exp": 9.0, "sum": None},
        {"elements": 1024, "exp": 3.0},
    ]
    sizes, times = inputs.bench(write(tmp_path / "b.json", rows))
    assert sizes.labels == ("1024", "4096") and sizes.series[0].values == (3.0, 9.0)
    assert times.labels == ("a", "b")
    assert {s.name: s.values for s in times.series} == {
        "measured": (2.0, 1000.0), "floor": (1.0, None), "torch": (None, 7.5)
    }  # fmt: skip
    google = {"benchmarks": [{"name": "BM", "real_time": 2.0, "time_unit": "ms"}]}
    (one,) = inputs.bench(write(tmp_path / "g.json", google))
    assert one.labels == ("BM",) and one.series[0].values == (2000.0,)


@pytest.mark.parametrize("data", [[], {}, 3, [1], [{"case": "a"}], [{"case": "a", "us": 0}]])
def test_bench_files_without_timings_are_refused(tmp_path: Path, data: object) -> None:
    with pytest.raises(InputError, match=r"b\.json") as caught:
        inputs.bench(write(tmp_path / "b.json", data))
    assert caught.value.hint


@pytest.mark.parametrize("data", [[], {}, {"format": 2, "legs": []}, {"format": 1, "legs": [{}]}])
def test_other_files_are_no_test_results(tmp_path: Path, data: object) -> None:
    with pytest.raises(InputError, match="not a test result") as caught:
        inputs.tests(write(tmp_path / "t.json", data))
    assert "portgpu test --format json" in caught.value.hint
    assert "indices" not in caught.value.message and "attribute" not in caught.value.message


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        inputs.tests(tmp_path / "t.json")
    (tmp_path / "t.json").write_bytes(b"\xff{")
    with pytest.raises(InputError, match="not JSON"):
        inputs.bench(tmp_path / "t.json")
    with pytest.raises(InputError, match=r"no build\.json"):
        inputs.build(tmp_path)
    write(tmp_path / "build.json", {"format": 1, "targets": {"cuda": {}}})
    with pytest.raises(InputError, match="not a build record"):
        inputs.build(tmp_path)
