// What inline PTX has of matrix products: fragments in the layout of the PTX ISA. Lane l holds row l / 4
// (and that + 8) of A and the sums, columns 2 * (l % 4) and the next of the sums, column l / 4 of B.
// The CPU target has this file too, as pgcpu/ptx_mma.h, which defines PGCPU_PTX_MMA.
#ifndef PORTGPU_HIP_COMPAT_MMA_PTX_H
#define PORTGPU_HIP_COMPAT_MMA_PTX_H

#if defined(PGCPU_PTX_MMA)
#include "fp16.h"
#include "ptx.h"
#define PG_COMPAT_DEVICE static inline __attribute__((unused))
#else
#include "hip_compat_half.h"
#endif

namespace pg_compat {

// How a 32-bit word holds elements.
struct ptx_f16 {
  static constexpr int count = 2;
  PG_COMPAT_DEVICE float get(unsigned word, int i) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(word >> (16 * i))));
  }
};
struct ptx_bf16 {
  static constexpr int count = 2;
  PG_COMPAT_DEVICE float get(unsigned word, int i) {
    return __uint_as_float(i ? word & 0xffff0000u : word << 16);
  }
};
struct ptx_tf32 {
  static constexpr int count = 1;
  PG_COMPAT_DEVICE float get(unsigned word, int) { return __uint_as_float(word & 0xffffe000u); }
};
struct ptx_s8 {
  static constexpr int count = 4;
  PG_COMPAT_DEVICE int get(unsigned word, int i) { return static_cast<signed char>(word >> (8 * i)); }
};
struct ptx_u8 {
  static constexpr int count = 4;
  PG_COMPAT_DEVICE int get(unsigned word, int i) { return static_cast<unsigned char>(word >> (8 * i)); }
};

// c += a * b of 16 x 8 sums. The rows of a lane's sums lie in its four lanes, the columns in two others.
template <class A, class B, int Blocks, class C>
PG_COMPAT_DEVICE void ptx_mma(C* c, const unsigned* a, const unsigned* b) {
  const int lane = static_cast<int>(lane_id()), row = lane & ~3, column = (lane & 3) * 8;
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int j = 0; j < Blocks; ++j) {
      const unsigned a0 = shfl_sync(0xffffffffu, a[2 * j], row + t);
      const unsigned a1 = shfl_sync(0xffffffffu, a[2 * j + 1], row + t);
      const unsigned b0 = shfl_sync(0xffffffffu, b[j], column + t);
      const unsigned b1 = shfl_sync(0xffffffffu, b[j], column + 4 + t);
#pragma unroll
      for (int i = 0; i < A::count; ++i) {
        c[0] += A::get(a0, i) * B::get(b0, i);
        c[1] += A::get(a0, i) * B::get(b1, i);
        c[2] += A::get(a1, i) * B::get(b0, i);
        c[3] += A::get(a1, i) * B::get(b1, i);
      }
    }
}
// With sums in two words of two halves, rounded once.
template <class A, class B, int Blocks>
PG_COMPAT_DEVICE void ptx_mma(unsigned* c, const unsigned* a, const unsigned* b) {
  float sums[4] = {ptx_f16::get(c[0], 0), ptx_f16::get(c[0], 1), ptx_f16::get(c[1], 0),
                   ptx_f16::get(c[1], 1)};
  ptx_mma<A, B, Blocks, float>(sums, a, b);
#pragma unroll
  for (int i = 0; i < 2; ++i)
    c[i] = static_cast<unsigned>(__half_as_ushort(__float2half(sums[2 * i]))) |
           static_cast<unsigned>(__half_as_ushort(__float2half(sums[2 * i + 1]))) << 16;
}
PG_COMPAT_DEVICE void ptx_mma_f64(double* c, double a, double b) {
  const int lane = static_cast<int>(lane_id()), row = lane & ~3, column = (lane & 3) * 8;
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    const double left = shfl_sync(0xffffffffu, a, row + t);
    c[0] += left * shfl_sync(0xffffffffu, b, column + t);
    c[1] += left * shfl_sync(0xffffffffu, b, column + 4 + t);
  }
}

#if !defined(PGCPU)
// Matrices of 8 x 8 halves in shared memory; lane 8 * i + r gives the address of row r of matrix i.
template <bool Transposed, int N>
PG_COMPAT_DEVICE void ptx_ldmatrix(unsigned (&words)[N], unsigned address) {
  const int lane = static_cast<int>(lane_id());
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (Transposed) {
      const unsigned lo = shfl_sync(0xffffffffu, address, 8 * i + 2 * (lane & 3));
      const unsigned hi = shfl_sync(0xffffffffu, address, 8 * i + 2 * (lane & 3) + 1);
      const unsigned short* p = static_cast<const unsigned short*>(shared_pointer(lo));
      const unsigned short* q = static_cast<const unsigned short*>(shared_pointer(hi));
      words[i] = static_cast<unsigned>(p[lane >> 2]) | static_cast<unsigned>(q[lane >> 2]) << 16;
    } else {
      const unsigned from = shfl_sync(0xffffffffu, address, 8 * i + (lane >> 2));
      words[i] = static_cast<const unsigned*>(shared_pointer(from))[lane & 3];
    }
  }
}
#endif

}  // namespace pg_compat
#endif
