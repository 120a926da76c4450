// Templates min and max of the program's own, with a meaning of their own.
#include <cstdio>
#include <cuda_runtime.h>

template <typename scalar_t>
__device__ inline scalar_t min(scalar_t a, scalar_t b);
template <typename scalar_t>
__device__ inline scalar_t min(scalar_t a, scalar_t b) {
  return a < b ? a : b;
}
template <typename scalar_t>
__device__ inline scalar_t max(scalar_t a, scalar_t b) {
  return a > b ? a : b;
}
template <typename T, typename U>
__device__ inline T max(T a, U b) {
  return a > T(b) ? a : T(b);
}

__global__ void clamp(const double* x, short* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = min(max(x[i], 1.0), 50.0);
    y[i] = min(short(v * 2), short(77)) + short(max(v, 3));
  }
}

int main() {
  const int n = 100;
  double h[n], *x;
  short *y, r[n];
  for (int i = 0; i < n; ++i) h[i] = i * 0.75 - 9;
  cudaMalloc(&x, sizeof(h));
  cudaMalloc(&y, sizeof(r));
  cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
  clamp<<<2, 64>>>(x, y, n);
  cudaMemcpy(r, y, sizeof(r), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += r[i] * (i + 1);
  printf("sum %ld\n", sum);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
