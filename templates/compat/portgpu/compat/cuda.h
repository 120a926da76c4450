// The names of PTX rewrites for NVIDIA, so that a HIP source with them can go back to CUDA.
#ifndef PORTGPU_COMPAT_CUDA_H
#define PORTGPU_COMPAT_CUDA_H

namespace pg_compat {

constexpr int warp_size = 32;
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
PG_COMPAT_DEVICE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
PG_COMPAT_DEVICE unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
PG_COMPAT_DEVICE unsigned long long global_timer() {
  unsigned long long v;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v));
  return v;
}
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
PG_COMPAT_DEVICE float tanh_approx(float x) { return tanhf(x); }
PG_COMPAT_DEVICE unsigned fns(unsigned mask, unsigned base, int offset) {
  return __fns(mask, base, offset);
}
PG_COMPAT_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
PG_COMPAT_DEVICE void* shared_pointer(unsigned address) {
  return __cvta_shared_to_generic(address);
}
PG_COMPAT_DEVICE void copy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  char* d = static_cast<char*>(to);
  const char* s = static_cast<const char*>(from);
  for (size_t i = 0; i < bytes; ++i) d[i] = i < bytes - zeros ? s[i] : char(0);
}
PG_COMPAT_DEVICE void copy_commit() {}
PG_COMPAT_DEVICE void copy_wait(size_t = 0) {}
PG_COMPAT_DEVICE void breakpoint() { __brkpt(); }

}  // namespace pg_compat
#endif
