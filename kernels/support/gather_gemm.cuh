// Matrix products whose operands are gathered: convolutions and their gradients without an unfolded copy.
// A Problem has rows, columns, depth; row(m), column(n) and depth_at(k), which decode an index once; a(row, k)
// and b(column, k), the elements, zero where there is none; and put(m, n, group, split, value). kDepthFastA and
// kDepthFastB tell whether neighbours along the depth lie next to each other in memory.
#pragma once

#include "near.cuh"
#include "row.cuh"

namespace pgops {

constexpr int kGemmThreads = 256;
constexpr int kGemmSide = 16;
constexpr int kGemmTile = 64;
constexpr int kGemmDepth = 16;
constexpr int kGemmOwn = kGemmTile / kGemmSide;
constexpr int kGemmPad = 4;
constexpr int kGemmLoads = kGemmTile * kGemmDepth / kGemmThreads;  // elements of each operand a thread loads

// The place of a thread's first element in a chunk; the others follow along the depth.
template <bool kDepthFast>
__device__ __forceinline__ void place_of_thread(int& line, int& k) {
  constexpr int kAcross = kGemmDepth / kGemmLoads;
  line = kDepthFast ? int(threadIdx.x) / kAcross : int(threadIdx.x) % kGemmTile;
  k = (kDepthFast ? int(threadIdx.x) % kAcross : int(threadIdx.x) / kGemmTile) * kGemmLoads;
}

template <class Problem>
__global__ void PG_LAUNCH_BOUNDS(kGemmThreads) gather_gemm(const PG_GRID_CONSTANT Problem p, uint32_t row_tiles) {
  using C = typename Problem::compute;
  constexpr int kLine = kGemmTile + kGemmPad;
  alignas(16) __shared__ C left[2][kGemmDepth * kLine];
  alignas(16) __shared__ C right[2][kGemmDepth * kLine];
  const int group = int(blockIdx.y), split = int(blockIdx.z);
  const uint32_t m0 = blockIdx.x % row_tiles * kGemmTile, n0 = blockIdx.x / row_tiles * kGemmTile;
  const uint32_t depth = p.depth(), share = p.share(), begin = uint32_t(split) * share;
  const uint32_t end = depth - begin < share ? depth : begin + share;
  int a_line, a_k, b_line, b_k;
  place_of_thread<Problem::kDepthFastA>(a_line, a_k);
  place_of_thread<Problem::kDepthFastB>(b_line, b_k);
  const bool a_inside = m0 + uint32_t(a_line) < p.rows(), b_inside = n0 + uint32_t(b_line) < p.columns();
  const auto row = p.row(a_inside ? m0 + uint32_t(a_line) : 0u, group);
  const auto column = p.column(b_inside ? n0 + uint32_t(b_line) : 0u, group);
  C a[kGemmLoads], b[kGemmLoads];
  const auto fetch = [&](uint32_t first) {
    PG_UNROLL
    for (int e = 0; e < kGemmLoads; ++e) {
      const uint32_t ka = first + uint32_t(a_k + e), kb = first + uint32_t(b_k + e);
      a[e] = a_inside && ka < end ? p.a(row, p.depth_at(ka)) : C(0);
      b[e] = b_inside && kb < end ? p.b(column, p.depth_at(kb)) : C(0);
    }
  };
  const auto keep = [&](int turn) {
    PG_UNROLL
    for (int e = 0; e < kGemmLoads; ++e) {
      left[turn][(a_k + e) * kLine + a_line] = a[e];
      right[turn][(b_k + e) * kLine + b_line] = b[e];
    }
  };
  const int tx = int(threadIdx.x) % kGemmSide, ty = int(threadIdx.x) / kGemmSide;
  C sum[kGemmOwn][kGemmOwn];
  PG_UNROLL
  for (int i = 0; i < kGemmOwn; ++i) {
    PG_UNROLL
    for (int j = 0; j < kGemmOwn; ++j) sum[i][j] = C(0);
  }
  constexpr int kPiece = kVectorBytes / int(sizeof(C)) < kGemmOwn ? kVectorBytes / int(sizeof(C)) : kGemmOwn;
  if (begin < end) fetch(begin);
  keep(0);
  __syncthreads();
  int turn = 0;
  for (uint32_t first = begin; first < end; first += kGemmDepth, turn ^= 1) {
    const bool more = end - first > kGemmDepth;
    if (more) fetch(first + kGemmDepth);
    PG_UNROLL
    for (int k = 0; k < kGemmDepth; ++k) {
      C x[kGemmOwn], y[kGemmOwn];
      PG_UNROLL
      for (int i = 0; i < kGemmOwn; i += kPiece) {
        const auto u = pg::load_vec<kPiece>(left[turn] + k * kLine + ty * kGemmOwn + i);
        const auto v = pg::load_vec<kPiece>(right[turn] + k * kLine + tx * kGemmOwn + i);
        PG_UNROLL
        for (int j = 0; j < kPiece; ++j) {
          x[i + j] = u[j];
          y[i + j] = v[j];
        }
      }
      PG_UNROLL
      for (int i = 0; i < kGemmOwn; ++i) {
        PG_UNROLL
        for (int j = 0; j < kGemmOwn; ++j) sum[i][j] += x[i] * y[j];
      }
    }
    if (more) keep(turn ^ 1);
    __syncthreads();
  }
  PG_UNROLL
  for (int i = 0; i < kGemmOwn; ++i) {
    const uint32_t m = m0 + uint32_t(ty * kGemmOwn + i);
    if (m >= p.rows()) break;
    PG_UNROLL
    for (int j = 0; j < kGemmOwn; ++j) {
      const uint32_t n = n0 + uint32_t(tx * kGemmOwn + j);
      if (n < p.columns()) p.put(m, n, group, split, sum[i][j]);
    }
  }
}

// Few columns, as with one channel a group: a thread makes one element of each of kRows neighbouring rows.
constexpr int kDirectRows = 8;
template <class Problem, int kRows>
__global__ void PG_LAUNCH_BOUNDS(kGemmThreads)
    gather_direct(const PG_GRID_CONSTANT Problem given, fast_div across, fast_div columns, int64_t first, int64_t count) {
  using C = typename Problem::compute;
  __shared__ near_room<Problem> kept;
  const Problem& p = kRows == 1 ? given : keep_near(given, kept);
  const int64_t i = int64_t(blockIdx.x) * kGemmThreads + threadIdx.x;
  if (i >= count) return;
  const int64_t block = (first + i) / across.divisor;
  const uint32_t m = uint32_t(block) * kRows, rest = uint32_t((first + i) - block * across.divisor);
  const uint32_t group = columns.div(rest), n = rest - group * columns.divisor, rows = p.rows();
  decltype(p.row(m, 0)) row[kRows];
  C sum[kRows];
  PG_UNROLL
  for (int r = 0; r < kRows; ++r) {
    row[r] = p.row(m + r < rows ? m + r : m, int(group));
    sum[r] = C(0);
  }
  const auto column = p.column(n, int(group));
  for (uint32_t k = 0; k < p.depth(); ++k) {
    const auto at = p.depth_at(k);
    const C with = p.b(column, at);
    PG_UNROLL
    for (int r = 0; r < kRows; ++r) sum[r] += p.a(row[r], at) * with;
  }
  PG_UNROLL
  for (int r = 0; r < kRows; ++r)
    if (m + r < rows) p.put(m + r, n, int(group), 0, sum[r]);
}

// Few rows in each of many groups, as in the gradient of a depthwise filter: lanes are groups, whose elements are
// neighbours in memory, with some columns each; the rows of the block take turns along the depth.
constexpr int kLaneGroups = 32, kLaneRows = kGemmThreads / kLaneGroups, kLaneColumns = 9;
template <class Problem>
__global__ void PG_LAUNCH_BOUNDS(kGemmThreads)
    gather_lanes(const PG_GRID_CONSTANT Problem given, fast_div chunks, int groups) {
  using C = typename Problem::compute;
  __shared__ near_room<Problem> kept;
  const Problem& p = keep_near(given, kept);
  __shared__ C part[kLaneRows][kLaneColumns][kLaneGroups];
  const int lane = int(threadIdx.x) % kLaneGroups, turn = int(threadIdx.x) / kLaneGroups;
  const int group = int(blockIdx.x) * kLaneGroups + lane, split = int(blockIdx.z);
  const uint32_t m = chunks.div(blockIdx.y), n0 = (blockIdx.y - m * chunks.divisor) * kLaneColumns;
  const uint32_t depth = p.depth(), share = p.share(), begin = uint32_t(split) * share;
  const uint32_t end = depth - begin < share ? depth : begin + share;
  C sum[kLaneColumns];
  PG_UNROLL
  for (int c = 0; c < kLaneColumns; ++c) sum[c] = C(0);
  if (group < groups) {
    const auto row = p.row(m, group);
    decltype(p.column(n0, group)) column[kLaneColumns];
    PG_UNROLL
    for (int c = 0; c < kLaneColumns; ++c) column[c] = p.column(n0 + c < p.columns() ? n0 + c : n0, group);
    for (uint32_t k = begin + uint32_t(turn); k < end; k += kLaneRows) {
      const auto at = p.depth_at(k);
      const C with = p.a(row, at);
      PG_UNROLL
      for (int c = 0; c < kLaneColumns; ++c) sum[c] += with * p.b(column[c], at);
    }
  }
  PG_UNROLL
  for (int c = 0; c < kLaneColumns; ++c) part[turn][c][lane] = sum[c];
  __syncthreads();
  if (group >= groups) return;
  for (int c = turn; c < kLaneColumns && n0 + c < p.columns(); c += kLaneRows) {
    C all = part[0][c][lane];
    for (int t = 1; t < kLaneRows; ++t) all += part[t][c][lane];
    p.put(m, n0 + c, group, split, all);
  }
}

constexpr int64_t kDirectColumns = 4;

inline int64_t lane_chunks(int64_t columns) { return (columns + kLaneColumns - 1) / kLaneColumns; }
inline bool by_lanes(int64_t rows, int64_t columns, int64_t groups) {
  return rows <= kDirectColumns && groups >= kLaneGroups / 2 && rows * lane_chunks(columns) <= 65535;
}

template <int kRows, class Problem>
int launch_direct(const char* op, const Problem& p, int64_t across, void* stream) {
  const int64_t all = (int64_t(p.rows()) + kRows - 1) / kRows * across, most = int64_t(kGemmThreads) * 0x7fffffff;
  for (int64_t first = 0; first < all; first += most) {
    const int64_t count = all - first < most ? all - first : most;
    PG_TRY(launched(PG_LAUNCH((gather_direct<Problem, kRows>), unsigned((count + kGemmThreads - 1) / kGemmThreads),
                              kGemmThreads, 0, stream, p, fast_div(uint32_t(across)), fast_div(p.columns()), first, count),
                    op));
  }
  return PG_OK;
}

inline int check_gather_grid(const char* op, int64_t tiles, int64_t groups) {
  if (tiles <= INT32_MAX && groups <= 65535) return PG_OK;
  return fail(PG_ERR_SIZE, "%s: more than 2^31 tiles of 64 x 64, or more than 65535 groups", op);
}

template <class Problem>
int launch_gather(const char* op, const Problem& p, int64_t groups, unsigned splits, void* stream) {
  const int64_t rows = p.rows(), columns = p.columns();
  if (splits == 1 && columns <= kDirectColumns && Problem::kDepthFastA) {
    const int64_t across = groups * columns;
    // Fewer threads with more work once there are enough for the device.
    constexpr int64_t kEnough = PG_TARGET_CPU ? 1 << 10 : 1 << 20;
    return rows * across < kEnough ? launch_direct<1>(op, p, across, stream)
                                   : launch_direct<kDirectRows>(op, p, across, stream);
  }
  if (!Problem::kDepthFastA && by_lanes(rows, columns, groups))
    return launched(PG_LAUNCH((gather_lanes<Problem>), dim3(unsigned((groups + kLaneGroups - 1) / kLaneGroups),
                                                            unsigned(rows * lane_chunks(columns)), splits),
                              kGemmThreads, 0, stream, p, fast_div(uint32_t(lane_chunks(columns))), int(groups)), op);
  const int64_t row_tiles = (rows + kGemmTile - 1) / kGemmTile, tiles = row_tiles * ((columns + kGemmTile - 1) / kGemmTile);
  PG_TRY(check_gather_grid(op, tiles, groups));
  return launched(PG_LAUNCH((gather_gemm<Problem>), dim3(unsigned(tiles), unsigned(groups), splits), kGemmThreads, 0,
                            stream, p, uint32_t(row_tiles)), op);
}

}  // namespace pgops
