// Updates along an axis without a sort: a group of lanes owns a line, which lies in shared memory meanwhile, and takes
// its updates in order, one for each lane at once. Where two lanes meet the same element, the lower one goes first.
#pragma once

#include "index.cuh"
#include "types.cuh"

namespace pgops {

constexpr int kLineLanes = PG_WARP_SIZE_MIN, kLineRoom = 48 << 10, kMostGroups = 8;
constexpr int kLineLoads = 8, kLineMarks = 4;  // updates of a lane on their way; those tested for meeting at once

struct line_args {
  int64_t extent, count;  // elements of out, updates of a line
  int64_t index_stride, update_stride, out_stride;
  uint32_t lines, marks;  // marks: words that have a bit for each element
};

// kAdd: sums, in compute precision or modulo 2^32 or 2^64; else the last one stays.
template <class T, bool kAdd>
struct line_rule {
  using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  using kept = std::conditional_t<!kAdd, T, std::conditional_t<is_float<T>, compute_t<T>, word>>;
  static __device__ __forceinline__ kept lift(T x) {
    if constexpr (kAdd) return kept(widen(x));
    else return x;
  }
  static __device__ __forceinline__ T finish(kept x) {
    if constexpr (kAdd && is_float<T>) return narrow<T>(x);
    else return T(x);
  }
  static __device__ __forceinline__ void update(kept& to, T by) {
    if constexpr (kAdd) to += lift(by);
    else to = by;
  }
};

// Operands of the lines: out, indices, updates.
template <class T, class I, bool kAdd>
__global__ void PG_LAUNCH_BOUNDS(kLineLanes* kMostGroups, 2)
    along_lines(const I* indices, const T* updates, T* out, const PG_GRID_CONSTANT line_args args,
                const PG_GRID_CONSTANT strided<3> map) {
  using rule = line_rule<T, kAdd>;
  using kept = typename rule::kept;
  PG_DYN_SHARED(uint64_t, room);
  const int lane = int(threadIdx.x) % kLineLanes, group = int(threadIdx.x) / kLineLanes;
  const int groups = int(blockDim.x) / kLineLanes;
  const uint32_t line = blockIdx.x * uint32_t(groups) + uint32_t(group);
  if (line >= args.lines) return;
  const int extent = int(args.extent), marks = int(args.marks);
  uint32_t* const mark = reinterpret_cast<uint32_t*>(room) + group * kLineMarks * marks;
  kept* const sum = reinterpret_cast<kept*>(reinterpret_cast<uint32_t*>(room) + groups * kLineMarks * marks) + group * extent;
  int64_t at[3];
  map.offsets(line, at);
  T* const to = out + at[0] + lane * args.out_stride;
  const I* index = indices + at[1] + lane * args.index_stride;
  const T* update = updates + at[2] + lane * args.update_stride;
  for (int i = lane; i < kLineMarks * marks; i += kLineLanes) mark[i] = 0;
  PG_UNROLL_N(kLineLoads)
  for (int i = lane; i < extent; i += kLineLanes) sum[i] = rule::lift(to[(i - lane) * args.out_stride]);
  pg::syncwarp<kLineLanes>();
  I next_index[kLineLoads];
  T next[kLineLoads];
  int64_t left = args.count - lane;  // updates from this lane's next one on
  const auto fetch = [&] {
    PG_UNROLL
    for (int u = 0; u < kLineLoads; ++u) {
      next_index[u] = I(args.extent);  // none
      if (u * kLineLanes < left) {
        next_index[u] = *index;
        next[u] = *update;
      }
      index += kLineLanes * args.index_stride;  // one by one: eight multiples would spill AMD's scalar registers
      update += kLineLanes * args.update_stride;
    }
    left -= kLineLoads * kLineLanes;
  };
  fetch();
  for (int64_t first = 0; first < args.count; first += kLineLoads * kLineLanes) {
    int place[kLineLoads];
    T value[kLineLoads];
    PG_UNROLL
    for (int u = 0; u < kLineLoads; ++u) {
      int64_t i = int64_t(next_index[u]);
      place[u] = resolve(i, args.extent) ? int(i) : -1;
      value[u] = next[u];
    }
    if (first + kLineLoads * kLineLanes < args.count) fetch();
    PG_UNROLL
    for (int begin = 0; begin < kLineLoads; begin += kLineMarks) {
      bool met[kLineMarks];
      PG_UNROLL
      for (int u = 0; u < kLineMarks; ++u) {
        const int p = place[begin + u];
        const uint32_t bit = 1u << (p & 31);
        met[u] = p >= 0 && (pg::atomic_or_block(&mark[u * marks + (p >> 5)], bit) & bit) != 0;
      }
      PG_UNROLL
      for (int u = 0; u < kLineMarks; ++u) {
        const int p = place[begin + u];
        if (!pg::any<kLineLanes>(met[u])) {
          if (p >= 0) rule::update(sum[p], value[begin + u]);
        } else {
          int before = 0;  // lower lanes at the same element
          PG_UNROLL_N(1)
          for (int other = 0; other < kLineLanes; ++other) {
            const int q = pg::shfl<kLineLanes>(p, other);
            before += other < lane && q == p ? 1 : 0;
          }
          const int most = pg::warp_max<kLineLanes>(p >= 0 ? before : 0);
          PG_UNROLL_N(1)
          for (int turn = 0; turn <= most; ++turn) {
            if (p >= 0 && turn == before) rule::update(sum[p], value[begin + u]);
            pg::syncwarp<kLineLanes>();
          }
        }
        if (p >= 0) pg::atomic_and_block(&mark[u * marks + (p >> 5)], ~(1u << (p & 31)));
        pg::syncwarp<kLineLanes>();
      }
    }
  }
  PG_UNROLL_N(kLineLoads)
  for (int i = lane; i < extent; i += kLineLanes) to[(i - lane) * args.out_stride] = rule::finish(sum[i]);
}

// Bytes of shared memory for a line.
template <class T, bool kAdd>
constexpr int64_t line_bytes(int64_t extent) {
  return extent * int64_t(sizeof(typename line_rule<T, kAdd>::kept)) + (extent + 31) / 32 * 4 * kLineMarks;
}

// Whether lines fit, and are so many and so full that this is less work than a sort.
template <class T, bool kAdd>
bool by_lines(int64_t extent, int64_t count, int64_t lines) {
  constexpr int64_t kManyLines = PG_TARGET_CPU ? 4 : 128, kFewUpdates = 8192;
  return line_bytes<T, kAdd>(extent) + 8 <= kLineRoom && lines <= int64_t(INT32_MAX) && extent <= 8 * count &&
         (lines >= kManyLines || count <= kFewUpdates);
}

template <class T, class I, bool kAdd>
int launch_lines(const char* op, const I* indices, const T* updates, T* out, line_args args, const layout<3>& map,
                 void* stream) {
  args.marks = uint32_t((args.extent + 31) / 32);
  int64_t groups = kLineRoom / (line_bytes<T, kAdd>(args.extent) + 8);
  if (groups > kMostGroups) groups = kMostGroups;
  if (groups > int64_t(args.lines)) groups = args.lines;
  // The kept elements come behind the marks, whose words are a multiple of 16 bytes.
  const int64_t bytes = groups * line_bytes<T, kAdd>(args.extent);
  return launched(PG_LAUNCH((along_lines<T, I, kAdd>), unsigned((args.lines + groups - 1) / groups),
                            unsigned(groups * kLineLanes), size_t(bytes), stream, indices, updates, out, args,
                            map.device()), op);
}

}  // namespace pgops
