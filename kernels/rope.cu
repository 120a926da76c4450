// Rotary position embedding: pairs of elements of the last axis turn by position * base^(-2i / dims).
// `inverse` turns back, which is the gradient.
#include <cmath>

#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

struct rope_args {
  uint32_t pairs;         // of the last axis that turn; elements behind them are copied
  uint32_t rest;
  int64_t out_stride, x_stride;  // along the last axis
  int64_t offset;                // position of the first row
  double log_base;               // log2
  bool interleaved, inverse;
};

// One thread turns one pair, or copies one element behind the pairs. Operands: out, x, position.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    rope_pairs(const T* x, T* out, uint32_t n, int64_t first_position, rope_args args, fast_div units,
               const PG_GRID_CONSTANT strided<3> rows) {
  using C = compute_t<T>;
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  const uint32_t row = units.div(i), unit = i - row * units.divisor;
  int64_t at[3];
  rows.offsets(row, at);
  if (unit >= args.pairs) {
    const int64_t e = 2 * int64_t(args.pairs) + (unit - args.pairs);
    out[at[0] + e * args.out_stride] = x[at[1] + e * args.x_stride];
    return;
  }
  const int64_t a = args.interleaved ? 2 * int64_t(unit) : unit;
  const int64_t b = args.interleaved ? a + 1 : a + args.pairs;
  // In f32 a position of 2^17 times a frequency loses the angle's low bits; the product is taken in f64.
  const double frequency = exp2(-double(unit) / double(args.pairs) * args.log_base);
  const double angle = double(first_position + at[2] + args.offset) * frequency;
  const double turn = angle * 0.15915494309189535;  // of a full circle, so that f32 sees a small angle
  const C reduced = C((turn - floor(turn + 0.5)) * 6.283185307179586);
  const C c = m::cos(reduced), s = args.inverse ? -m::sin(reduced) : m::sin(reduced);
  const C p = widen(x[at[1] + a * args.x_stride]), q = widen(x[at[1] + b * args.x_stride]);
  out[at[0] + a * args.out_stride] = narrow<T>(p * c - q * s);
  out[at[0] + b * args.out_stride] = narrow<T>(p * s + q * c);
}

int rope(const pg_tensor* tx, const pg_tensor* tout, int32_t dims, double base, int64_t offset, int32_t interleaved,
         int32_t inverse, void* stream) {
  const char* op = "rope";
  view x, out;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, x, out));
  PG_TRY(same_shape(op, x, out));
  if (x.ndim < 2) return fail(PG_ERR_SHAPE, "%s: 'x' has shape %s; the last two axes are position and feature", op,
                              shape_text(x).text);
  const int last = x.ndim - 1;
  const int64_t width = x.shape[last];
  if (dims == 0) dims = int32_t(width < INT32_MAX ? width : INT32_MAX);
  if (dims < 0 || dims % 2 != 0 || dims > width)
    return fail(PG_ERR_VALUE, "%s: dims is %d; it must be even, and at most the last extent, %lld", op, int(dims),
                static_cast<long long>(width));
  if (!(base > 0)) return fail(PG_ERR_VALUE, "%s: base is %g; it must be positive", op, base);
  if (width > (int64_t(1) << 24)) return fail(PG_ERR_SIZE, "%s: the last extent exceeds 2^24", op);
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, x, true));
  layout<3> rows;
  for (int d = 0; d < last; ++d) {
    const int64_t s[3] = {out.stride[d], x.stride[d], d == last - 1 ? 1 : 0};
    rows.push(x.shape[d], s);
  }
  return dispatch(op, x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (x.numel() == 0) return int(PG_OK);
    rows.normalize();
    PG_TRY(check_rank(op, rows.ndim));
    rope_args args{uint32_t(dims / 2), uint32_t(width - dims), out.stride[last], x.stride[last], offset,
                   std::log2(base), interleaved != 0, inverse != 0};
    const uint32_t units = args.pairs + args.rest;
    if (rows.numel() * units > INT32_MAX)
      return fail(PG_ERR_SIZE, "%s: more than 2^31 pairs in one call are not supported", op);
    return for_chunks(rows, [&](const layout<3>& piece, const int64_t (&start)[3]) {
      const uint32_t n = uint32_t(piece.numel() * units);
      return launched(PG_LAUNCH((rope_pairs<T>), blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                                reinterpret_cast<const T*>(x.data) + start[1], reinterpret_cast<T*>(out.data) + start[0],
                                n, start[2], args, fast_div(units), piece.device()), op);
    });
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_rope(const pg_tensor* x, const pg_tensor* out, int32_t dims, double base, int64_t offset,
                              int32_t interleaved, int32_t inverse, void* stream) {
  return pgops::rope(x, out, dims, base, offset, interleaved, inverse, stream);
}
