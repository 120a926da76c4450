// What HIP lacks or takes otherwise in some version: 16-bit compare-and-swap, averages, comparisons of
// halves with NaN, integers of two types in min and max.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void small_atomics(unsigned short* p, int* i, unsigned* u, __half* h, __nv_bfloat16* b) {
  i[0] = atomicCAS(p, (unsigned short)0, (unsigned short)3) + atomicCAS(i + 1, 0, 1);
  i[2] = __hadd(i[3], i[4]) + __rhadd(i[3], 5) + __uhadd(u[0], u[1]);
  i[5] = __half2int_rn(h[0]) + __hisinf(h[1]) + __hequ(h[0], h[1]) + __bfloat162int_ru(b[0]);
  h[2] = __hadd(h[0], h[1]);
  b[1] = __hadd_sat(b[2], __int2bfloat16_rd(i[6]));
  u[2] = min(u[3], i[7]) + max(threadIdx.x, i[8]);
}

int main() {
  cudaFuncSetAttribute(small_atomics, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
}
