"""PG2053: clusters, TMA and asynchronous barriers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive, Tok
from portgpu.lint.rule import Context, Example, Report, Rule

_NAMES = re.compile(
    r"^(?:__cluster_dims__|CUtensorMap\w*|cuTensorMapEncode\w+|cudaLaunchAttributeClusterDimension|"
    r"cluster_group|cudaGridDependencySynchronize|cudaTriggerProgrammaticLaunchCompletion|"
    r"cudaLaunchAttributeProgrammaticStreamSerialization|__mbarrier_\w+|__cluster_\w+)$"
)


class HopperFeatures(Rule):
    id = "PG2053"
    title = "Clusters, TMA or programmatic launch"
    severity = Severity.ERROR
    explain = """
Thread block clusters, distributed shared memory, tensor maps (TMA), mbarriers and programmatic
dependent launch came with NVIDIA's Hopper and have no counterpart on AMD. The kernel needs another
structure there: blocks that do not talk to each other, shared memory filled by plain or
asynchronous loads, a normal launch.
"""
    invalid = (
        Example("""
            __global__ void __cluster_dims__(2, 1, 1) k(float* x) { x[0] = 0; }  // finding
        """),
    )
    valid = (
        Example("__global__ void k(float* x, int cluster_size) { x[0] = cluster_size; }"),
        Example("enum class done { __mbarrier_complete = 1 }; __global__ void k(done d);"),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        seen: set[str] = set()
        items = ctx.unit.scanned.items
        for item, following in zip(items, [*items[1:], None], strict=True):
            if isinstance(item, Directive) or item.text in seen or not _NAMES.match(item.text):
                continue
            called = isinstance(following, Tok) and following.text == "("
            if item.text.startswith(("__mbarrier_", "__cluster_")) and not called:
                continue  # a name of the project's own
            if ctx.for_amd(item.start):
                seen.add(item.text)
                yield Report(
                    item.start, item.end, f"{item.text} has no counterpart on AMD",
                    "keep it for CUDA beside a version without it", symbol=item.text,
                )  # fmt: skip
