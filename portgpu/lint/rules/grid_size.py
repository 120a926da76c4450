"""PG2022: grids beyond a vendor's limits."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.launches import launches, parts
from portgpu.lint.rule import Context, Example, Report, Rule


class GridSize(Rule):
    id = "PG2022"
    title = "Grid beyond a vendor's limit"
    severity = Severity.ERROR
    everywhere = True
    explain = """
CUDA allows 2^31 - 1 blocks in x, and 65 535 in y and z. AMD allows more blocks in y and z, but
grid size times block size must stay below 2^32 in each dimension: a large grid that CUDA accepts
fails on AMD, and a grid with rows in y fails on NVIDIA at 65 536 rows.

Put the long dimension in x, clamp it and loop (`for (i = blockIdx.x; i < n; i += gridDim.x)`).
A size in y or z that depends on the data is a hint (`--confidence hint`).
"""
    invalid = (
        Example("""
            __global__ void k(float* x) { x[blockIdx.y] = 0; }
            void f(float* x) {
              k<<<dim3(1, 70000), 256>>>(x);  // finding
              k<<<1 << 24, 256>>>(x);  // finding
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* x) { x[blockIdx.y] = 0; }
            void f(float* x) {
              k<<<dim3(70000, 2), 256>>>(x);
              k<<<65535, 1024>>>(x);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for launch in launches(ctx):
            grid, block = launch.grid_dims, launch.block_dims
            where = launch.grid.start, launch.grid.end
            for axis in (1, 2):
                size = grid[axis]
                if size is not None and size > 65535:
                    message = f"{size} blocks in {'xyz'[axis]}; CUDA allows 65535"
                    yield Report(
                        *where, message, "put the long dimension in x", symbol=launch.kernel
                    )
            if grid[0] is not None and block[0] is not None and grid[0] * block[0] >= 1 << 32:
                message = f"{grid[0]} blocks of {block[0]} threads: 2^32 or more in x fail on AMD"
                yield Report(*where, message, "launch fewer blocks, and loop", symbol=launch.kernel)
            if ctx.mode != "hip":  # the limit is CUDA's
                yield from self._by_data(ctx, launch.grid, launch.kernel, grid)

    def _by_data(self, ctx, grid, kernel, dims) -> Iterator[Report]:  # type: ignore[no-untyped-def]
        known = parts(grid)
        for axis in (1, 2):
            if known is None or axis >= len(known) or dims[axis] is not None:
                continue
            message = (
                f"{kernel}: the grid's {'xyz'[axis]} depends on the data, and CUDA allows 65535"
            )
            yield Report(
                grid.start, grid.end, message, "clamp it and loop, or use x",
                symbol=kernel, confidence="hint", severity=Severity.NOTE,
            )  # fmt: skip
            return
