// Names of the program's own that equal API names.
#include <cuda_runtime.h>
#include "common.cuh"

namespace mine {
int cudaFree(int v) { return v + 1; }
enum class Kind { cudaSuccess, cudaErrorUnknown };
struct Pool {
  int cudaMalloc = 5;
  int cudaMemset(int v) { return v * cudaMalloc; }
};
}  // namespace mine
__global__ void work(int* p) { p[threadIdx.x] += 1; }

int main() {
  mine::Pool pool;
  pool.cudaMalloc += mine::cudaFree(1);
  int cudaStreamSynchronize = pool.cudaMemset(2);
  const char* text = "cudaMalloc <<<1, 2>>> // not a comment";
  const char* raw = R"(cudaFree(p); /* nor this */)";
  auto out = run_on_device(numbers(64), [](int* p) { work<<<1, 64>>>(p); });
  uint64_t h = mix(checksum(out), cudaStreamSynchronize + (mine::Kind::cudaSuccess == mine::Kind(0)));
  for (const char* c = text; *c; ++c) h = mix(h, *c);
  for (const char* c = raw; *c; ++c) h = mix(h, *c);
  return report("user_names", h);
}
