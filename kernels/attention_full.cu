// Attention of many queries with an online softmax: out = softmax(q k^T * scale + bias) v, tile by tile, so
// that no score leaves the chip. A block has a tile of queries of one head and walks the keys; each thread
// keeps a square of scores and some columns of the result in registers.
#include <cmath>

#include "support/attention_fragments.cuh"

namespace pgops {
namespace {

constexpr const char* kOp = "attention";

template <class T, int kWidth>
__global__ void PG_LAUNCH_BOUNDS(kTileThreads)
    attend_tiles(const T* q, const T* k, const T* v, const bool* mask, const T* bias, T* out,
                 const PG_GRID_CONSTANT attention_args args) {
  using C = compute_t<T>;
  using shape = tile_shape<C>;
  constexpr int kTile = shape::kTile, kOwn = shape::kOwn, kPad = kTile + kTilePad;
  constexpr int kColumns = kWidth / kTileSide;  // of a thread, in groups of kOwn
  alignas(16) __shared__ C chunk[shape::template chunk_size<kWidth>];
  alignas(16) __shared__ C shares[kTile * kPad];  // [key][query]
  C* const q_chunk = chunk;
  C* const k_chunk = chunk + kTileFeatures * kPad;
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  const int64_t job = int64_t(blockIdx.x) / args.tiles;
  const int first = (args.tiles - 1 - int(int64_t(blockIdx.x) - job * args.tiles)) * kTile;  // long rows first
  const int64_t batch = job / args.heads, head = job - batch * args.heads, key_head = head / args.shared_heads;
  const T* queries = q + batch * args.q[0] + head * args.q[1] + int64_t(first) * args.q[2];
  const T* keys = k + batch * args.k[0] + key_head * args.k[1];
  const T* values = v + batch * args.v[0] + key_head * args.v[1];
  if (mask != nullptr) mask += batch * args.mask[0] + head * args.mask[1];
  if (bias != nullptr) bias += batch * args.bias[0] + head * args.bias[1];
  const int rows = args.queries - first < kTile ? args.queries - first : kTile;
  const int end = live_keys(args, first + rows - 1);
  C top[kOwn], sum[kOwn], result[kOwn][kColumns];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    top[i] = limits<C>::lowest();
    sum[i] = C(0);
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) result[i][j] = C(0);
  }
  for (int start = 0; start < end; start += kTile) {
    const int columns = args.keys - start < kTile ? args.keys - start : kTile;
    C score[kOwn][kOwn];
    tile_products<C, kTile>(queries, args.q[2], args.q[3], rows, keys + int64_t(start) * args.k[2], args.k[2], args.k[3],
                            columns, args.width, args.vector, q_chunk, k_chunk, score);
    finish_scores<C, kTile>(args, mask, bias, first + ty * kOwn, start + tx * kOwn, shares,
                            score);
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      C most = score[i][0];
      PG_UNROLL
      for (int j = 1; j < kOwn; ++j) most = m::max_nan(most, score[i][j]);
      most = m::max_nan(top[i], pg::warp_reduce<kTileSide>(most, pg::maximum()));
      const C shift = most == limits<C>::lowest() ? C(0) : most;
      C here = C(0);
      PG_UNROLL
      for (int j = 0; j < kOwn; ++j) {
        score[i][j] = exp_for<T>(score[i][j] - shift);
        here += score[i][j];
      }
      const C keep = exp_for<T>(top[i] - shift);
      top[i] = most;
      sum[i] = sum[i] * keep + pg::warp_reduce<kTileSide>(here, pg::plus());
      PG_UNROLL
      for (int j = 0; j < kColumns; ++j) result[i][j] *= keep;
    }
    if (mask != nullptr || bias != nullptr) __syncthreads();  // `shares` was scratch
    keep_turned<kTile>(score, shares);
    add_products<C, kTile, kWidth>(shares, values + int64_t(start) * args.v[2], args.v[2], args.v[3], columns, args.width,
                                   args.vector, chunk, result);
  }
  T* to = out + batch * args.out[0] + head * args.out[1] + int64_t(first) * args.out[2];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    const int row = ty * kOwn + i;
    const C inverse = sum[i] == C(0) ? C(0) : C(1) / sum[i];  // no key takes part: zero
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const int f = column_of<kOwn>(j, tx);
      if (row < rows && f < args.width) to[row * args.out[2] + f * args.out[3]] = narrow<T>(result[i][j] * inverse);
    }
  }
}

template <class T, int kWidth>
int launch_attention(const attention_call& c, attention_args args, void* stream) {
  int64_t blocks;
  PG_TRY(count_tiles(kOp, c, args, tile_shape<compute_t<T>>::kTile, args.queries, args.heads, blocks));
  return launched(PG_LAUNCH((attend_tiles<T, kWidth>), unsigned(blocks), kTileThreads, 0, stream,
                            reinterpret_cast<const T*>(c.q.data), reinterpret_cast<const T*>(c.k.data),
                            reinterpret_cast<const T*>(c.v.data), reinterpret_cast<const bool*>(c.mask.data),
                            reinterpret_cast<const T*>(c.bias.data), reinterpret_cast<T*>(c.out.data), args), kOp);
}

template <class T>
int attend_by_fragments(const attention_call& c, const attention_args& args, void* stream) {
  const auto with = [&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    if (c.mask.data != nullptr || c.bias.data != nullptr) return launch_attend<T, kWidth, true>(kOp, c, args, stream);
    return launch_attend<T, kWidth, false>(kOp, c, args, stream);
  };
  if (args.width <= 64) return with(std::integral_constant<int, 64>{});
  if (args.width <= 96) return with(std::integral_constant<int, 96>{});
  return with(std::integral_constant<int, 128>{});
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_attention(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v, const pg_tensor* mask,
                                   const pg_tensor* bias, const pg_tensor* out, double scale, int32_t causal,
                                   void* stream) {
  attention_call c;
  PG_TRY(parse(q, kOp, "q", c.q));
  PG_TRY(parse(k, kOp, "k", c.k));
  PG_TRY(parse(v, kOp, "v", c.v));
  PG_TRY(parse(out, kOp, "out", c.out));
  attention_args args;
  PG_TRY(plan_attention(kOp, c, mask, bias, scale, causal != 0, args));
  PG_TRY(same_dtype(kOp, c.q, c.out));
  PG_TRY(same_shape(kOp, c.q, c.out));
  PG_TRY(check_output(kOp, c.out));
  for (const view* in : {&c.q, &c.k, &c.v}) PG_TRY(check_alias(kOp, c.out, *in, false));
  if (mask != nullptr) PG_TRY(check_alias(kOp, c.out, c.mask, false));
  if (bias != nullptr) PG_TRY(check_alias(kOp, c.out, c.bias, false));
  for (int d = 0; d < 4; ++d) args.out[d] = c.out.stride[d];
  return dispatch(kOp, c.q.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (c.out.numel() == 0) return int(PG_OK);
    if constexpr (is_half<T>) {
      if (pg::mma_supported()) return attend_by_fragments<T>(c, args, stream);
    }
    return args.width <= 64 ? launch_attention<T, 64>(c, args, stream) : launch_attention<T, 128>(c, args, stream);
  });
}
