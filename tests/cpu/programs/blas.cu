#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "cublas_v2.h"
#include <cuda_runtime.h>
#define IDX2C(i,j,ld) (((j)*(ld))+(i))
int main(int argc, char* argv[]) {
  const int m = 17, n = 9, k = 13; float *A, *B, *C; int bad = 0;
  A = (float*)malloc(m*k*4); B = (float*)malloc(k*n*4); C = (float*)malloc(m*n*4);
  for (int i=0;i<m*k;i++) A[i] = (i%7)-3; for (int i=0;i<k*n;i++) B[i] = (i%5)-2; for (int i=0;i<m*n;i++) C[i]=1;
  float *dA, *dB, *dC; cudaMalloc((void**)&dA, m*k*4); cudaMalloc((void**)&dB, k*n*4); cudaMalloc((void**)&dC, m*n*4);
  cublasHandle_t handle; cublasStatus_t stat = cublasCreate(&handle); if (stat != CUBLAS_STATUS_SUCCESS) { printf("CUBLAS init failed\n"); return EXIT_FAILURE; }
  cublasSetMatrix(m, k, sizeof(float), A, m, dA, m); cublasSetMatrix(k, n, sizeof(*B), B, k, dB, k); cublasSetVector(m*n, sizeof(float), C, 1, dC, 1);
  const float alpha = 2.f, beta = 0.5f; stat = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, dA, m, dB, k, &beta, dC, m); bad += stat != CUBLAS_STATUS_SUCCESS;
  float* R = (float*)malloc(m*n*4); cublasGetMatrix(m, n, sizeof(float), dC, m, R, m);
  for (int i=0;i<m;i++) for (int j=0;j<n;j++) { float s=0; for (int p=0;p<k;p++) s += A[IDX2C(i,p,m)]*B[IDX2C(p,j,k)]; if (fabs(R[IDX2C(i,j,m)] - (2*s+.5f)) > 1e-4) bad++; }
  float dot, nrm, as; int imax; cublasSdot(handle, m, dA, 1, dA, 1, &dot); cublasSnrm2(handle, m, dA, 1, &nrm); bad += fabs(nrm*nrm-dot) > 1e-3; cublasSasum(handle, m, dA, 1, &as); cublasIsamax(handle, m, dA, 1, &imax); bad += imax < 1;
  cublasSaxpy(handle, m, &alpha, dA, 1, dC, 1); cublasSscal(handle, m, &beta, dC, 1); cublasSgemv(handle, CUBLAS_OP_T, m, k, &alpha, dA, m, dC, 1, &beta, dB, 1);
  cublasSgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &alpha, dA, 2, 4, dB, 2, 4, &beta, dC, 2, 4, 3);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &alpha, dA, CUDA_R_32F, 4, dB, CUDA_R_32F, 4, &beta, dC, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasSetStream(handle, 0); cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST); cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
  cublasDestroy(handle); printf("%s\n", bad ? "FAIL" : "PASS"); cudaFree(dA); cudaFree(dB); cudaFree(dC); return bad;
}
