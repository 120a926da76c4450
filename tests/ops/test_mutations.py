"""Bugs planted in copies of the kernels, one at a time: the test plan must catch every one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from portgpu import build, config, resources
from portgpu.build.model import Request
from portgpu.errors import TestError
from portgpu.testing import session


@dataclass(frozen=True)
class Mutation:
    """Replace `old` by `new` in a file below kernels/; the plan of `op` has to fail."""

    what: str
    file: str
    old: str
    new: str
    op: str


MUTATIONS = (
    Mutation("lost barrier between warps of a scan", "support/scan_rows.cuh",
             "[group] = stretch;\n      __syncthreads();", "[group] = stretch;", "cumsum"),
    Mutation("tiles of a long row forget all but the nearest", "support/scan_chain.cuh",
             "return Op::merge(carry, within);", "return within;", "cumsum"),
    Mutation("lost barrier of a tiled transpose", "copy.cu", "  __syncthreads();\n", "", "copy"),
    Mutation("minimum for maximum", "arg_reduce.cu", "kMax ? a > b : a < b", "kMax ? a < b : a > b",
             "argmax"),
    Mutation("the last of equals wins", "arg_reduce.cu", "b.index < a.index", "b.index > a.index",
             "argmin"),
    Mutation("wrong identity", "scan_sum.cu", "identity() { return acc(1); }",
             "identity() { return acc(0); }", "cumprod"),
    Mutation("one index too many is inside", "support/index.cuh", "index >= 0 && index < n",
             "index >= 0 && index <= n", "take"),
    Mutation("a run of equal keys is added twice", "support/scatter.cuh",
             "position > 0 && keys[position - 1] == key",
             "position > 1 && keys[position - 1] == key",
             "scatter_add"),
    Mutation("epsilon is left out", "support/norm.cuh", "square / C(n) + C(args.eps)",
             "square / C(n)", "layer_norm"),
    Mutation("wrong tail of a row", "support/row.cuh", "lane, vector) < n;",
             "lane, vector) <= n;", "layer_norm"),
    Mutation("sums of groups keep their own maximum", "softmax.cu",
             "other.sum * m::exp(other.top - all_top)", "other.sum", "softmax"),
    Mutation("overlapping outputs are accepted", "gather.cu", "  PG_TRY(check_output(op, out));\n",
             "",
             "take"),
    Mutation("vectors run past the end", "support/elementwise.cuh", "aligned && start + kTile <= n",
             "aligned && start < n", "neg"),
)  # fmt: skip
SOURCES = (
    "core.cu", "memory.cu", "graph.cu", "seam.cu", "copy.cu", "arg_reduce.cu", "scan_sum.cu",
    "gather.cu", "scatter.cu", "layer_norm.cu", "softmax.cu", "sort.cu", "unary_arith.cu",
)  # fmt: skip


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutations") / "kernels"
    shutil.copytree(resources.kernels(), folder)
    return folder


@pytest.fixture(scope="module")
def library(kernels: Path) -> Callable[[], Path]:
    def make() -> Path:
        project = config.Project(name="portgpu_ops", sources=SOURCES)
        settings = config.Config(root=kernels, project=project)
        request = Request(settings, kernels.parent / "build", ("cpu",), quiet=True)
        return build.build(request)[0].library

    return make


def run(lib: Path, output: Path, ops: set[str], seed: int) -> None:
    session.run(
        session.Options(libs={"cpu": lib}, ops=sorted(ops), seed=seed, form="json",
                        output=output, timeout=60, quiet=True)
    )  # fmt: skip


def test_there_are_ten_and_each_can_be_planted() -> None:
    assert len(MUTATIONS) >= 10
    for mutation in MUTATIONS:
        text = resources.kernels(mutation.file).read_text("utf-8")
        assert mutation.old in text, f"{mutation.what}: {mutation.file} has no {mutation.old!r}"


@pytest.mark.slow
def test_the_unchanged_kernels_pass(library: Callable[[], Path], tmp_path: Path, seed: int) -> None:
    run(library(), tmp_path / "report.json", {m.op for m in MUTATIONS}, seed)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.what.replace(" ", "-"))
def test_mutation_is_caught(
    kernels: Path, library: Callable[[], Path], tmp_path: Path, seed: int, mutation: Mutation
) -> None:
    file = kernels / mutation.file
    good = file.read_text("utf-8")
    assert mutation.old in good
    file.write_text(good.replace(mutation.old, mutation.new), "utf-8")
    report = tmp_path / "report.json"
    try:
        with pytest.raises(TestError):
            run(library(), report, {mutation.op}, seed)
    finally:
        file.write_text(good, "utf-8")
    legs = json.loads(report.read_text("utf-8"))["legs"]
    assert all(leg["run"] for leg in legs), legs[0]["note"]
    assert any(leg["failed"] for leg in legs)
    for leg in legs:
        print(f"{mutation.what}: {leg['failed']} of {leg['planned']} cases failed on {leg['name']}")
