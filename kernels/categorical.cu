// Samples of categorical distributions by the Gumbel maximum: argmax(logits + noise) along an axis, in one
// pass. Element i of the logits, in C order, has the noise of word i: with generator 0 and f32 logits the
// samples of jax.random.categorical.
#include "support/math.cuh"
#include "support/row.cuh"
#include "support/words32.cuh"

namespace pgops {
namespace {

constexpr const char* kOp = "categorical";

struct sample_args {
  word_key key;
  uint32_t rows;
  bool wide;
  int64_t first_row, length, stride;
  int64_t inner;  // rows that lie between neighbours along the axis
};

template <class C>
struct pick {
  C value;
  int64_t index;
};
struct better {  // the first NaN, else the greatest, of equals the first
  template <class C>
  __device__ __forceinline__ pick<C> operator()(pick<C> a, pick<C> b) const {
    const bool nan_a = m::is_nan(a.value), nan_b = m::is_nan(b.value), first = b.index < a.index;
    const bool take = nan_b ? !nan_a || first : !nan_a && (b.value > a.value || (b.value == a.value && first));
    return take ? b : a;
  }
};

template <class C>
__device__ __forceinline__ C gumbel(const word_key& key, uint64_t i) {
  C unit;
  if constexpr (std::is_same_v<C, double>) {
    uint32_t high, low;
    two_words(key, i, high, low);
    unit = double((uint64_t(high) << 32 | low) >> 12) * 2.220446049250313e-16;
    if (unit < 2.2250738585072014e-308) unit = 2.2250738585072014e-308;
  } else {
    unit = float(one_word(key, i) >> 9) * 1.1920928955078125e-07f;
    if (unit < 1.17549435e-38f) unit = 1.17549435e-38f;
  }
  return -m::log(-m::log(unit));
}

// Operands of the map over rows: out, logits.
template <class T, int kLanes>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    sample_rows(const T* logits, void* out, sample_args args, const PG_GRID_CONSTANT strided<2> map) {
  using C = compute_t<T>;
  const int lane = int(threadIdx.x) % kLanes;
  const uint32_t row = blockIdx.x * (kRowBlock / kLanes) + threadIdx.x / kLanes;
  if (row >= args.rows) return;
  int64_t at[2];
  map.offsets(row, at);
  const int64_t number = args.first_row + row, outer = number / args.inner;
  const int64_t base = outer * args.length * args.inner + (number - outer * args.inner);
  pick<C> best{limits<C>::lowest(), INT64_MAX};
  for (int64_t i = lane; i < args.length; i += kLanes) {
    const C value = widen(logits[at[1] + i * args.stride]) + gumbel<C>(args.key, uint64_t(base + i * args.inner));
    best = better()(best, pick<C>{value, i});
  }
  best = row_reduce<kLanes>(best, better(), pick<C>{limits<C>::lowest(), INT64_MAX});
  if (lane != 0) return;
  if (args.wide) static_cast<int64_t*>(out)[at[0]] = best.index;
  else static_cast<int32_t*>(out)[at[0]] = int32_t(best.index);
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_categorical(const pg_tensor* tlogits, const pg_tensor* tout, int32_t axis, int64_t key,
                                     int32_t generator, void* stream) {
  view logits, out;
  int a = 0;
  PG_TRY(parse(tlogits, kOp, "logits", logits));
  PG_TRY(parse(tout, kOp, "out", out));
  PG_TRY(want_index(kOp, out));
  PG_TRY(normal_axis(kOp, logits, axis, a));
  if (generator != 0 && generator != 1)
    return fail(PG_ERR_VALUE, "%s: generator is %d; 0 is Threefry, 1 is Philox", kOp, int(generator));
  PG_TRY(check_output(kOp, out));
  PG_TRY(check_alias(kOp, out, logits, false));
  bool fits = out.ndim == logits.ndim - 1;
  for (int d = 0; fits && d < out.ndim; ++d) fits = out.shape[d] == logits.shape[d < a ? d : d + 1];
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'out' of shape %s does not fit 'logits' of shape %s without axis %d", kOp,
                shape_text(out).text, shape_text(logits).text, a);
  sample_args args{make_key(key, generator == 1), 0, out.dtype == PG_I64, 0, logits.shape[a], logits.stride[a], 1};
  layout<2> map;
  for (int d = 0; d < logits.ndim; ++d) {
    if (d == a) continue;
    const int64_t s[2] = {out.stride[d < a ? d : d - 1], logits.stride[d]};
    map.push(logits.shape[d], s);
    if (d > a) args.inner *= logits.shape[d];
  }
  return dispatch(kOp, logits.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (map.numel() == 0) return int(PG_OK);
    if (args.length == 0) return fail(PG_ERR_SHAPE, "%s: 'logits' has nothing to choose from along axis %d", kOp, a);
    if (!args.wide && args.length > INT32_MAX)
      return fail(PG_ERR_SIZE, "%s: indices up to %lld do not fit in i32; use an i64 output", kOp,
                  static_cast<long long>(args.length - 1));
    map.merge();  // keeps C order, which numbers the elements
    PG_TRY(check_rank(kOp, map.ndim));
    return for_chunks(map, [&](const layout<2>& piece, const int64_t (&start)[2]) {
      args.rows = uint32_t(piece.numel());
      const T* from = reinterpret_cast<const T*>(logits.data) + start[1];
      char* to = out.data + start[0] * out.item();
      const int status = launched(
          args.length <= kRowGroup * 8
              ? PG_LAUNCH((sample_rows<T, kRowGroup>), blocks_for(args.rows, kRowBlock / kRowGroup), kRowBlock, 0,
                          stream, from, to, args, piece.device())
              : PG_LAUNCH((sample_rows<T, kRowBlock>), args.rows, kRowBlock, 0, stream, from, to, args,
                          piece.device()), kOp);
      args.first_row += args.rows;
      return status;
    });
  });
}
