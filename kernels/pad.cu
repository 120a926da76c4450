// Padding: a constant, the edge, reflection or repetition, `before` elements in front of each axis and
// what is left of the output behind it. Contiguous outputs are written in 16-byte pieces.
#include "support/word.cuh"

namespace pgops {
namespace {

enum class pad_mode : int32_t { constant = 0, edge = 1, reflect = 2, wrap = 3 };

struct pad_args {
  int ndim = 0;
  pad_mode mode = pad_mode::constant;
  uint32_t count = 0;        // elements of out
  fast_div size[kMaxDims];   // of out
  int64_t out_stride[kMaxDims], x_stride[kMaxDims], before[kMaxDims], extent[kMaxDims];
};

// The place in x of coordinate `at` of an axis; -1 where the constant goes.
__device__ __forceinline__ int64_t source(pad_mode mode, int64_t at, int64_t n) {
  if (at >= 0 && at < n) return at;
  if (mode == pad_mode::constant) return -1;
  if (mode == pad_mode::edge) return at < 0 ? 0 : n - 1;
  const int64_t period = mode == pad_mode::wrap ? n : (n > 1 ? 2 * (n - 1) : 1);
  int64_t r = at % period;
  if (r < 0) r += period;
  return r < n ? r : period - r;
}

// Offset in x of element `index` of out without the last axis, or -1; `last` is its place on that axis.
__device__ __forceinline__ int64_t outer_offset(const pad_args& p, uint32_t index, uint32_t& last, int64_t& out_at) {
  const int inner = p.ndim - 1;
  uint32_t rest = p.size[inner].div(index);
  last = index - rest * p.size[inner].divisor;
  int64_t at = 0;
  bool inside = true;
  out_at = 0;
  for (int d = inner - 1; d >= 0; --d) {
    const uint32_t next = d > 0 ? p.size[d].div(rest) : 0;
    const uint32_t place = rest - next * p.size[d].divisor;
    const int64_t from = source(p.mode, int64_t(place) - p.before[d], p.extent[d]);
    inside = inside && from >= 0;
    at += from * p.x_stride[d];
    out_at += int64_t(place) * p.out_stride[d];
    rest = next;
  }
  return inside ? at : INT64_MIN;
}

// kVec neighbours of the last axis or of the next row; out is contiguous if kVec > 1.
template <class W, int kVec>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock) pad_elements(const W* x, W* out, W value, const PG_GRID_CONSTANT pad_args p) {
  const uint32_t index = (blockIdx.x * kMapBlock + threadIdx.x) * kVec;
  if (index >= p.count) return;
  const int inner = p.ndim - 1;
  uint32_t place = 0;
  int64_t out_at = 0;
  int64_t row = outer_offset(p, index, place, out_at);
  pg::vec<W, kVec> v;
  PG_UNROLL
  for (int j = 0; j < kVec; ++j) {
    if (j > 0 && ++place == p.size[inner].divisor) row = outer_offset(p, index + uint32_t(j), place, out_at);
    const int64_t from = source(p.mode, int64_t(place) - p.before[inner], p.extent[inner]);
    v[j] = row != INT64_MIN && from >= 0 && index + uint32_t(j) < p.count ? x[row + from * p.x_stride[inner]] : value;
  }
  if constexpr (kVec == 1) {
    out[out_at + int64_t(place) * p.out_stride[inner]] = v[0];
  } else if (index + kVec <= p.count) {
    pg::store_vec<kVec>(out + index, v);
  } else {
    PG_UNROLL
    for (int j = 0; j < kVec; ++j)
      if (index + uint32_t(j) < p.count) out[index + uint32_t(j)] = v[j];
  }
}

struct pad_plan {
  int ndim = 0;
  int64_t size[PG_MAX_NDIM], out_stride[PG_MAX_NDIM], x_stride[PG_MAX_NDIM], before[PG_MAX_NDIM], extent[PG_MAX_NDIM];

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= size[d];
    return n;
  }
  // Joins axes without padding to the one in front of them, where memory allows: its padding grows by their size.
  void push(int64_t n, int64_t out_s, int64_t x_s, int64_t b, int64_t e) {
    if (n == 1 && b == 0 && e == 1) return;
    const int p = ndim - 1;
    if (p >= 0 && b == 0 && e == n && out_stride[p] == out_s * n && x_stride[p] == x_s * n && joins_next) {
      size[p] *= n;
      before[p] *= n;
      extent[p] *= n;
      out_stride[p] = out_s;
      x_stride[p] = x_s;
      return;
    }
    size[ndim] = n;
    out_stride[ndim] = out_s;
    x_stride[ndim] = x_s;
    before[ndim] = b;
    extent[ndim++] = e;
    joins_next = constant || (b == 0 && e == n);
  }
  bool joins_next = true;  // a block of elements moves as one only where no element of it is turned around
  bool constant = true;
};

