// Products of gathered operands in f32, for problems (gather_gemm.cuh, gather_fragments.cuh) whose neighbours are
// 16 aligned bytes: 128 rows and 64 columns a block, 8 x 4 elements a thread, two panels in turn. An index is decoded
// once for four elements. (128 columns: 4 % faster or 50 % slower on an H200, with half as many blocks at once.)
#pragma once

#include "gather_gemm.cuh"

namespace pgops {

constexpr int kGatherK = 8, kGatherM = 128, kGatherN = 64;

// One operand's panel: kSide elements of m or n, kGatherK of k, in shared memory as [k][m or n].
template <class Problem, bool kLeft, int kSide>
struct gather_loader {
  static constexpr bool kAlongK = kLeft ? Problem::kDepthFastA : Problem::kDepthFastB;
  static constexpr int kPerRow = (kAlongK ? kGatherK : kSide) / 4;  // 16-byte pieces of a contiguous run
  static constexpr bool kAll = kSide * kGatherK / 4 == kGemmThreads;  // each thread has a piece
  using line_type = std::conditional_t<kLeft, decltype(std::declval<const Problem&>().row(0u, 0)),
                                       decltype(std::declval<const Problem&>().column(0u, 0))>;
  const Problem& p;
  pg::vec<float, 4> held;
  line_type mine;
  int side, depth;  // place of the thread's piece in a panel
  bool inside;      // within m or n

  __device__ __forceinline__ gather_loader(const Problem& problem, uint32_t start, uint32_t extent, int group) : p(problem) {
    const int across = int(threadIdx.x) / kPerRow, along = int(threadIdx.x) % kPerRow * 4;
    side = kAlongK ? across : along;
    depth = kAlongK ? along : across;
    inside = (kAll || int(threadIdx.x) < kSide * kGatherK / 4) && start + uint32_t(side) < extent;
    const uint32_t number = inside ? start + uint32_t(side) : start;
    if constexpr (kLeft) mine = p.row(number, group);
    else mine = p.column(number, group);
  }
  __device__ __forceinline__ void load(uint32_t k0, uint32_t end) {
    const uint32_t k = k0 + uint32_t(depth);
    held = pg::vec<float, 4>{};
    bool there = inside && k < end;
    const auto step = p.depth_at(there ? k : k0);
    const float* from;
    if constexpr (kLeft) from = p.a_at(mine, step, there);
    else from = p.b_at(mine, step, there);
    if (there) held = pg::load_vec<4>(from);
  }
  __device__ __forceinline__ void put(float (*to)[kSide + 4]) const {
    if (!kAll && int(threadIdx.x) >= kSide * kGatherK / 4) return;
    if constexpr (kAlongK) {
      PG_UNROLL
      for (int j = 0; j < 4; ++j) to[depth + j][side] = held[j];
    } else {
      pg::store_vec<4>(&to[depth][side], held);
    }
  }
};

template <class Problem>
__global__ void PG_LAUNCH_BOUNDS(kGemmThreads, PG_TARGET_CUDA ? 2 : 1)
    gather_panels(const PG_GRID_CONSTANT Problem given, uint32_t row_tiles, bool vector_out) {
  struct alignas(16) panels {
    float left[kGatherK][kGatherM + 4], right[kGatherK][kGatherN + 4];
  };
  __shared__ panels shared[2];
  __shared__ near_room<Problem> kept;
  const Problem& p = Problem::many_strides() ? keep_near(given, kept) : given;
  const int group = int(blockIdx.y), split = int(blockIdx.z);
  const uint32_t m0 = blockIdx.x % row_tiles * kGatherM, n0 = blockIdx.x / row_tiles * kGatherN;
  const uint32_t depth = p.depth(), share = p.share(), begin = uint32_t(split) * share;
  const uint32_t end = depth - begin < share ? depth : begin + share;
  gather_loader<Problem, true, kGatherM> left(p, m0, p.rows(), group);
  gather_loader<Problem, false, kGatherN> right(p, n0, p.columns(), group);
  // A group of lanes makes 32 rows and half of the columns; a lane two runs of four rows and one of columns: one bank each.
  const int lane = int(threadIdx.x) % PG_WARP_SIZE_MIN, part = int(threadIdx.x) / PG_WARP_SIZE_MIN;
  const int tm = part / 2 * 32 + lane / 8 * 4, tn = part % 2 * (kGatherN / 2) + lane % 8 * 4;
  float sum[8][4];
  PG_UNROLL
  for (int j = 0; j < 4; ++j) {
    const uint32_t n = n0 + uint32_t(tn + j);
    const float start = n < p.columns() ? p.start(n, group) : 0.0f;
    PG_UNROLL
    for (int i = 0; i < 8; ++i) sum[i][j] = start;
  }
  left.load(begin, end);
  right.load(begin, end);
  left.put(shared[0].left);
  right.put(shared[0].right);
  __syncthreads();
  int turn = 0;
  for (uint32_t k = begin; k < end; k += kGatherK, turn ^= 1) {
    const bool more = end - k > kGatherK;
    if (more) {
      left.load(k + kGatherK, end);
      right.load(k + kGatherK, end);
    }
    const panels& now = shared[turn];
    PG_UNROLL
    for (int kk = 0; kk < kGatherK; ++kk) {
      pg::vec<float, 4> x[2];
      PG_UNROLL
      for (int h = 0; h < 2; ++h) x[h] = pg::load_vec<4>(&now.left[kk][tm + 16 * h]);
      const auto y = pg::load_vec<4>(&now.right[kk][tn]);
      PG_UNROLL
      for (int i = 0; i < 8; ++i) {
        PG_UNROLL
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i / 4][i % 4] * y[j];
      }
    }
    if (more) {
      left.put(shared[turn ^ 1].left);
      right.put(shared[turn ^ 1].right);
    }
    __syncthreads();
  }
  const bool plain = p.plain();
  PG_UNROLL
  for (int i = 0; i < 8; ++i) {
    const uint32_t m = m0 + uint32_t(tm + i % 4 + i / 4 * 16);
    const uint32_t n = n0 + uint32_t(tn);
    const float* const v = sum[i];
    if (m < p.rows() && n < p.columns()) {
      if (plain && vector_out) {
        pg::store_vec<4>(p.target(m, n, group), pg::vec<float, 4>{{v[0], v[1], v[2], v[3]}});
      } else {
        PG_UNROLL
        for (int j = 0; j < 4; ++j) {
          if (n + uint32_t(j) >= p.columns()) continue;
          if (plain) *p.target(m, n + uint32_t(j), group) = v[j];
          else p.put(m, n + uint32_t(j), group, split, v[j]);
        }
      }
    }
  }
}

template <class Problem>
int launch_gather_panels(const char* op, const Problem& p, int64_t groups, unsigned splits, void* stream) {
  const int64_t row_tiles = (int64_t(p.rows()) + kGatherM - 1) / kGatherM;
  const int64_t tiles = row_tiles * ((int64_t(p.columns()) + kGatherN - 1) / kGatherN);
  PG_TRY(check_gather_grid(op, tiles, groups));
  return launched(PG_LAUNCH((gather_panels<Problem>), dim3(unsigned(tiles), unsigned(groups), splits), kGemmThreads, 0,
                            stream, p, uint32_t(row_tiles), p.vector_out()), op);
}

}  // namespace pgops
