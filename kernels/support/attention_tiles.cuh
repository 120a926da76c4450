// Products of tiles in shared memory, for attention and its gradient. kTileThreads threads in a square of
// kTileSide each; a thread owns kOwn x kOwn elements of a tile of kTile x kTile.
#pragma once

#include <cmath>

#include "near.cuh"
#include "row.cuh"
#include "softmax_op.cuh"

namespace pgops {

constexpr int kTileThreads = 256;
constexpr int kTileSide = 16;
constexpr int kTileFeatures = 32;  // of queries and keys at once in shared memory
constexpr int kTilePad = 4;
constexpr int64_t kMostWidth = 128;
constexpr int64_t kMostRows = int64_t(1) << 30;

template <class C>
struct tile_shape {
  static constexpr int kTile = sizeof(C) == 8 ? 32 : 64;  // queries, and keys
  static constexpr int kOwn = kTile / kTileSide;
  // Keys of values at once: as much as the features of queries and keys take.
  template <int kWidth>
  static constexpr int kValueRows = kWidth == 64 ? kTile : kTile / 2;
  template <int kWidth>
  static constexpr int chunk_size = 2 * kTileFeatures * (kTile + kTilePad) > kValueRows<kWidth> * kWidth
                                        ? 2 * kTileFeatures * (kTile + kTilePad)
                                        : kValueRows<kWidth> * kWidth;
};

struct attention_args {
  int32_t heads, shared_heads;  // query heads; how many of them share one key head
  int32_t queries, keys, ahead;  // ahead: keys - queries
  int32_t width, tiles;  // tiles: of queries, or of keys
  bool causal, vector;
  int64_t q[4], k[4], v[4], out[4];  // strides: batch, head, row, feature
  int64_t mask[4], bias[4];          // batch, head, query, key
  double scale;
};

// Feature of a thread's column j: groups of kOwn neighbours, kTileSide threads apart.
template <int kOwn>
__device__ __forceinline__ int column_of(int j, int tx) {
  return j / kOwn * (kOwn * kTileSide) + tx * kOwn + j % kOwn;
}

// to[f][row] = x[row][first + f], zero outside.
template <class C, int kTile, class T>
__device__ __forceinline__ void load_turned(const T* x, int64_t row_stride, int64_t stride, int rows, int first, int width,
                                            bool vector, C* to) {
  constexpr int kEach = kTileFeatures * kTile / kTileThreads;
  constexpr int kVec = kVectorBytes / int(sizeof(T)) < kEach ? kVectorBytes / int(sizeof(T)) : kEach;
  const int row = int(threadIdx.x) % kTile, f = int(threadIdx.x) / kTile * kEach;
  const T* from = x + row * row_stride + (first + f) * stride;
  C* const mine = to + f * (kTile + kTilePad) + row;
  if (vector) {
    pg::vec<T, kVec> raw[kEach / kVec];
    PG_UNROLL
    for (int e = 0; e < kEach / kVec; ++e) {
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) raw[e][j] = narrow<T>(C(0));
      if (row < rows && first + f + e * kVec < width) raw[e] = pg::load_vec<kVec>(from + e * kVec);
    }
    PG_UNROLL
    for (int e = 0; e < kEach; ++e) mine[e * (kTile + kTilePad)] = widen(raw[e / kVec][e % kVec]);
  } else {
    PG_UNROLL_N(1)
    for (int e = 0; e < kEach; ++e)
      mine[e * (kTile + kTilePad)] = row < rows && first + f + e < width ? widen(from[e * stride]) : C(0);
  }
}

// out[i][j] = x[ty * kOwn + i] . y[tx * kOwn + j], over all features.
template <class C, int kTile, class T, int kOwn>
__device__ __forceinline__ void tile_products(const T* x, int64_t x_row, int64_t x_stride, int x_rows, const T* y,
                                              int64_t y_row, int64_t y_stride, int y_rows, int width, bool vector,
                                              C* x_chunk, C* y_chunk, C (&out)[kOwn][kOwn]) {
  constexpr int kPad = kTile + kTilePad;
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int j = 0; j < kOwn; ++j) out[i][j] = C(0);
  }
  for (int first = 0; first < width; first += kTileFeatures) {
    __syncthreads();
    load_turned<C, kTile>(x, x_row, x_stride, x_rows, first, width, vector, x_chunk);
    load_turned<C, kTile>(y, y_row, y_stride, y_rows, first, width, vector, y_chunk);
    __syncthreads();
    PG_UNROLL_N(4)
    for (int f = 0; f < kTileFeatures; ++f) {
      const auto a = pg::load_vec<kOwn>(x_chunk + f * kPad + ty * kOwn);
      const auto b = pg::load_vec<kOwn>(y_chunk + f * kPad + tx * kOwn);
      PG_UNROLL
      for (int i = 0; i < kOwn; ++i) {
        PG_UNROLL
        for (int j = 0; j < kOwn; ++j) out[i][j] += a[i] * b[j];
      }
    }
  }
}

