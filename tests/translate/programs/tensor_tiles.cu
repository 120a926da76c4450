// Tensor core fragments (nvcuda::wmma): every shape and type, layouts in memory, products held to sums.
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <type_traits>
#include "common.cuh"

namespace tensor_tiles {
using namespace nvcuda;

template <int M, int N, int K, class T, class E, class C, class LA, class LB>
__global__ void tile(const E* a, const E* b, const C* c, C* d, int size_a, int size_b, int lda,
                     int ldb, bool colmajor) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
  int w = threadIdx.x / 32;
  a += w * size_a; b += w * size_b; c += w * M * N; d += w * M * N;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, colmajor ? M : N, colmajor ? wmma::mem_col_major : wmma::mem_row_major);
  wmma::fill_fragment(fd, C(0.0f));
  wmma::mma_sync(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] * C(2.0f);
  wmma::store_matrix_sync(d, fd, N, wmma::mem_row_major);
}
// Elements from one row (or column) to the next: CUDA wants a multiple of 16 bytes.
template <class E>
constexpr int pitch(int n) {
  return (n * int(sizeof(E)) + 15) / 16 * 16 / int(sizeof(E));
}
template <class L>
constexpr bool by_rows = std::is_same<L, wmma::row_major>::value;

template <int M, int N, int K, class T, class E, class C, class LA, class LB>
uint64_t product(bool by_columns) {
  const int warps = 3, rows_a = by_rows<LA> ? M : K, rows_b = by_rows<LB> ? K : N;
  const int pitch_a = pitch<E>(by_rows<LA> ? K : M), pitch_b = pitch<E>(by_rows<LB> ? N : K);
  const int size_a = rows_a * pitch_a, size_b = rows_b * pitch_b;
  const std::vector<int> values = numbers(warps * (size_a + size_b + M * N));
  E *a, *b;
  C *c, *d;
  CHECK(cudaMallocManaged(&a, sizeof(E) * warps * size_a));
  CHECK(cudaMallocManaged(&b, sizeof(E) * warps * size_b));
  CHECK(cudaMallocManaged(&c, sizeof(C) * warps * M * N));
  CHECK(cudaMallocManaged(&d, sizeof(C) * warps * M * N));
  const int* next = values.data();
  const int least = std::is_unsigned<E>::value ? 0 : -4;
  for (int i = 0; i < warps * size_a; ++i) a[i] = E(float(*next++ % 9 + least));
  for (int i = 0; i < warps * size_b; ++i) b[i] = E(float(*next++ % 9 + least));
  for (int i = 0; i < warps * M * N; ++i) c[i] = C(float(*next++ % 9 - 4));
  tile<M, N, K, T, E, C, LA, LB><<<1, 32 * warps>>>(
      a, b, c, d, size_a, size_b, pitch_a, pitch_b, by_columns);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> result;
  for (int w = 0; w < warps; ++w)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        float sum = float(c[w * M * N + (by_columns ? j * M + i : i * N + j)]);
        for (int k = 0; k < K; ++k)
          sum += float(a[w * size_a + (by_rows<LA> ? i * pitch_a + k : k * pitch_a + i)]) *
                 float(b[w * size_b + (by_rows<LB> ? k * pitch_b + j : j * pitch_b + k)]);
        const float found = float(d[w * M * N + i * N + j]);
        if (found != 2 * sum) {
          std::printf("%d x %d x %d: %g, not %g\n", M, N, K, found, 2 * sum);
          std::exit(1);
        }
        result.push_back(found);
      }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  CHECK(cudaFree(d));
  return checksum(result);
}

template <int M, int N, int K, class T, class E, class C>
uint64_t layouts() {
  using r = wmma::row_major;
  using c = wmma::col_major;
  return mix(mix(product<M, N, K, T, E, C, r, r>(false), product<M, N, K, T, E, C, r, c>(true)),
             mix(product<M, N, K, T, E, C, c, r>(true), product<M, N, K, T, E, C, c, c>(false)));
}

template <class T, class C>
uint64_t shapes() {
  using r = wmma::row_major;
  using c = wmma::col_major;
  return mix(product<16, 16, 16, T, T, C, r, c>(true),
             mix(product<32, 8, 16, T, T, C, c, r>(false), product<8, 32, 16, T, T, C, r, c>(true)));
}
}  // namespace tensor_tiles

int main() {
  using namespace tensor_tiles;
  uint64_t h = mix(layouts<16, 16, 16, half, half, float>(), layouts<32, 8, 16, half, half, float>());
  h = mix(h, mix(shapes<half, half>(), shapes<__nv_bfloat16, float>()));
  h = mix(h, mix(shapes<signed char, int>(), shapes<unsigned char, int>()));
  h = mix(h, layouts<16, 16, 8, wmma::precision::tf32, float, float>());
  return report("tensor_tiles", mix(h, layouts<8, 8, 4, double, double, double>()));
}
