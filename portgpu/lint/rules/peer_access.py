"""PG2048: peer access assumed."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Report, Rule

_CALLS = ("cudaDeviceEnablePeerAccess", "hipDeviceEnablePeerAccess", "cuCtxEnablePeerAccess",
          "hipCtxEnablePeerAccess")  # fmt: skip
_QUERIES = ("cudaDeviceCanAccessPeer", "hipDeviceCanAccessPeer", "cuDeviceCanAccessPeer")


class PeerAccess(Rule):
    id = "PG2048"
    title = "Access to another GPU's memory without asking"
    severity = Severity.WARNING
    confidence = "likely"
    everywhere = True
    explain = """
Whether a GPU reads another one's memory depends on the machine: NVLink or xGMI, PCIe topology,
IOMMU, large BAR on AMD consumer cards, virtualisation. `EnablePeerAccess` without
`CanAccessPeer` fails on machines that lack it, and kernels that use the pointers fault.

Ask for every pair, and keep a path through host memory.
"""
    invalid = (
        Example("void f(int peer) { check(cudaDeviceEnablePeerAccess(peer, 0)); }  // finding"),
    )
    valid = (
        Example("""
            void f(int me, int peer) {
              int can = 0;
              check(cudaDeviceCanAccessPeer(&can, me, peer));
              if (can) check(cudaDeviceEnablePeerAccess(peer, 0));
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        words = {t.text for t in ctx.unit.scanned.items if not isinstance(t, Directive)}
        if words & set(_QUERIES) or not words & set(_CALLS):
            return
        for view in ctx.functions:
            for expr in view.exprs:
                if expr.callee in _CALLS:
                    message = (
                        f"{expr.callee} without asking whether the two GPUs can reach each other"
                    )
                    hint = "ask cudaDeviceCanAccessPeer for the pair first"
                    yield Report(expr.start, expr.end, message, hint, symbol=expr.callee)
