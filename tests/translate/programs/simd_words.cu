// SIMD-in-word intrinsics.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(unsigned* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = p[i] * 2654435761u, b = a ^ 0x7f80ff01u;
  unsigned r = __vadd4(a, b) ^ __vsub4(a, b) ^ __vabsdiffu4(a, b) ^ __vmaxs4(a, b) ^ __vminu4(a, b);
  r ^= __vcmpeq4(a, b) ^ __vcmpgts2(a, b) ^ __vaddss2(a, b) ^ __vsubus4(a, b) ^ __vavgu4(a, b);
  r ^= __vsads4(a, b) + __vsetltu4(a, b) + __vneg4(a) + __vabs2(b);
  p[i] = r + __dp4a(a, b, 3u) + static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), 5));
}

int main() {
  auto out = run_on_device(numbers<unsigned>(256), [](unsigned* p) { work<<<2, 128>>>(p); });
  return report("simd_words", checksum(out));
}
