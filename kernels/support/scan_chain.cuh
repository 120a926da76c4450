// Running combinations by blocks that wait for each other: each takes the next tile, combines it, and learns
// from the tiles before what to add (decoupled look-back; Merrill and Garland, 2016). What is combined
// with what does not depend on timing.
#pragma once

#include "scan_rows.cuh"

namespace pgops {

// Values that other blocks wait for: each 32-bit part in a word with a flag, so that a part is there or not.
template <class A>
struct awaited {
  static constexpr int kParts = (int(sizeof(A)) + 3) / 4;
  struct words {
    uint32_t part[kParts];
  };
  using small = std::conditional_t<sizeof(A) == 1, uint8_t, uint16_t>;
  uint64_t parts[kParts];  // zeroed before the launch

  __device__ __forceinline__ void publish(const A& value) {
    words bits;
    if constexpr (sizeof(A) % 4 == 0) bits = pg::bit_cast<words>(value);
    else bits.part[0] = pg::bit_cast<small>(value);
    PG_UNROLL
    for (int p = 0; p < kParts; ++p)
      *const_cast<volatile uint64_t*>(&parts[p]) = uint64_t(1) << 32 | bits.part[p];
  }
  // Whether the value is there, which goes to `value` then.
  __device__ __forceinline__ bool poll(A& value) const {
    words bits;
    bool there = true;
    PG_UNROLL
    for (int p = 0; p < kParts; ++p) {
      const uint64_t word = *const_cast<const volatile uint64_t*>(&parts[p]);
      bits.part[p] = uint32_t(word);
      there = there && word >> 32 != 0;
    }
    if (!there) return false;
    if constexpr (sizeof(A) % 4 == 0) value = pg::bit_cast<A>(bits);
    else value = pg::bit_cast<A>(small(bits.part[0]));
    return true;
  }
};

// What the blocks of a long row tell each other: the total of each tile, and for each kRowGroup tiles their
// total and that of all up to them.
template <class A>
struct chain {
  awaited<A>* tiles;
  awaited<A>* groups;
  awaited<A>* prefixes;
  uint32_t* ticket;  // hands out tiles in order

