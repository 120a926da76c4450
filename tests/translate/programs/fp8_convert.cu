// fp8 conversions, all codes and many floats.
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = (p[i] - 500.0f) * 0.01f * static_cast<float>(1 << (i % 9)) / 64.0f;
  __nv_fp8_e4m3 a(v);
  __nv_fp8_e5m2 b(v * 100.0f);
  __nv_fp8_storage_t c = __nv_cvt_float_to_fp8(v * 3.0f, __NV_SATFINITE, __NV_E4M3);
  p[i] = static_cast<float>(a) + static_cast<float>(b) + static_cast<float>(c) + static_cast<float>(a.__x);
}

int main() {
  auto out = run_on_device(numbers<float>(4096), [](float* p) { work<<<32, 128>>>(p); });
  return report("fp8_convert", checksum(out));
}
