// Attention of one query per head over a cache of keys and values (decoding), with an online softmax.
// Keys are cut into parts so that few heads still fill the device; a second kernel joins the parts.
#include <cmath>

#include "support/row.cuh"
#include "support/softmax_op.cuh"

namespace pgops {
namespace {

constexpr int kHeadItems = 8;  // features of a lane
constexpr int64_t kMostHead = int64_t(kRowGroup) * kHeadItems;
constexpr int kHeadGroups = kRowBlock / kRowGroup;
constexpr int kKeysAtOnce = 4;
constexpr int64_t kPartKeys = 256;  // fewest keys of a part

struct attention_args {
  int64_t heads, shared_heads;  // query heads; how many of them share one key head
  int64_t keys;
  int32_t width, parts;
  int64_t q[3], k[4], v[4], out[3];  // strides: batch, head, (key,) feature
  double scale;
};

template <class C>
struct head_state {
  C top, sum, value[kHeadItems];

  __device__ __forceinline__ void clear() {
    top = limits<C>::lowest();
    sum = C(0);
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i) value[i] = C(0);
  }
  __device__ __forceinline__ void join(C other_top, C other_sum, const C (&other)[kHeadItems]) {
    const C most = m::max_nan(top, other_top);
    const C a = top == most ? C(1) : exp_shifted(top, most);
    const C b = other_top == most ? C(1) : exp_shifted(other_top, most);
    top = most;
    sum = sum * a + other_sum * b;
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i) value[i] = value[i] * a + other[i] * b;
  }
};

// partial: [head][part][top, sum, values]; used when parts > 1.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    attend(const T* q, const T* k, const T* v, T* out, compute_t<T>* partial, attention_args args) {
  using C = compute_t<T>;
  __shared__ C tops[kHeadGroups], sums[kHeadGroups];
  __shared__ C values[kHeadGroups][kMostHead];
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) / kRowGroup;
  const int64_t job = int64_t(blockIdx.x) / args.parts;  // batch and head
  const int part = int(int64_t(blockIdx.x) - job * args.parts);
  const int64_t batch = job / args.heads, head = job - batch * args.heads, key_head = head / args.shared_heads;
  const T* query = q + batch * args.q[0] + head * args.q[1];
  const T* keys = k + batch * args.k[0] + key_head * args.k[1];
  const T* all_values = v + batch * args.v[0] + key_head * args.v[1];
  const int64_t lo = args.keys * part / args.parts, hi = args.keys * (part + 1) / args.parts;
  C mine[kHeadItems];
  PG_UNROLL
  for (int i = 0; i < kHeadItems; ++i) {
    const int f = lane + i * kRowGroup;
    mine[i] = f < args.width ? widen(query[f * args.q[2]]) * C(args.scale) : C(0);
  }
  head_state<C> state;
  state.clear();
  for (int64_t first = lo + group * kKeysAtOnce; first < hi; first += kHeadGroups * kKeysAtOnce) {
    C score[kKeysAtOnce], top = limits<C>::lowest();
    PG_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) {
      C dot = C(0);
      if (first + j < hi) {
        PG_UNROLL
        for (int i = 0; i < kHeadItems; ++i) {
          const int f = lane + i * kRowGroup;
          if (f < args.width) dot += mine[i] * widen(keys[(first + j) * args.k[2] + f * args.k[3]]);
        }
      }
      score[j] = dot;
    }
    PG_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j) {
      score[j] = pg::warp_reduce<kRowGroup>(score[j], pg::plus());
      if (first + j < hi) top = m::max_nan(top, score[j]);
    }
    C sum = C(0), value[kHeadItems];
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i) value[i] = C(0);
    PG_UNROLL
    for (int j = 0; j < kKeysAtOnce; ++j)
      if (first + j < hi) {
        const C share = score[j] == top ? (top == limits<C>::lowest() ? C(0) : C(1)) : exp_shifted(score[j], top);
        sum += share;
        PG_UNROLL
        for (int i = 0; i < kHeadItems; ++i) {
          const int f = lane + i * kRowGroup;
          if (f < args.width) value[i] += share * widen(all_values[(first + j) * args.v[2] + f * args.v[3]]);
        }
      }
    state.join(top, sum, value);
  }
  if (lane == 0) {
    tops[group] = state.top;
    sums[group] = state.sum;
  }
  PG_UNROLL
  for (int i = 0; i < kHeadItems; ++i) values[group][lane + i * kRowGroup] = state.value[i];
  __syncthreads();
  if (group != 0) return;
  for (int g = 1; g < kHeadGroups; ++g) {
    C other[kHeadItems];
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i) other[i] = values[g][lane + i * kRowGroup];
    state.join(tops[g], sums[g], other);
  }
  if (args.parts > 1) {
    C* to = partial + (job * args.parts + part) * (args.width + 2);
    if (lane == 0) {
      to[0] = state.top;
      to[1] = state.sum;
    }
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i)
      if (lane + i * kRowGroup < args.width) to[2 + lane + i * kRowGroup] = state.value[i];
  } else {
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i) {
      const int f = lane + i * kRowGroup;
      if (f < args.width)
        out[batch * args.out[0] + head * args.out[1] + f * args.out[2]] = narrow<T>(state.value[i] / state.sum);
    }
  }
}

