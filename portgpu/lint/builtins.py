"""Names that rules know: warp operations, barriers and the types they return."""

from __future__ import annotations

from portgpu.lint.nodes import words

SHUFFLES = words(
    "__shfl __shfl_up __shfl_down __shfl_xor __shfl_sync __shfl_up_sync __shfl_down_sync "
    "__shfl_xor_sync"
)
VOTES = words("__ballot __any __all __ballot_sync __any_sync __all_sync __uni_sync __activemask")
MATCHES = frozenset(["__match_any", "__match_all", "__match_any_sync", "__match_all_sync"])
REDUCES = frozenset(f"__reduce_{op}_sync" for op in ("add", "min", "max", "and", "or", "xor"))
PG_WARP = words(
    "pg::shfl pg::shfl_up pg::shfl_down pg::shfl_xor pg::ballot pg::any pg::all pg::match_any "
    "pg::warp_reduce pg::warp_sum pg::warp_min pg::warp_max pg::warp_prod "
    "pg::warp_inclusive_scan pg::warp_exclusive_scan pg::syncwarp"
)
PG_BLOCK = words(
    "pg::block_reduce pg::block_sum pg::block_min pg::block_max pg::block_inclusive_scan "
    "pg::block_exclusive_scan"
)
WARP_OPS = SHUFFLES | VOTES | MATCHES | REDUCES
# Of WARP_OPS, those whose first argument names the lanes that take part.
MASKED = frozenset(name for name in WARP_OPS if name.endswith("_sync")) | {"__syncwarp"}
BARRIERS = words(
    "__syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __barrier_sync "
    "__block_barrier"
)
LANE_MASKS = words(
    "__ballot __ballot_sync __activemask __match_any __match_any_sync __match_all __match_all_sync"
)
MATH = words(
    "min max abs fabs fabsf fmin fmax fminf fmaxf sqrt sqrtf rsqrt rsqrtf exp expf log logf "
    "pow powf floor floorf ceil ceilf round roundf sin cos tanh tanhf erf __expf __logf __ldg "
    "__float2half __half2float __popc __popcll __clz __clzll __ffs __ffsll __brev __mul24 "
    "__umul24 __float2int_rn __int_as_float __float_as_int make_float2 make_float4 int32_t "
    "int64_t"
)


def returns(mode: str) -> dict[str, str]:
    """Types of builtin calls for `cuda`, `hip` or `dialect` sources."""
    mask = "unsigned int" if mode == "cuda" else "unsigned long long"
    table = dict.fromkeys(LANE_MASKS, mask)
    table |= dict.fromkeys(
        ("__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", "__any", "__all",
         "__any_sync", "__all_sync", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
         "__shfl_sync_int", "popcount", "first_lane"),
        "int",
    )  # fmt: skip
    table |= dict.fromkeys(("__float_as_int", "__float2int_rn", "__dp4a"), "int")
    table["warp_size"] = table["lane_id"] = table["warp_id"] = "int"
    table["ballot"] = table["match_any"] = "lane_mask"
    return table
