// Stream capture, graphs, and managed memory with the signatures of CUDA 12 and 13.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) { p[threadIdx.x] += 1; }

int main() {
  int* p;
  CHECK(cudaMallocManaged(&p, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) p[i] = i;
#if CUDART_VERSION >= 13000
  cudaMemLocation place;
  place.type = cudaMemLocationTypeDevice;
  place.id = 0;
  cudaMemAdvise(p, 64 * sizeof(int), cudaMemAdviseSetPreferredLocation, place);
  cudaMemPrefetchAsync(p, 64 * sizeof(int), place, 0, nullptr);
#else
  cudaMemAdvise(p, 64 * sizeof(int), cudaMemAdviseSetPreferredLocation, 0);
  cudaMemPrefetchAsync(p, 64 * sizeof(int), 0);
#endif
  (void)cudaGetLastError();
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work<<<1, 64, 0, stream>>>(p);
  work<<<1, 64, 0, stream>>>(p);
  CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
#else
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
#endif
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  uint64_t h = 0;
  for (int i = 0; i < 64; ++i) h = mix(h, p[i]);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(p);
  return report("graphs_and_prefetch", h);
}
