// What the matrix products have in common: sizes, order of the tiles, how operands lie in memory.
#pragma once

#include "elementwise.cuh"

namespace pgops {

struct matmul_args {
  int64_t m, n, k;
  int64_t a_m, a_k, b_k, b_n, out_m, out_n;  // strides
  uint32_t tiles_m, tiles_n;
};

struct matmul_tile {
  uint32_t m, n, batch;
};

// Bands of 8 tile rows: neighbouring blocks share rows and columns, which the cache then holds.
__device__ __forceinline__ matmul_tile tile_of(const matmul_args& args, uint32_t block) {
  constexpr uint32_t kBand = 8;
  const uint32_t tiles = args.tiles_m * args.tiles_n;
  matmul_tile t;
  t.batch = block / tiles;
  block -= t.batch * tiles;
  const uint32_t band = block / (kBand * args.tiles_n), within = block - band * (kBand * args.tiles_n);
  const uint32_t left = args.tiles_m - band * kBand, rows = left < kBand ? left : kBand;
  t.n = within / rows;
  t.m = band * kBand + within - t.n * rows;
  return t;
}

// How pieces of 16 bytes can be read: along k, along m or n, or not at all.
enum class operand_way { along_k, along_side, scattered };

template <class T>
operand_way way_of(const T* data, int64_t vec, int64_t stride_k, int64_t stride_side, int64_t k, int64_t side,
                   const layout<3>& batch, int operand) {
  bool fits = aligned_for<T>(data, int(vec));
  for (int d = 0; d < batch.ndim; ++d) fits = fits && batch.stride[d][operand] % vec == 0;
  if (fits && stride_k == 1 && stride_side % vec == 0 && k % vec == 0) return operand_way::along_k;
  if (fits && stride_side == 1 && stride_k % vec == 0 && side % vec == 0) return operand_way::along_side;
  return operand_way::scattered;
}

}  // namespace pgops
