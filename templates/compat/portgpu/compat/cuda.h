// What NVIDIA answers in hardware, under the names of the rest of these headers.
#if !defined(PORTGPU_COMPAT_CUDA_H) && defined(PG_COMPAT_NVIDIA)
#define PORTGPU_COMPAT_CUDA_H

namespace pg_compat {

#define PG_COMPAT_SPECIAL(NAME, REGISTER)                        \
  PG_COMPAT_DEVICE unsigned NAME() {                             \
    unsigned v;                                                  \
    asm volatile("mov.u32 %0, %%" REGISTER ";" : "=r"(v));       \
    return v;                                                    \
  }
PG_COMPAT_SPECIAL(lane_id, "laneid")
PG_COMPAT_SPECIAL(lanemask_eq, "lanemask_eq")
PG_COMPAT_SPECIAL(lanemask_lt, "lanemask_lt")
PG_COMPAT_SPECIAL(lanemask_le, "lanemask_le")
PG_COMPAT_SPECIAL(lanemask_gt, "lanemask_gt")
PG_COMPAT_SPECIAL(lanemask_ge, "lanemask_ge")
PG_COMPAT_SPECIAL(warp_id, "warpid")
PG_COMPAT_SPECIAL(sm_id, "smid")
#undef PG_COMPAT_SPECIAL
PG_COMPAT_DEVICE unsigned long long global_timer() {
  unsigned long long v;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v));
  return v;
}

PG_COMPAT_DEVICE unsigned activemask() { return __activemask(); }
PG_COMPAT_DEVICE unsigned ballot_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate);
}
PG_COMPAT_DEVICE unsigned ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
PG_COMPAT_DEVICE void syncwarp(unsigned mask = 0xffffffffu) { __syncwarp(mask); }

#define PG_COMPAT_APPROX(NAME, OPCODE)                          \
  PG_COMPAT_DEVICE float NAME(float x) {                        \
    float v;                                                    \
    asm(OPCODE ".f32 %0, %1;" : "=f"(v) : "f"(x));              \
    return v;                                                   \
  }
PG_COMPAT_APPROX(ex2, "ex2.approx")
PG_COMPAT_APPROX(lg2, "lg2.approx")
PG_COMPAT_APPROX(rcp, "rcp.approx")
PG_COMPAT_APPROX(rsqrt_approx, "rsqrt.approx")
PG_COMPAT_APPROX(sqrt_approx, "sqrt.approx")
PG_COMPAT_APPROX(sin_approx, "sin.approx")
PG_COMPAT_APPROX(cos_approx, "cos.approx")
#undef PG_COMPAT_APPROX

}  // namespace pg_compat
#endif
