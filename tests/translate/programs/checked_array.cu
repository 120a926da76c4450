// std::array in device code, with its checked access.
#include <array>
#include <cstdio>
#include <map>
#include <cuda_runtime.h>

struct Poly {
  std::array<float, 4> c;
  __host__ __device__ float of(float x) const {
    return c.at(0) + x * (c.at(1) + x * (c.at(2) + x * c.at(3)));
  }
};

__global__ void eval(Poly p, const Poly* q, float* y, int n) {
  std::array<float, 2> both = {p.of(1.f), q->c.at(n % 4)};
  both.at(0) += 1.f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = both.at(i % 2) + float(i);
}

int main() {
  const int n = 100;
  std::map<int, float> on_host = {{7, 0.5f}};
  Poly p = {{{1.f, 2.f, on_host.at(7), 0.25f}}}, *q;
  float *y, h[n];
  cudaMalloc(&q, sizeof(p));
  cudaMalloc(&y, sizeof(h));
  cudaMemcpy(q, &p, sizeof(p), cudaMemcpyHostToDevice);
  eval<<<1, 128>>>(p, q, y, n);
  cudaMemcpy(h, y, sizeof(h), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += h[i] * (i + 1);
  printf("sum %.3f\n", sum);
  cudaFree(q);
  cudaFree(y);
  return 0;
}
