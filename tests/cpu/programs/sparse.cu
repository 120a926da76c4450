// The generic sparse API, against dense loops: formats, index bases, operations, conversions.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <vector>
template <class T>
T* device(const std::vector<T>& v) {
  T* p;
  cudaMalloc((void**)&p, v.size() * sizeof(T) + 1);
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T>
std::vector<T> host(const T* p, size_t n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}
int main() {
  const int m = 7, n = 9, k = 4;
  srand(5);
  std::vector<double> a(m * n, 0.0), x(n), y(m), b(n * k);
  for (auto& v : a) if (rand() % 3 == 0) v = rand() % 19 - 9;
  for (auto& v : x) v = rand() % 9 - 4;
  for (auto& v : y) v = rand() % 9 - 4;
  for (auto& v : b) v = rand() % 9 - 4;
  int bad = 0;
  cusparseHandle_t h;
  bad += cusparseCreate(&h) != CUSPARSE_STATUS_SUCCESS;
  for (int base = 0; base < 2; base++) {
    std::vector<int> offsets{base}, columns, rows;
    std::vector<double> values;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) if (a[i * n + j] != 0) { columns.push_back(j + base); rows.push_back(i + base); values.push_back(a[i * n + j]); }
      offsets.push_back((int)columns.size() + base);
    }
    const int nnz = (int)values.size();
    int *dr = device(rows), *dc = device(columns), *doff = device(offsets);
    double *dv = device(values), *dx = device(x), *dy = device(y), *db = device(b);
    cusparseIndexBase_t ib = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    cusparseSpMatDescr_t csr, coo;
    bad += cusparseCreateCsr(&csr, m, n, nnz, doff, dc, dv, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, ib, CUDA_R_64F) != 0;
    bad += cusparseCreateCoo(&coo, m, n, nnz, dr, dc, dv, CUSPARSE_INDEX_32I, ib, CUDA_R_64F) != 0;
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateDnVec(&vx, n, dx, CUDA_R_64F);
    cusparseCreateDnVec(&vy, m, dy, CUDA_R_64F);
    double alpha = 2, beta = -1;
    size_t size = 99;
    for (int form = 0; form < 2; form++) {
      cusparseSpMatDescr_t mat = form ? coo : csr;
      cudaMemcpy(dy, y.data(), m * 8, cudaMemcpyHostToDevice);
      cudaMemcpy(dx, x.data(), n * 8, cudaMemcpyHostToDevice);
      bad += cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, mat, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &size) != 0;
      bad += cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, mat, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) != 0;
      std::vector<double> got = host(dy, m);
      for (int i = 0; i < m; i++) { double s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * x[j]; bad += got[i] != 2 * s - y[i]; }
      bad += cusparseSpMV(h, CUSPARSE_OPERATION_TRANSPOSE, &alpha, mat, vy, &beta, vx, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) != 0;
      std::vector<double> back = host(dx, n);
      for (int j = 0; j < n; j++) { double s = 0; for (int i = 0; i < m; i++) s += a[i * n + j] * got[i]; bad += back[j] != 2 * s - x[j]; }
    }
    bad += cusparseSpMV(h, CUSPARSE_OPERATION_TRANSPOSE, &alpha, csr, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) != CUSPARSE_STATUS_INVALID_VALUE;
    double* dcm;
    cudaMalloc((void**)&dcm, m * k * 8);
    cudaMemset(dcm, 0, m * k * 8);
    cusparseDnMatDescr_t mb, mc, md;
    cusparseCreateDnMat(&mb, n, k, k, db, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&mc, m, k, m, dcm, CUDA_R_64F, CUSPARSE_ORDER_COL);
    beta = 0;
    bad += cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, csr, mb, &beta, mc, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr) != 0;
    std::vector<double> c = host(dcm, m * k);
    for (int i = 0; i < m; i++) for (int j = 0; j < k; j++) { double s = 0; for (int p = 0; p < n; p++) s += a[i * n + p] * b[p * k + j]; bad += c[j * m + i] != 2 * s; }
    // Dense, and back to compressed columns.
    double* dd;
    cudaMalloc((void**)&dd, m * n * 8);
    cusparseCreateDnMat(&md, m, n, n, dd, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    bad += cusparseSparseToDense(h, coo, md, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr) != 0;
    bad += host(dd, m * n) != a;
    int *co, *cr, *co2, *cr2; double *cv, *cv2;
    cudaMalloc((void**)&co, (n + 1) * 4); cudaMalloc((void**)&co2, (n + 1) * 4);
    cudaMalloc((void**)&cr, nnz * 4); cudaMalloc((void**)&cv, nnz * 8); cudaMalloc((void**)&cr2, nnz * 4); cudaMalloc((void**)&cv2, nnz * 8);
    cusparseSpMatDescr_t csc;
    cusparseCreateCsc(&csc, m, n, 0, co, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, ib, CUDA_R_64F);
    bad += cusparseDenseToSparse_analysis(h, md, csc, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr) != 0;
    int64_t r_, c_, found;
    cusparseSpMatGetSize(csc, &r_, &c_, &found);
    bad += found != nnz;
    cusparseCscSetPointers(csc, co, cr, cv);
    bad += cusparseDenseToSparse_convert(h, md, csc, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr) != 0;
    bad += cusparseCsr2cscEx2(h, m, n, nnz, dv, doff, dc, cv2, co2, cr2, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, ib, CUSPARSE_CSR2CSC_ALG1, nullptr) != 0;
    bad += host(co, n + 1) != host(co2, n + 1) || host(cr, nnz) != host(cr2, nnz) || host(cv, nnz) != host(cv2, nnz);
    bad += cusparseXcoo2csr(h, dr, nnz, m, co2, ib) != 0;  // n + 1 > m + 1 places
    bad += host(co2, m + 1) != offsets;
    bad += cusparseXcsr2coo(h, doff, nnz, m, cr2, ib) != 0;
    bad += host(cr2, nnz) != rows;
    cusparseDestroySpMat(csr); cusparseDestroySpMat(coo); cusparseDestroySpMat(csc);
    cusparseDestroyDnVec(vx); cusparseDestroyDnVec(vy);
    cusparseDestroyDnMat(mb); cusparseDestroyDnMat(mc); cusparseDestroyDnMat(md);
  }
  bad += cusparseDestroy(h) != CUSPARSE_STATUS_SUCCESS;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
