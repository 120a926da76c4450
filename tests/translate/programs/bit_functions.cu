// Bit counting and moving, 32 and 64 bits.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(unsigned* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = p[i] * 2654435761u + 1;
  long w = static_cast<long>(v) << 13;
  unsigned r = __popc(v) + __clz(v) * 3 + __ffs(v) * 5 + __brev(v) + __ffsll(w) + __clzll(w);
  r += __popcll(w) + __byte_perm(v, ~v, 0x3715) + __funnelshift_l(v, ~v, 9) + __umulhi(v, 77);
  p[i] = r + __sad(5, static_cast<int>(v & 255), 1u) + __mul24(3, 9) + __hadd(5, 8);
}

int main() {
  auto out = run_on_device(numbers<unsigned>(256), [](unsigned* p) { work<<<2, 128>>>(p); });
  return report("bit_functions", checksum(out));
}
