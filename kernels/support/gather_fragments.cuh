// Products of gathered operands by matrix fragments, for problems (gather_gemm.cuh) of half and bfloat16. Such a problem
// also has element = T; a_at(row, step, inside) and b_at(column, step, inside), places of elements, and whether there is
// one; start(n, group), what a sum begins with; target(m, n, group), its place, where put does not do more than
// rounding (`plain`); and whether eight neighbours, along the depth or across it, are 16 aligned bytes: vector() of
// both operands, vector_out() of the result. many_strides(): they do not fit in AMD's scalar registers.
#pragma once

#include "fragments.cuh"
#include "gather_gemm.cuh"
#include "gather_panels.cuh"
#include "near.cuh"

namespace pgops {

using gather_large = fragment_tile<128, 128, 256, PG_TARGET_CUDA ? 3 : 2>;
using gather_small = fragment_tile<64, 64, PG_TARGET_CUDA ? 128 : 256, PG_TARGET_CUDA ? 3 : 2>;

template <class Problem, bool kLeft, bool kVector, int kSide, int kThreads>
struct gather_copier {
  using T = typename Problem::element;
  static constexpr bool kAlongK = kLeft ? Problem::kDepthFastA : Problem::kDepthFastB;
  using shape = panel_shape<kAlongK, kSide>;
  using pieces = panel_pieces<kAlongK, kSide, kThreads>;

  using line_type = std::conditional_t<kLeft, decltype(std::declval<const Problem&>().row(0u, 0)),
                                       decltype(std::declval<const Problem&>().column(0u, 0))>;
  using step_type = decltype(std::declval<const Problem&>().depth_at(0u));

  const Problem& p;
  int group, line, first;  // place of the thread's first piece in a panel
  int inside;              // of the panel's kSide elements of m or n, those that exist
  uint32_t at, k0;         // the panel's first element of m or n, and of k
  // Of the thread's pieces: lines of the operand where panels lie along k, else one.
  line_type mine[kVector && kAlongK ? pieces::kCopies : 1];

  __device__ __forceinline__ gather_copier(const Problem& problem, uint32_t start, uint32_t extent, uint32_t k, int g)
      : p(problem), group(g), line(int(threadIdx.x) / pieces::kPieces), first(int(threadIdx.x) % pieces::kPieces * 8),
        inside(extent - start < uint32_t(kSide) ? int(extent - start) : kSide), at(start), k0(k) {
    if constexpr (kVector && kAlongK) {
      PG_UNROLL
      for (int i = 0; i < pieces::kCopies; ++i) mine[i] = line_at(line + i * pieces::kStep);
    } else if constexpr (kVector) {
      mine[0] = line_at(first);
    }
  }
  __device__ __forceinline__ line_type line_at(int i) const {
    const uint32_t number = at + uint32_t(i < inside ? i : 0);
    if constexpr (kLeft) return p.row(number, group);
    else return p.column(number, group);
  }
  __device__ __forceinline__ const T* place(const line_type& of, const step_type& step, bool& there) const {
    if constexpr (kLeft) return p.a_at(of, step, there);
    else return p.b_at(of, step, there);
  }
  template <int kParts>
  __device__ __forceinline__ void copy(T* panel, int k, int part) const {
    T* const to = panel + line * shape::kLine + first;
    if constexpr (kVector) {
      step_type step;
      if constexpr (kAlongK) step = p.depth_at(k0 + uint32_t(first < k ? first : 0));
      PG_UNROLL
      for (int i = 0; i < pieces::kCopies; ++i) {
        if (i % kParts != part) continue;
        const int here = line + i * pieces::kStep;
        if constexpr (!kAlongK) step = p.depth_at(k0 + uint32_t(here < k ? here : 0));
        bool there = kAlongK ? here < inside && first < k : here < k && first < inside;
        const T* const from = place(mine[kAlongK ? i : 0], step, there);
        pg::async_copy_if<16>(there, to + i * pieces::kStep * shape::kLine, from);
      }
    } else {
      if (part != 0) return;
      PG_UNROLL_N(1)
      for (int e = 0; e < pieces::kCopies * 8; ++e) {
        const int across = line + e / 8 * pieces::kStep, along = first + e % 8;
        const int side = kAlongK ? across : along, depth = kAlongK ? along : across;
        T value{};
        if (side < inside && depth < k) {
          bool there = true;
          const T* const from = place(line_at(side), p.depth_at(k0 + uint32_t(depth)), there);
          if (there) value = *from;
        }
        to[e / 8 * pieces::kStep * shape::kLine + e % 8] = value;
      }
    }
  }
  __device__ __forceinline__ void advance() { k0 += kFragmentK; }
  __device__ __forceinline__ void finish(T*) const {}
};

template <class Problem, class Tile, bool kVector>
__global__ void PG_LAUNCH_BOUNDS(Tile::kThreads)
    gather_fragments(const PG_GRID_CONSTANT Problem given, uint32_t row_tiles, bool vector_out) {
  using T = typename Problem::element;
  PG_DYN_SHARED(T, panels);
  __shared__ near_room<Problem> kept;
  const Problem& p = kVector && !Problem::many_strides() ? given : keep_near(given, kept);
  const int group = int(blockIdx.y), split = int(blockIdx.z);
  const uint32_t m0 = blockIdx.x % row_tiles * Tile::kTileM, n0 = blockIdx.x / row_tiles * Tile::kTileN;
  const uint32_t depth = p.depth(), share = p.share(), begin = uint32_t(split) * share;
  const uint32_t length = depth - begin < share ? depth - begin : share;
  gather_copier<Problem, true, kVector, Tile::kTileM, Tile::kThreads> left(p, m0, p.rows(), begin, group);
  gather_copier<Problem, false, kVector, Tile::kTileN, Tile::kThreads> right(p, n0, p.columns(), begin, group);
  typename Tile::sums sums;
  PG_UNROLL
  for (int j = 0; j < Tile::kColumns; ++j) {
    PG_UNROLL
    for (int e = 0; e < pg::mma::count; ++e) {
      const int n = Tile::warp_column() + 16 * j + pg::mma::column(e);
      const float start = n < right.inside ? p.start(n0 + uint32_t(n), group) : 0.0f;
      PG_UNROLL
      for (int i = 0; i < Tile::kRows; ++i) sums[i][j][e] = start;
    }
  }
  multiply_panels<Tile>(panels, left, right, length, sums);
  if (p.plain()) {
    store_tile<Tile>(panels, sums, left.inside, right.inside, vector_out, [&](int row, int column) {
      return p.target(m0 + uint32_t(row), n0 + uint32_t(column), group);
    });
    return;
  }
  PG_UNROLL
  for (int i = 0; i < Tile::kRows; ++i) {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) {
      PG_UNROLL
      for (int e = 0; e < pg::mma::count; ++e) {
        const int row = Tile::warp_row() + 16 * i + pg::mma::row(e);
        const int column = Tile::warp_column() + 16 * j + pg::mma::column(e);
        if (row < left.inside && column < right.inside)
          p.put(m0 + uint32_t(row), n0 + uint32_t(column), group, split, sums[i][j][e]);
      }
    }
  }
}

