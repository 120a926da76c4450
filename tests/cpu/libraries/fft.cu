// Reads: kind rank n… batch sign in-place embed(0/1) then data; writes the result: checked by NumPy.
#include <cufft.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
int main(int, char** a) {
  const int type = atoi(a[1]), rank = atoi(a[2]);
  int n[3], i = 3;
  for (int k = 0; k < rank; ++k) n[k] = atoi(a[i++]);
  const int batch = atoi(a[i++]), sign = atoi(a[i++]), in_place = atoi(a[i++]);
  const size_t in_bytes = atol(a[i++]), out_bytes = atol(a[i++]);
  char* host = (char*)malloc(in_bytes > out_bytes ? in_bytes : out_bytes);
  if (fread(host, 1, in_bytes, stdin) != in_bytes) return 2;
  void *x, *y;
  cudaMalloc(&x, in_bytes > out_bytes ? in_bytes : out_bytes);
  cudaMalloc(&y, out_bytes);
  cudaMemcpy(x, host, in_bytes, cudaMemcpyHostToDevice);
  if (in_place) y = x;
  cufftHandle plan;
  const cufftType t = (cufftType)type;
  int bad = 0;
  if (a[i]) {  // strided: elements of batches interleaved
    int embed_in[3], embed_out[3];
    for (int k = 0; k < rank; ++k) embed_in[k] = embed_out[k] = n[k];
    const int half = n[rank - 1] / 2 + 1;
    if (t == CUFFT_R2C || t == CUFFT_D2Z) embed_out[rank - 1] = half;
    if (t == CUFFT_C2R || t == CUFFT_Z2D) embed_in[rank - 1] = half;
    bad |= cufftPlanMany(&plan, rank, n, embed_in, batch, 1, embed_out, batch, 1, t, batch);
  } else if (rank == 1) bad |= cufftPlan1d(&plan, n[0], t, batch);
  else if (batch > 1) bad |= cufftPlanMany(&plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, t, batch);
  else if (rank == 2) bad |= cufftPlan2d(&plan, n[0], n[1], t);
  else bad |= cufftPlan3d(&plan, n[0], n[1], n[2], t);
  cudaStream_t s;
  cudaStreamCreate(&s);
  bad |= cufftSetStream(plan, s);
  switch (t) {
    case CUFFT_C2C: bad |= cufftExecC2C(plan, (cufftComplex*)x, (cufftComplex*)y, sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE); break;
    case CUFFT_Z2Z: bad |= cufftExecZ2Z(plan, (cufftDoubleComplex*)x, (cufftDoubleComplex*)y, sign); break;
    case CUFFT_R2C: bad |= cufftExecR2C(plan, (cufftReal*)x, (cufftComplex*)y); break;
    case CUFFT_D2Z: bad |= cufftExecD2Z(plan, (cufftDoubleReal*)x, (cufftDoubleComplex*)y); break;
    case CUFFT_C2R: bad |= cufftExecC2R(plan, (cufftComplex*)x, (cufftReal*)y); break;
    case CUFFT_Z2D: bad |= cufftExecZ2D(plan, (cufftDoubleComplex*)x, (cufftDoubleReal*)y); break;
  }
  bad |= cudaStreamSynchronize(s);
  cudaMemcpy(host, y, out_bytes, cudaMemcpyDeviceToHost);
  fwrite(host, 1, out_bytes, stdout);
  bad |= cufftDestroy(plan);
  if (cufftExecC2C(plan, (cufftComplex*)x, (cufftComplex*)y, -1) != CUFFT_INVALID_PLAN) bad = 3;
  return bad;
}
