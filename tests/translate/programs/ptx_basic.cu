// Inline PTX: lane id, masks, mul.hi, bit fields.
#include <cuda_runtime.h>
#include "common.cuh"

__device__ __forceinline__ unsigned lane() {
  unsigned r;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
__global__ void work(unsigned* p) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = p[i] * 2654435761u, r, q, lt;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(12345u));
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(q) : "r"(v));
  asm("bfi.b32 %0, %1, %2, 8, 16;" : "=r"(q) : "r"(q), "r"(v));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(v), "r"(q), "r"(0x5140));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(r), "r"(q), "r"(v));
  asm volatile("membar.gl;" ::: "memory");
  p[i] = r ^ q ^ v ^ lt ^ (lane() << 3);
}

int main() {
  auto out = run_on_device(numbers<unsigned>(256), [](unsigned* p) { work<<<2, 128>>>(p); });
  return report("ptx_basic", checksum(out));
}
