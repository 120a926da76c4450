// Gradients of attention without stored scores: every tile is computed again. First the logarithm of each query's
// sum and the share-weighted sum of its score gradients; then dq by tiles of queries, dk and dv by tiles of keys,
// each summed by one block in a fixed order.
#include <cmath>

#include "support/attention_gradients.cuh"

namespace pgops {
namespace {

constexpr const char* kOp = "attention_backward";

template <class T>
struct backward_arrays {
  const T *q, *k, *v, *dout, *bias;
  const bool* mask;
  T *dq, *dk, *dv;
  compute_t<T> *level, *mean;  // of each query: log of its sum; sum of share times gradient of the share

  // Those of a batch and head.
  __device__ __forceinline__ backward_arrays of(const backward_args& args, int64_t batch, int64_t head) const {
    backward_arrays r = *this;
    const int64_t key_head = head / args.shared_heads;
    r.q += batch * args.q[0] + head * args.q[1];
    r.dout += batch * args.dout[0] + head * args.dout[1];
    r.k += batch * args.k[0] + key_head * args.k[1];
    r.v += batch * args.v[0] + key_head * args.v[1];
    if (mask != nullptr) r.mask += batch * args.mask[0] + head * args.mask[1];
    if (bias != nullptr) r.bias += batch * args.bias[0] + head * args.bias[1];
    r.level += (batch * args.heads + head) * args.queries;
    r.mean += (batch * args.heads + head) * args.queries;
    return r;
  }
};

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kTileThreads)
    query_levels(const backward_arrays<T> all, const PG_GRID_CONSTANT backward_args given) {
  using C = compute_t<T>;
  constexpr int kTile = tile_shape<C>::kTile, kOwn = tile_shape<C>::kOwn, kPad = kTile + kTilePad;
  alignas(16) __shared__ C chunk[2 * kTileFeatures * kPad];
  alignas(16) __shared__ C scratch[kTile * kPad];
  __shared__ near_room<backward_args> kept;
  const backward_args& args = keep_near(given, kept);
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  const int64_t job = int64_t(blockIdx.x) / args.tiles, batch = job / args.heads;
  const int first = int(int64_t(blockIdx.x) - job * args.tiles) * kTile;
  const auto a = all.of(args, batch, job - batch * args.heads);
  const int rows = args.queries - first < kTile ? args.queries - first : kTile;
  const int end = live_keys(args, first + rows - 1);
  C top[kOwn], sum[kOwn], mean[kOwn];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    top[i] = limits<C>::lowest();
    sum[i] = mean[i] = C(0);
  }
  for (int start = 0; start < end; start += kTile) {
    const int columns = args.keys - start < kTile ? args.keys - start : kTile;
    C score[kOwn][kOwn], gradient[kOwn][kOwn];
    tile_products<C, kTile>(a.q + int64_t(first) * args.q[2], args.q[2], args.q[3], rows,
                            a.k + int64_t(start) * args.k[2], args.k[2], args.k[3], columns, args.width, args.vector,
                            chunk, chunk + kTileFeatures * kPad, score);
    finish_scores<C, kTile>(args, a.mask, a.bias, first + ty * kOwn, start + tx * kOwn, scratch, score);
    tile_products<C, kTile>(a.dout + int64_t(first) * args.dout[2], args.dout[2], args.dout[3], rows,
                            a.v + int64_t(start) * args.v[2], args.v[2], args.v[3], columns, args.width, args.vector,
                            chunk, chunk + kTileFeatures * kPad, gradient);
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      C most = score[i][0];
      PG_UNROLL
      for (int j = 1; j < kOwn; ++j) most = m::max_nan(most, score[i][j]);
      most = m::max_nan(top[i], pg::warp_reduce<kTileSide>(most, pg::maximum()));
      const C shift = most == limits<C>::lowest() ? C(0) : most;
      C here = C(0), weighted = C(0);
      PG_UNROLL
      for (int j = 0; j < kOwn; ++j) {
        const C share = exp_share(score[i][j] - shift);
        here += share;
        weighted += share * gradient[i][j];
      }
      const C keep = exp_share(top[i] - shift);
      top[i] = most;
      sum[i] = sum[i] * keep + pg::warp_reduce<kTileSide>(here, pg::plus());
      mean[i] = mean[i] * keep + pg::warp_reduce<kTileSide>(weighted, pg::plus());
    }
  }
  if (tx != 0) return;
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    const int row = first + ty * kOwn + i;
    if (row >= args.queries) break;
    a.level[row] = sum[i] == C(0) ? C(0) : top[i] + m::log(sum[i]);  // 0 where no key takes part: shares are exp(-inf)
    a.mean[row] = sum[i] == C(0) ? C(0) : mean[i] / sum[i];
  }
}

