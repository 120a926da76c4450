// Longer rows: least significant digit first over the whole row, one read and one write of the keys per
// digit. Blocks take tiles in order and learn their digits' places from the tiles before them
// (decoupled look-back; Adinets and Merrill, Onesweep, 2022). Counts are integers, so the result
// does not depend on timing.
#pragma once

#include "keys.cuh"

namespace pgops {

constexpr int kRadixThreads = 512;
template <class U>
constexpr int kRadixItems = sizeof(U) == 8 ? 8 : 16;
template <class U>
constexpr int64_t kRadixTile = int64_t(kRadixThreads) * kRadixItems<U>;
constexpr int64_t kRadixLimit = (int64_t(1) << 30) - 1;  // counts share a word with two flag bits
constexpr uint32_t kHasTotal = 1u << 30, kHasPrefix = 2u << 30, kCountMask = kHasTotal - 1;

// Counts all digits of all keys of a row: histogram[row][pass][digit].
template <class U>
__global__ void PG_LAUNCH_BOUNDS(kRadixThreads)
    radix_histogram(const U* x, uint32_t* histogram, int32_t parts, sort_rows rows, key_rule rule,
                    const PG_GRID_CONSTANT strided<3> batch) {
  constexpr int kPasses = int(sizeof(U)) * 8 / kDigitBits;
  constexpr int kCopies = 4;  // by lane, as many keys share their upper digits
  __shared__ uint32_t counts[kPasses][kDigits][kCopies];
  const key_code<U> code{rule};
  const uint32_t row = blockIdx.x / uint32_t(parts), part = blockIdx.x % uint32_t(parts);
  int64_t at[3];
  batch.offsets(row, at);
  const int copy = int(threadIdx.x) % kCopies;
  for (int i = int(threadIdx.x); i < kPasses * kDigits * kCopies; i += kRadixThreads)
    counts[i / (kDigits * kCopies)][i / kCopies % kDigits][i % kCopies] = 0;
  __syncthreads();
  const int64_t lo = rows.length * part / parts, hi = rows.length * (part + 1) / parts;
  constexpr int kLoads = 4;
  for (int64_t i = lo + threadIdx.x; i < hi; i += kLoads * kRadixThreads) {
    U bits[kLoads];
    PG_UNROLL
    for (int u = 0; u < kLoads; ++u)
      if (i + u * kRadixThreads < hi) bits[u] = x[at[0] + (i + u * kRadixThreads) * rows.x_stride];
    PG_UNROLL
    for (int u = 0; u < kLoads; ++u) {
      if (i + u * kRadixThreads >= hi) continue;
      const U key = code.encode(bits[u]);
      PG_UNROLL
      for (int p = 0; p < kPasses; ++p) pg::atomic_add_block(&counts[p][code.digit(key, p * kDigitBits)][copy], 1u);
    }
  }
  __syncthreads();
  for (int i = int(threadIdx.x); i < kPasses * kDigits; i += kRadixThreads) {
    uint32_t c = 0;
    PG_UNROLL
    for (int k = 0; k < kCopies; ++k) c += counts[i / kDigits][i % kDigits][k];
    if (c != 0) pg::atomic_add(histogram + int64_t(row) * kPasses * kDigits + i, c);
  }
}

// Each 256 counts become exclusive sums, in place.
static __global__ void PG_LAUNCH_BOUNDS(kDigits) radix_starts(uint32_t* histogram) {
  uint32_t* mine = histogram + int64_t(blockIdx.x) * kDigits + threadIdx.x;
  *mine = pg::block_exclusive_scan<kDigits>(*mine, pg::plus(), 0u);
}

struct radix_pass {
  int shift;
  uint32_t tiles;        // of a row
  bool first, last;      // reads x; writes the results
  bool wide;             // i64 indices
};

// One digit. starts: [row][256] of this digit (row_starts apart); status: [row][tile][256], zeroed;
// ticket: zeroed counter that hands out tiles in order.
template <class U, bool kPairs>
__global__ void PG_LAUNCH_BOUNDS(kRadixThreads, 2)
    radix_scatter(const U* x, const U* keys_in, const uint32_t* places_in, U* keys_out, uint32_t* places_out,
                  U* values, void* indices, const uint32_t* starts, int32_t row_starts, uint32_t* status,
                  uint32_t* ticket, radix_pass pass, sort_rows rows, key_rule rule,
                  const PG_GRID_CONSTANT strided<3> batch) {
  constexpr int kItems = kRadixItems<U>, kTile = kRadixThreads * kItems;
  union storage {
    rank_storage<kRadixThreads> ranking;
    U keys[kTile];
    uint32_t places[kPairs ? kTile : 1];
  };
  __shared__ storage shared;
  __shared__ uint32_t target[kDigits];  // place in the row of the tile's first key with the digit, less its rank
  __shared__ uint32_t my_ticket;
  const key_code<U> code{rule};
  if (threadIdx.x == 0) my_ticket = pg::atomic_add(ticket, 1u);
  __syncthreads();
  const uint32_t row = my_ticket / pass.tiles, tile = my_ticket % pass.tiles;
  const int64_t row_at = int64_t(row) * rows.length, tile_at = int64_t(tile) * kTile;
  const int count = rows.length - tile_at < kTile ? int(rows.length - tile_at) : kTile;
  const int lane = int(threadIdx.x) % kSortGroup, group = int(threadIdx.x) / kSortGroup;
  const int first = group * kSortGroup * kItems + lane;

  U keys[kItems];
  if (pass.first) {
    int64_t at[3];
    batch.offsets(row, at);
    const U* from = x + at[0] + tile_at * rows.x_stride;
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = first + i * kSortGroup;
      keys[i] = p < count ? code.encode(from[p * rows.x_stride]) : key_code<U>::kAll;
    }
  } else {
    const U* from = keys_in + row_at + tile_at;
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = first + i * kSortGroup;
      keys[i] = p < count ? from[p] : key_code<U>::kAll;
    }
  }
  uint32_t ranks[kItems];
  volatile uint32_t* const mine = status + (int64_t(row) * pass.tiles + tile) * kDigits + threadIdx.x % kDigits;
  // Padding of the last tile ranks behind its keys: counted out.
  const uint32_t padding = int(threadIdx.x) == kDigits - 1 ? uint32_t(kTile - count) : 0;
  uint32_t total = rank_by_digit<kRadixThreads, kItems>(
      shared.ranking, code, keys, pass.shift, ranks,
      [&](uint32_t all) { *mine = (tile == 0 ? kHasPrefix : kHasTotal) | (all - padding); });
  const uint32_t start = shared.ranking.starts[threadIdx.x % kDigits];
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) shared.keys[ranks[i]] = keys[i];

  if (int(threadIdx.x) < kDigits) {
    total -= padding;
    uint32_t before = 0;
    if (tile != 0) {
      constexpr int kAhead = 4;  // words on their way at once
      const volatile uint32_t* previous = mine - kDigits;
      uint32_t left = tile;  // tiles at and before `previous`; the first one has its prefix
      for (bool done = false; !done;) {
        uint32_t word[kAhead];
        PG_UNROLL
        for (int u = 0; u < kAhead; ++u) word[u] = uint32_t(u) < left ? previous[-u * kDigits] : 0;
        bool there = true;
        PG_UNROLL
        for (int u = 0; u < kAhead; ++u) {
          there = there && !done && word[u] != 0;
          if (there) {
            before += word[u] & kCountMask;
            done = (word[u] & kHasPrefix) != 0;
            previous -= kDigits;
            --left;
          }
        }
      }
      *mine = kHasPrefix | (before + total);
    }
    target[threadIdx.x] =
        starts[int64_t(row) * row_starts + threadIdx.x] + before - start;
  }
  __syncthreads();

  // Neighbouring threads now hold neighbouring results of the same digit.
  int64_t at[3] = {0, 0, 0};
  if (pass.last) batch.offsets(row, at);
  uint32_t to[kItems];
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const int p = i * kRadixThreads + int(threadIdx.x);
    const U key = shared.keys[p];
    to[i] = target[code.digit(key, pass.shift)] + uint32_t(p);
    if (p < count) {
      if (!pass.last) keys_out[row_at + to[i]] = key;
      else if (values != nullptr && to[i] < rows.keep)
        values[at[1] + int64_t(to[i]) * rows.value_stride] = code.decode(key);
    }
  }
  if constexpr (kPairs) {
    __syncthreads();
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = first + i * kSortGroup;
      uint32_t place = uint32_t(tile_at + p);
      if (!pass.first && p < count) place = places_in[row_at + tile_at + p];
      shared.places[ranks[i]] = place;
    }
    __syncthreads();
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = i * kRadixThreads + int(threadIdx.x);
      if (p < count) {
        const uint32_t place = shared.places[p];
        if (!pass.last) places_out[row_at + to[i]] = place;
        else if (to[i] < rows.keep) {
          const int64_t index_at = at[2] + int64_t(to[i]) * rows.index_stride;
          if (pass.wide) static_cast<int64_t*>(indices)[index_at] = place;
          else static_cast<int32_t*>(indices)[index_at] = int32_t(place);
        }
      }
    }
  }
}

