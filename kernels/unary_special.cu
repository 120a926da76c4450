// Inverse error function, degrees and radians, signed infinities.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

// Giles, "Approximating the erfinv function" (GPU Computing Gems, 2012), then Halley's steps: erf and its
// slope are cheap. 1 - x is exact where the logarithm would lose it.
struct erfinv_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C start(C w) {
    if (w < C(5)) {
      w -= C(2.5);
      C p = C(2.81022636e-08);
      p = C(3.43273939e-07) + p * w;
      p = C(-3.5233877e-06) + p * w;
      p = C(-4.39150654e-06) + p * w;
      p = C(0.00021858087) + p * w;
      p = C(-0.00125372503) + p * w;
      p = C(-0.00417768164) + p * w;
      p = C(0.246640727) + p * w;
      return C(1.50140941) + p * w;
    }
    if (sizeof(C) == 8 && w > C(16)) return m::sqrt(w + C(0.12078223763524520) - C(0.5) * m::log(w));  // erfc's asymptotic form
    w = m::sqrt(w) - C(3);
    C p = C(-0.000200214257);
    p = C(0.000100950558) + p * w;
    p = C(0.00134934322) + p * w;
    p = C(-0.00367342844) + p * w;
    p = C(0.00573950773) + p * w;
    p = C(-0.0076224613) + p * w;
    p = C(0.00943887047) + p * w;
    p = C(1.00167406) + p * w;
    return C(2.83297682) + p * w;
  }
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    constexpr int kSteps = sizeof(C) == 4 ? 1 : 3;
    const C a = m::fabs(x);
    if (!(a < C(1))) return a == C(1) ? x * limits<C>::greatest() : (x - x) / (x - x);
    const bool small = a < C(0.5);
    C y = start(small ? -m::log1p(-a * a) : -m::log((C(1) - a) * (C(1) + a))) * a;
    PG_UNROLL
    for (int i = 0; i < kSteps; ++i) {
      const C error = small ? m::erf(y) - a : (C(1) - a) - m::erfc(y);
      const C u = error * (C(0.88622692545275801365) * m::exp(y * y));
      y -= u / (C(1) + y * u);
    }
    return x < C(0) ? -y : x == C(0) ? x : y;
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