template <class T, int kWidth>
__global__ void PG_LAUNCH_BOUNDS(kTileThreads)
    query_gradients(const backward_arrays<T> all, const PG_GRID_CONSTANT backward_args given) {
  using C = compute_t<T>;
  using shape = tile_shape<C>;
  constexpr int kTile = shape::kTile, kOwn = shape::kOwn, kPad = kTile + kTilePad, kColumns = kWidth / kTileSide;
  alignas(16) __shared__ C chunk[shape::template chunk_size<kWidth>];
  alignas(16) __shared__ C weights[kTile * kPad];
  __shared__ near_room<backward_args> kept;
  const backward_args& args = keep_near(given, kept);
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  const int64_t job = int64_t(blockIdx.x) / args.tiles, batch = job / args.heads;
  const int first = (args.tiles - 1 - int(int64_t(blockIdx.x) - job * args.tiles)) * kTile;  // long rows first
  const int64_t head = job - batch * args.heads;
  const auto a = all.of(args, batch, head);
  const int rows = args.queries - first < kTile ? args.queries - first : kTile;
  const int end = live_keys(args, first + rows - 1);
  C result[kOwn][kColumns];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) result[i][j] = C(0);
  }
  for (int start = 0; start < end; start += kTile) {
    const int columns = args.keys - start < kTile ? args.keys - start : kTile;
    const T* keys = a.k + int64_t(start) * args.k[2];
    C score[kOwn][kOwn], gradient[kOwn][kOwn];
    tile_products<C, kTile>(a.q + int64_t(first) * args.q[2], args.q[2], args.q[3], rows, keys, args.k[2], args.k[3],
                            columns, args.width, args.vector, chunk, chunk + kTileFeatures * kPad, score);
    finish_scores<C, kTile>(args, a.mask, a.bias, first + ty * kOwn, start + tx * kOwn, weights, score);
    tile_products<C, kTile>(a.dout + int64_t(first) * args.dout[2], args.dout[2], args.dout[3], rows,
                            a.v + int64_t(start) * args.v[2], args.v[2], args.v[3], columns, args.width, args.vector,
                            chunk, chunk + kTileFeatures * kPad, gradient);
    PG_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      const int row = first + ty * kOwn + i;
      const C level = row < args.queries ? a.level[row] : C(0), mean = row < args.queries ? a.mean[row] : C(0);
      PG_UNROLL
      for (int j = 0; j < kOwn; ++j) score[i][j] = exp_share(score[i][j] - level) * (gradient[i][j] - mean);
    }
    keep_turned<kTile>(score, weights);  // nobody reads scratch any more: the second product has barriers
    add_products<C, kTile, kWidth>(weights, keys, args.k[2], args.k[3], columns, args.width, args.vector, chunk, result);
  }
  T* to = all.dq + batch * args.dq[0] + head * args.dq[1] + int64_t(first) * args.dq[2];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    const int row = ty * kOwn + i;
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const int f = column_of<kOwn>(j, tx);
      if (row < rows && f < args.width) to[row * args.dq[2] + f * args.dq[3]] = narrow<T>(result[i][j] * C(args.scale));
    }
  }
}