template <class U>
struct radix_space {
  U* keys[2];
  uint32_t* places[2];
  uint32_t *histogram, *status, *tickets;
  size_t zeroed;  // bytes from histogram on
  radix_space(carver& space, int64_t rows, int64_t length, bool pairs) {
    constexpr int64_t kPasses = int64_t(sizeof(U)) * 8 / kDigitBits;
    const int64_t tiles = (length + kRadixTile<U> - 1) / kRadixTile<U>;
    for (int b = 0; b < 2; ++b) {
      keys[b] = kPasses > 1 ? space.take<U>(rows * length) : nullptr;
      places[b] = pairs && kPasses > 1 ? space.take<uint32_t>(rows * length) : nullptr;
    }
    const size_t from = space.used;
    histogram = space.take<uint32_t>(rows * kPasses * kDigits);
    status = space.take<uint32_t>(rows * tiles * kPasses * kDigits);
    tickets = space.take<uint32_t>(kPasses);
    zeroed = space.used - from;
  }
};

template <class U, bool kPairs>
int run_sort_radix(const char* op, const U* x, U* values, void* indices, bool wide, const sort_rows& rows,
                   const key_rule& rule, const layout<3>& batch, const radix_space<U>& space, void* stream) {
  constexpr int kPasses = int(sizeof(U)) * 8 / kDigitBits;
  const int passes = digits_of<U>(rows);
  const int64_t count = batch.numel();
  const uint32_t tiles = uint32_t((rows.length + kRadixTile<U> - 1) / kRadixTile<U>);
  if (count * tiles > INT32_MAX)
    return fail(PG_ERR_SIZE, "%s: %lld rows of %lld elements are too many for one call", op,
                static_cast<long long>(count), static_cast<long long>(rows.length));
  x += batch.start[0];
  if (values != nullptr) values += batch.start[1];
  if (indices != nullptr) indices = static_cast<char*>(indices) + batch.start[2] * (wide ? 8 : 4);
  const strided<3> map = batch.device();
  PG_TRY(launched(pg::memset(space.histogram, 0, space.zeroed, stream), op));
  int64_t parts = 1024 / count;
  if (parts > tiles) parts = tiles;
  if (parts < 1) parts = 1;
  PG_TRY(launched(PG_LAUNCH((radix_histogram<U>), unsigned(count * parts), kRadixThreads, 0, stream, x,
                            space.histogram, int32_t(parts), rows, rule, map), op));
  PG_TRY(launched(PG_LAUNCH(radix_starts, unsigned(count * kPasses), kDigits, 0, stream, space.histogram), op));
  for (int p = 0; p < passes; ++p) {
    const radix_pass pass{p * kDigitBits, tiles, p == 0, p == passes - 1, wide};
    PG_TRY(launched(PG_LAUNCH((radix_scatter<U, kPairs>), unsigned(count * tiles), kRadixThreads, 0, stream, x,
                              space.keys[(p + 1) % 2], space.places[(p + 1) % 2], space.keys[p % 2],
                              space.places[p % 2], values, indices, space.histogram + p * kDigits, kPasses * kDigits,
                              space.status + int64_t(p) * count * tiles * kDigits, space.tickets + p, pass, rows,
                              rule, map), op));
  }
  return PG_OK;
}

}  // namespace pgops
