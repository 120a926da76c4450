// The atomicAdd for double that old programs bring along.
#include <cuda_runtime.h>
#include "common.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double* address, double val) {
  unsigned long long* p = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif
__device__ static double max_of(double* address, double val) {
  unsigned long long* p = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(fmax(val, __longlong_as_double(assumed))));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void work(double* p) {
  atomicAdd(p, 1.0);
  max_of(p + 1, static_cast<double>(threadIdx.x));
}

int main() {
  auto out = run_on_device(numbers<double>(256), [](double* p) { work<<<2, 128>>>(p); });
  return report("own_atomic", checksum(out));
}
