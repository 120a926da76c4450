// Reads triples of floats from stdin and writes what the 16-bit types make of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Row {
  unsigned short half_rn, half_rz, half_ru, half_rd, bf_rn, bf_rz, bf_ru, bf_rd;
  unsigned short half_double, bf_double, half_fma, bf_fma, half_add, bf_add, half_min, bf_max;
};

__global__ void convert(const float* x, const double* d, Row* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
  Row& r = out[i];
  r.half_rn = __half_as_ushort(__float2half_rn(a));
  r.half_rz = __half_as_ushort(__float2half_rz(a));
  r.half_ru = __half_as_ushort(__float2half_ru(a));
  r.half_rd = __half_as_ushort(__float2half_rd(a));
  r.bf_rn = __bfloat16_as_ushort(__float2bfloat16_rn(a));
  r.bf_rz = __bfloat16_as_ushort(__float2bfloat16_rz(a));
  r.bf_ru = __bfloat16_as_ushort(__float2bfloat16_ru(a));
  r.bf_rd = __bfloat16_as_ushort(__float2bfloat16_rd(a));
  r.half_double = __half_as_ushort(__double2half(d[i]));
  r.bf_double = __bfloat16_as_ushort(__double2bfloat16(d[i]));
  const half ha = a, hb = b, hc = c;
  const __nv_bfloat16 ba = a, bb = b, bc = c;
  r.half_fma = __half_as_ushort(__hfma(ha, hb, hc));
  r.bf_fma = __bfloat16_as_ushort(__hfma(ba, bb, bc));
  r.half_add = __half_as_ushort(ha + hb);
  r.bf_add = __bfloat16_as_ushort(ba + bb);
  r.half_min = __half_as_ushort(__hmin(ha, hb));
  r.bf_max = __bfloat16_as_ushort(__hmax(ba, bb));
}

int main() {
  int n = 0;
  if (fread(&n, sizeof n, 1, stdin) != 1) return 1;
  float* x;
  double* d;
  Row* out;
  cudaMallocManaged(&x, 3 * n * sizeof(float));
  cudaMallocManaged(&d, n * sizeof(double));
  cudaMallocManaged(&out, n * sizeof(Row));
  if (fread(x, sizeof(float), 3 * n, stdin) != size_t(3 * n)) return 1;
  if (fread(d, sizeof(double), n, stdin) != size_t(n)) return 1;
  convert<<<(n + 255) / 256, 256>>>(x, d, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  fwrite(out, sizeof(Row), n, stdout);
  // And every 16-bit pattern as a float.
  for (unsigned b = 0; b < 65536; ++b) {
    const float f[2] = {__half2float(__ushort_as_half(b)), __bfloat162float(__ushort_as_bfloat16(b))};
    fwrite(f, sizeof f, 1, stdout);
  }
  return 0;
}
