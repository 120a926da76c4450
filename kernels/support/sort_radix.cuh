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

constexpr int kHistogramThreads = 512;
constexpr int64_t kHistogramPart = int64_t(1) << 18;  // keys of a block, at most: copies count in 16 bits

// Counts all digits of all keys of a row: histogram[row][pass][digit].
template <class U>
__global__ void PG_LAUNCH_BOUNDS(kHistogramThreads)
    radix_histogram(const U* x, uint32_t* histogram, int32_t parts, sort_rows rows, key_rule rule,
                    const PG_GRID_CONSTANT strided<3> batch) {
  constexpr int kPasses = int(sizeof(U)) * 8 / kDigitBits;
  // Copies by lane: many keys share their upper digits, and other banks count beside each other. A word
  // counts two digits, 128 apart.
  constexpr int kCopies = kPasses > 4 ? 8 : 16, kHalf = kDigits / 2;
  __shared__ uint32_t counts[kPasses][kHalf][kCopies];
  const key_code<U> code{rule};
  const uint32_t row = blockIdx.x / uint32_t(parts), part = blockIdx.x % uint32_t(parts);
  int64_t at[3];
  batch.offsets(row, at);
  uint32_t* const mine = &counts[0][0][threadIdx.x % kCopies];
  for (int i = int(threadIdx.x); i < kPasses * kHalf * kCopies; i += kHistogramThreads) (&counts[0][0][0])[i] = 0;
  __syncthreads();
  const auto count = [&](U bits) {
    const U key = code.one_zero(code.encode(bits));
    PG_UNROLL
    for (int p = 0; p < kPasses; ++p) {
      const uint32_t digit = uint32_t(key >> (p * kDigitBits)) & (kDigits - 1);
      pg::atomic_add_block(mine + (p * kHalf + digit % kHalf) * kCopies, digit < kHalf ? 1u : 0x10000u);
    }
  };
  const int64_t lo = rows.length * part / parts, hi = rows.length * (part + 1) / parts;
  constexpr int kLoads = 8;
  const U* from = x + at[0] + (lo + threadIdx.x) * rows.x_stride;
  int64_t i = lo;
  for (; i + kLoads * kHistogramThreads <= hi; i += kLoads * kHistogramThreads) {
    U bits[kLoads];
    PG_UNROLL
    for (int u = 0; u < kLoads; ++u) bits[u] = from[u * kHistogramThreads * rows.x_stride];
    from += kLoads * kHistogramThreads * rows.x_stride;
    PG_UNROLL
    for (int u = 0; u < kLoads; ++u) count(bits[u]);
  }
  for (i += threadIdx.x; i < hi; i += kHistogramThreads, from += kHistogramThreads * rows.x_stride) count(*from);
  __syncthreads();
  for (int i = int(threadIdx.x); i < kPasses * kHalf; i += kHistogramThreads) {
    uint32_t low = 0, high = 0;
    PG_UNROLL
    for (int k = 0; k < kCopies; ++k) {
      const uint32_t both = (&counts[0][0][0])[i * kCopies + (k + i) % kCopies];
      low += both & 0xffff;
      high += both >> 16;
    }
    uint32_t* const to = histogram + (int64_t(row) * kPasses + i / kHalf) * kDigits + i % kHalf;
    if (low != 0) pg::atomic_add(to, low);
    if (high != 0) pg::atomic_add(to + kHalf, high);
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
  bool last;             // writes the results
  bool wide;             // i64 indices
};

// Keys of the tiles of a row before `mine`'s with the same digit; mine is their place in `status`.
__device__ __forceinline__ uint32_t look_back(const volatile uint32_t* mine, uint32_t tile) {
  constexpr int kAhead = 4;  // words on their way at once
  const volatile uint32_t* previous = mine - kDigits;
  uint32_t before = 0, left = tile;  // tiles at and before `previous`; the first one has its prefix
  while (left != 0) {
    uint32_t word[kAhead];
    PG_UNROLL
    for (int u = 0; u < kAhead; ++u) word[u] = uint32_t(u) < left ? previous[-u * kDigits] : 0;
    PG_UNROLL
    for (int u = 0; u < kAhead; ++u) {
      if (word[u] == 0) break;
      before += word[u] & kCountMask;
      if ((word[u] & kHasPrefix) != 0) return before;
      previous -= kDigits;
      --left;
    }
  }
  return before;
}

// One digit. kFirst: of x, else of keys_in. starts: [row][256] of this digit (row_starts apart);
// status: [row][tile][256], zeroed; ticket: zeroed counter that hands out tiles in order.
template <class U, bool kPairs, bool kFirst>
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
  const int64_t row_at = int64_t(row) * rows.length;
  const int tile_at = int(tile) * kTile;  // rows have less than 2^30 elements
  const int count = rows.length - tile_at < kTile ? int(rows.length - tile_at) : kTile;
  const bool full = count == kTile;
  const int lane = int(threadIdx.x) % kSortGroup, group = int(threadIdx.x) / kSortGroup;
  const int first = group * kSortGroup * kItems + lane;

  U keys[kItems];
  const U* from = keys_in + row_at + tile_at + first;
  const int64_t step = kFirst ? rows.x_stride : 1;
  if constexpr (kFirst) {
    int64_t at[3];
    batch.offsets(row, at);
    from = x + at[0] + int64_t(tile_at + first) * step;
  }
  if (full) {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) keys[i] = from[i * kSortGroup * step];
  } else {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) keys[i] = first + i * kSortGroup < count ? from[i * kSortGroup * step] : U(0);
  }
  if (kFirst) {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) keys[i] = code.encode(keys[i]);
  }
  if (!full) {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i)
      if (first + i * kSortGroup >= count) keys[i] = key_code<U>::kAll;
  }
  uint32_t ranks[kItems], start;
  volatile uint32_t* const mine = status + (int64_t(row) * pass.tiles + tile) * kDigits + threadIdx.x % kDigits;
  // Padding of the last tile ranks behind its keys: counted out.
  const uint32_t padding = int(threadIdx.x) == kDigits - 1 ? uint32_t(kTile - count) : 0;
  uint32_t total = rank_by_digit<kFirst, kRadixThreads, kItems>(
      shared.ranking, code, keys, pass.shift, ranks, start,
      [&](uint32_t all) { *mine = (tile == 0 ? kHasPrefix : kHasTotal) | (all - padding); });
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) shared.keys[ranks[i]] = keys[i];
  if (int(threadIdx.x) < kDigits) {
    const uint32_t before = look_back(mine, tile);
    if (tile != 0) *mine = kHasPrefix | (before + total - padding);
    target[threadIdx.x] = starts[int64_t(row) * row_starts + threadIdx.x] + before - start;
  }
  __syncthreads();

  // Neighbouring threads now hold neighbouring results of the same digit: put(key, place in the row, item).
  uint32_t to[kPairs ? kItems : 1];
  const auto scatter_while = [&](auto inside, auto put) {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = i * kRadixThreads + int(threadIdx.x);
      const U key = shared.keys[p];
      const uint32_t place = target[digit_of<kFirst>(code, key, pass.shift)] + uint32_t(p);
      if constexpr (kPairs) to[i] = place;
      if (inside(p)) put(key, place);
    }
  };
  const auto scatter = [&](auto put) {
    if (full) scatter_while([](int) { return true; }, put);
    else scatter_while([&](int p) { return p < count; }, put);
  };
  int64_t at[3] = {0, 0, 0};
  if (pass.last) batch.offsets(row, at);
  if (!pass.last) {
    U* const out = keys_out + row_at;
    scatter([&](U key, uint32_t place) { out[place] = key; });
  } else if (values != nullptr && rows.value_stride == 1 && rows.keep == rows.length) {
    U* const out = values + at[1];
    scatter([&](U key, uint32_t place) { out[place] = code.decode(key); });
  } else {
    scatter([&](U key, uint32_t place) {
      if (values != nullptr && place < rows.keep) values[at[1] + int64_t(place) * rows.value_stride] = code.decode(key);
    });
  }
  if constexpr (kPairs) {
    __syncthreads();
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int p = first + i * kSortGroup;
      uint32_t place = uint32_t(tile_at + p);
      if (!kFirst && (full || p < count)) place = places_in[row_at + tile_at + p];
      shared.places[ranks[i]] = place;
    }
    __syncthreads();
    const auto give = [&](auto put) {
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int p = i * kRadixThreads + int(threadIdx.x);
        if (full || p < count) put(shared.places[p], to[i]);
      }
    };
    if (!pass.last) {
      uint32_t* const out = places_out + row_at;
      give([&](uint32_t place, uint32_t target_place) { out[target_place] = place; });
    } else {
      give([&](uint32_t place, uint32_t target_place) {
        if (target_place >= rows.keep) return;
        const int64_t index_at = at[2] + int64_t(target_place) * rows.index_stride;
        if (pass.wide) static_cast<int64_t*>(indices)[index_at] = place;
        else static_cast<int32_t*>(indices)[index_at] = int32_t(place);
      });
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
  const int64_t fewest = (rows.length + kHistogramPart - 1) / kHistogramPart;
  int64_t parts = 1024 / count < tiles ? 1024 / count : tiles;
  if (parts < fewest) parts = fewest;
  if (parts < 1) parts = 1;
  PG_TRY(launched(PG_LAUNCH((radix_histogram<U>), unsigned(count * parts), kHistogramThreads, 0, stream, x,
                            space.histogram, int32_t(parts), rows, rule, map), op));
  PG_TRY(launched(PG_LAUNCH(radix_starts, unsigned(count * kPasses), kDigits, 0, stream, space.histogram), op));
  for (int p = 0; p < passes; ++p) {
    const radix_pass pass{p * kDigitBits, tiles, p == passes - 1, wide};
    const auto scatter = p == 0 ? radix_scatter<U, kPairs, true> : radix_scatter<U, kPairs, false>;
    PG_TRY(launched(PG_LAUNCH(scatter, unsigned(count * tiles), kRadixThreads, 0, stream, x,
                              space.keys[(p + 1) % 2], space.places[(p + 1) % 2], space.keys[p % 2],
                              space.places[p % 2], values, indices, space.histogram + p * kDigits, kPasses * kDigits,
                              space.status + int64_t(p) * count * tiles * kDigits, space.tickets + p, pass, rows,
                              rule, map), op));
  }
  return PG_OK;
}

}  // namespace pgops
