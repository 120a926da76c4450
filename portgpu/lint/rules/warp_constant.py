"""PG2009: one warp-size constant for host and device."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from portgpu.findings import Severity
from portgpu.lint.consts import evaluate
from portgpu.lint.nodes import Directive, Tok
from portgpu.lint.project import Unit
from portgpu.lint.rule import Context, Example, Report, Rule

_NAME = re.compile(
    r"^(?:[A-Z0-9]+_)*(?:k_?)?(?:WARP|WAVE|WAVEFRONT)(?:_?(?:SIZE|WIDTH|THREADS|LANES))?$|"
    r"^(?:k_?)?(?:N(?:UM)?_?)?(?:THREADS|LANES)_?(?:PER|IN)_?(?:A_?)?WARP$",
    re.IGNORECASE,
)


class WarpConstant(Rule):
    id = "PG2009"
    title = "One warp-size constant for host and device code"
    severity = Severity.ERROR
    width = True
    explain = """
A constant such as `#define WARP_SIZE 32` that kernels and launch code share fixes the width for
every GPU. In a HIP binary for several architectures the device code is compiled once a width, and
the host code once in all: a constant chosen by `__GFX9__` or `__AMDGCN_WAVEFRONT_SIZE` has another
value on the host (always the else branch), so that kernels and their launches disagree; where it is
a template argument the kernel's mangled name differs and linking fails.

Keep three notions apart: the device's width (`warpSize`, `pg::warp_size()`), the host's question
(`hipDeviceProp_t::warpSize`, `pg::host_warp_size(device)`) and the bounds that size arrays
(`PG_WARP_SIZE_MIN`, `PG_WARP_SIZE_MAX`). If the algorithm works in groups of 32 on any hardware,
say so in the name (`GROUP = 32`) and pass the width to every shuffle.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            #define WARP_SIZE 64  // finding
            __global__ void k(float* y) { y[threadIdx.x / WARP_SIZE] = 0; }
            void launch(float* y, int warps) { k<<<1, warps * WARP_SIZE>>>(y); }
            """,
            mode="hip",
        ),
        Example(
            """
            #include <hip/hip_runtime.h>
            #define WARP_SIZE 32  // finding
            __global__ void k(float* y) { y[threadIdx.x / WARP_SIZE] = 0; }
            """,
            mode="hip",
        ),
        Example("""
            struct Launch { enum { WARP_SIZE = 32 }; };  // finding
            __global__ void k(float* y) { y[threadIdx.x % Launch::WARP_SIZE] = 0; }
            void launch(float* y) { k<<<1, 4 * Launch::WARP_SIZE>>>(y); }
        """),
        Example("""
            constexpr int kWarpSize = 32;  // finding
            __global__ void k(float* y) { y[threadIdx.x % kWarpSize] = 0; }
            void launch(float* y) { k<<<1, 4 * kWarpSize>>>(y); }
        """),
    )
    valid = (
        # Only the device needs it, and the logical warp keeps its meaning.
        Example("""
            enum { WARP_SIZE = 32 };
            __global__ void k(float* y) { y[threadIdx.x / WARP_SIZE] = 0; }
        """),
        Example(
            """
            #include <hip/hip_runtime.h>
            constexpr int GROUP = 32;
            __global__ void k(float* y) { y[threadIdx.x / GROUP] = 0; }
            void launch(float* y) { k<<<1, 4 * GROUP>>>(y); }
            """,
            mode="hip",
        ),
        # Device code only, in a source for warps of 32: how it is used is what matters.
        Example("""
            #define WARP_SIZE 32
            __global__ void k(float* y) { y[threadIdx.x / WARP_SIZE] = 0; }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for name, start, end in self._definitions(ctx):
            host, device = self._uses(ctx, name)
            if not device or not (host or ctx.native):
                continue
            if ctx.native and not host:
                message = f"{name} is one number for all GPUs; the width depends on the GPU"
            elif ctx.native:
                message = f"{name} is one number for host and device; the width depends on the GPU"
            else:
                message = (
                    f"{name} fixes 32 lanes for host and device; right for the logical warp only"
                )
            hint = "ask warpSize on the device, and the device's properties on the host"
            yield Report(start, end, message, hint, symbol=name)
        yield from self._from_headers(ctx)

    def _from_headers(self, ctx: Context) -> Iterator[Report]:
        """Constants of headers that this file uses on both sides; reported at the host's use."""
        own = {name for name, _, _ in self._definitions(ctx)}
        for unit in ctx.unit.closure:
            inner = replace(ctx, unit=unit)
            for name in {n for n, _, _ in self._definitions(inner)} - own:
                own.add(name)
                host, device = self._places(ctx.unit, name)
                if host and device:
                    where = posixpath.basename(unit.path)
                    message = f"{name} ({where}) is one number for host and device code"
                    if not ctx.native:
                        message += "; right for the logical warp only"
                    hint = "ask warpSize on the device, and the device's properties on the host"
                    yield Report(host[0].start, host[0].end, message, hint, symbol=name)

    def _definitions(self, ctx: Context) -> Iterator[tuple[str, int, int]]:
        for macro in ctx.unit.own_macros:
            fixed = len(macro.body) == 1 and macro.body[0].text.rstrip("uU") in ("32", "64")
            if macro.params is None and fixed and _NAME.search(macro.name):
                yield macro.name, *_name_token(ctx.unit.directives, macro.start)
        out = ctx.unit.declarations
        for var in [
            *out.globals,
            *out.enums,
            *(v for fields in out.fields.values() for v in fields),
        ]:
            constant = bool(var.quals & {"const", "constexpr"}) and _NAME.search(var.name)
            if constant and evaluate(var.init, ctx.file_scope) in (32, 64):
                yield var.name, var.start, var.end

    def _uses(self, ctx: Context, name: str) -> tuple[bool, bool]:
        places = [self._places(unit, name) for unit in [ctx.unit, *ctx.unit.closure]]
        return any(host for host, _ in places), any(device for _, device in places)

    def _places(self, unit: Unit, name: str) -> tuple[list[Tok], list[Tok]]:
        """Uses of a name in host functions and in device functions of one file."""
        found: tuple[list[Tok], list[Tok]] = [], []
        spans = [(f.span, f.device) for f in unit.declarations.functions if f.body is not None]
        for item in unit.scanned.items:
            if isinstance(item, Directive) or item.text != name:
                continue
            for (start, end), device in spans:
                if start <= item.start < end:
                    found[device].append(item)
        return found


def _name_token(directives: list[Directive], start: int) -> tuple[int, int]:
    for directive in directives:
        if directive.start == start and directive.tokens:
            return directive.tokens[0].start, directive.tokens[0].end
    return start, start