  chain(carver& space, int64_t rows, int64_t tiles_of_row) {
    const int64_t groups_of_row = (tiles_of_row + kRowGroup - 1) / kRowGroup;
    tiles = space.take<awaited<A>>(rows * tiles_of_row);
    groups = space.take<awaited<A>>(rows * groups_of_row);
    prefixes = space.take<awaited<A>>(rows * groups_of_row);
    ticket = space.take<uint32_t>(1);
  }
};

// The total of the row before the tile `job`. For the lanes of one group; `total` is the tile's own, which
// the others are told. Which totals are combined how does not depend on timing.
template <class Op, class A>
__device__ __forceinline__ A before_tile(const chain<A>& links, uint32_t job, uint32_t tiles_of_row, A total) {
  const uint32_t row = job / tiles_of_row, tile = job - row * tiles_of_row, group = tile / kRowGroup;
  const int lane = int(threadIdx.x) % kRowGroup, place = int(tile % kRowGroup);
  awaited<A>* const tiles = links.tiles + int64_t(row) * tiles_of_row;
  const int64_t groups_at = int64_t(row) * ((tiles_of_row + kRowGroup - 1) / kRowGroup);
  awaited<A>*const groups = links.groups + groups_at, *const prefixes = links.prefixes + groups_at;
  if (lane == 0) tiles[tile].publish(total);
  // Lane l looks at tile l of this group, and at the group l + 1 before this one.
  const awaited<A>* const mine = tiles + (group * kRowGroup + uint32_t(lane));
  const uint32_t other = group - 1 - uint32_t(lane);
  const bool exists = uint32_t(lane) < group, last = place == kRowGroup - 1;
  A own = Op::identity(), sum = Op::identity(), prefix = Op::identity(), within = Op::identity(), all = total;
  bool has_own = lane >= place, has_sum = false, has_prefix = false, complete = false;
  int nearest = -1;
  for (;;) {
    if (!has_own) has_own = mine->poll(own);
    if (exists && !has_prefix) has_prefix = prefixes[other].poll(prefix);
    if (exists && !has_sum) has_sum = groups[other].poll(sum);
    if (!complete && pg::all<kRowGroup>(has_own)) {
      complete = true;
      within = pg::shfl<kRowGroup>(pg::warp_inclusive_scan<kRowGroup>(own, scan_merge<Op>()), kRowGroup - 1);
      all = Op::merge(within, total);
      if (last && lane == 0) groups[group].publish(all);
    }
    if (group == 0) {
      if (complete) break;
      continue;
    }
    nearest = pg::first_lane(pg::ballot<kRowGroup>(has_prefix));
    const uint64_t sums = uint64_t(pg::ballot<kRowGroup>(has_sum)), needed = (uint64_t(1) << (nearest & 31)) - 1;
    if (complete && nearest >= 0 && (sums & needed) == needed) break;
  }
  A carry = Op::identity();
  if (group != 0) {
    carry = pg::shfl<kRowGroup>(prefix, nearest);
    for (int l = nearest - 1; l >= 0; --l) carry = Op::merge(carry, pg::shfl<kRowGroup>(sum, l));
  }
  if (last && lane == 0) prefixes[group].publish(group == 0 ? all : Op::merge(carry, all));
  return Op::merge(carry, within);
}

constexpr int kLongThreads = 256;
constexpr int kLongPieces = 8;  // 16-byte pieces of a thread
template <class T>
constexpr int kLongTile = kLongThreads * kLongPieces * (kVectorBytes / int(sizeof(T)));

// Few long rows: each block scans one tile in shared memory and learns from the tiles before what to add.
// A thread has a line of neighbours, padded by one piece.
template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kLongThreads,
                                 sizeof(typename Op::acc) > (is_half<T> ? 4 : 8) ? kLongBlocks / 2 + 1 : kLongBlocks)
    scan_long(const T* x, T* out, chain<typename Op::acc> links, scan_args args,
              const PG_GRID_CONSTANT strided<2> batch) {
  using acc_t = typename Op::acc;
  constexpr int kVec = kVectorBytes / int(sizeof(T)), kTile = kLongTile<T>, kGroups = kLongThreads / kRowGroup;
  using piece_t = pg::vec<T, kVec>;
  __shared__ piece_t lines[kLongThreads][kLongPieces + 1];
  __shared__ acc_t totals[kGroups];
  __shared__ acc_t carry;
  __shared__ uint32_t my_ticket;
  const int t = int(threadIdx.x), lane = t % kRowGroup, group = t / kRowGroup;
  if (t == 0) my_ticket = pg::atomic_add(links.ticket, 1u);
  __syncthreads();
  const uint32_t job = my_ticket, tiles = uint32_t(args.segments), row = job / tiles;
  const int64_t n = args.length, base = int64_t(job - row * tiles) * kTile;
  const int count = n - base < kTile ? int(n - base) : kTile;
  int64_t at[2];
  batch.offsets(row, at);
  const T* const from = x + at[1];
  T* const to = out + at[0];
  // Element e of the tile; backwards the last of a piece comes first, and its place is that of the piece.
  const int64_t first = args.reverse ? n - 1 - base : base, step = args.reverse ? -1 : 1;
  const auto each_piece = [&](auto copy) {  // neighbouring threads, neighbouring pieces
    PG_UNROLL
    for (int i = 0; i < kLongPieces; ++i) {
      const int q = i * kLongThreads + t;
      if (q * kVec < count)
        copy(lines[q / kLongPieces][q % kLongPieces], first + step * (q * kVec) - (args.reverse ? kVec - 1 : 0));
    }
  };
  const auto each_element = [&](auto copy) {
    for (int e = t; e < count; e += kLongThreads)
      copy(lines[e / (kVec * kLongPieces)][e / kVec % kLongPieces][args.reverse ? kVec - 1 - e % kVec : e % kVec],
           first + step * e);
  };
  if (args.vector) {
    each_piece([&](piece_t& piece, int64_t place) { pg::async_copy<16>(&piece, from + place); });
    pg::async_wait<0>();
  } else {
    each_element([&](T& element, int64_t place) { element = from[place * args.x_stride]; });
  }
  __syncthreads();
  // Elements of the thread's line in order: use(element), which may replace it.
  const int left = count - t * (kVec * kLongPieces);
  const auto walk = [&](auto replaces, auto use) {
    PG_UNROLL
    for (int p = 0; p < kLongPieces; ++p) {
      const int here = left - p * kVec;
      if (here <= 0) continue;
      piece_t piece = lines[t][p];
      if (args.reverse) flip(piece);
      if (here >= kVec) {
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) use(piece[j]);
      } else {
        PG_UNROLL
        for (int j = 0; j < kVec; ++j)
          if (j < here) use(piece[j]);
      }
      if (!decltype(replaces)::value) continue;
      if (args.reverse) flip(piece);
      lines[t][p] = piece;
    }
  };
  acc_t running = Op::identity();
  walk(std::false_type{}, [&](T& element) { running = Op::merge(running, Op::lift(element)); });
  const acc_t upto = pg::warp_inclusive_scan<kRowGroup>(running, scan_merge<Op>());
  const acc_t below = pg::shfl_up<kRowGroup>(upto, 1);
  if (lane == kRowGroup - 1) totals[group] = upto;
  __syncthreads();
  if (group == 0) {
    acc_t total = totals[0];
    PG_UNROLL
    for (int g = 1; g < kGroups; ++g) total = Op::merge(total, totals[g]);
    const acc_t before = before_tile<Op>(links, job, tiles, total);
    if (lane == 0) carry = before;
  }
  __syncthreads();
  running = carry;
  for (int g = 0; g < group; ++g) running = Op::merge(running, totals[g]);
  if (lane != 0) running = Op::merge(running, below);
  walk(std::true_type{}, [&](T& element) {
    const acc_t next = Op::merge(running, Op::lift(element));
    element = Op::finish(args.exclusive ? running : next);
    running = next;
  });
  __syncthreads();
  if (args.vector)
    each_piece([&](const piece_t& piece, int64_t place) { pg::store_vec<kVec>(to + place, piece); });
  else
    each_element([&](const T& element, int64_t place) { to[place * args.out_stride] = element; });
}