template <class W>
int launch_pad(const pad_plan& plan, pad_mode mode, const W* x, W* out, W value, void* stream) {
  if (plan.numel() > kChunk) {  // halves of the outermost axis
    int d = 0;
    while (plan.size[d] == 1) ++d;
    pad_plan first = plan, second = plan;
    first.size[d] = plan.size[d] / 2;
    second.size[d] -= first.size[d];
    second.before[d] -= first.size[d];
    PG_TRY(launch_pad(first, mode, x, out, value, stream));
    return launch_pad(second, mode, x, out + first.size[d] * plan.out_stride[d], value, stream);
  }
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  pad_args args;
  args.ndim = plan.ndim;
  args.mode = mode;
  args.count = uint32_t(plan.numel());
  int64_t dense = 1;
  bool vector = aligned_for<W>(out, kVec);
  for (int d = plan.ndim - 1; d >= 0; --d) {
    args.size[d] = fast_div(uint32_t(plan.size[d]));
    args.out_stride[d] = plan.out_stride[d];
    args.x_stride[d] = plan.x_stride[d];
    args.before[d] = plan.before[d];
    args.extent[d] = plan.extent[d];
    vector = vector && (plan.size[d] == 1 || plan.out_stride[d] == dense);
    dense *= plan.size[d];
  }
  return launched(vector ? PG_LAUNCH((pad_elements<W, kVec>), blocks_for(args.count, kMapBlock * kVec), kMapBlock, 0,
                                     stream, x, out, value, args)
                         : PG_LAUNCH((pad_elements<W, 1>), blocks_for(args.count, kMapBlock), kMapBlock, 0, stream, x,
                                     out, value, args), "pad");
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_pad(const pg_tensor* tx, const pg_tensor* tout, const int32_t* before, int32_t nbefore,
                             int32_t mode, double value, void* stream) {
  view x, out;
  PG_TRY(parse(tx, "pad", "x", x));
  PG_TRY(parse(tout, "pad", "out", out));
  PG_TRY(same_dtype("pad", x, out));
  PG_TRY(check_dtype<movable_types>("pad", x.dtype));
  if (mode < 0 || mode > 3)
    return fail(PG_ERR_VALUE, "pad: mode is %d; 0 is constant, 1 edge, 2 reflect, 3 wrap", int(mode));
  const bool none = before == nullptr || nbefore == 0;
  if (out.ndim != x.ndim)
    return fail(PG_ERR_SHAPE, "pad: 'out' has %d dimensions, 'x' has %d", out.ndim, x.ndim);
  if (!none && nbefore != x.ndim)
    return fail(PG_ERR_VALUE, "pad: 'before' has %d entries, 'x' has %d dimensions", int(nbefore), x.ndim);
  PG_TRY(check_output("pad", out));
  PG_TRY(check_alias("pad", out, x, false));
  pad_plan plan;
  plan.constant = mode == 0;
  for (int d = 0; d < x.ndim; ++d) {
    const int64_t b = none ? 0 : before[d];
    if (b < 0) return fail(PG_ERR_VALUE, "pad: 'before' has %lld for dimension %d", static_cast<long long>(b), d);
    if (out.shape[d] < x.shape[d] + b)
      return fail(PG_ERR_SHAPE, "pad: 'out' has %lld elements in dimension %d; 'x' and 'before' need %lld",
                  static_cast<long long>(out.shape[d]), d, static_cast<long long>(x.shape[d] + b));
    if (mode != 0 && x.shape[d] == 0 && out.shape[d] > 0)
      return fail(PG_ERR_SHAPE, "pad: dimension %d of 'x' is empty: only the constant mode has something to pad it with", d);
    plan.push(out.shape[d], out.stride[d], x.stride[d], b, x.shape[d]);
  }
  if (out.numel() == 0) return PG_OK;
  if (plan.ndim == 0) plan = {1, {1}, {1}, {1}, {0}, {1}};
  PG_TRY(check_rank("pad", plan.ndim));
  return dispatch("pad", out.dtype, movable_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    const T converted = convert<T>(value);
    return dispatch_word(out.item(), [&](auto w) {
      using W = typename decltype(w)::type;
      if constexpr (sizeof(W) != sizeof(T)) return int(PG_ERR_DTYPE);
      else {
        W bits;
        std::memcpy(&bits, &converted, sizeof bits);
        return launch_pad<W>(plan, pad_mode(mode), reinterpret_cast<const W*>(x.data), reinterpret_cast<W*>(out.data),
                             bits, stream);
      }
    });
  });
}