// dv, or dk if kKeys: rows of the squares are keys, columns queries.
template <class T, int kWidth, bool kKeys>
__global__ void PG_LAUNCH_BOUNDS(kTileThreads, 1)
    key_gradients(const backward_arrays<T> all, const PG_GRID_CONSTANT backward_args given) {
  using C = compute_t<T>;
  using shape = tile_shape<C>;
  constexpr int kTile = shape::kTile, kOwn = shape::kOwn, kPad = kTile + kTilePad, kColumns = kWidth / kTileSide;
  alignas(16) __shared__ C chunk[shape::template chunk_size<kWidth>];
  alignas(16) __shared__ C weights[kTile * kPad];
  __shared__ near_room<backward_args> kept;
  const backward_args& args = keep_near(given, kept);
  const int tx = int(threadIdx.x) % kTileSide, ty = int(threadIdx.x) / kTileSide;
  const int key_heads = args.heads / args.shared_heads;
  const int64_t job = int64_t(blockIdx.x) / args.tiles, batch = job / key_heads, key_head = job - batch * key_heads;
  const int first = int(int64_t(blockIdx.x) - job * args.tiles) * kTile;
  const int rows = args.keys - first < kTile ? args.keys - first : kTile;
  C result[kOwn][kColumns];
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) result[i][j] = C(0);
  }
  int begin = args.causal && first > args.ahead ? first - args.ahead : 0;  // queries in front see none of the keys
  begin = begin / kTile * kTile;
  for (int shared = 0; shared < args.shared_heads; ++shared) {
    const auto a = all.of(args, batch, key_head * args.shared_heads + shared);
    for (int start = begin; start < args.queries; start += kTile) {
      const int columns = args.queries - start < kTile ? args.queries - start : kTile;
      const T* queries = a.q + int64_t(start) * args.q[2];
      const T* grown = a.dout + int64_t(start) * args.dout[2];
      C score[kOwn][kOwn];
      tile_products<C, kTile>(a.k + int64_t(first) * args.k[2], args.k[2], args.k[3], rows, queries, args.q[2],
                              args.q[3], columns, args.width, args.vector, chunk, chunk + kTileFeatures * kPad, score);
      finish_scores<C, kTile, true>(args, a.mask, a.bias, start + tx * kOwn, first + ty * kOwn, weights, score);
      C gradient[kOwn][kOwn];
      if constexpr (kKeys)
        tile_products<C, kTile>(a.v + int64_t(first) * args.v[2], args.v[2], args.v[3], rows, grown, args.dout[2],
                                args.dout[3], columns, args.width, args.vector, chunk, chunk + kTileFeatures * kPad,
                                gradient);
      else if (a.mask != nullptr || a.bias != nullptr) __syncthreads();  // `weights` was scratch
      PG_UNROLL
      for (int j = 0; j < kOwn; ++j) {
        const int row = start + tx * kOwn + j;
        const C level = row < args.queries ? a.level[row] : C(0), mean = kKeys && row < args.queries ? a.mean[row] : C(0);
        PG_UNROLL
        for (int i = 0; i < kOwn; ++i) {
          score[i][j] = exp_share(score[i][j] - level);
          if constexpr (kKeys) score[i][j] *= gradient[i][j] - mean;
        }
      }
      keep_turned<kTile>(score, weights);
      add_products<C, kTile, kWidth>(weights, kKeys ? queries : grown, kKeys ? args.q[2] : args.dout[2],
                                     kKeys ? args.q[3] : args.dout[3], columns, args.width, args.vector, chunk, result);
    }
  }
  const int64_t* stride = kKeys ? args.dk : args.dv;
  T* to = (kKeys ? all.dk : all.dv) + batch * stride[0] + key_head * stride[1] + int64_t(first) * stride[2];
  const C factor = kKeys ? C(args.scale) : C(1);
  PG_UNROLL
  for (int i = 0; i < kOwn; ++i) {
    const int row = ty * kOwn + i;
    PG_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const int f = column_of<kOwn>(j, tx);
      if (row < rows && f < args.width) to[row * stride[2] + f * stride[3]] = narrow<T>(result[i][j] * factor);
    }
  }
}

template <class T, int kWidth>
int launch_backward(const attention_call& c, const backward_arrays<T>& arrays, backward_args args, void* stream) {
  int64_t blocks;
  if (args.queries > 0) {
    PG_TRY(count_tiles(kOp, c, args, tile_shape<compute_t<T>>::kTile, args.queries, args.heads, blocks));
    PG_TRY(launched(PG_LAUNCH((query_levels<T>), unsigned(blocks), kTileThreads, 0, stream, arrays, args), kOp));
    PG_TRY(launched(PG_LAUNCH((query_gradients<T, kWidth>), unsigned(blocks), kTileThreads, 0, stream, arrays, args), kOp));
  }
  if (args.keys == 0) return PG_OK;
  PG_TRY(count_tiles(kOp, c, args, tile_shape<compute_t<T>>::kTile, args.keys, args.heads / args.shared_heads, blocks));
  PG_TRY(launched(PG_LAUNCH((key_gradients<T, kWidth, true>), unsigned(blocks), kTileThreads, 0, stream, arrays, args), kOp));
  return launched(PG_LAUNCH((key_gradients<T, kWidth, false>), unsigned(blocks), kTileThreads, 0, stream, arrays, args), kOp);
}

