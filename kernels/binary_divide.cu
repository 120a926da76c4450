// Floor division, division with remainder, and closeness.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

// Quotient rounded down and the remainder with the divisor's sign, by Python's rule. Integers: by zero both are 0.
template <class C>
__device__ __forceinline__ C divide(C a, C b, C& rest) {
  if constexpr (std::is_floating_point_v<C>) {
    rest = m::fmod(a, b);
    if (b == C(0)) return a / b;
    C quotient = (a - rest) / b;
    if (rest != C(0)) {
      if ((rest < C(0)) != (b < C(0))) {
        rest += b;
        quotient -= C(1);
      }
    } else if (!m::is_nan(rest)) {
      rest = b < C(0) ? C(-0.0) : C(0);
    }
    if (quotient == C(0)) return a / b < C(0) ? C(-0.0) : C(0);
    return m::rint(quotient);
  } else {
    rest = C(0);
    if (b == C(0)) return C(0);
    if constexpr (std::is_signed_v<C>) {
      if (b == C(-1)) return C(uint64_t(0) - uint64_t(a));  // wraps at the least value
    }
    C quotient = C(a / b);
    rest = C(a - quotient * b);
    if constexpr (std::is_signed_v<C>) {
      if (rest != 0 && (rest < 0) != (b < 0)) {
        rest = C(rest + b);
        quotient = C(quotient - 1);
      }
    }
    return quotient;
  }
}

struct floor_divide_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) {
    C rest;
    return divide(a, b, rest);
  }
};

// Operands: quotient, remainder, a, b.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    divmod_strided(const T* a, const T* b, T* quotient, T* rest, uint32_t n, const PG_GRID_CONSTANT strided<4> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[4];
  map.offsets(i, at);
  compute_t<T> r;
  const compute_t<T> q = divide(widen(a[at[2]]), widen(b[at[3]]), r);
  quotient[at[0]] = narrow<T>(q);
  rest[at[1]] = narrow<T>(r);
}

struct close_args {
  double relative, absolute;
  bool equal_nan;
};

// Operands: out, a, b.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    close_strided(const T* a, const T* b, bool* out, uint32_t n, close_args args, const PG_GRID_CONSTANT strided<3> map) {
  using C = compute_t<T>;
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[3];
  map.offsets(i, at);
  const C x = widen(a[at[1]]), y = widen(b[at[2]]);
  const C room = pg::fma(C(args.relative), m::fabs(y), C(args.absolute));
  const bool both = m::is_nan(x) && m::is_nan(y);
  const bool finite = m::fabs(y) < limits<C>::greatest();  // an infinite bound would let everything through
  out[at[0]] = x == y || (finite && m::fabs(x - y) <= room) || (both && args.equal_nan);
}

using divide_types = built_types<types<float, half, bfloat16, int32_t>,
                                 types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t, int64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_BINARY(floor_divide, floor_divide_op, divide_types)

extern "C" PG_API int pg_divmod(const pg_tensor* ta, const pg_tensor* tb, const pg_tensor* tquotient,
                                const pg_tensor* tremainder, void* stream) {
  const char* op = "divmod";
  view quotient, rest, in[3], again[2];
  PG_TRY(parse(ta, op, "a", in[1]));
  PG_TRY(parse(tb, op, "b", in[2]));
  PG_TRY(parse(tquotient, op, "quotient", quotient));
  PG_TRY(parse(tremainder, op, "remainder", rest));
  for (const view* v : {&in[2], &quotient, &rest}) PG_TRY(same_dtype(op, in[1], *v));
  PG_TRY(same_shape(op, quotient, rest));
  PG_TRY(check_output(op, rest));
  PG_TRY(check_alias(op, rest, quotient, false));
  again[0] = in[1];
  again[1] = in[2];
  layout<3> other;
  PG_TRY(plan_map<3>(op, rest, again, other));
  in[0] = rest;
  layout<4> plan;
  PG_TRY(plan_map<4>(op, quotient, in, plan));
  return dispatch(op, quotient.dtype, divide_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (plan.numel() == 0) return int(PG_OK);
    return for_chunks(plan, [&](const layout<4>& piece, const int64_t (&start)[4]) {
      const int64_t n = piece.numel();
      return launched(PG_LAUNCH((divmod_strided<T>), blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                                reinterpret_cast<const T*>(in[1].data) + start[2],
                                reinterpret_cast<const T*>(in[2].data) + start[3],
                                reinterpret_cast<T*>(quotient.data) + start[0],
                                reinterpret_cast<T*>(rest.data) + start[1], uint32_t(n), piece.device()), op);
    });
  });
}

extern "C" PG_API int pg_isclose(const pg_tensor* ta, const pg_tensor* tb, const pg_tensor* tout, double relative,
                                 double absolute, int32_t equal_nan, void* stream) {
  const char* op = "isclose";
  view out, in[2];
  PG_TRY(parse(ta, op, "a", in[0]));
  PG_TRY(parse(tb, op, "b", in[1]));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, in[0], in[1]));
  PG_TRY(want_dtype(op, out, PG_BOOL));
  return dispatch(op, in[0].dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    layout<3> plan;
    PG_TRY(plan_map<3>(op, out, in, plan));
    if (plan.numel() == 0) return int(PG_OK);
    const close_args args{relative, absolute, equal_nan != 0};
    return for_chunks(plan, [&](const layout<3>& piece, const int64_t (&start)[3]) {
      const int64_t n = piece.numel();
      return launched(PG_LAUNCH((close_strided<T>), blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                                reinterpret_cast<const T*>(in[0].data) + start[1],
                                reinterpret_cast<const T*>(in[1].data) + start[2],
                                reinterpret_cast<bool*>(out.data) + start[0], uint32_t(n), args, piece.device()), op);
    });
  });
}