// Lines beside each other: a block takes a strip of lines, its groups of lanes kRows elements of them each,
// and waits for the strip's tile before.
template <class Op, class T>
struct strip_config {
  static constexpr int kVec = kVectorBytes / int(sizeof(T)) > 8 ? 8 : kVectorBytes / int(sizeof(T));
  // Elements of a line in a thread: what 64 registers hold, of which each value takes at least one.
  static constexpr int kBytes = sizeof(typename Op::acc) < 4 ? 4 : int(sizeof(typename Op::acc));
  static constexpr int kMost = (scan_wide<T, typename Op::acc> ? 128 : 256) / (kVec * kBytes);
  static constexpr int kRows = kMost > 16 ? 16 : kMost;
  static constexpr int kLines = kRowGroup * kVec, kGroups = kRowBlock / kRowGroup, kTile = kGroups * kRows;
};
template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock, 2)
    scan_strips(const T* x, T* out, awaited<typename Op::acc>* prefixes, uint32_t* ticket, scan_args args,
                const PG_GRID_CONSTANT strided<2> batch) {
  using acc_t = typename Op::acc;
  using config = strip_config<Op, T>;
  constexpr int kVec = config::kVec, kRows = config::kRows, kLines = config::kLines, kGroups = config::kGroups;
  __shared__ acc_t shared[kGroups][kLines];
  __shared__ uint32_t my_ticket;
  if (threadIdx.x == 0) my_ticket = pg::atomic_add(ticket, 1u);
  __syncthreads();
  const uint32_t strips = (args.rows + kLines - 1) / kLines;
  const uint32_t which = my_ticket / strips, strip = my_ticket - which * strips;
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) / kRowGroup;
  const uint32_t line = strip * kLines + uint32_t(lane * kVec);
  const bool valid = line < args.rows;
  int64_t at[2] = {0, 0};
  if (valid) batch.offsets(line, at);
  const int64_t n = args.length, first = int64_t(which) * config::kTile + group * kRows;
  const int count = !valid || first >= n ? 0 : n - first < kRows ? int(n - first) : kRows;
  const int64_t step = args.reverse ? -1 : 1, origin = args.reverse ? n - 1 - first : first;
  const T* from = x + at[1] + origin * args.x_stride;
  T* to = out + at[0] + origin * args.out_stride;
  pg::vec<T, kVec> raw[kRows];
  PG_UNROLL
  for (int r = 0; r < kRows; ++r)
    if (r < count) raw[r] = pg::load_vec<kVec>(from + r * step * args.x_stride);
  acc_t v[kRows][kVec];
  PG_UNROLL
  for (int r = 0; r < kRows; ++r) {
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) {
      v[r][j] = r < count ? Op::lift(raw[r][j]) : Op::identity();
      if (r > 0) v[r][j] = Op::merge(v[r > 0 ? r - 1 : 0][j], v[r][j]);
    }
  }
  PG_UNROLL
  for (int j = 0; j < kVec; ++j) shared[group][lane * kVec + j] = v[kRows - 1][j];
  __syncthreads();
  const uint32_t own = strip * kLines + threadIdx.x;
  if (int(threadIdx.x) < kLines && own < args.rows) {
    acc_t total = Op::identity();
    PG_UNROLL
    for (int g = 0; g < kGroups; ++g) total = Op::merge(total, shared[g][threadIdx.x]);
    acc_t running = Op::identity();
    if (which > 0)
      while (!prefixes[int64_t(which - 1) * args.rows + own].poll(running)) {
      }
    prefixes[int64_t(which) * args.rows + own].publish(Op::merge(running, total));
    PG_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      const acc_t here = shared[g][threadIdx.x];
      shared[g][threadIdx.x] = running;
      running = Op::merge(running, here);
    }
  }
  __syncthreads();
  PG_UNROLL
  for (int r = 0; r < kRows; ++r) {
    pg::vec<T, kVec> result;
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) {
      const acc_t start = shared[group][lane * kVec + j];
      acc_t value = start;
      if (!args.exclusive) value = Op::merge(start, v[r][j]);
      else if (r > 0) value = Op::merge(start, v[r > 0 ? r - 1 : 0][j]);
      result[j] = Op::finish(value);
    }
    if (r < count) pg::store_vec<kVec>(to + r * step * args.out_stride, result);
  }
}

// Exclusive scan of the totals of each line, in place; a group of lanes per line.
template <class Op>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock) scan_totals(typename Op::acc* totals, uint32_t rows, int32_t segments) {
  using acc_t = typename Op::acc;
  const int lane = int(threadIdx.x) % kRowGroup;
  const uint32_t row = (blockIdx.x * kRowBlock + threadIdx.x) / kRowGroup;
  if (row >= rows) return;
  acc_t* mine = totals + int64_t(row) * segments;
  acc_t carry = Op::identity();
  for (int32_t base = 0; base < segments; base += kRowGroup) {
    const acc_t v = base + lane < segments ? mine[base + lane] : Op::identity();
    const acc_t upto = pg::warp_inclusive_scan<kRowGroup>(v, scan_merge<Op>());
    const acc_t below = pg::shfl_up<kRowGroup>(upto, 1);
    if (base + lane < segments) mine[base + lane] = lane == 0 ? carry : Op::merge(carry, below);
    carry = Op::merge(carry, pg::shfl<kRowGroup>(upto, kRowGroup - 1));
  }
}

}  // namespace pgops