template <class Problem, class Tile, bool kVector>
int launch_gather_tiles(const char* op, const Problem& p, int64_t groups, unsigned splits, void* stream) {
  const int64_t row_tiles = (int64_t(p.rows()) + Tile::kTileM - 1) / Tile::kTileM;
  const int64_t tiles = row_tiles * ((int64_t(p.columns()) + Tile::kTileN - 1) / Tile::kTileN);
  PG_TRY(check_gather_grid(op, tiles, groups));
  return launched(
      PG_LAUNCH((gather_fragments<Problem, Tile, kVector>), dim3(unsigned(tiles), unsigned(groups), splits),
                Tile::kThreads,
                (Tile::template bytes<typename Problem::element, Problem::kDepthFastA, Problem::kDepthFastB>()), stream,
                p, uint32_t(row_tiles), p.vector_out()), op);
}

template <class Problem>
int launch_gather_halves(const char* op, const Problem& p, int64_t groups, unsigned splits, void* stream) {
  if (!p.vector()) return launch_gather_tiles<Problem, gather_small, false>(op, p, groups, splits, stream);
  using T = typename Problem::element;
  const auto tiles = [](int64_t n, int64_t side) { return (n + side - 1) / side; };
  const int64_t large = tiles(p.rows(), gather_large::kTileM) * tiles(p.columns(), gather_large::kTileN) * groups * splits;
  if (large >= kEnoughTiles && p.columns() > gather_small::kTileN && p.rows() > gather_small::kTileM &&
      pg::set_max_dynamic_shared((gather_fragments<Problem, gather_large, true>),
                                 (gather_large::bytes<T, Problem::kDepthFastA, Problem::kDepthFastB>())) == 0)
    return launch_gather_tiles<Problem, gather_large, true>(op, p, groups, splits, stream);
  return launch_gather_tiles<Problem, gather_small, true>(op, p, groups, splits, stream);
}

// By fragments or f32 panels, or as launch_gather where a tile would be mostly empty or neither is for this.
template <class Problem>
int launch_product(const char* op, const Problem& p, int64_t groups, unsigned splits, void* stream) {
  if constexpr (is_half<typename Problem::element>) {
    if (p.columns() > kDirectColumns && p.rows() > kDirectColumns && pg::mma_supported())
      return launch_gather_halves(op, p, groups, splits, stream);
  }
  if constexpr (std::is_same_v<typename Problem::element, float>) {
    // Half-empty tiles cost more than small ones.
    if (p.vector() && p.rows() > kGatherM / 2 && p.columns() > kGatherN / 2)
      return launch_gather_panels(op, p, groups, splits, stream);
  }
  return launch_gather(op, p, groups, splits, stream);
}

}  // namespace pgops
