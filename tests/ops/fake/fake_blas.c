/* cuBLAS's functions that the seam calls, in plain C by their documentation: column-major, f32 and f64. What the
 * calls asked for is counted, so that a test knows that they were made. */
#include <stdint.h>
#include <stdlib.h>

static int gemms, gemvs;
int fake_gemms(void) { return gemms; }
int fake_gemvs(void) { return gemvs; }

int cublasCreate_v2(void** handle) {
  *handle = malloc(1);
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) { (void)stream; return handle == NULL; }
int cublasSetWorkspace_v2(void* handle, void* data, size_t bytes) { (void)data; (void)bytes; return handle == NULL; }
int cublasSetMathMode(void* handle, int mode) { return handle == NULL || mode != 16; }

static double get(const void* p, int type, int64_t i) {
  return type == 1 ? ((const double*)p)[i] : ((const float*)p)[i];
}
static void put(void* p, int type, int64_t i, double v) {
  if (type == 1) ((double*)p)[i] = v;
  else ((float*)p)[i] = (float)v;
}

int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                               const void* a, int atype, int lda, long long astep, const void* b, int btype, int ldb,
                               long long bstep, const void* beta, void* c, int ctype, int ldc, long long cstep,
                               int batch, int compute, int algo) {
  (void)alpha;
  (void)beta;
  if (handle == NULL || algo != -1 || atype != ctype || btype != ctype || (ctype != 0 && ctype != 1)) return 7;
  if (compute != (ctype == 1 ? 70 : 68)) return 7;
  if (lda < (transa ? k : m) || ldb < (transb ? n : k) || ldc < m) return 7; /* as cuBLAS checks */
  ++gemms;
  for (int64_t z = 0; z < batch; ++z)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += get(a, atype, z * astep + (transa ? l + i * lda : i + l * lda)) *
                 get(b, btype, z * bstep + (transb ? j + l * ldb : l + j * ldb));
        put(c, ctype, z * cstep + i + j * ldc, sum);
      }
  return 0;
}

static int gemv(int trans, int m, int n, int type, const void* a, int lda, const void* x, int incx, void* y,
                int incy) {
  if (lda < m || incx == 0 || incy == 0) return 7;
  ++gemvs;
  for (int64_t i = 0; i < (trans ? n : m); ++i) {
    double sum = 0;
    for (int64_t l = 0; l < (trans ? m : n); ++l)
      sum += get(a, type, trans ? l + i * lda : i + l * lda) * get(x, type, l * incx);
    put(y, type, i * incy, sum);
  }
  return 0;
}
int cublasSgemv_v2(void* h, int trans, int m, int n, const float* alpha, const float* a, int lda, const float* x,
                   int incx, const float* beta, float* y, int incy) {
  (void)alpha;
  (void)beta;
  return h == NULL ? 1 : gemv(trans, m, n, 0, a, lda, x, incx, y, incy);
}
int cublasDgemv_v2(void* h, int trans, int m, int n, const double* alpha, const double* a, int lda, const double* x,
                   int incx, const double* beta, double* y, int incy) {
  (void)alpha;
  (void)beta;
  return h == NULL ? 1 : gemv(trans, m, n, 1, a, lda, x, incx, y, incy);
}
