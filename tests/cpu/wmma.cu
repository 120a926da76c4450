// Prints products of random matrices through fragments: `wmma TYPE ROWS_A ROWS_B ROWS_C` reads A, B, C as
// doubles from stdin and writes D. Checked by NumPy.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
using namespace nvcuda;

template <class Layout>
constexpr bool by_rows = std::is_same<Layout, wmma::row_major>::value;

template <int M, int N, int K, class T, class S, class D, class LA, class LB>
__global__ void multiply(const S* a, const S* b, const D* c, D* d, bool c_rows, D scale) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, D> fc, fz;
  const wmma::layout_t layout = c_rows ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::load_matrix_sync(fa, a, by_rows<LA> ? K : M);
  wmma::load_matrix_sync(fb, b, by_rows<LB> ? N : K);
  wmma::load_matrix_sync(fc, c, c_rows ? N : M, layout);
  wmma::fill_fragment(fz, D(0));
  wmma::mma_sync(fz, fa, fb, fz);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = scale * fz.x[i] + fc.x[i];
  wmma::store_matrix_sync(d, fc, c_rows ? N : M, layout);
}

template <int M, int N, int K, class T, class S, class D, class LA, class LB>
int run(bool c_rows, bool misuse) {
  std::vector<double> in(M * K + K * N + M * N);
  if (fread(in.data(), 8, in.size(), stdin) != in.size()) return 2;
  S *a, *b;
  D *c, *d;
  cudaMallocManaged(&a, (M * K + 8) * sizeof(S));
  cudaMallocManaged(&b, K * N * sizeof(S));
  cudaMallocManaged(&c, M * N * sizeof(D));
  cudaMallocManaged(&d, M * N * sizeof(D));
  for (int i = 0; i < M * K; i++) a[i] = S(float(in[i]));
  for (int i = 0; i < K * N; i++) b[i] = S(float(in[M * K + i]));
  for (int i = 0; i < M * N; i++) c[i] = D(float(in[M * K + K * N + i]));
  multiply<M, N, K, T, S, D, LA, LB><<<1, 32>>>(a + (misuse ? 1 : 0), b, c, d, c_rows, D(2));
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::vector<double> out;
  for (int i = 0; i < M * N; i++) out.push_back(double(float(d[i])));
  fwrite(out.data(), 8, out.size(), stdout);
  return 0;
}

template <int M, int N, int K, class T, class S, class D>
int layouts(char** v) {
  using wmma::col_major;
  using wmma::row_major;
  const bool c = *v[4] == '1', bad = v[5] && !strcmp(v[5], "misaligned");
  if (*v[2] == '1') return *v[3] == '1' ? run<M, N, K, T, S, D, row_major, row_major>(c, bad)
                                        : run<M, N, K, T, S, D, row_major, col_major>(c, bad);
  return *v[3] == '1' ? run<M, N, K, T, S, D, col_major, row_major>(c, bad)
                      : run<M, N, K, T, S, D, col_major, col_major>(c, bad);
}

int main(int, char** v) {
  if (!strcmp(v[1], "half")) return layouts<16, 16, 16, half, half, float>(v);
  if (!strcmp(v[1], "half_sums")) return layouts<32, 8, 16, half, half, half>(v);
  if (!strcmp(v[1], "bf16")) return layouts<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>(v);
  if (!strcmp(v[1], "int8")) return layouts<16, 16, 16, signed char, signed char, int>(v);
  if (!strcmp(v[1], "tf32")) return layouts<16, 16, 8, wmma::precision::tf32, float, float>(v);
  if (!strcmp(v[1], "double")) return layouts<8, 8, 4, double, double, double>(v);
  return 4;
}
