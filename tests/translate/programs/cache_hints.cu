// Loads and stores with cache hints.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(float4* p, const float* q) {
  int i = threadIdx.x;
  float4 v = __ldcs(p + i);
  v.x += __ldg(q) + __ldcg(q + 1) + __ldca(q + 2) + __ldcv(q + 3);
  __stcs(p + i, v);
  __stwt(reinterpret_cast<float*>(p + 64 + i), v.y);
  __stcg(reinterpret_cast<float*>(p + 64 + i) + 1, v.z);
}

int main() {
  auto out = run_on_device(numbers<float>(520), [](float* p) { work<<<1, 64>>>(reinterpret_cast<float4*>(p), p + 512); });
  return report("cache_hints", checksum(out));
}
