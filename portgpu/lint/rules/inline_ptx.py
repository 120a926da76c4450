"""PG2040: inline PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_INSTRUCTION = re.compile(r"([a-z][a-z0-9_]*(?:[.:]+[a-z0-9_:]+)*)")
_DECLARED = re.compile(r"[{}]|\.reg\b[^;]*;?")
_KNOWN = (
    ("laneid", "pg::lane_id()"), ("lanemask", "a mask from pg::lane_id()"), ("smid", "none"),
    ("ld.global.nc", "pg::ldg(p)"), ("ld.global", "pg::load_streaming(p) or a plain load"),
    ("st.global", "pg::store_streaming(p, v)"), ("cp.async", "pg::async_copy and pg::async_wait"),
    ("ldmatrix", "shared memory loads"), ("mma.sync", "a library, or a plain loop on AMD"),
    ("wgmma", "a library, or a plain loop on AMD"), ("bfe", "shifts and masks"),
    ("bfi", "shifts and masks"), ("fma.rn", "pg::fma"), ("ex2.approx", "pg::fast::exp"),
    ("tanh.approx", "pg::tanh"), ("prmt", "pg::byte_perm"), ("lop3", "plain & | ^"),
    ("membar", "__threadfence()"), ("red.", "pg::atomic_add"), ("atom", "pg::atomic_…"),
    ("bar.warp.sync", "__syncwarp()"), ("bar.", "__syncthreads()"), ("cvt", "a cast"),
    ("globaltimer", "clock64() or host events"),
)  # fmt: skip


# What only PTX has, in HIP sources, where any other text is AMD's assembly.
_PTX = re.compile(
    r"%%(?:laneid|lanemask|warpid|n?smid|clock|globaltimer|[nc]*tid|gridid|dynamic_smem|envreg)"
    r"|\.reg\b|\.(?:[subf](?:8|16|32|64|128)|f16|bf16|f16x2|bf16x2|tf32|e4m3|e5m2|pred|sync|aligned"
    r"|gl|cta|gpu|sys|nc|cluster)\b|\b(?:ld|st|cvta?|red|atom)\.(?:global|shared|param|to)\b"
)
# AMD's own instructions, in sources that serve both vendors.
_AMD = re.compile(r"^\s*(?:[svb]_|ds_|t?buffer_|global_|flat_|scratch_|image_|exp\b|;|//)")


class InlinePtx(Rule):
    id = "PG2040"
    title = "Inline PTX"
    severity = Severity.ERROR
    explain = """
PTX is NVIDIA's instruction set. Clang for AMD refuses it, or reads it as AMD assembly and fails in
the assembler with a message that names no source line.

Use an intrinsic that both vendors have, a dialect function (`pg::lane_id`, `pg::ldg`, `pg::dp4a`,
`pg::byte_perm` …), or keep the PTX under `#if PG_TARGET_CUDA` beside a plain version.
"""
    invalid = (
        Example("""
            __device__ int lane() {
              int r;
              asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));  // finding
              return r;
            }
        """),
        Example("""
            #define LANE(r) asm("mov.u32 %0, %%laneid;" : "=r"(r))
            __device__ int lane() {
              int r;
              LANE(r);  // finding
              return r;
            }
        """),
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int lane() {
              int r;
              asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));  // finding
              asm volatile("{ .reg .pred p; bar.sync 0; }");  // finding
              return r;
            }
            """,
            mode="hip",
        ),
    )
    valid = (
        Example("""
            __device__ void fence() { asm volatile("" ::: "memory"); }
            __device__ int lane() {
              int r = 0;
            #ifndef USE_ROCM
              asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
            #endif
              return r;
            }
            __device__ void wait() { asm volatile("s_waitcnt lgkmcnt(0)" ::); }
            void cpuid(int a) { asm("cpuid" : "=a"(a)); }
        """),
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ void wait() { asm volatile("s_waitcnt vmcnt(0)"); }
            __device__ void stop() { asm volatile("; a comment\n s_sleep 1"); }
            __device__ float f(float a) {
              asm("v_rcp_f32 %0, %1" : "=v"(a) : "v"(a));
              return a;
            }
            """,
            mode="hip",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for stmt in view.stmts:
                text = stmt.text.replace("\\n", " ").replace("\\t", " ").strip()
                if stmt.kind != "asm" or not text or _AMD.match(text):
                    continue
                if ctx.mode == "hip" and not _PTX.search(text):
                    continue
                found = _INSTRUCTION.search(_DECLARED.sub(" ", text))
                name = found.group(1) if found else "asm"
                better = next(
                    (b for key, b in _KNOWN if key in text), "a function that both vendors have"
                )
                message = f"inline PTX ({name}) does not exist on AMD"
                yield Report(stmt.start, stmt.end, message, f"instead: {better}", symbol=name)
