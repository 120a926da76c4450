// Half and half2 arithmetic.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half a = __float2half(p[i] / 64.0f), b = __float2half_rn(1.25f);
  __half2 v = __halves2half2(a, b);
  v = __hfma2(v, v, __float2half2_rn(0.5f));
  __half m = __hmax(__low2half(v), __hmin(a, b));
  half2 z = {};
  v = __hadd2(v, z);
  if (__hgt(m, b)) m = m - b;
  v.x = v.y;
  m = m + v.x;
  p[i] = __half2float(m) + __low2float(v) + __high2float(v) * __half2float(__hmul(a, b));
}

int main() {
  auto out = run_on_device(numbers<float>(256), [](float* p) { work<<<2, 128>>>(p); });
  return report("half_math", checksum(out));
}
