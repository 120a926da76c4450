// Products of half and bfloat16 by matrix fragments.
#pragma once

#include "fragments.cuh"
#include "matmul_plan.cuh"

namespace pgops {

// Tiles for products that fill the device, and for small ones.
using large_tile = fragment_tile<128, 256, 256, PG_TARGET_CUDA ? 3 : 2>;
using small_tile = fragment_tile<64, 64, PG_TARGET_CUDA ? 128 : 256, PG_TARGET_CUDA ? 3 : 2>;

template <class T, bool kAlong, int kSide, int kThreads, bool kScattered>
struct panel_copier {
  using shape = panel_shape<kAlong, kSide>;
  using pieces = panel_pieces<kAlong, kSide, kThreads>;
  static constexpr bool kAlongK = kAlong;
  const T* from;
  int64_t line_stride, item_stride;  // across lines; along a line (1 unless scattered)
  int64_t jump;                      // to the next panel
  int line, first;                   // of the thread's first piece
  int inside;                        // of the panel's kSide elements of m or n, those that exist

  __device__ __forceinline__ panel_copier(const T* base, int64_t stride_k, int64_t stride_side, int64_t at,
                                          int64_t extent) {
    const int t = int(threadIdx.x);
    first = t % pieces::kPieces * 8;
    line = t / pieces::kPieces;
    inside = extent - at < kSide ? int(extent - at) : kSide;
    line_stride = kAlongK ? stride_side : stride_k;
    item_stride = !kScattered ? 1 : kAlongK ? stride_k : stride_side;
    from = base + at * stride_side + line * line_stride + first * item_stride;
    jump = kFragmentK * stride_k;
  }
  template <int kParts>
  __device__ __forceinline__ void copy(T* panel, int k, int part) const {
    T* const to = panel + line * shape::kLine + first;
    const int lines = kAlongK ? inside : k, length = kAlongK ? k : inside;
    PG_UNROLL
    for (int i = 0; i < pieces::kCopies; ++i) {
      if (i % kParts != part) continue;
      const int here = i * pieces::kStep;
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
  __device__ __forceinline__ void finish(T*) const {}
};

// kAlongA, kAlongB: k is the dimension of A, B that is contiguous.
template <class T, bool kAlongA, bool kAlongB, class Tile, bool kScattered>
__global__ void PG_LAUNCH_BOUNDS(Tile::kThreads)
    matmul_fragments(const T* a, const T* b, T* out, matmul_args args, bool vector_out,
                     const PG_GRID_CONSTANT strided<3> batch) {
  PG_DYN_SHARED(T, panels);
  const matmul_tile tile = tile_of(args, blockIdx.x);
  int64_t at[3];
  batch.offsets(tile.batch, at);
  const int64_t m0 = int64_t(tile.m) * Tile::kTileM, n0 = int64_t(tile.n) * Tile::kTileN;
  panel_copier<T, kAlongA, Tile::kTileM, Tile::kThreads, kScattered> left(a + at[1], args.a_k, args.a_m, m0, args.m);
  panel_copier<T, kAlongB, Tile::kTileN, Tile::kThreads, kScattered> right(b + at[2], args.b_k, args.b_n, n0, args.n);
  typename Tile::sums sums;
  PG_UNROLL
  for (int i = 0; i < Tile::kRows; ++i) {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) sums[i][j] = pg::mma::zero();
  }
  multiply_panels<Tile>(panels, left, right, args.k, sums);
  T* const to = out + at[0] + m0 * args.out_m + n0 * args.out_n;
  store_tile<Tile>(panels, sums, left.inside, right.inside, vector_out,
                   [&](int row, int column) { return to + row * args.out_m + column * args.out_n; });
}

template <class T, bool kAlongA, bool kAlongB, class Tile, bool kScattered = false>
int launch_fragments(const char* op, const T* a, const T* b, T* out, matmul_args args, const layout<3>& batch,
                     void* stream) {
  args.tiles_m = blocks_for(args.m, Tile::kTileM);
  args.tiles_n = blocks_for(args.n, Tile::kTileN);
  const int64_t blocks = batch.numel() * args.tiles_m * args.tiles_n;
  if (blocks > INT32_MAX) return fail(PG_ERR_SIZE, "%s: the batch is too large for one call", op);
  const bool vector_out = way_of(out, 8, args.out_n, args.out_m, args.n, args.m, batch, 0) == operand_way::along_k;
  return launched(PG_LAUNCH((matmul_fragments<T, kAlongA, kAlongB, Tile, kScattered>), unsigned(blocks),
                            Tile::kThreads, (Tile::template bytes<T, kAlongA, kAlongB>()), stream, a, b, out, args,
                            vector_out, batch.device()), op);
}

template <class T>
int matmul_halves(const char* op, const T* a, const T* b, T* out, const matmul_args& args, const layout<3>& batch,
                  void* stream) {
  const operand_way left = way_of(a, 8, args.a_k, args.a_m, args.k, args.m, batch, 1);
  const operand_way right = way_of(b, 8, args.b_k, args.b_n, args.k, args.n, batch, 2);
  if (left == operand_way::scattered || right == operand_way::scattered)
    return launch_fragments<T, true, true, small_tile, true>(op, a, b, out, args, batch, stream);
  // Large tiles where they fill the device and its shared memory holds them.
  constexpr int64_t kM = large_tile::kTileM, kN = large_tile::kTileN;
  const bool large = batch.numel() * ((args.m + kM - 1) / kM) * ((args.n + kN - 1) / kN) >= kEnoughTiles;
  const auto with = [&](auto along_a, auto along_b) {
    constexpr bool kA = decltype(along_a)::value, kB = decltype(along_b)::value;
    if (large && pg::set_max_dynamic_shared((matmul_fragments<T, kA, kB, large_tile, false>),
                                            large_tile::bytes<T, kA, kB>()) == 0)
      return launch_fragments<T, kA, kB, large_tile>(op, a, b, out, args, batch, stream);
    return launch_fragments<T, kA, kB, small_tile>(op, a, b, out, args, batch, stream);
  };
  const std::true_type yes;
  const std::false_type no;
  if (left == operand_way::along_k) return right == operand_way::along_k ? with(yes, yes) : with(yes, no);
  return right == operand_way::along_k ? with(no, yes) : with(no, no);
}

}  // namespace pgops
