// bfloat16 arithmetic and conversions.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 a = __float2bfloat16(p[i] * 0.37f), b = __float2bfloat16_rn(1.25f);
  __nv_bfloat162 v = __halves2bfloat162(a, b);
  v = __hadd2(v, __float2bfloat162_rn(2.0f));
  __nv_bfloat16 m = __hmax(__low2bfloat16(v), b);
  float2 f = __bfloat1622float2(v);
  p[i] = __bfloat162float(__hmul(m, b)) + f.x - f.y + __bfloat162float(__float2bfloat16_rz(p[i]));
}

int main() {
  auto out = run_on_device(numbers<float>(256), [](float* p) { work<<<2, 128>>>(p); });
  return report("bfloat16_math", checksum(out));
}
