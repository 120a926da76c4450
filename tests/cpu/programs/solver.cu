// Dense solvers, by what defines their results: factors multiply to the matrix, bases are orthogonal.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <vector>
#define OK(x) do { if ((x) != CUSOLVER_STATUS_SUCCESS) { printf("FAIL line %d\n", __LINE__); return 1; } } while (0)
#define NEAR(a, b) do { if (!(std::fabs((a) - (b)) < 1e-10)) { printf("FAIL line %d: %g %g\n", __LINE__, double(a), double(b)); return 1; } } while (0)
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
  const int m = 9, n = 6, lda = 11;
  srand(3);
  Matrix a(lda * n), b(n * 2), spd(n * n), square(n * n);
  for (auto& v : a) v = rand() % 100 / 50.0 - 1;
  for (auto& v : b) v = rand() % 100 / 50.0 - 1;
  for (auto& v : square) v = rand() % 100 / 50.0 - 1;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = i == j ? 3 : 0; for (int k = 0; k < n; k++) s += square[k * n + i] * square[k * n + j]; spd[j * n + i] = s; }
  cusolverDnHandle_t h;
  OK(cusolverDnCreate(&h));
  int size = 0, *info, *pivots, status;
  cudaMalloc((void**)&info, 4);
  cudaMalloc((void**)&pivots, n * 4);
  double *work, *tau;
  cudaMalloc((void**)&work, 8000);
  cudaMalloc((void**)&tau, n * 8);

  // Cholesky by both triangles, and its solution.
  for (int upper = 0; upper < 2; upper++) {
    cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    double *da = device(spd), *db = device(b);
    OK(cusolverDnDpotrf_bufferSize(h, fill, n, da, n, &size));
    OK(cusolverDnDpotrf(h, fill, n, da, n, work, size, info));
    cudaMemcpy(&status, info, 4, cudaMemcpyDeviceToHost);
    NEAR(status, 0);
    OK(cusolverDnDpotrs(h, fill, n, 2, da, n, db, n, info));
    Matrix x = host(db, n * 2);
    for (int c = 0; c < 2; c++) for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < n; k++) s += spd[k * n + i] * x[c * n + k]; NEAR(s, b[c * n + i]); }
    Matrix bad = spd;
    bad[3 * n + 3] = -1;
    da = device(bad);
    OK(cusolverDnDpotrf(h, fill, n, da, n, work, size, info));
    cudaMemcpy(&status, info, 4, cudaMemcpyDeviceToHost);
    NEAR(status, 4);
  }
  // LU, and solutions with the matrix and its transpose.
  for (int t = 0; t < 2; t++) {
    double *da = device(square), *db = device(b);
    OK(cusolverDnDgetrf_bufferSize(h, n, n, da, n, &size));
    OK(cusolverDnDgetrf(h, n, n, da, n, work, pivots, info));
    OK(cusolverDnDgetrs(h, t ? CUBLAS_OP_T : CUBLAS_OP_N, n, 2, da, n, pivots, db, n, info));
    Matrix x = host(db, n * 2), lu = host(da, n * n);
    for (int j = 0; j < n; j++) for (int i = j + 1; i < n; i++) if (std::fabs(lu[j * n + i]) > 1) { printf("FAIL pivots\n"); return 1; }
    for (int c = 0; c < 2; c++) for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < n; k++) s += (t ? square[i * n + k] : square[k * n + i]) * x[c * n + k]; NEAR(s, b[c * n + i]); }
  }
  // QR: Q R is the matrix again, columns of Q are orthogonal.
  double* da = device(a);
  OK(cusolverDnDgeqrf_bufferSize(h, m, n, da, lda, &size));
  OK(cusolverDnDgeqrf(h, m, n, da, lda, tau, work, size, info));
  Matrix r = host(da, lda * n), c = a;
  double* dc = device(c);
  OK(cusolverDnDormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, n, n, da, lda, tau, dc, lda, work, 100, info));
  c = host(dc, lda * n);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) NEAR(c[j * lda + i], i <= j ? r[j * lda + i] : 0.0);
  OK(cusolverDnDorgqr(h, m, n, n, da, lda, tau, work, 100, info));
  Matrix q = host(da, lda * n);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0; for (int k = 0; k < m; k++) s += q[i * lda + k] * q[j * lda + k]; NEAR(s, i == j); }
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { double s = 0; for (int k = 0; k <= j; k++) s += q[k * lda + i] * r[j * lda + k]; NEAR(s, a[j * lda + i]); }
  // Eigenvalues: A v = w v, ascending.
  double *dv = device(spd), *dw = device(Matrix(n));
  OK(cusolverDnDsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, dv, n, dw, &size));
  OK(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, dv, n, dw, work, size, info));
  Matrix v = host(dv, n * n), w = host(dw, n);
  for (int j = 0; j < n; j++) {
    if (j && w[j] < w[j - 1]) { printf("FAIL order\n"); return 1; }
    for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < n; k++) s += spd[k * n + i] * v[j * n + k]; NEAR(s, w[j] * v[j * n + i]); }
  }
  // Singular values: U S VT is the matrix, also with one column that repeats another.
  for (int j = 0; j < m; j++) a[2 * lda + j] = a[1 * lda + j];
  da = device(a);
  double *ds = device(Matrix(n)), *du = device(Matrix(m * m)), *dt = device(Matrix(n * n));
  OK(cusolverDnDgesvd_bufferSize(h, m, n, &size));
  OK(cusolverDnDgesvd(h, 'A', 'A', m, n, da, lda, ds, du, m, dt, n, work, size, nullptr, info));
  Matrix s = host(ds, n), u = host(du, m * m), vt = host(dt, n * n);
  NEAR(s[n - 1], 0.0);
  for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) { double d = 0; for (int k = 0; k < m; k++) d += u[i * m + k] * u[j * m + k]; NEAR(d, i == j); }
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { double d = 0; for (int k = 0; k < n; k++) d += u[k * m + i] * s[k] * vt[j * n + k]; NEAR(d, a[j * lda + i]); }
  OK(cusolverDnDestroy(h));
  printf("PASS\n");
  return 0;
}
