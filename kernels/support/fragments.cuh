// Products by matrix fragments: panels of both operands come to shared memory as they lie in memory, several on
// their way at once where copies are asynchronous; warps multiply them in registers.
#pragma once

#include "elementwise.cuh"
#include "pg/mma.h"

namespace pgops {

constexpr int kFragmentK = PG_TARGET_CUDA ? 64 : 32;  // of k in a panel; AMD has 64 KiB of shared memory
constexpr int kPad = 8;  // elements behind each line: the lines of a fragment start in different banks

// Large tiles from so many on; the CPU target takes them at once, so that tests see them.
constexpr int64_t kEnoughTiles = PG_TARGET_CPU ? 1 : 96;

// A panel of kSide elements of m or n by kFragmentK of k in shared memory: [m or n][k] or [k][m or n].
template <bool kAlongK, int kSide>
struct panel_shape {
  static constexpr int kLine = (kAlongK ? kFragmentK : kSide) + kPad, kLines = kAlongK ? kSide : kFragmentK;
  static constexpr int kSize = kLine * kLines;
};

// How the threads of a block share a panel's pieces of 16 bytes.
template <bool kAlongK, int kSide, int kThreads>
struct panel_pieces {
  using shape = panel_shape<kAlongK, kSide>;
  static constexpr int kPieces = (kAlongK ? kFragmentK : kSide) / 8;  // of a line
  static constexpr int kStep = kThreads / kPieces;                    // lines from one piece of a thread to its next
  static constexpr int kCopies = shape::kLines / kStep;
  static_assert(kCopies >= 1 && kCopies * kStep == shape::kLines, "panels are cut evenly");
};

// kTileM x kTileN elements of C for a block of kThreads; kStages panels in shared memory, the current one included.
template <int kM, int kN, int kT, int kS>
struct fragment_tile {
  static constexpr int kTileM = kM, kTileN = kN, kThreads = kT, kStages = kS;
  static constexpr int kWarps = kThreads / pg::mma::lanes, kWarpsN = kWarps / 2;
  static constexpr int kRows = kTileM / 2 / 16, kColumns = kTileN / kWarpsN / 16;  // fragments of a warp
  using sums = pg::mma::c[kRows][kColumns];

