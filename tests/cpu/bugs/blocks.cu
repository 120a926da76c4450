// Data races between blocks. In order of the blocks' indices each result happens to be right.
#include "bugs.h"

// Each block reads its neighbour's edge, which the neighbour overwrites.
template <bool BUG>
__global__ void in_place(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int* from = BUG ? out : in;
  const int right = i + 1 < 256 ? from[i + 1] : 0;
  __syncthreads();
  out[i] = right + 1;  // PG4041
}
PLANT(in_place) {
  int *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = out[i] = i;
  in_place<BUG><<<4, 64>>>(in, out);
  cudaDeviceSynchronize();
  const bool ok = out[63] == 65 && out[255] == 1;
  cudaFree(in);
  cudaFree(out);
  return ok;
}

// Partial sums are added up without an atomic.
template <bool BUG>
__global__ void plain_sum(int* total) {
  if (threadIdx.x) return;
  if (BUG) *total += 1;  // PG4041
  else atomicAdd(total, 1);
}
PLANT(plain_sum) {
  int* total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  plain_sum<BUG><<<64, 32>>>(total);
  cudaDeviceSynchronize();
  const bool ok = *total == 64;
  cudaFree(total);
  return ok;
}

// The last block adds up what the others wrote; without the fence it may not see it.
template <bool BUG>
__global__ void last_block(const int* x, int* partial, unsigned* ticket, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x[blockIdx.x];
    if (!BUG) __threadfence();
    last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];  // PG4041
  *out = sum;
}
PLANT(last_block) {
  int *x, *partial, *out;
  unsigned* ticket;
  cudaMallocManaged(&x, 40 * sizeof(int));
  cudaMallocManaged(&partial, 40 * sizeof(int));
  cudaMallocManaged(&ticket, sizeof(unsigned));
  cudaMallocManaged(&out, sizeof(int));
  *ticket = 0;
  for (int i = 0; i < 40; ++i) x[i] = i;
  last_block<BUG><<<40, 32>>>(x, partial, ticket, out);
  cudaDeviceSynchronize();
  const bool ok = *out == 780;
  for (void* p : {(void*)x, (void*)partial, (void*)ticket, (void*)out}) cudaFree(p);
  return ok;
}

// A tail that is one element too long reaches into the next block's part.
template <bool BUG>
__global__ void long_tail(int* y) {
  const int first = blockIdx.x * 10;
  for (int i = threadIdx.x; i < 10 + (BUG && blockIdx.x < 3); i += blockDim.x)
    y[first + i] = blockIdx.x;  // PG4041
}
PLANT(long_tail) {
  int* y;
  cudaMallocManaged(&y, 40 * sizeof(int));
  long_tail<BUG><<<4, 32>>>(y);
  cudaDeviceSynchronize();
  const bool ok = y[0] == 0 && y[10] == 1 && y[39] == 3;
  cudaFree(y);
  return ok;
}

// A lock must be let go after a fence; several blocks that write one value are no race; neither is the
// plain read that starts a loop of compare-and-swap.
template <bool BUG>
__global__ void under_lock(int* lock, int* sum, int* flag, int* best) {
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += blockIdx.x;  // PG4041
  if (!BUG) __threadfence();
  atomicExch(lock, 0);
  *flag = 1;
  int old = *best, seen;
  do {
    seen = old;
    old = atomicCAS(best, seen, seen + 1);
  } while (old != seen);
}
PLANT(under_lock) {
  int* p;
  cudaMallocManaged(&p, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) p[i] = 0;
  under_lock<BUG><<<20, 32>>>(p, p + 1, p + 2, p + 3);
  cudaDeviceSynchronize();
  const bool ok = p[1] == 190 && p[2] == 1 && p[3] == 20;
  cudaFree(p);
  return ok;
}

// Each block counts on the one before it being done. There is no race, but no such promise either.
__global__ void chain(volatile int* done, int* order) {
  if (blockIdx.x)
    while (done[blockIdx.x - 1] == 0) {
    }
  __threadfence();
  done[blockIdx.x] = 1;
  order[blockIdx.x] = 1;
}

int main(int argc, char** argv) {
  if (argc == 2 && !strcmp(argv[1], "chain")) {
    int* p;
    cudaMallocManaged(&p, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) p[i] = 0;
    chain<<<32, 1>>>(p, p + 32);
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  return run_plants(argc, argv);
}
