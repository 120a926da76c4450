// Target ROCm: matrix fragments by MFMA (CDNA, 64 lanes) and WMMA (RDNA3, 32 lanes).
#ifndef PG_DETAIL_MMA_H
#define PG_DETAIL_MMA_H

#include <cstring>

#if PG_HAS_MMA
#include "../types.h"
#include "../warp.h"

namespace pg {
namespace detail {

typedef float mma_floats4 __attribute__((ext_vector_type(4)));
typedef float mma_floats8 __attribute__((ext_vector_type(8)));
typedef short mma_shorts2 __attribute__((ext_vector_type(2)));

template <class T>
struct mma_scalar { using type = short; };  // the builtins take bfloat16 as bits
template <>
struct mma_scalar<half> { using type = _Float16; };

#if PG_AMD_MFMA
constexpr int mma_lanes = 64, mma_own_rows = 4, mma_row_lanes = 16;
constexpr int mma_run = 4;  // a lane has four neighbours along k of one row or column
PG_FN int mma_side() { return static_cast<int>(lane()) % 16; }
PG_FN int mma_k() { return static_cast<int>(lane()) / 16 * 4; }
PG_FN int mma_row(int i) { return static_cast<int>(lane()) / 16 * 4 + i; }
PG_FN int mma_column(int) { return static_cast<int>(lane()) % 16; }
#else
constexpr int mma_lanes = 32, mma_own_rows = 8, mma_row_lanes = 16;
constexpr int mma_run = 16;  // a lane has a whole row or column; both halves of the wave the same
PG_FN int mma_side() { return static_cast<int>(lane()) % 16; }
PG_FN int mma_k() { return 0; }
PG_FN int mma_row(int i) { return 2 * i + static_cast<int>(lane()) / 16; }
PG_FN int mma_column(int) { return static_cast<int>(lane()) % 16; }
#endif

PG_FN constexpr int mma_own(int i) { return i; }
PG_FN int mma_own_row(int o) { return mma_row(o); }

template <class T>
struct mma_operand {
  typedef typename mma_scalar<T>::type vector __attribute__((ext_vector_type(mma_run)));
  vector v;
};

template <class T>
PG_FN mma_operand<T> mma_load_run(const T* p, int side, int k) {
  const T* const from = p + mma_side() * side + mma_k() * k;
  mma_operand<T> m;
  if (k == 1) {
    __builtin_memcpy(&m.v, __builtin_assume_aligned(from, 8), sizeof(m.v));
  } else {
    PG_UNROLL
    for (int j = 0; j < mma_run; ++j) m.v[j] = bit_cast<typename mma_scalar<T>::type>(from[j * k]);
  }
  return m;
}
template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_a(const T* p, int stride) {
  if constexpr (Transposed) return mma_load_run(p, 1, stride);
  else return mma_load_run(p, stride, 1);
}
template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_b(const T* p, int stride) { return mma_load_a<!Transposed>(p, stride); }

template <int N, class T>
PG_FN mma_operand<T> mma_to_a(const float (&c)[N], T* scratch, int stride) {
  sync_warp<mma_lanes>();
  PG_UNROLL
  for (int i = 0; i < N; ++i) scratch[mma_row(i) * stride + mma_column(i)] = from_float<T>(c[i]);
  sync_warp<mma_lanes>();
  return mma_load_a<false>(scratch, stride);
}

template <int N, class T>
PG_FN void mma_multiply_add(float (&c)[N], const mma_operand<T>& a, const mma_operand<T>& b) {
#if PG_AMD_MFMA
  mma_floats4 sums = {c[0], c[1], c[2], c[3]};
  if constexpr (is_same<T, half>::value) {
    sums = __builtin_amdgcn_mfma_f32_16x16x16f16(a.v, b.v, sums, 0, 0, 0);
  } else {
#if defined(__gfx908__)
    // Eight of k at a time: which of them is which does not matter, as A and B agree.
    sums = __builtin_amdgcn_mfma_f32_16x16x8bf16(a.v.lo, b.v.lo, sums, 0, 0, 0);
    sums = __builtin_amdgcn_mfma_f32_16x16x8bf16(a.v.hi, b.v.hi, sums, 0, 0, 0);
#else
    sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.v, b.v, sums, 0, 0, 0);
#endif
  }
#else
  mma_floats8 sums = {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
  if constexpr (is_same<T, half>::value) sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a.v, b.v, sums);
  else sums = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a.v, b.v, sums);
#endif
  PG_UNROLL
  for (int i = 0; i < N; ++i) c[i] = sums[i];
}

}  // namespace detail
}  // namespace pg
#else
#include "../mma_loops.h"
#endif

namespace pg {
namespace detail {
inline bool mma_supported() {
#if PG_AMD
  // Properties take long to ask for: the answer for the thread's latest device is kept.
  static thread_local int known = -1;
  static thread_local bool supported = false;
  int device = 0;
  hipDeviceProp_t found;
  if (hipGetDevice(&device) != hipSuccess) return false;
  if (device == known) return supported;
  if (hipGetDeviceProperties(&found, device) != hipSuccess) return false;
  const char* const arch = found.gcnArchName;
  known = device;
  supported = ::strncmp(arch, "gfx908", 6) == 0 || ::strncmp(arch, "gfx90a", 6) == 0 ||
              ::strncmp(arch, "gfx94", 5) == 0 || ::strncmp(arch, "gfx950", 6) == 0 || ::strncmp(arch, "gfx11", 5) == 0;
  return supported;
#else
  return false;
#endif
}
}  // namespace detail
}  // namespace pg

#endif
