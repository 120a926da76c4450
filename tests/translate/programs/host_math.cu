// min, max and the functions of math.h on the host, for every type: HIP's own min takes ints alone.
#include <cuda_runtime.h>
#include <type_traits>
#include "common.cuh"

// In a host function: outside of one, the device pass of newer clang picks device functions.
inline void host_types() {
  static_assert(std::is_same<decltype(min(1.5f, 0.5f)), float>::value, "min of floats");
  static_assert(std::is_same<decltype(max(1.5, 0.5f)), double>::value, "max of double and float");
  static_assert(std::is_same<decltype(min(1u, 2)), unsigned>::value, "min of unsigned and int");
  static_assert(std::is_same<decltype(max(1l, 2l)), long>::value, "max of longs");
  static_assert(std::is_same<decltype(pow(1.5f, 0.5f)), float>::value, "pow of floats");
  static_assert(std::is_same<decltype(fabs(-1.5f)), float>::value, "fabs of a float");
}

template <class T>
__host__ __device__ T clamp_to(T v, T lo, T hi) { return min(max(v, lo), hi); }
__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned n = 3;
  int m = -4;
  p[i] = clamp_to(p[i] * 0.25f, 1.25f, 99.75f);
  p[i] += min(n, blockDim.x) + max(m, (int)threadIdx.x) + min(blockDim.x, 7) + min(9u, blockDim.y);
}

int main() {
  auto in = numbers<float>(256);
  auto out = run_on_device(in, [](float* p) { work<<<2, 128>>>(p); });
  std::vector<float> wanted;
  for (int i = 0; i < 256; ++i) wanted.push_back(max(min(in[i] * 0.25f, 99.75f), 1.25f) + 11 + i % 128);
  out.push_back(checksum(out) == checksum(wanted) ? 0.5f : min(0.75f, 0.25f));
  return report("host_math", checksum(out));
}
