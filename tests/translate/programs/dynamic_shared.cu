// Dynamic shared memory, two types over one buffer.
#include <cuda_runtime.h>
#include "common.cuh"

template <class T>
__global__ void work(T* p) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  int t = threadIdx.x, n = blockDim.x;
  s[t] = p[blockIdx.x * n + t];
  __syncthreads();
  p[blockIdx.x * n + t] = s[n - 1 - t] * 3;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<int><<<dim3(2), dim3(128, 1, 1), 128 * sizeof(int)>>>(p); });
  return report("dynamic_shared", checksum(out));
}
