// Inline PTX's matrix products: fragments by the PTX ISA's layout, every element type, held to sums.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "common.cuh"

namespace ptx_matrix {
// Fragments of an m16n8k16 product are gathered from matrices in memory by the documented layout.
template <class T>
__device__ unsigned pair(const T* p, int step) {
  unsigned short lo, hi;
  memcpy(&lo, p, 2);
  memcpy(&hi, p + step, 2);
  return lo | unsigned(hi) << 16;
}

__global__ void halves(const float* in, float* out) {
  __shared__ __half a[16][16], b[16][8];
  __shared__ __nv_bfloat16 x[16][16], y[16][8];
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  for (int i = lane; i < 256; i += 32) {
    a[i / 16][i % 16] = __float2half(in[i]);
    x[i / 16][i % 16] = __float2bfloat16(in[i]);
  }
  for (int i = lane; i < 128; i += 32) {
    b[i / 8][i % 8] = __float2half(in[256 + i]);
    y[i / 8][i % 8] = __float2bfloat16(in[256 + i]);
  }
  __syncthreads();
  unsigned ra[4], rb[2], xa[4], yb[2];
  for (int i = 0; i < 4; ++i) {
    ra[i] = pair(&a[g + i % 2 * 8][2 * t + i / 2 * 8], 1);
    xa[i] = pair(&x[g + i % 2 * 8][2 * t + i / 2 * 8], 1);
  }
  for (int i = 0; i < 2; ++i) {
    rb[i] = pair(&b[2 * t + 8 * i][g], 8);
    yb[i] = pair(&y[2 * t + 8 * i][g], 8);
  }
  float d[4], e[4] = {1, 2, 3, 4}, f[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(e[0]), "f"(e[1]),
        "f"(e[2]), "f"(e[3]));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(xa[0]), "r"(xa[1]), "r"(xa[2]), "r"(xa[3]), "r"(yb[0]), "r"(yb[1]));
  unsigned h[2] = {0x3c003c00u, 0x40004000u};
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(h[0]), "+r"(h[1])
      : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
  for (int i = 0; i < 4; ++i) {
    const int r = g + i / 2 * 8, c = 2 * t + i % 2;
    out[r * 8 + c] = d[i];
    out[128 + r * 8 + c] = f[i];
    out[256 + r * 8 + c] = __half2float(__ushort_as_half((unsigned short)(h[i / 2] >> (16 * (i % 2)))));
  }
}

__global__ void others(const float* in, float* out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = __float_as_uint(in[(g + i % 2 * 8) * 16 + t + i / 2 * 4]);
  for (int i = 0; i < 2; ++i) b[i] = __float_as_uint(in[256 + (t + 4 * i) * 8 + g]);
  float f[4] = {0, 0, 0, 0};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  unsigned s[2] = {0, 0}, u = 0;
  for (int e = 0; e < 4; ++e) {
    for (int i = 0; i < 2; ++i) s[i] |= (unsigned)((int)in[(g + 8 * i) * 16 + 4 * t + e] & 255) << 8 * e;
    u |= (unsigned)((int)in[256 + (4 * t + e) * 8 + g] & 255) << 8 * e;
  }
  int k[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(k[0]), "+r"(k[1]), "+r"(k[2]), "+r"(k[3])
      : "r"(s[0]), "r"(s[1]), "r"(u));
  double d[2] = {0, 0};
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"((double)in[g * 16 + t]), "d"((double)in[256 + t * 8 + g]));
  for (int i = 0; i < 4; ++i) {
    const int r = g + i / 2 * 8, c = 2 * t + i % 2;
    out[r * 8 + c] = f[i];
    out[128 + r * 8 + c] = (float)k[i];
    out[256 + r * 8 + c] = i < 2 ? (float)d[i] : 0.0f;
  }
}

bool same(const char* name, const float* in, const float* out, int depth, bool first, int rows) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < 8; ++c) {
      float sum = first ? float(c % 2 + r / 8 * 2 + 1) : 0.0f;
      if (depth == 8 && first) sum = r < 8 ? 1.0f : 2.0f;
      if (depth == 17) sum = 1.0f;
      for (int k = 0; k < (depth == 17 ? 16 : depth); ++k) sum += in[r * 16 + k] * in[256 + k * 8 + c];
      if (out[r * 8 + c] != sum) {
        std::printf("%s (%d, %d): %g, not %g\n", name, r, c, out[r * 8 + c], sum);
        return false;
      }
    }
  return true;
}
}  // namespace ptx_matrix

int main() {
  using namespace ptx_matrix;
  std::vector<float> data(384 + 768), values = numbers<float>(384);
  for (int i = 0; i < 384; ++i) data[i] = float(int(values[i]) % 9 - 4);
  data = run_on_device(data, [](float* p) {
    halves<<<1, 32>>>(p, p + 384);
  });
  bool good = same("f16", &data[0], &data[384], 16, true, 16) &&
              same("bf16", &data[0], &data[512], 16, false, 16) &&
              same("f16 sums", &data[0], &data[640], 8, true, 16);
  uint64_t h = checksum(data);
  data = run_on_device(data, [](float* p) {
    others<<<1, 32>>>(p, p + 384);
  });
  good = good && same("tf32", &data[0], &data[384], 8, false, 16) &&
         same("s8", &data[0], &data[512], 17, false, 16) && same("f64", &data[0], &data[640], 4, false, 8);
  if (!good) return 1;
  return report("ptx_matrix", mix(h, checksum(data)));
}
