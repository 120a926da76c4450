// Rows of up to 8192 four-byte elements: one block sorts one row in shared memory.
#pragma once

#include "keys.cuh"

namespace pgops {

template <class U, int kThreads, int kItems, bool kPairs>
__global__ void PG_LAUNCH_BOUNDS(kThreads)
    sort_block(const U* x, U* values, void* indices, bool wide, sort_rows rows, int digits, key_rule rule,
               const PG_GRID_CONSTANT strided<3> batch) {
  constexpr int kTile = kThreads * kItems;
  union exchange {
    U keys[kTile];
    uint16_t places[kPairs ? kTile : 1];
  };
  __shared__ exchange shared;
  __shared__ rank_storage<kThreads> ranking;
  const key_code<U> code{rule};
  const int n = int(rows.length);
  const int lane = int(threadIdx.x) % kSortGroup, group = int(threadIdx.x) / kSortGroup;
  const int first = group * kSortGroup * kItems + lane;
  int64_t at[3];
  batch.offsets(blockIdx.x, at);
  U keys[kItems];
  uint16_t places[kPairs ? kItems : 1];
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const int p = first + i * kSortGroup;
    keys[i] = p < n ? code.encode(x[at[0] + p * rows.x_stride]) : key_code<U>::kAll;
    if constexpr (kPairs) places[i] = uint16_t(p);
  }
  for (int shift = 0; shift < digits * kDigitBits; shift += kDigitBits) {
    uint32_t ranks[kItems], start;
    rank_by_digit<true, kThreads, kItems>(ranking, code, keys, shift, ranks, start);
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) shared.keys[ranks[i]] = keys[i];
    __syncthreads();
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) keys[i] = shared.keys[first + i * kSortGroup];
    __syncthreads();
    if constexpr (kPairs) {
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) shared.places[ranks[i]] = places[i];
      __syncthreads();
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) places[i] = shared.places[first + i * kSortGroup];
      __syncthreads();
    }
  }
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const int p = first + i * kSortGroup;
    if (p < int(rows.keep)) {
      if (values != nullptr) values[at[1] + p * rows.value_stride] = code.decode(keys[i]);
      if constexpr (kPairs) {
        if (wide) static_cast<int64_t*>(indices)[at[2] + p * rows.index_stride] = places[i];
        else static_cast<int32_t*>(indices)[at[2] + p * rows.index_stride] = places[i];
      }
    }
  }
}

template <class U>
constexpr int64_t kBlockSortLimit = sizeof(U) == 8 ? 4096 : 8192;

template <class U, bool kPairs>
int run_sort_block(const char* op, const U* x, U* values, void* indices, bool wide, const sort_rows& rows,
                   const key_rule& rule, const layout<3>& batch, void* stream) {
  const auto launch = [&](auto threads, auto items) {
    constexpr int kThreads = decltype(threads)::value, kItems = decltype(items)::value;
    return for_chunks(batch, [&](const layout<3>& piece, const int64_t (&start)[3]) {
      char* const index_at = indices == nullptr ? nullptr : static_cast<char*>(indices) + start[2] * (wide ? 8 : 4);
      return launched(PG_LAUNCH((sort_block<U, kThreads, kItems, kPairs>), unsigned(piece.numel()), kThreads, 0,
                                stream, x + start[0], values == nullptr ? nullptr : values + start[1], index_at, wide,
                                rows, digits_of<U>(rows), rule, piece.device()), op);
    });
  };
  if (rows.length <= 512)
    return launch(std::integral_constant<int, 256>{}, std::integral_constant<int, 2>{});
  if (rows.length <= 2048)
    return launch(std::integral_constant<int, 256>{}, std::integral_constant<int, 8>{});
  return launch(std::integral_constant<int, 512>{}, std::integral_constant<int, int(kBlockSortLimit<U> / 512)>{});
}

}  // namespace pgops
