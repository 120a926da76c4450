// HIP's warp functions, without masks, against plain loops; also what HIP-CPU is known to do wrong.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include "warp_reference.h"

constexpr int BLOCK = 192;

template <class T>
__global__ void shuffles(const T* in, T* out, int width, int x) {
  const int i = threadIdx.x;
  const T v = in[i];
  out[0 * BLOCK + i] = __shfl(v, x, width);
  out[1 * BLOCK + i] = __shfl_up(v, x, width);
  out[2 * BLOCK + i] = __shfl_down(v, x, width);
  out[3 * BLOCK + i] = __shfl_xor(v, x, width);
}
__global__ void votes(const int* in, unsigned long long* out) {
  const int i = threadIdx.x;
  out[i] = __ballot(in[i] > 0);
  // Inside of a branch only its lanes vote.
  if (i % 3 == 0) out[i] ^= __ballot(in[i] > 2);
  out[BLOCK + i] = __match_any(in[i]);
}

template <class T>
void check(const char* type, unsigned long long& seed) {
  static const char* names[] = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"};
  T *in, *out;
  (void)hipMallocManaged(&in, BLOCK * sizeof(T));
  (void)hipMallocManaged(&out, 4 * BLOCK * sizeof(T));
  for (int i = 0; i < BLOCK; ++i) in[i] = random_value<T>(seed);
  for (int width = 1; width <= warpSize; width *= 2)
    for (int x = 0; x <= width; ++x) {
      shuffles<T><<<1, BLOCK>>>(in, out, width, x);
      for (int k = 0; k < 4; ++k)
        for (int i = 0; i < BLOCK; ++i) {
          if (k == XOR && x >= warpSize) continue;
          expect(same(out[k * BLOCK + i], in[source(Kind(k), i, x, width, true)]), names[k], type,
                 width, x, i);
        }
    }
  (void)hipFree(in);
  (void)hipFree(out);
}

void check_votes(unsigned long long& seed) {
  int* in;
  unsigned long long* out;
  (void)hipMallocManaged(&in, BLOCK * sizeof(int));
  (void)hipMallocManaged(&out, 2 * BLOCK * sizeof *out);
  for (int i = 0; i < BLOCK; ++i) in[i] = random_value<int>(seed);
  votes<<<1, BLOCK>>>(in, out);
  for (int i = 0; i < BLOCK; ++i) {
    unsigned long long all = 0, branch = 0, match = 0;
    for (int j = 0; j < warpSize; ++j) {
      const int t = i / warpSize * warpSize + j;
      all |= (unsigned long long)(in[t] > 0) << j;
      branch |= (unsigned long long)(t % 3 == 0 && in[t] > 2) << j;
      match |= (unsigned long long)(in[t] == in[i]) << j;
    }
    expect(out[i] == (i % 3 == 0 ? all ^ branch : all), "__ballot", "int", warpSize, 0, i);
    expect(out[BLOCK + i] == match, "__match_any", "int", warpSize, 0, i);
  }
}

// Only the first wave does the second stage, as HIP-CPU gets wrong.
__global__ void block_sum(const int* in, int* out) {
  __shared__ int partial[64];
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = threadIdx.x < (blockDim.x + warpSize - 1) / warpSize ? partial[threadIdx.x] : 0;
    for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
void check_block_sum(unsigned long long& seed) {
  int *in, *out;
  (void)hipMallocManaged(&in, 4096 * sizeof(int));
  (void)hipMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 4096; ++i) in[i] = random_value<int>(seed);
  for (int block : {64, 128, 256, 512, 1024}) {
    block_sum<<<4096 / block, block>>>(in, out);
    for (int b = 0; b < 4096 / block; ++b) {
      int sum = 0;
      for (int i = 0; i < block; ++i) sum += in[b * block + i];
      expect(out[b] == sum, "block sum", "int", block, 0, b);
    }
  }
}

int main(int argc, char** argv) {
  unsigned long long seed = argc > 1 ? strtoull(argv[1], nullptr, 10) * 2 + 1 : 1;
  check<int>("int", seed);
  check<unsigned>("unsigned", seed);
  check<long>("long", seed);
  check<unsigned long long>("unsigned long long", seed);
  check<float>("float", seed);
  check<double>("double", seed);
  check<__half>("half", seed);
  check_votes(seed);
  check_block_sum(seed);
  printf("%d failures, warp of %d\n", failures, warpSize);
  return failures != 0;
}
