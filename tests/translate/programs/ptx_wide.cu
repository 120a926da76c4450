// Inline PTX: 64-bit packing, wide multiply, funnel shift.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(unsigned long long* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lo, hi, f;
  unsigned long long v = p[i] * 0x9e3779b97f4a7c15ull, w;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(v));
  asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(f) : "r"(lo), "r"(hi));
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(f), "r"(hi));
  asm("mad.lo.u64 %0, %1, %2, %3;" : "=l"(w) : "l"(w), "l"(v), "l"(7ull));
  asm("mov.b64 %0, {%1, %2};" : "=l"(v) : "r"(hi), "r"(f));
  p[i] = v ^ w;
}

int main() {
  auto out = run_on_device(numbers<unsigned long long>(256), [](unsigned long long* p) { work<<<2, 128>>>(p); });
  return report("ptx_wide", checksum(out));
}
