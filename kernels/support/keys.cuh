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

// Keys of floats are one above their order, so that -0 and +0 differ in the lowest bit only: the first
// digit, which takes them as one, is the only one that has to know.
template <class U>
struct key_code {
  static constexpr U kTop = U(U(1) << (sizeof(U) * 8 - 1));
  static constexpr U kAll = U(~U(0));
  key_rule rule;

  __device__ __forceinline__ U encode(U bits) const {
    U key = bits;
    if (rule.infinity != 0) {
      if (U(bits & U(~kTop)) > U(rule.infinity)) return kAll;
      key = U(U(bits & kTop ? ~bits : bits | kTop) + 1);
    } else if (rule.is_signed) {
      key = U(bits ^ kTop);
    }
    return rule.descending ? U(~key) : key;
  }
  __device__ __forceinline__ U decode(U key) const {
    if (rule.infinity != 0 && key == kAll) return U(rule.infinity | (rule.infinity >> 1));  // a quiet NaN
    if (rule.descending) key = U(~key);
    if (rule.infinity != 0) {
      key = U(key - 1);
      return U(key & kTop ? key & U(~kTop) : ~key);
    }
    return rule.is_signed ? U(key ^ kTop) : key;
  }
  // The key with +0 turned into -0.
  __device__ __forceinline__ U one_zero(U key) const {
    const U positive = rule.descending ? U(~U(kTop + 1)) : U(kTop + 1);
    return rule.infinity != 0 && key == positive ? U(key ^ 1) : key;
  }
};

// The digit that starts at bit `shift`, a multiple of 8; kLowest: it can be the lowest one.
template <bool kLowest, class U>
__device__ __forceinline__ uint32_t digit_of(const key_code<U>& code, U key, int shift) {
  return uint32_t((kLowest ? code.one_zero(key) : key) >> shift) & (kDigits - 1);
}

// Shared memory of one ranking step.
template <int kThreads>
struct rank_storage {
  static constexpr int kGroups = kThreads / kSortGroup;
  pg::vec<uint16_t, 8> counts[kGroups][kDigits / 8];  // a tile has less than 65536 keys
  __device__ __forceinline__ uint16_t* of(int group) { return &counts[group][0][0]; }
};

struct ignore_totals {
  __device__ __forceinline__ void operator()(uint32_t) const {}
};

// Stable ranks of kItems keys a thread by one digit. Item i of a lane is element
// group * kSortGroup * kItems + i * kSortGroup + lane of the tile. Thread d < kDigits gets how many
// keys of the tile have digit d, and calls publish(of that) as early as it can; `start` is how many have
// a lower digit. All threads of the block call it; a barrier is needed before the storage is used again.
template <bool kLowest, int kThreads, int kItems, class U, class Publish = ignore_totals>
__device__ __forceinline__ uint32_t rank_by_digit(rank_storage<kThreads>& s, const key_code<U>& code,
                                                  const U (&keys)[kItems], int shift, uint32_t (&ranks)[kItems],
                                                  uint32_t& start, Publish publish = {}) {
  constexpr int kGroups = kThreads / kSortGroup;
  const int lane = int(threadIdx.x) % kSortGroup, group = int(threadIdx.x) / kSortGroup;
  uint16_t* const counts = s.of(group);
  const uint32_t lower = (1u << lane) - 1, higher = ~lower << 1;
  s.counts[group][lane] = {};  // by the group that counts there
  pg::syncwarp<kSortGroup>();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const uint32_t d = digit_of<kLowest>(code, keys[i], shift);
    const uint32_t peers = uint32_t(pg::match_bits<kDigitBits, kSortGroup>(d).bits);
    ranks[i] = counts[d] + uint32_t(pg::popc(peers & lower));
    pg::syncwarp<kSortGroup>();
    if ((peers & higher) == 0) counts[d] = uint16_t(ranks[i] + 1);  // the last of them
    pg::syncwarp<kSortGroup>();
  }
  __syncthreads();
  uint32_t total = 0;
  const bool mine = int(threadIdx.x) < kDigits;
  if (mine) {
    PG_UNROLL
    for (int g = 0; g < kGroups; ++g) total += s.of(g)[threadIdx.x];
    publish(total);
  }
  start = pg::block_exclusive_scan<kThreads>(total, pg::plus(), 0u);
  if (mine) {
    uint32_t before = start;
    PG_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      const uint32_t here = s.of(g)[threadIdx.x];
      s.of(g)[threadIdx.x] = uint16_t(before);
      before += here;
    }
  }
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) ranks[i] += counts[digit_of<kLowest>(code, keys[i], shift)];
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