// result[i][j] += sum over rows r of weights[r][ty * kOwn + i] * x[r][column j]; weights may be written just before.
template <class C, int kTile, int kWidth, class T, int kOwn, int kColumns>
__device__ __forceinline__ void add_products(const C* weights, const T* x, int64_t row_stride, int64_t stride, int rows,
                                             int width, bool vector, C* chunk, C (&result)[kOwn][kColumns]) {
  constexpr int kPad = kTile + kTilePad, kRows = tile_shape<C>::template kValueRows<kWidth>;
  constexpr int kVec = kVectorBytes / int(sizeof(T)) < 4 ? kVectorBytes / int(sizeof(T)) : 4;
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  for (int first = 0; first < rows; first += kRows) {
    __syncthreads();
    PG_UNROLL_N(2)
    for (int e = int(threadIdx.x) * kVec; e < kRows * kWidth; e += kTileThreads * kVec) {
      const int row = e / kWidth, f = e % kWidth;
      const T* from = x + int64_t(first + row) * row_stride + f * stride;
      if (vector) {
        pg::vec<T, kVec> raw;
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) raw[j] = narrow<T>(C(0));
        if (first + row < rows && f < width) raw = pg::load_vec<kVec>(from);
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) chunk[e + j] = widen(raw[j]);
      } else {
        PG_UNROLL_N(1)
        for (int j = 0; j < kVec; ++j)
          chunk[e + j] = first + row < rows && f + j < width ? widen(from[j * stride]) : C(0);
      }
    }
    __syncthreads();
    PG_UNROLL_N(4)
    for (int r = 0; r < kRows; ++r) {
      const auto a = pg::load_vec<kOwn>(weights + (first + r) * kPad + ty * kOwn);
      PG_UNROLL
      for (int g = 0; g < kColumns; g += kOwn) {
        const auto b = pg::load_vec<kOwn>(chunk + r * kWidth + column_of<kOwn>(g, tx));
        PG_UNROLL
        for (int i = 0; i < kOwn; ++i) {
          PG_UNROLL
          for (int j = 0; j < kOwn; ++j) result[i][g + j] += a[i] * b[j];
        }
      }
    }
  }
}

// Keys that query `row` sees.
__device__ __forceinline__ int live_keys(const attention_args& args, int row) {
  if (row >= args.queries) return 0;
  return args.causal && row + args.ahead + 1 < args.keys ? row + args.ahead + 1 : args.keys;
}

// Products become scores: scaled, with bias; -inf where masked, in the future, or behind the last key. The thread's
// rows are queries from `query` on and its columns keys from `key` on; kTurned: the other way round. `scratch` is as
// large as a tile; mask and bias are those of the head.
template <class C, int kTile, bool kTurned = false, class T, int kOwn>
__device__ __forceinline__ void finish_scores(const attention_args& args, const bool* mask, const T* bias, int query,
                                              int key, C* scratch, C (&score)[kOwn][kOwn]) {
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    const int live = live_keys(args, query + i) - key;  // of the thread's
    PG_UNROLL
    for (int j = 0; j < kOwn; ++j) {
      C& own = kTurned ? score[j][i] : score[i][j];
      own = j < live ? own * C(args.scale) : limits<C>::lowest();
    }
  }
  if (mask == nullptr && bias == nullptr) return;
  // Element by element through memory: unrolled, addresses and conditions would not fit in registers.
  C* const mine = scratch + int(threadIdx.x);
  PG_UNROLL
  for (int e = 0; e < kOwn * kOwn; ++e) mine[e * kTileThreads] = score[e / kOwn][e % kOwn];
  PG_UNROLL_N(1)
  for (int e = 0; e < kOwn * kOwn; ++e) {
    const int row = query + (kTurned ? e % kOwn : e / kOwn), column = key + (kTurned ? e / kOwn : e % kOwn);
    if (row >= args.queries || column >= args.keys) continue;
    if (mask != nullptr && !mask[row * args.mask[2] + column * args.mask[3]])
      mine[e * kTileThreads] = limits<C>::lowest();
    else if (bias != nullptr && mine[e * kTileThreads] != limits<C>::lowest())
      mine[e * kTileThreads] += widen(bias[row * args.bias[2] + column * args.bias[3]]);
  }
  PG_UNROLL
  for (int e = 0; e < kOwn * kOwn; ++e) score[e / kOwn][e % kOwn] = mine[e * kTileThreads];
}

// exp for gradients: its error grows with |x|, as that of the score does, and it needs no tests of the range.
template <class C>
__device__ __forceinline__ C exp_share(C x) {
  if constexpr (std::is_same_v<C, float>) return pg::fast::exp(x);
  else return m::exp(x);
}

