// Inline PTX: loads and stores with hints, predicates, conversions.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  int n;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p + i));
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(n) : "f"(v * 1.5f));
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.gt.s32 p, %1, 500;\n\t"
      "@p add.s32 %0, %0, 7;\n\t"
      "@!p sub.s32 %0, %0, 3;\n\t"
      "}" : "+r"(n) : "r"(n));
  asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(p + i), "f"(static_cast<float>(n)) : "memory");
}

int main() {
  auto out = run_on_device(numbers<float>(256), [](float* p) { work<<<2, 128>>>(p); });
  return report("ptx_memory", checksum(out));
}
