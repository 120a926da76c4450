// The library seams as functions, run on the CPU target and wherever the libraries are.
#include <cmath>
#include <cstdio>

#include "portgpu.h"

#include "pg/libraries.h"

static int bad = 0;
#define EXPECT(x) do { if (!(x)) { ++bad; printf("line %d: %s\n", __LINE__, pg::last_error_string()); } } while (0)

int main() {
  void* raw;
  EXPECT(pg::malloc_managed(&raw, 1 << 16) == 0);
  float* x = static_cast<float*>(raw);
  pg::stream s;
  EXPECT(pg::stream_create(&s) == 0);

  pg::blas::handle h;
  EXPECT(pg::blas::create(&h) == 0 && pg::blas::set_stream(h, s) == 0);
  for (int i = 0; i < 6; ++i) x[i] = float(i + 1), x[10 + i] = float(2 * i);
  // A is 2 x 3, B is 3 x 2, by columns.
  EXPECT(pg::blas::gemm(h, pg::blas::op::none, pg::blas::op::none, 2, 2, 3, 2.0f, x, 2, x + 10, 3, 0.0f, x + 20, 2) == 0);
  EXPECT(pg::stream_synchronize(s) == 0);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int k = 0; k < 3; ++k) sum += x[k * 2 + i] * x[10 + j * 3 + k];
      EXPECT(x[20 + j * 2 + i] == 2 * sum);
    }
  float dot = 0, norm = 0;
  EXPECT(pg::blas::dot(h, 6, x, 1, x + 10, 1, &dot) == 0 && dot == 140.0f);
  EXPECT(pg::blas::nrm2(h, 2, x + 2, 1, &norm) == 0 && std::fabs(norm - 5) < 1e-5f);
  EXPECT(pg::blas::gemv(h, pg::blas::op::transpose, 2, 3, 1.0f, x, 2, x, 1, 0.0f, x + 30, 1) == 0);
  EXPECT(pg::stream_synchronize(s) == 0 && x[30] == 5 && x[32] == 17);
  EXPECT(pg::blas::axpy(h, 3, 2.0f, x, 1, x + 30, 1) == 0 && pg::blas::scal(h, 3, 10.0f, x + 30, 1) == 0);
  EXPECT(pg::stream_synchronize(s) == 0 && x[30] == 70);
  EXPECT(pg::blas::destroy(h) == 0);

  pg::fft::plan plan;
  const int shape[2] = {3, 4};
  for (int i = 0; i < 24; ++i) x[i] = x[100 + i] = float(i * i % 11);
  EXPECT(pg::fft::create(&plan, 2, shape, pg::fft::kind::c2c, 1) == 0 && pg::fft::set_stream(plan, s) == 0);
  EXPECT(pg::fft::execute(plan, pg::fft::kind::c2c, x, x) == 0);
  EXPECT(pg::fft::execute(plan, pg::fft::kind::c2c, x, x, pg::fft::direction::inverse) == 0);
  EXPECT(pg::stream_synchronize(s) == 0);
  for (int i = 0; i < 24; ++i) EXPECT(std::fabs(x[i] - 12 * x[100 + i]) < 1e-4f);
  EXPECT(pg::fft::execute(plan, pg::fft::kind::z2z, x, x) == pg::error_runtime);
  EXPECT(pg::fft::destroy(plan) == 0);

  pg::rand::generator g;
  EXPECT(pg::rand::create(&g, 5) == 0 && pg::rand::set_stream(g, s) == 0);
  EXPECT(pg::rand::normal(g, x, 10000, 3.0f, 2.0f) == 0 && pg::stream_synchronize(s) == 0);
  double mean = 0, square = 0;
  for (int i = 0; i < 10000; ++i) mean += x[i] / 1e4, square += x[i] * x[i] / 1e4;
  EXPECT(std::fabs(mean - 3) < 0.1 && std::fabs(square - mean * mean - 4) < 0.3);
  EXPECT(pg::rand::uniform(g, x, 1000) == 0 && pg::stream_synchronize(s) == 0);
  for (int i = 0; i < 1000; ++i) EXPECT(x[i] >= 0 && x[i] <= 1);
  EXPECT(pg::rand::destroy(g) == 0);

  int* n = reinterpret_cast<int*>(x + 1000);
  const int offsets[4] = {0, 2, 2, 3}, columns[3] = {0, 3, 1};
  for (int i = 0; i < 4; ++i) n[i] = offsets[i], x[50 + i] = float(i + 1), x[60 + i] = 100;
  for (int i = 0; i < 3; ++i) n[10 + i] = columns[i], x[40 + i] = float(i + 5);
  pg::sparse::handle sparse;
  EXPECT(pg::sparse::create(&sparse) == 0);
  pg::sparse::csr<float> a = {3, 4, 3, n, n + 10, x + 40};
  EXPECT(pg::sparse::spmv(sparse, 2.0f, a, x + 50, 1.0f, x + 60) == 0);
  EXPECT(x[60] == 100 + 2 * (5 * 1 + 6 * 4) && x[61] == 100 && x[62] == 100 + 2 * 7 * 2);
  EXPECT(pg::sparse::destroy(sparse) == 0);
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
