// cp.async by intrinsic and by PTX.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  __shared__ __align__(16) int s[128];
  int i = threadIdx.x;
  if (i < 32) __pipeline_memcpy_async(&s[i * 4], &p[i * 4], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  int v = s[127 - i];
  __syncthreads();
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[i]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(p + i) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  int w = s[i ^ 1];
  __syncthreads();
  p[i] = v * 3 + w;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<1, 128>>>(p); });
  return report("async_copy", checksum(out));
}
