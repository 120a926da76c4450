// Streams, events, asynchronous copies; dropped results.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += i;
}

int main() {
  cudaStream_t s;
  cudaEvent_t e, f;
  CHECK(cudaStreamCreate(&s));
  cudaEventCreate(&e);
  cudaEventCreateWithFlags(&f, cudaEventDisableTiming);
  std::vector<int> h = numbers(1000);
  int* d;
  CHECK(cudaMalloc((void**)&d, h.size() * 4));
  CHECK(cudaMemcpyAsync(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice, s));
  work<<<4, 64, 0, s>>>(d, 1000);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(s, e, 0);
  CHECK(cudaMemcpyAsync(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  if (cudaEventQuery(e) != cudaSuccess) return 2;
  cudaEventDestroy(e);
  cudaEventDestroy(f);
  cudaStreamDestroy(s);
  cudaFree(d);
  return report("streams_events", checksum(h));
}
