// Target CUDA: matrix fragments by ldmatrix and mma.sync (sm_80 and later). A piece of 16 x 16 x 16 is two
// of the instruction's 16 x 8 x 16; registers as in the PTX manual's figures for m16n8k16.
#ifndef PG_DETAIL_MMA_H
#define PG_DETAIL_MMA_H

#if PG_HAS_MMA
#include "../types.h"
#include "../warp.h"

namespace pg {
namespace detail {

constexpr int mma_lanes = 32, mma_own_rows = 2, mma_row_lanes = 4;

template <class T>
struct mma_operand {
  uint32_t word[4];
};

PG_FN int mma_row(int i) { return static_cast<int>(lane()) / 4 + (i & 2) * 4; }
PG_FN int mma_column(int i) { return static_cast<int>(lane()) % 4 * 2 + (i & 1) + (i & 4) * 2; }
PG_FN constexpr int mma_own(int i) { return i / 2 % 2; }
PG_FN int mma_own_row(int o) { return mma_row(2 * o); }

// Four 8 x 8 pieces; lanes 8q ... 8q + 7 give the addresses of the rows of piece q.
template <bool Transposed, class T>
PG_FN mma_operand<T> load_pieces(const T* row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  mma_operand<T> m;
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m.word[0]), "=r"(m.word[1]), "=r"(m.word[2]), "=r"(m.word[3]) : "r"(at) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m.word[0]), "=r"(m.word[1]), "=r"(m.word[2]), "=r"(m.word[3]) : "r"(at) : "memory");
  return m;
}
// Pieces of A go rows first, then k; those of B k first, then columns.
template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_a(const T* p, int stride) {
  const int l = static_cast<int>(lane()), inner = l % 8, side = inner + (l & 8), k = (l & 16) / 2;
  return load_pieces<Transposed>(Transposed ? p + (inner + k) * stride + (l & 8) : p + side * stride + k);
}
template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_b(const T* p, int stride) {
  const int l = static_cast<int>(lane()), inner = l % 8, k = l & 8, side = (l & 16) / 2;
  return load_pieces<!Transposed>(Transposed ? p + (inner + side) * stride + k : p + (inner + k) * stride + side);
}

// C has its elements where A has them.
template <class T>
PG_FN mma_operand<T> mma_to_a(const float (&c)[8], T*, int) {
  mma_operand<T> m;
  PG_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (is_same<T, half>::value)
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(m.word[i]) : "f"(c[2 * i + 1]), "f"(c[2 * i]));
    else
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(m.word[i]) : "f"(c[2 * i + 1]), "f"(c[2 * i]));
  }
  return m;
}

template <class T>
PG_FN void mma_multiply_add(float (&c)[8], const mma_operand<T>& a, const mma_operand<T>& b) {
  PG_UNROLL
  for (int h = 0; h < 2; ++h) {
    float* const sums = c + 4 * h;
    if constexpr (is_same<T, half>::value)
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[2 * h]),
            "r"(b.word[2 * h + 1]));
    else
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[2 * h]),
            "r"(b.word[2 * h + 1]));
  }
}

}  // namespace detail
}  // namespace pg
#else
#include "../mma_loops.h"
#endif

namespace pg {
namespace detail {
inline bool mma_supported() {
  int device = 0, major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 8;
}
}  // namespace detail
}  // namespace pg

#endif
