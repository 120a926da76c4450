// Sort keys: element bits mapped to unsigned integers of the same order, and ranking by radix digits.
#pragma once

#include "layout.cuh"
#include "types.cuh"

namespace pgops {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kSortGroup = PG_WARP_SIZE_MIN;  // lanes that rank together

// How bits of an element type become an ordered key. NaN becomes the greatest key, so it is last in
// both directions; its payload is lost.
struct key_rule {
  uint64_t infinity;  // bits of +inf; 0 for integers
  bool is_signed, descending;
};

inline key_rule rule_for(int dtype, bool descending) {
  switch (dtype) {
    case PG_F16: return {0x7c00u, true, descending};
    case PG_BF16: return {0x7f80u, true, descending};
    case PG_F32: return {0x7f800000u, true, descending};
    case PG_F64: return {0x7ff0000000000000ull, true, descending};
    case PG_I8: case PG_I16: case PG_I32: case PG_I64: return {0, true, descending};
    default: return {0, false, descending};
  }
}

template <class U>
struct key_code {
  static constexpr U kTop = U(U(1) << (sizeof(U) * 8 - 1));
  static constexpr U kAll = U(~U(0));
  key_rule rule;

  __device__ __forceinline__ U encode(U bits) const {
    U key = bits;
    if (rule.infinity != 0) {
      if (U(bits & U(~kTop)) > U(rule.infinity)) return kAll;
      key = U(bits & kTop ? ~bits : bits | kTop);
    } else if (rule.is_signed) {
      key = U(bits ^ kTop);
    }
    return rule.descending ? U(~key) : key;
  }
  __device__ __forceinline__ U decode(U key) const {
    if (rule.infinity != 0 && key == kAll) return U(rule.infinity | (rule.infinity >> 1));  // a quiet NaN
    if (rule.descending) key = U(~key);
    if (rule.infinity != 0) return U(key & kTop ? key & U(~kTop) : ~key);
    return rule.is_signed ? U(key ^ kTop) : key;
  }
  // Digit that starts at bit `shift`; -0 and +0 count as one key.
  __device__ __forceinline__ uint32_t digit(U key, int shift) const {
    if (rule.infinity != 0) {
      const U negative_zero = rule.descending ? kTop : U(kTop - 1);
      if (key == negative_zero) key = rule.descending ? U(kTop - 1) : kTop;
    }
    return uint32_t(key >> shift) & (kDigits - 1);
  }
};

// Shared memory of one ranking step.
template <int kThreads>
struct rank_storage {
  static constexpr int kGroups = kThreads / kSortGroup;
  uint16_t counts[kGroups][kDigits];  // a tile has at most 8192 keys
  uint32_t starts[kDigits];
};

// Lanes with the same digit. Eight ballots: a match instruction takes its time for each different value.
__device__ __forceinline__ pg::lane_mask digit_peers(uint32_t digit) {
#if PG_TARGET_CPU
  return pg::match_any<kSortGroup>(digit);
#else
  uint32_t peers = ~0u;
  PG_UNROLL
  for (int b = 0; b < kDigitBits; ++b) {
    const bool set = digit >> b & 1;
    const uint32_t lanes = uint32_t(pg::ballot<kSortGroup>(set).bits);
    peers &= set ? lanes : ~lanes;
  }
  return pg::lane_mask(peers);
#endif
}

struct ignore_totals {
  __device__ __forceinline__ void operator()(uint32_t) const {}
};

// Stable ranks of kItems keys a thread by one digit. Item i of a lane is element
// group * kSortGroup * kItems + i * kSortGroup + lane of the tile. Thread d < kDigits gets how many
// keys of the tile have digit d, and calls publish(of that) as early as it can. All threads of the block
// call it; a barrier is needed before the storage is used again.
template <int kThreads, int kItems, class U, class Publish = ignore_totals>
__device__ __forceinline__ uint32_t rank_by_digit(rank_storage<kThreads>& s, const key_code<U>& code,
                                                  const U (&keys)[kItems], int shift, uint32_t (&ranks)[kItems],
                                                  Publish publish = {}) {
  constexpr int kGroups = kThreads / kSortGroup;
  const int lane = int(threadIdx.x) % kSortGroup, group = int(threadIdx.x) / kSortGroup;
  for (int i = int(threadIdx.x); i < kGroups * kDigits; i += kThreads) s.counts[i / kDigits][i % kDigits] = 0;
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const uint32_t d = code.digit(keys[i], shift);
    const pg::lane_mask peers = digit_peers(d);
    const uint32_t before = s.counts[group][d];
    const pg::lane_mask lower = pg::lanes_below(peers, lane);
    ranks[i] = before + uint32_t(pg::popcount(lower));
    pg::syncwarp<kSortGroup>();
    if (!lower) s.counts[group][d] = uint16_t(before + uint32_t(pg::popcount(peers)));
    pg::syncwarp<kSortGroup>();
  }
  __syncthreads();
  uint32_t total = 0;
  if (int(threadIdx.x) < kDigits) {
    for (int g = 0; g < kGroups; ++g) {
      const uint32_t here = s.counts[g][threadIdx.x];
      s.counts[g][threadIdx.x] = uint16_t(total);
      total += here;
    }
    publish(total);
  }
  const uint32_t start = pg::block_exclusive_scan<kThreads>(total, pg::plus(), 0u);
  if (int(threadIdx.x) < kDigits) s.starts[threadIdx.x] = start;
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const uint32_t d = code.digit(keys[i], shift);
    ranks[i] += s.counts[group][d] + s.starts[d];
  }
  return total;
}

// Host side of one sort: rows along an axis, with operands x, values, indices.
struct sort_rows {
  int64_t length = 0, keep = 0;  // elements of a row; how many of the sorted ones are written
  int64_t x_stride = 1, value_stride = 1, index_stride = 1;
  int bits = 64;  // low bits of the keys that can differ, at most; a whole number of digits is sorted
};

template <class U>
int digits_of(const sort_rows& rows) {
  const int bits = rows.bits < int(sizeof(U)) * 8 ? rows.bits : int(sizeof(U)) * 8;
  return bits <= kDigitBits ? 1 : (bits + kDigitBits - 1) / kDigitBits;
}

}  // namespace pgops
