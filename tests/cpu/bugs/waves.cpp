// HIP sources with an assumption about the width of a wave; run at 64 lanes.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include "bugs.h"

// One partial sum per 32 lanes is read, one per 64 was written.
template <bool BUG>
__global__ void partials_of_32(int* out) {
  __shared__ int s[32];
  int v = 1;
  for (int o = warpSize / 2; o; o >>= 1) v += __shfl_xor(v, o);
  if (threadIdx.x % warpSize == 0) s[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < int(blockDim.x / (BUG ? 32 : warpSize)); ++i) sum += s[i];  // PG4035
    *out = sum;
  }
}
PLANT(partials_of_32) {
  int* out;
  (void)hipMallocManaged(&out, sizeof(int));
  partials_of_32<BUG><<<1, 256>>>(out);
  (void)hipDeviceSynchronize();
  const bool ok = *out == 256;
  (void)hipFree(out);
  return ok;
}

// The ballot of a wave is kept in 32 bits.
template <bool BUG>
__global__ void ballot_in_32_bits(int* out) {
  const unsigned long long all = __ballot(1);
  const unsigned narrow = (unsigned)all;
  const int lanes = BUG ? __popc(narrow) : __popcll(all);
  assert(lanes == warpSize);  // PG4011
  out[threadIdx.x] = lanes;
}
PLANT(ballot_in_32_bits) {
  int* out;
  (void)hipMallocManaged(&out, 64 * sizeof(int));
  ballot_in_32_bits<BUG><<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  const bool ok = out[0] == 64;
  (void)hipFree(out);
  return ok;
}

// The loop goes on while lanes have work; the shuffle then reads lanes that have stopped.
template <bool BUG>
__global__ void shuffle_in_loop(const int* x, int* out, int n) {
  int sum = 0;
  const int end = BUG ? n : (n + 63) / 64 * 64;
  for (int i = threadIdx.x; i < end; i += 64) {
    int v = i < n ? x[i] : 0;
    for (int o = 32; o; o >>= 1) v += __shfl_xor(v, o);  // PG4005
    sum += v;
  }
  if (threadIdx.x == 0) *out = sum;
}
PLANT(shuffle_in_loop) {
  int *x, *out;
  (void)hipMallocManaged(&x, 100 * sizeof(int));
  (void)hipMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 100; ++i) x[i] = 1;
  shuffle_in_loop<BUG><<<1, 64>>>(x, out, 100);
  (void)hipDeviceSynchronize();
  const bool ok = *out == 100;
  (void)hipFree(x);
  (void)hipFree(out);
  return ok;
}

// Lane 40 is asked for a value, but only lanes below 32 are in the branch.
template <bool BUG>
__global__ void broadcast_from_inactive(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 32) v = __shfl(v, BUG ? 40 : 20);  // PG4005
  out[threadIdx.x] = v;
}
PLANT(broadcast_from_inactive) {
  int* out;
  (void)hipMallocManaged(&out, 64 * sizeof(int));
  broadcast_from_inactive<BUG><<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  const bool ok = out[0] == 20 && out[40] == 40;
  (void)hipFree(out);
  return ok;
}

// The mask of a vote has 32 bits on a wave of 64: the upper half is left out.
template <bool BUG>
__global__ void narrow_mask(int* out) {
  const unsigned long long mask = BUG ? 0xffffffffull : ~0ull;
  out[threadIdx.x] = __any_sync(mask, threadIdx.x == 3);  // PG4006
}
PLANT(narrow_mask) {
  int* out;
  (void)hipMallocManaged(&out, 64 * sizeof(int));
  narrow_mask<BUG><<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  const bool ok = out[63] == 1;
  (void)hipFree(out);
  return ok;
}

// More shared memory than a workgroup has on the chosen part (64 KiB).
template <bool BUG>
__global__ void lds_too_big(int* out) {
  __shared__ int s[BUG ? 20000 : 16000];  // PG4021
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
PLANT(lds_too_big) {
  int* out;
  (void)hipMallocManaged(&out, 64 * sizeof(int));
  lds_too_big<BUG><<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  const bool ok = out[0] == 63;
  (void)hipFree(out);
  return ok;
}

int main(int argc, char** argv) { return run_plants(argc, argv); }