  static __device__ __forceinline__ int warp_row() {
    return int(threadIdx.x) / pg::mma::lanes / kWarpsN * (kRows * 16);
  }
  static __device__ __forceinline__ int warp_column() {
    return int(threadIdx.x) / pg::mma::lanes % kWarpsN * (kColumns * 16);
  }
  // Bytes of shared memory for panels, which store_tile uses as well.
  template <class T, bool kAlongA, bool kAlongB>
  static constexpr size_t bytes() {
    constexpr size_t panels = size_t(kStages) * (panel_shape<kAlongA, kM>::kSize + panel_shape<kAlongB, kN>::kSize);
    constexpr size_t tile = size_t(kM) * (kN + kPad);
    return sizeof(T) * (panels > tile ? panels : tile);
  }
};

struct no_more_work {
  template <class Sums>
  __device__ __forceinline__ void operator()(Sums&, int64_t) const {}
};

// sums += left * right over `depth` elements of k. An operand has kAlongK, copy<parts>(panel, k, part) for part `part`
// of the calling thread's share of the next panel, of which k elements exist, advance() behind the last part, and
// finish(panel), for the panel that is needed next: the thread's own copies for it have arrived.
// after(sums, k) follows each 16 of k, counted from 1 to k.
template <class Tile, class T, class Left, class Right, class After = no_more_work>
__device__ __forceinline__ void multiply_panels(T* panels, Left& left, Right& right, int64_t depth,
                                                typename Tile::sums& sums, After after = {}) {
  using left_shape = panel_shape<Left::kAlongK, Tile::kTileM>;
  using right_shape = panel_shape<Right::kAlongK, Tile::kTileN>;
  constexpr int kStages = Tile::kStages, kRows = Tile::kRows, kColumns = Tile::kColumns;
  constexpr int kStage = left_shape::kSize + right_shape::kSize, kSteps = kFragmentK / 16, kParts = kSteps - 1;
  const int wm = Tile::warp_row(), wn = Tile::warp_column();
  const int count = int((depth + kFragmentK - 1) / kFragmentK);
  int64_t ahead = depth;  // elements of k that are not on their way
  const auto fetch = [&](int slot, auto parts, int part) {
    constexpr int kOf = decltype(parts)::value;
    const int k = ahead < kFragmentK ? int(ahead) : kFragmentK;
    if (ahead > 0) {
      left.template copy<kOf>(panels + slot * kStage, k, part);
      right.template copy<kOf>(panels + slot * kStage + left_shape::kSize, k, part);
    }
    if (part + 1 != kOf) return;
    left.advance();
    right.advance();
    ahead -= kFragmentK;
    pg::async_commit();
  };
  const auto finish = [&](int slot) {
    left.finish(panels + slot * kStage);
    right.finish(panels + slot * kStage + left_shape::kSize);
  };
  pg::mma::a<T> x[2][kRows];
  pg::mma::b<T> y[2][kColumns];
  const auto load = [&](const T* panel, int step, int turn) {
    const T* const other = panel + left_shape::kSize;
    PG_UNROLL
    for (int i = 0; i < kRows; ++i)
      x[turn][i] = Left::kAlongK
                       ? pg::mma::load_a(panel + (wm + 16 * i) * left_shape::kLine + 16 * step, left_shape::kLine)
                       : pg::mma::load_a_transposed(panel + 16 * step * left_shape::kLine + wm + 16 * i,
                                                    left_shape::kLine);
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j)
      y[turn][j] = Right::kAlongK
                       ? pg::mma::load_b_transposed(other + (wn + 16 * j) * right_shape::kLine + 16 * step,
                                                    right_shape::kLine)
                       : pg::mma::load_b(other + 16 * step * right_shape::kLine + wn + 16 * j, right_shape::kLine);
  };
  PG_UNROLL
  for (int s = 0; s + 1 < kStages; ++s) fetch(s, std::integral_constant<int, 1>{}, 0);
  pg::async_wait<kStages - 2>();
  if (count > 0) finish(0);
  __syncthreads();
  load(panels, 0, 0);
  int slot = 0, next = kStages - 1;
  for (int p = 0; p < count; ++p) {
    PG_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      if (step < kParts) {
        load(panels + slot * kStage, step + 1, (step + 1) % 2);
        fetch(next, std::integral_constant<int, kParts>{}, step);
      } else {  // the next panel must be here; the slot of this one is free for the panel behind those under way
        pg::async_wait<kStages - 2>();
        slot = slot + 1 == kStages ? 0 : slot + 1;
        next = next + 1 == kStages ? 0 : next + 1;
        if (p + 1 < count) finish(slot);
        __syncthreads();
        load(panels + slot * kStage, 0, (step + 1) % 2);
      }
      PG_UNROLL
      for (int i = 0; i < kRows; ++i) {
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) pg::mma::multiply_add(sums[i][j], x[step % 2][i], y[step % 2][j]);
      }
      after(sums, int64_t(p) * kFragmentK + 16 * (step + 1));
    }
#if !PG_HAS_MMA
    __syncthreads();  // fragments are views of the panel
#endif
  }
}

// The sums, rounded to T, to memory: where(row, column) is the place of an element of the tile. `vector`: eight
// neighbours in a row are neighbours in memory, aligned to 16 bytes. rows, columns: what exists of the tile.
template <class Tile, class T, class Where>
__device__ __forceinline__ void store_tile(T* panels, const typename Tile::sums& sums, int rows, int columns, bool vector,
                                           Where where) {
  constexpr int kLine = Tile::kTileN + kPad, kPieces = Tile::kTileN / 8;
  pg::async_wait();
  __syncthreads();
  PG_UNROLL
  for (int i = 0; i < Tile::kRows; ++i) {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) {
      PG_UNROLL
      for (int e = 0; e < pg::mma::count; ++e)
        panels[(Tile::warp_row() + 16 * i + pg::mma::row(e)) * kLine + Tile::warp_column() + 16 * j +
               pg::mma::column(e)] = narrow<T>(sums[i][j][e]);
    }
  }
  __syncthreads();
  PG_UNROLL_N(4)
  for (int e = int(threadIdx.x); e < Tile::kTileM * kPieces; e += Tile::kThreads) {
    const int row = e / kPieces, column = e % kPieces * 8;
    if (row >= rows || column >= columns) continue;
    const T* const from = panels + row * kLine + column;
    if (vector) {
      pg::store_vec<8>(where(row, column), pg::load_vec<8>(from));
    } else {
      for (int j = 0; j < 8 && column + j < columns; ++j) *where(row, column + j) = from[j];
    }
  }
}

}  // namespace pgops
