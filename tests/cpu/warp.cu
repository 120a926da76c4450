// CUDA's warp functions and the runtime's tiles against plain loops, for each type and width.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "warp_reference.h"

constexpr int BLOCK = 128;

template <class T>
__global__ void vendor(const T* in, T* out, int width, int x) {
  const int i = threadIdx.x;
  const T v = in[i];
  out[0 * BLOCK + i] = __shfl_sync(0xffffffffu, v, x, width);
  out[1 * BLOCK + i] = __shfl_up_sync(0xffffffffu, v, unsigned(x), width);
  out[2 * BLOCK + i] = __shfl_down_sync(0xffffffffu, v, unsigned(x), width);
  out[3 * BLOCK + i] = __shfl_xor_sync(0xffffffffu, v, x, width);
}
template <class T, int W>
__global__ void tiles(const T* in, T* out, int x, unsigned long long* votes) {
  const int i = threadIdx.x;
  const T v = in[i];
  out[0 * BLOCK + i] = pgcpu::tile_shfl<W>(v, x);
  out[1 * BLOCK + i] = pgcpu::tile_shfl_up<W>(v, unsigned(x));
  out[2 * BLOCK + i] = pgcpu::tile_shfl_down<W>(v, unsigned(x));
  out[3 * BLOCK + i] = pgcpu::tile_shfl_xor<W>(v, x);
  votes[i] = pgcpu::tile_ballot<W>(float(v) > 0);
  votes[BLOCK + i] = pgcpu::tile_match<W>(v);
}
template <class T>
__global__ void votes(const T* in, unsigned* out, int* all) {
  const int i = threadIdx.x;
  const T v = in[i];
  out[i] = __ballot_sync(0xffffffffu, float(v) > 0);
  out[BLOCK + i] = __match_any_sync(0xffffffffu, v);
  all[i] = __any_sync(0xffffffffu, float(v) > 4) * 2 + __all_sync(0xffffffffu, float(v) > -6);
}
template <class T>
__global__ void reductions(const T* in, T* out) {
  const int i = threadIdx.x;
  out[i] = __reduce_add_sync(0xffffffffu, in[i]);
  out[BLOCK + i] = __reduce_min_sync(0xffffffffu, in[i]);
  out[2 * BLOCK + i] = __reduce_max_sync(0xffffffffu, in[i]);
  out[3 * BLOCK + i] = __reduce_xor_sync(0xffffffffu, in[i]);
}

template <class T>
struct Buffers {
  T *in, *out;
  unsigned long long* votes;
  unsigned* words;
  int* ints;
  Buffers(unsigned long long& seed) {
    cudaMallocManaged(&in, BLOCK * sizeof(T));
    cudaMallocManaged(&out, 4 * BLOCK * sizeof(T));
    cudaMallocManaged(&votes, 2 * BLOCK * sizeof *votes);
    cudaMallocManaged(&words, 2 * BLOCK * sizeof *words);
    cudaMallocManaged(&ints, BLOCK * sizeof *ints);
    for (int i = 0; i < BLOCK; ++i) in[i] = random_value<T>(seed);
  }
  ~Buffers() {
    cudaFree(in), cudaFree(out), cudaFree(votes), cudaFree(words), cudaFree(ints);
  }
};

template <class T>
void check_shuffles(const Buffers<T>& b, const char* type, int width, int x, bool across) {
  static const char* names[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < BLOCK; ++i) {
      if (k == XOR && x >= 32) continue;  // no lane has that distance
      expect(same(b.out[k * BLOCK + i], b.in[source(Kind(k), i, x, width, across)]), names[k], type,
             width, x, i);
    }
}

template <class T, int W>
void check_tile(Buffers<T>& b, const char* type) {
  if (W > int(pgcpu::warp_size())) return;
  for (int x : {0, 1, 2, 3, W / 2, W - 1}) {
    tiles<T, W><<<1, BLOCK>>>(b.in, b.out, x, b.votes);
    check_shuffles(b, type, W, x, false);
  }
  for (int i = 0; i < BLOCK; ++i) {
    unsigned long long ballot = 0, match = 0;
    for (int j = 0; j < W; ++j) {
      const T other = b.in[i / W * W + j];
      ballot |= (unsigned long long)(float(other) > 0) << j;
      match |= (unsigned long long)same(other, b.in[i]) << j;
    }
    expect(b.votes[i] == ballot, "ballot", type, W, 0, i);
    expect(b.votes[BLOCK + i] == match, "match", type, W, 0, i);
  }
}

template <class T>
void check(const char* type, unsigned long long& seed) {
  Buffers<T> b(seed);
  for (int width = 1; width <= 32; width *= 2)
    for (int x = 0; x <= width; ++x) {
      vendor<T><<<1, BLOCK>>>(b.in, b.out, width, x);
      check_shuffles(b, type, width, x, true);
    }
  check_tile<T, 2>(b, type);
  check_tile<T, 4>(b, type);
  check_tile<T, 8>(b, type);
  check_tile<T, 16>(b, type);
  check_tile<T, 32>(b, type);
  check_tile<T, 64>(b, type);
  votes<T><<<1, BLOCK>>>(b.in, b.words, b.ints);
  for (int i = 0; i < BLOCK; ++i) {
    unsigned ballot = 0, match = 0;
    bool any = false, all = true;
    for (int j = 0; j < 32; ++j) {
      const T other = b.in[i / 32 * 32 + j];
      ballot |= unsigned(float(other) > 0) << j;
      match |= unsigned(same(other, b.in[i])) << j;
      any = any || float(other) > 4;
      all = all && float(other) > -6;
    }
    expect(b.words[i] == ballot, "__ballot_sync", type, 32, 0, i);
    expect(b.words[BLOCK + i] == match, "__match_any_sync", type, 32, 0, i);
    expect(b.ints[i] == any * 2 + all, "__any_sync/__all_sync", type, 32, 0, i);
  }
}

template <class T>
void check_reductions(const char* type, unsigned long long& seed) {
  Buffers<T> b(seed);
  reductions<T><<<1, BLOCK>>>(b.in, b.out);
  for (int i = 0; i < BLOCK; ++i) {
    T sum = 0, low = b.in[i], high = b.in[i], bits = 0;
    for (int j = 0; j < 32; ++j) {
      const T v = b.in[i / 32 * 32 + j];
      sum = T(sum + v), bits = T(bits ^ v);
      low = v < low ? v : low, high = high < v ? v : high;
    }
    expect(b.out[i] == sum && b.out[BLOCK + i] == low && b.out[2 * BLOCK + i] == high &&
               b.out[3 * BLOCK + i] == bits,
           "__reduce_*_sync", type, 32, 0, i);
  }
}

int main(int argc, char** argv) {
  unsigned long long seed = argc > 1 ? strtoull(argv[1], nullptr, 10) * 2 + 1 : 1;
  check<int>("int", seed);
  check<unsigned>("unsigned", seed);
  check<long long>("long long", seed);
  check<unsigned long long>("unsigned long long", seed);
  check<short>("short", seed);
  check<float>("float", seed);
  check<double>("double", seed);
  check<half>("half", seed);
  check<__nv_bfloat16>("bfloat16", seed);
  check_reductions<int>("int", seed);
  check_reductions<unsigned>("unsigned", seed);
  printf("%d failures\n", failures);
  return failures != 0;
}