// weights[column][row] = the thread's square.
template <int kTile, class C, int kOwn>
__device__ __forceinline__ void keep_turned(const C (&square)[kOwn][kOwn], C* weights) {
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  PG_UNROLL
  for (int j = 0; j < kOwn; ++j) {
    pg::vec<C, kOwn> line;
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) line[i] = square[i][j];
    pg::store_vec<kOwn>(weights + (tx * kOwn + j) * (kTile + kTilePad) + ty * kOwn, line);
  }
}

struct attention_call {
  view q, k, v, mask, bias, out;
};

inline bool can_vector(const view& v) {
  const int64_t vec = kVectorBytes / v.item();
  bool fits = v.stride[3] == 1 && reinterpret_cast<uintptr_t>(v.data) % kVectorBytes == 0;
  for (int d = 0; d < 3; ++d) fits = fits && v.stride[d] % vec == 0;
  return fits && v.shape[3] % vec == 0;
}

// Checks q, k, v (parsed), mask and bias, and fills everything in args but the output's strides.
inline int plan_attention(const char* op, attention_call& c, const pg_tensor* mask, const pg_tensor* bias,
                          double scale, bool causal, attention_args& args) {
  PG_TRY(same_dtype(op, c.q, c.k));
  PG_TRY(same_dtype(op, c.q, c.v));
  for (const view* v : {&c.q, &c.k, &c.v})
    if (v->ndim != 4)
      return fail(PG_ERR_SHAPE, "%s: '%s' must have 4 dimensions (batch, heads, rows, features), not shape %s", op,
                  v->name, shape_text(*v).text);
  PG_TRY(same_shape(op, c.k, c.v));
  const int64_t heads = c.q.shape[1], key_heads = c.k.shape[1];
  const bool shared = key_heads == 0 ? heads == 0 : heads % key_heads == 0;
  if (c.k.shape[0] != c.q.shape[0] || c.k.shape[3] != c.q.shape[3] || !shared)
    return fail(PG_ERR_SHAPE, "%s: 'k' of shape %s does not fit 'q' of shape %s (batch, features; key heads must divide heads)",
                op, shape_text(c.k).text, shape_text(c.q).text);
  if (c.q.shape[3] > kMostWidth)
    return fail(PG_ERR_SIZE, "%s: heads of more than %d features are not supported", op, int(kMostWidth));
  view scores = c.q;  // their shape
  scores.name = "scores";
  scores.shape[3] = c.k.shape[2];
  if (mask != nullptr) {
    PG_TRY(parse(mask, op, "mask", c.mask));
    PG_TRY(want_dtype(op, c.mask, PG_BOOL));
    PG_TRY(broadcast_to(op, c.mask, scores));
  }
  if (bias != nullptr) {
    PG_TRY(parse(bias, op, "bias", c.bias));
    PG_TRY(same_dtype(op, c.q, c.bias));
    PG_TRY(broadcast_to(op, c.bias, scores));
  }
  args = {};
  if (heads > kMostRows) return fail(PG_ERR_SIZE, "%s: more than %lld heads", op, static_cast<long long>(kMostRows));
  args.heads = int32_t(heads);
  args.shared_heads = key_heads == 0 ? 1 : int32_t(heads / key_heads);
  if (c.q.shape[2] > kMostRows || c.k.shape[2] > kMostRows)
    return fail(PG_ERR_SIZE, "%s: more than %lld queries or keys are not supported", op, static_cast<long long>(kMostRows));
  args.queries = int32_t(c.q.shape[2]);
  args.keys = int32_t(c.k.shape[2]);
  args.ahead = args.keys - args.queries;
  args.width = int32_t(c.q.shape[3]);
  args.causal = causal;
  args.scale = scale > 0 ? scale : 1 / std::sqrt(double(args.width > 0 ? args.width : 1));
  args.vector = can_vector(c.q) && can_vector(c.k) && can_vector(c.v);
  for (int d = 0; d < 4; ++d) {
    args.q[d] = c.q.stride[d];
    args.k[d] = c.k.stride[d];
    args.v[d] = c.v.stride[d];
    args.mask[d] = c.mask.stride[d];
    args.bias[d] = c.bias.stride[d];
  }
  return PG_OK;
}

// Blocks for `rows` of each of `heads` in all batches, `tile` of them to each.
inline int count_tiles(const char* op, const attention_call& c, attention_args& args, int tile, int32_t rows,
                       int64_t heads, int64_t& blocks) {
  args.tiles = (rows + tile - 1) / tile;
  blocks = c.q.shape[0] * heads * args.tiles;
  if (blocks <= INT32_MAX) return PG_OK;
  return fail(PG_ERR_SIZE, "%s: more than 2^31 tiles of %d rows", op, tile);
}

}  // namespace pgops
