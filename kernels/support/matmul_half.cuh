// Products of half and bfloat16 by matrix fragments: panels of both operands come to shared memory as they
// lie in memory, several on their way at once where copies are asynchronous.
#pragma once

#include "matmul_plan.cuh"
#include "pg/mma.h"

namespace pgops {

constexpr int kFragmentThreads = 256;
constexpr int kFragmentK = PG_TARGET_CUDA ? 64 : 32;      // of k in a panel; AMD has 64 KiB of shared memory
constexpr int kFragmentStages = PG_TARGET_CUDA ? 3 : 2;  // panels in shared memory, the current one included
constexpr int kLargeM = 128, kLargeN = 256, kSmallTile = 64;
constexpr int kPad = 8;  // elements behind each line: the lines of a fragment start in different banks

// A panel of kSide elements of m or n by kFragmentK of k in shared memory: [m or n][k] or [k][m or n].
template <bool kAlongK, int kSide>
struct panel_shape {
  static constexpr int kLine = (kAlongK ? kFragmentK : kSide) + kPad, kLines = kAlongK ? kSide : kFragmentK;
  static constexpr int kSize = kLine * kLines;
};

template <class T, bool kAlongK, int kSide, bool kScattered>
struct panel_copier {
  using shape = panel_shape<kAlongK, kSide>;
  static constexpr int kPieces = (kAlongK ? kFragmentK : kSide) / 8;   // 16-byte pieces of a line
  static constexpr int kStep = kFragmentThreads / kPieces;             // lines from one piece of a thread to its next
  static constexpr int kCopies = shape::kLines / kStep;
  static_assert(kCopies >= 1 && kCopies * kStep == shape::kLines, "panels are cut evenly");
  const T* from;
  int64_t line_stride, item_stride;  // across lines; along a line (1 unless scattered)
  int64_t jump;                      // to the next panel
  int line, first;                   // of the thread's first piece
  int inside;                        // of the panel's kSide elements of m or n, those that exist

  __device__ __forceinline__ panel_copier(const T* base, int64_t stride_k, int64_t stride_side, int64_t at,
                                          int64_t extent) {
    const int t = int(threadIdx.x);
    first = t % kPieces * 8;
    line = t / kPieces;
    inside = extent - at < kSide ? int(extent - at) : kSide;
    line_stride = kAlongK ? stride_side : stride_k;
    item_stride = !kScattered ? 1 : kAlongK ? stride_k : stride_side;
    from = base + at * stride_side + line * line_stride + first * item_stride;
    jump = kFragmentK * stride_k;
  }
  // Part `part` of kParts of the thread's pieces; k: elements of k from here on.
  template <int kParts>
  __device__ __forceinline__ void copy(T* panel, int k, int part) const {
    T* const to = panel + line * shape::kLine + first;
    const int lines = kAlongK ? inside : k, length = kAlongK ? k : inside;
    PG_UNROLL
    for (int i = 0; i < kCopies; ++i) {
      if (i % kParts != part) continue;
      const int here = i * kStep;
      T* const there = to + here * shape::kLine;
      if constexpr (!kScattered) {
        pg::async_copy_if<16>(line + here < lines && first < length, there, from + here * line_stride);
      } else {
        for (int j = 0; j < 8; ++j)
          there[j] = line + here < lines && first + j < length ? from[here * line_stride + j * item_stride] : T{};
      }
    }
  }
  __device__ __forceinline__ void advance() { from += jump; }
};

// kTileM x kTileN elements of C for a block. kAlongA, kAlongB: k is the dimension of A, B that is contiguous.
template <class T, bool kAlongA, bool kAlongB, int kTileM, int kTileN, bool kScattered>
__global__ void PG_LAUNCH_BOUNDS(kFragmentThreads, 1)
    matmul_fragments(const T* a, const T* b, T* out, matmul_args args, const PG_GRID_CONSTANT strided<3> batch) {
  using left_shape = panel_shape<kAlongA, kTileM>;
  using right_shape = panel_shape<kAlongB, kTileN>;
  constexpr int kStage = left_shape::kSize + right_shape::kSize;
  constexpr int kWarps = kFragmentThreads / pg::mma::lanes, kWarpsN = kWarps / 2;
  constexpr int kRows = kTileM / 2 / 16, kColumns = kTileN / kWarpsN / 16, kSteps = kFragmentK / 16;
  PG_DYN_SHARED(T, panels);
  const matmul_tile tile = tile_of(args, blockIdx.x);
  int64_t at[3];
  batch.offsets(tile.batch, at);
  const int64_t m0 = int64_t(tile.m) * kTileM, n0 = int64_t(tile.n) * kTileN;
  panel_copier<T, kAlongA, kTileM, kScattered> left(a + at[1], args.a_k, args.a_m, m0, args.m);
  panel_copier<T, kAlongB, kTileN, kScattered> right(b + at[2], args.b_k, args.b_n, n0, args.n);
  const int warp = int(threadIdx.x) / pg::mma::lanes;
  const int wm = warp / kWarpsN * (kRows * 16), wn = warp % kWarpsN * (kColumns * 16);
  pg::mma::c sums[kRows][kColumns];
  PG_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) sums[i][j] = pg::mma::zero();
  }
  const int count = int((args.k + kFragmentK - 1) / kFragmentK);
  int64_t ahead = args.k;  // elements of k that are not on their way
  const auto fetch = [&](int slot, auto parts, int part) {
    constexpr int kParts = decltype(parts)::value;
    const int k = ahead < kFragmentK ? int(ahead) : kFragmentK;
    if (ahead > 0) {
      left.template copy<kParts>(panels + slot * kStage, k, part);
      right.template copy<kParts>(panels + slot * kStage + left_shape::kSize, k, part);
    }
    if (part + 1 != kParts) return;
    left.advance();
    right.advance();
    ahead -= kFragmentK;
    pg::async_commit();
  };
  pg::mma::a<T> x[2][kRows];
  pg::mma::b<T> y[2][kColumns];
  const auto load = [&](const T* panel, int step, int turn) {
    const T* const other = panel + left_shape::kSize;
    PG_UNROLL
    for (int i = 0; i < kRows; ++i)
      x[turn][i] = kAlongA ? pg::mma::load_a(panel + (wm + 16 * i) * left_shape::kLine + 16 * step, left_shape::kLine)
                           : pg::mma::load_a_transposed(panel + 16 * step * left_shape::kLine + wm + 16 * i,
                                                        left_shape::kLine);
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j)
      y[turn][j] = kAlongB ? pg::mma::load_b_transposed(other + (wn + 16 * j) * right_shape::kLine + 16 * step,
                                                        right_shape::kLine)
                           : pg::mma::load_b(other + 16 * step * right_shape::kLine + wn + 16 * j, right_shape::kLine);
  };
  PG_UNROLL
  for (int s = 0; s + 1 < kFragmentStages; ++s) fetch(s, std::integral_constant<int, 1>{}, 0);
  int slot = 0, next = kFragmentStages - 1;
  for (int p = 0; p < count; ++p) {
    pg::async_wait<kFragmentStages - 2>();
    __syncthreads();
    const T* const panel = panels + slot * kStage;
    load(panel, 0, 0);
    PG_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) load(panel, step + 1, (step + 1) % 2);
      fetch(next, std::integral_constant<int, kSteps>{}, step);
      PG_UNROLL
      for (int i = 0; i < kRows; ++i) {
        PG_UNROLL
        for (int j = 0; j < kColumns; ++j) pg::mma::multiply_add(sums[i][j], x[step % 2][i], y[step % 2][j]);
      }
    }
    slot = slot + 1 == kFragmentStages ? 0 : slot + 1;
    next = next + 1 == kFragmentStages ? 0 : next + 1;
  }
  PG_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PG_UNROLL
    for (int e = 0; e < pg::mma::count; ++e) {
      const int64_t row = m0 + wm + 16 * i + pg::mma::row(e);
      if (row >= args.m) continue;
      PG_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        const int64_t column = n0 + wn + 16 * j + pg::mma::column(e);
        if (column < args.n) out[at[0] + row * args.out_m + column * args.out_n] = narrow<T>(sums[i][j][e]);
      }
    }
  }
}

