// Inverse error function, degrees and radians, signed infinities.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

// erfinv(x) / x is smooth in w = -log(1 - x^2), and for large w in its square root (Giles, "Approximating the erfinv
// function", GPU Computing Gems, 2012). 1 - x^2 is rounded once.
struct erfinv_op {
  static constexpr int unroll = 1;
  // Own minimax fits: within 2.1 ulp, or 3 where the logarithm is off by one (8 million points against float64).
  static __device__ __forceinline__ float ratio(float w) {
    if (w < 5.0f) {
      w -= 1.0f;
      float p = -8.791056771e-09f;
      p = pg::fma(p, w, 1.419119116e-07f);
      p = pg::fma(p, w, -5.246966452e-07f);
      p = pg::fma(p, w, -4.401575552e-06f);
      p = pg::fma(p, w, 3.822899453e-05f);
      p = pg::fma(p, w, 1.002813151e-04f);
      p = pg::fma(p, w, -2.376442775e-03f);
      p = pg::fma(p, w, 4.250642844e-03f);
      p = pg::fma(p, w, 2.478328943e-01f);
      return pg::fma(p, w, 1.127374411e+00f);
    }
    w = m::sqrt(w) - 3.0f;
    float p = 1.157042207e-04f;
    p = pg::fma(p, w, -3.095731663e-04f);
    p = pg::fma(p, w, -5.677695299e-05f);
    p = pg::fma(p, w, 1.485092682e-03f);
    p = pg::fma(p, w, -3.597405273e-03f);
    p = pg::fma(p, w, 5.686973222e-03f);
    p = pg::fma(p, w, -7.637288887e-03f);
    p = pg::fma(p, w, 9.445286356e-03f);
    p = pg::fma(p, w, 1.001675010e+00f);
    return pg::fma(p, w, 2.832976818e+00f);
  }
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    const C a = m::fabs(x);
    if (!(a < C(1))) return a == C(1) ? x * limits<C>::greatest() : (x - x) / (x - x);
    if constexpr (sizeof(C) == 4) {
      return ratio(-m::log(pg::fma(-x, x, 1.0f))) * x;
    } else {  // from there by Halley's steps; erfc's asymptotic form where f32 does not reach
      const C w = -m::log((C(1) - a) * (C(1) + a));
      C y = w > C(16) ? m::sqrt(w + C(0.12078223763524520) - C(0.5) * m::log(w)) : C(ratio(float(w))) * a;
      PG_UNROLL
      for (int i = 0; i < 2; ++i) {
        const C error = a < C(0.5) ? m::erf(y) - a : (C(1) - a) - m::erfc(y);
        const C u = error * (C(0.88622692545275801365) * m::exp(y * y));
        y -= u / (C(1) + y * u);
      }
      return x < C(0) ? -y : x == C(0) ? x : y;
    }
  }
};

#define PG_FUNCTOR(NAME, EXPRESSION)                                    \
  struct NAME {                                                        \
    static constexpr int unroll = 2;                                   \
    template <class C>                                                 \
    static __device__ __forceinline__ auto run(C x) { return EXPRESSION; } \
  };
PG_FUNCTOR(degrees_op, x * C(57.295779513082320877))
PG_FUNCTOR(radians_op, x * C(0.017453292519943295769))
PG_FUNCTOR(isposinf_op, x == limits<C>::greatest())
PG_FUNCTOR(isneginf_op, x == limits<C>::lowest())

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_UNARY(erfinv, erfinv_op, float_types)
PG_UNARY(degrees, degrees_op, float_types)
PG_UNARY(radians, radians_op, float_types)
PG_UNARY(isposinf, isposinf_op, float_types, bool)
PG_UNARY(isneginf, isneginf_op, float_types, bool)
