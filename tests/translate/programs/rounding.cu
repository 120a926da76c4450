// Directed rounding.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = p[i] * 0.1f + 0.3f;
  double d = a;
  p[i] = __fadd_rz(a, 1e-7f) + __fmul_ru(a, 1.1f) - __fdiv_rd(a, 3.0f) + __fsqrt_rz(a) +
         static_cast<float>(__dadd_rd(d, 1e-17)) + __fmaf_rz(a, a, 1.0f) + __frcp_ru(a + 1.0f);
}

int main() {
  auto out = run_on_device(numbers<float>(256), [](float* p) { work<<<2, 128>>>(p); });
  return report("rounding", checksum(out));
}