template <class T, bool kAlongA, bool kAlongB, int kTileM, int kTileN>
constexpr size_t fragment_bytes = size_t(kFragmentStages) * sizeof(T) *
                                  size_t(panel_shape<kAlongA, kTileM>::kSize + panel_shape<kAlongB, kTileN>::kSize);

template <class T, bool kAlongA, bool kAlongB, int kTileM, int kTileN, bool kScattered = false>
int launch_fragments(const char* op, const T* a, const T* b, T* out, matmul_args args, const layout<3>& batch,
                     void* stream) {
  args.tiles_m = blocks_for(args.m, kTileM);
  args.tiles_n = blocks_for(args.n, kTileN);
  const int64_t blocks = batch.numel() * args.tiles_m * args.tiles_n;
  if (blocks > INT32_MAX) return fail(PG_ERR_SIZE, "%s: the batch is too large for one call", op);
  return launched(PG_LAUNCH((matmul_fragments<T, kAlongA, kAlongB, kTileM, kTileN, kScattered>), unsigned(blocks),
                            kFragmentThreads, (fragment_bytes<T, kAlongA, kAlongB, kTileM, kTileN>), stream, a, b, out,
                            args, batch.device()), op);
}

template <class T>
int matmul_halves(const char* op, const T* a, const T* b, T* out, const matmul_args& args, const layout<3>& batch,
                  void* stream) {
  const operand_way left = way_of(a, 8, args.a_k, args.a_m, args.k, args.m, batch, 1);
  const operand_way right = way_of(b, 8, args.b_k, args.b_n, args.k, args.n, batch, 2);
  if (left == operand_way::scattered || right == operand_way::scattered)
    return launch_fragments<T, true, true, kSmallTile, kSmallTile, true>(op, a, b, out, args, batch, stream);
  // Large tiles where they fill the device and its shared memory holds them.
  const bool large = batch.numel() * ((args.m + kLargeM - 1) / kLargeM) * ((args.n + kLargeN - 1) / kLargeN) >= 96;
  const auto with = [&](auto along_a, auto along_b) {
    constexpr bool kA = decltype(along_a)::value, kB = decltype(along_b)::value;
    if (large && pg::set_max_dynamic_shared((matmul_fragments<T, kA, kB, kLargeM, kLargeN, false>),
                                            fragment_bytes<T, kA, kB, kLargeM, kLargeN>) == 0)
      return launch_fragments<T, kA, kB, kLargeM, kLargeN>(op, a, b, out, args, batch, stream);
    return launch_fragments<T, kA, kB, kSmallTile, kSmallTile>(op, a, b, out, args, batch, stream);
  };
  const std::true_type yes;
  const std::false_type no;
  if (left == operand_way::along_k) return right == operand_way::along_k ? with(yes, yes) : with(yes, no);
  return right == operand_way::along_k ? with(no, yes) : with(no, no);
}

}  // namespace pgops
