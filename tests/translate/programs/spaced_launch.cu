// Launches whose brackets a formatter has pulled apart.
#include <cuda_runtime.h>
#include "common.cuh"

namespace spaced_launch {
template <class T>
__global__ void add(T* p, T v) {
  p[blockIdx.x * blockDim.x + threadIdx.x] += v;
}
__global__ void twice(int* p) { p[threadIdx.x] *= 2; }
}  // namespace spaced_launch

int main() {
  using namespace spaced_launch;
  std::vector<int> data = run_on_device(numbers(64), [](int* p) {
    add<int> << <2, 32 >> > (p, 3);
    twice << <dim3(1), 64 >>>(p);
    twice<<<1, (128 >> 1)>> >(p);
  });
  return report("spaced_launch", checksum(data));
}
