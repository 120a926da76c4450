// Warp functions that part of the warp does not reach, or that read what is not there.
#include "bugs.h"

template <class Kernel, class Check>
bool on_warp(Kernel kernel, int threads, Check check) {
  int* out;
  cudaMallocManaged(&out, 128 * sizeof(int));
  memset(out, 0, 128 * sizeof(int));
  kernel<<<1, threads>>>(out);
  cudaDeviceSynchronize();
  const bool ok = check(out);
  cudaFree(out);
  return ok;
}

// A full mask in a branch that half of the warp takes.
template <bool BUG>
__global__ void divergent_shuffle(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    const unsigned mask = BUG ? 0xffffffffu : 0x0000ffffu;
    v += __shfl_xor_sync(mask, v, 1);  // PG4003
  } else {
    __syncwarp(0xffff0000u);
  }
  __syncthreads();
  out[threadIdx.x] = v;
}
PLANT(divergent_shuffle) {
  return on_warp(divergent_shuffle<BUG>, 32, [](int* o) { return o[0] == 1 && o[31] == 31; });
}

// The mask names the lanes that call, but the shuffle reads others.
template <bool BUG>
__global__ void inactive_lane(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffffu, v, BUG ? 8 : 8, BUG ? 32 : 16);  // PG4005
  out[threadIdx.x] = v;
}
PLANT(inactive_lane) {
  return on_warp(inactive_lane<BUG>, 32, [](int* o) { return o[0] == 8 && o[15] == 15; });
}

// A lane calls with a mask in which it is not.
template <bool BUG>
__global__ void mask_without_self(int* out) {
  const unsigned mask = BUG ? 0x7fffffffu : 0xffffffffu;
  out[threadIdx.x] = __ballot_sync(mask, threadIdx.x & 1) != 0;  // PG4006
}
PLANT(mask_without_self) {
  return on_warp(mask_without_self<BUG>, 32, [](int* o) { return o[31] == 1; });
}

// Threads behind the end return; the reduction then reads their lanes.
template <bool BUG>
__global__ void tail_shuffle(int* out, int n) {
  const int i = threadIdx.x;
  if (BUG && i >= n) return;
  int v = i < n ? 1 : 0;
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);  // PG4005
  if (i == 0) out[0] = v;
}
PLANT(tail_shuffle) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  tail_shuffle<BUG><<<1, 32>>>(out, 20);
  cudaDeviceSynchronize();
  const bool ok = *out == 20;
  cudaFree(out);
  return ok;
}

// The last warp of the block has 8 lanes only.
template <bool BUG>
__global__ void partial_warp(int* out) {
  int v = 1;
  for (int o = 16; o; o >>= 1) {
    const int w = __shfl_down_sync(0xffffffffu, v, o, BUG ? 32 : 8);  // PG4005
    if (BUG || (threadIdx.x & 7) + o < 8) v += w;
  }
  if ((threadIdx.x & 7) == 0) out[threadIdx.x] = v;
}
PLANT(partial_warp) {
  return on_warp(partial_warp<BUG>, 40, [](int* o) { return o[0] == 8 && o[32] == 8; });
}

// Both sides of a branch shuffle, each with the full mask.
template <bool BUG>
__global__ void two_shuffles(int* out) {
  int v = threadIdx.x;
  if (BUG) {
    if (threadIdx.x & 1)
      v = __shfl_sync(0xffffffffu, v, 3);
    else
      v = __shfl_sync(0xffffffffu, v, 2);  // PG4004
  } else {
    v = __shfl_sync(0xffffffffu, v, threadIdx.x & 1 ? 3 : 2);
  }
  out[threadIdx.x] = v;
}
PLANT(two_shuffles) {
  return on_warp(two_shuffles<BUG>, 32, [](int* o) { return o[0] == 2 && o[1] == 3; });
}

// A vote whose mask was taken before the branch.
template <bool BUG>
__global__ void stale_mask(int* out) {
  const unsigned before = __activemask();
  if (threadIdx.x % 4 == 0) {
    const unsigned mask = BUG ? before : 0x11111111u;
    out[threadIdx.x] = __popc(__ballot_sync(mask, 1));  // PG4003
  }
  __syncthreads();
}
PLANT(stale_mask) {
  return on_warp(stale_mask<BUG>, 32, [](int* o) { return o[0] == 8 && o[28] == 8; });
}

// A reduction in shared memory that trusts the lockstep of old devices.
template <bool BUG>
__global__ void no_syncwarp(int* out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = 0;
  __syncwarp();
  for (int o = 16; o; o >>= 1) {
    const int v = s[threadIdx.x + o];
    if (!BUG) __syncwarp();
    s[threadIdx.x] += v;  // PG4040
    if (!BUG) __syncwarp();
  }
  out[threadIdx.x] = s[0];
}
PLANT(no_syncwarp) {
  return on_warp(no_syncwarp<BUG>, 32, [](int* o) { return o[0] == 496; });
}

// A width that is no power of two.
template <bool BUG>
__global__ void odd_width(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffffu, int(threadIdx.x), 0, BUG ? 24 : 8);  // PG4007
}
PLANT(odd_width) {
  return on_warp(odd_width<BUG>, 32, [](int* o) { return o[9] == 8; });
}