// A group of lanes joins the parts of one head, in order.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    join_parts(const compute_t<T>* partial, T* out, int64_t jobs, attention_args args) {
  using C = compute_t<T>;
  const int lane = int(threadIdx.x) % kRowGroup;
  const int64_t job = int64_t(blockIdx.x) * kHeadGroups + threadIdx.x / kRowGroup;
  if (job >= jobs) return;
  const int64_t batch = job / args.heads, head = job - batch * args.heads;
  head_state<C> state;
  state.clear();
  for (int p = 0; p < args.parts; ++p) {
    const C* from = partial + (job * args.parts + p) * (args.width + 2);
    C other[kHeadItems];
    PG_UNROLL
    for (int i = 0; i < kHeadItems; ++i)
      other[i] = lane + i * kRowGroup < args.width ? from[2 + lane + i * kRowGroup] : C(0);
    state.join(from[0], from[1], other);
  }
  PG_UNROLL
  for (int i = 0; i < kHeadItems; ++i) {
    const int f = lane + i * kRowGroup;
    if (f < args.width)
      out[batch * args.out[0] + head * args.out[1] + f * args.out[2]] = narrow<T>(state.value[i] / state.sum);
  }
}

int attention_decode(const pg_tensor* tq, const pg_tensor* tk, const pg_tensor* tv, const pg_tensor* tout,
                     double scale, void* workspace, size_t have, size_t* bytes, void* stream) {
  const char* op = "attention_decode";
  view q, k, v, out;
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tk, op, "k", k));
  PG_TRY(parse(tv, op, "v", v));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, q, k));
  PG_TRY(same_dtype(op, q, v));
  PG_TRY(same_dtype(op, q, out));
  PG_TRY(same_shape(op, q, out));
  PG_TRY(same_shape(op, k, v));
  if (q.ndim != 3 || k.ndim != 4 || k.shape[0] != q.shape[0] || k.shape[3] != q.shape[2] ||
      (k.shape[1] == 0 ? q.shape[1] != 0 : q.shape[1] % k.shape[1] != 0))
    return fail(PG_ERR_SHAPE,
                "%s: 'q' of shape %s and 'k' of shape %s are not (batch, heads, width) and (batch, key heads, keys, "
                "width) with key heads dividing heads", op, shape_text(q).text, shape_text(k).text);
  const int64_t width = q.shape[2], keys = k.shape[2], jobs = q.shape[0] * q.shape[1];
  if (width > kMostHead)
    return fail(PG_ERR_SIZE, "%s: heads of %lld elements; at most %lld are supported", op,
                static_cast<long long>(width), static_cast<long long>(kMostHead));
  if (keys == 0 && jobs > 0) return fail(PG_ERR_SHAPE, "%s: 'k' holds no keys", op);
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, q, false));
  PG_TRY(check_alias(op, out, k, false));
  PG_TRY(check_alias(op, out, v, false));
  return dispatch(op, q.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using C = compute_t<T>;
    if (bytes != nullptr) *bytes = 0;
    if (jobs == 0 || width == 0) return int(PG_OK);
    attention_args args{};
    args.heads = q.shape[1];
    args.shared_heads = q.shape[1] / k.shape[1];
    args.keys = keys;
    args.width = int32_t(width);
    args.scale = scale > 0 ? scale : 1.0 / std::sqrt(double(width));
    int64_t parts = 1024 / jobs < keys / kPartKeys ? 1024 / jobs : keys / kPartKeys;
    args.parts = int32_t(parts < 1 ? 1 : parts > 64 ? 64 : parts);
    for (int d = 0; d < 3; ++d) {
      args.q[d] = q.stride[d];
      args.out[d] = out.stride[d];
    }
    for (int d = 0; d < 4; ++d) {
      args.k[d] = k.stride[d];
      args.v[d] = v.stride[d];
    }
    if (jobs > INT32_MAX / 64) return fail(PG_ERR_SIZE, "%s: more than 2^25 heads in one call", op);
    const size_t need = args.parts > 1 ? size_t(jobs * args.parts * (width + 2)) * sizeof(C) : 0;
    if (bytes != nullptr) {
      *bytes = need;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, need));
    C* partial = static_cast<C*>(workspace);
    T* to = reinterpret_cast<T*>(out.data);
    PG_TRY(launched(PG_LAUNCH((attend<T>), unsigned(jobs * args.parts), kRowBlock, 0, stream,
                              reinterpret_cast<const T*>(q.data), reinterpret_cast<const T*>(k.data),
                              reinterpret_cast<const T*>(v.data), to, partial, args), op));
    if (args.parts == 1) return int(PG_OK);
    return launched(PG_LAUNCH((join_parts<T>), blocks_for(jobs, kHeadGroups), kRowBlock, 0, stream, partial, to, jobs,
                              args), op);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_attention_decode(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v,
                                          const pg_tensor* out, double scale, void* workspace, size_t workspace_bytes,
                                          void* stream) {
  return pgops::attention_decode(q, k, v, out, scale, workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_attention_decode_workspace(const pg_tensor* q, const pg_tensor* k, const pg_tensor* v,
                                                    const pg_tensor* out, double scale, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "attention_decode_workspace: bytes is NULL");
  return pgops::attention_decode(q, k, v, out, scale, nullptr, 0, bytes, nullptr);
}
