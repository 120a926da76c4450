// Triangular and symmetric matrices, by what defines their results, with both sides, triangles and operations.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <vector>
typedef std::vector<double> Matrix;
static double* device(const Matrix& v) {
  double* p;
  cudaMalloc((void**)&p, v.size() * 8);
  cudaMemcpy(p, v.data(), v.size() * 8, cudaMemcpyHostToDevice);
  return p;
}
static Matrix host(const double* p, size_t n) {
  Matrix v(n);
  cudaMemcpy(v.data(), p, n * 8, cudaMemcpyDeviceToHost);
  return v;
}
int main() {
  const int m = 5, n = 4, k = 7;
  int bad = 0;
  srand(11);
  Matrix a(k * k), b(m * n), c(m * m), wide(k * k);
  for (auto* v : {&a, &b, &c, &wide}) for (auto& x : *v) x = rand() % 100 / 50.0 - 1;
  for (int i = 0; i < k; i++) a[i * k + i] += 4;
  cublasHandle_t h;
  bad += cublasCreate(&h) != CUBLAS_STATUS_SUCCESS;
  const double two = 2, half = 0.5;
  double* da = device(a);
  for (int left = 0; left < 2; left++) for (int upper = 0; upper < 2; upper++) for (int t = 0; t < 2; t++) for (int unit = 0; unit < 2; unit++) {
    double* db = device(b);
    const int size = left ? m : n;
    bad += cublasDtrsm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, t ? CUBLAS_OP_T : CUBLAS_OP_N,
                       unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n, &two, da, k, db, m) != CUBLAS_STATUS_SUCCESS;
    Matrix x = host(db, m * n);
    auto e = [&](int i, int j) {  // of op(A)
      const int r = t ? j : i, s = t ? i : j;
      if (r == s) return unit ? 1.0 : a[s * k + r];
      return (upper ? r < s : r > s) ? a[s * k + r] : 0.0;
    };
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < size; p++) s += left ? e(i, p) * x[j * m + p] : x[p * m + i] * e(p, j);
      bad += std::fabs(s - 2 * b[j * m + i]) > 1e-11;
    }
    if (left) {
      db = device(b);
      bad += cublasDtrsv(h, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, t ? CUBLAS_OP_T : CUBLAS_OP_N, unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, da, k, db, 1) != CUBLAS_STATUS_SUCCESS;
      Matrix y = host(db, m);
      for (int i = 0; i < m; i++) bad += std::fabs(2 * y[i] - x[i]) > 1e-11;
    }
  }
  for (int upper = 0; upper < 2; upper++) for (int t = 0; t < 2; t++) {
    cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    double *dc = device(c), *dw = device(wide);
    bad += cublasDsyrk(h, fill, t ? CUBLAS_OP_T : CUBLAS_OP_N, m, k, &two, dw, k, &half, dc, m) != CUBLAS_STATUS_SUCCESS;
    Matrix got = host(dc, m * m);
    auto w = [&](int i, int p) { return t ? wide[i * k + p] : wide[p * k + i]; };
    for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) {
      double s = 0;
      for (int p = 0; p < k; p++) s += w(i, p) * w(j, p);
      const double want = (upper ? i <= j : i >= j) ? 2 * s + c[j * m + i] / 2 : c[j * m + i];
      bad += std::fabs(got[j * m + i] - want) > 1e-12;
    }
    // The same matrix by its one triangle.
    double *db = device(b), *dr = device(Matrix(m * n));
    const double zero = 0;
    bad += cublasDsymm(h, t ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, fill, m, n, &two, da, k, db, m, &zero, dr, m) != CUBLAS_STATUS_SUCCESS;
    Matrix r = host(dr, m * n);
    auto s = [&](int i, int j) { return (upper ? i <= j : i >= j) ? a[j * k + i] : a[i * k + j]; };
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
      double sum = 0;
      if (t) for (int p = 0; p < m; p++) sum += s(i, p) * b[j * m + p];
      else for (int p = 0; p < n; p++) sum += b[p * m + i] * s(p, j);
      bad += std::fabs(r[j * m + i] - 2 * sum) > 1e-12;
    }
    bad += cublasDsymv(h, fill, m, &two, da, k, db, 1, &zero, dr, 1) != CUBLAS_STATUS_SUCCESS;
    r = host(dr, m);
    for (int i = 0; i < m; i++) { double sum = 0; for (int p = 0; p < m; p++) sum += s(i, p) * b[p]; bad += std::fabs(r[i] - 2 * sum) > 1e-12; }
    bad += cublasDdgmm(h, t ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, m, n, db, m, da, 1, dr, m) != CUBLAS_STATUS_SUCCESS;
    r = host(dr, m * n);
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) bad += r[j * m + i] != b[j * m + i] * a[t ? i : j];
  }
  // Hermitian: C = A A^H has a real diagonal.
  std::vector<cuDoubleComplex> z(m * k), zc(m * m);
  for (auto& v : z) v = make_cuDoubleComplex(rand() % 9 - 4, rand() % 9 - 4);
  cuDoubleComplex *dz, *dzc;
  cudaMalloc((void**)&dz, z.size() * 16); cudaMalloc((void**)&dzc, zc.size() * 16);
  cudaMemcpy(dz, z.data(), z.size() * 16, cudaMemcpyHostToDevice);
  cudaMemset(dzc, 0, zc.size() * 16);
  const double zero = 0;
  bad += cublasZherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, m, k, &two, dz, m, &zero, dzc, m) != CUBLAS_STATUS_SUCCESS;
  cudaMemcpy(zc.data(), dzc, zc.size() * 16, cudaMemcpyDeviceToHost);
  for (int j = 0; j < m; j++) for (int i = j; i < m; i++) {
    double re = 0, im = 0;
    for (int p = 0; p < k; p++) { cuDoubleComplex u = z[p * m + i], v = z[p * m + j]; re += u.x * v.x + u.y * v.y; im += u.y * v.x - u.x * v.y; }
    bad += zc[j * m + i].x != 2 * re || zc[j * m + i].y != 2 * im;
  }
  bad += cublasDestroy(h) != CUBLAS_STATUS_SUCCESS;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
