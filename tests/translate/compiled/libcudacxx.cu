// Function objects and registers of libcu++.
#include <cuda/functional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cstdio>
#include <cuda_runtime.h>

template <class F>
__global__ void apply(F f, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cuda::std::pair<int, float> p{i, 0.5f * i};
    y[i] = cuda::maximum<int>{}(f(p.first), 7) + int(cuda::minimum<>{}(p.second, 3.0f));
  }
}

struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

int main() {
  const int n = 100;
  int h[n], *y;
  cudaMalloc(&y, sizeof(h));
  auto f = cuda::proclaim_return_type<int>(square{});
  apply<<<1, 128>>>(f, y, n);
  cudaMemcpy(h, y, sizeof(h), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += long(h[i]) * (i + 1);
  printf("sum %ld\n", sum);
  printf("host %d\n", f(12));
  cudaFree(y);
  return 0;
}