int backward(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v, const pg_tensor* tdout, const pg_tensor* mask,
             const pg_tensor* bias, const pg_tensor* tdq, const pg_tensor* tdk, const pg_tensor* tdv, double scale,
             int32_t causal, void* workspace, size_t have, size_t* bytes, void* stream) {
  attention_call c;
  view dout, dq, dk, dv;
  PG_TRY(parse(q, kOp, "q", c.q));
  PG_TRY(parse(k, kOp, "k", c.k));
  PG_TRY(parse(v, kOp, "v", c.v));
  PG_TRY(parse(tdout, kOp, "dout", dout));
  PG_TRY(parse(tdq, kOp, "dq", dq));
  PG_TRY(parse(tdk, kOp, "dk", dk));
  PG_TRY(parse(tdv, kOp, "dv", dv));
  backward_args args{};
  PG_TRY(plan_attention(kOp, c, mask, bias, scale, causal != 0, args));
  for (const view* g : {&dout, &dq, &dk, &dv}) PG_TRY(same_dtype(kOp, c.q, *g));
  PG_TRY(same_shape(kOp, c.q, dout));
  PG_TRY(same_shape(kOp, c.q, dq));
  PG_TRY(same_shape(kOp, c.k, dk));
  PG_TRY(same_shape(kOp, c.v, dv));
  const view* const outs[3] = {&dq, &dk, &dv};
  for (int i = 0; i < 3; ++i) {
    PG_TRY(check_output(kOp, *outs[i]));
    for (int j = 0; j < i; ++j) PG_TRY(check_alias(kOp, *outs[i], *outs[j], false));
    for (const view* in : {&c.q, &c.k, &c.v, &dout}) PG_TRY(check_alias(kOp, *outs[i], *in, false));
    if (mask != nullptr) PG_TRY(check_alias(kOp, *outs[i], c.mask, false));
    if (bias != nullptr) PG_TRY(check_alias(kOp, *outs[i], c.bias, false));
  }
  args.vector = args.vector && can_vector(dout);
  for (int d = 0; d < 4; ++d) {
    args.dout[d] = dout.stride[d];
    args.dq[d] = dq.stride[d];
    args.dk[d] = dk.stride[d];
    args.dv[d] = dv.stride[d];
  }
  return dispatch(kOp, c.q.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    const int64_t lines = c.q.shape[0] * c.q.shape[1] * c.q.shape[2];
    carver space(workspace);
    compute_t<T>* level = space.take<compute_t<T>>(lines);
    compute_t<T>* mean = space.take<compute_t<T>>(lines);
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(kOp, workspace, have, space.used));
    if (c.q.shape[0] == 0 || args.heads == 0 || args.width == 0) return int(PG_OK);
    if constexpr (is_half<T>) {
      if (mask == nullptr && bias == nullptr && (args.width <= 64 ? gradients_fit<T, 64>() : gradients_fit<T, 128>())) {
        const gradient_arrays<T> arrays{
            reinterpret_cast<const T*>(c.q.data), reinterpret_cast<const T*>(c.k.data),
            reinterpret_cast<const T*>(c.v.data), reinterpret_cast<const T*>(dout.data), reinterpret_cast<T*>(dq.data),
            reinterpret_cast<T*>(dk.data), reinterpret_cast<T*>(dv.data), level, mean};
        return args.width <= 64 ? launch_gradients<T, 64>(kOp, c, arrays, args, stream)
                                : launch_gradients<T, 128>(kOp, c, arrays, args, stream);
      }
    }
    const backward_arrays<T> arrays{
        reinterpret_cast<const T*>(c.q.data), reinterpret_cast<const T*>(c.k.data), reinterpret_cast<const T*>(c.v.data),
        reinterpret_cast<const T*>(dout.data), reinterpret_cast<const T*>(c.bias.data),
        reinterpret_cast<const bool*>(c.mask.data), reinterpret_cast<T*>(dq.data), reinterpret_cast<T*>(dk.data),
        reinterpret_cast<T*>(dv.data), level, mean};
    return args.width <= 64 ? launch_backward<T, 64>(c, arrays, args, stream)
                            : launch_backward<T, 128>(c, arrays, args, stream);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_attention_backward(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v,
                                            const pg_tensor* dout, const pg_tensor* mask, const pg_tensor* bias,
                                            const pg_tensor* dq, const pg_tensor* dk, const pg_tensor* dv, double scale,
                                            int32_t causal, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::backward(q, k, v, dout, mask, bias, dq, dk, dv, scale, causal, workspace, workspace_bytes, nullptr,
                         stream);
}
extern "C" PG_API int pg_attention_backward_workspace(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v,
                                                      const pg_tensor* dout, const pg_tensor* mask,
                                                      const pg_tensor* bias, const pg_tensor* dq, const pg_tensor* dk,
                                                      const pg_tensor* dv, double scale, int32_t causal, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "attention_backward_workspace: bytes is NULL");
  return pgops::backward(q, k, v, dout, mask, bias, dq, dk, dv, scale, causal, nullptr, 0, bytes, nullptr);
}
