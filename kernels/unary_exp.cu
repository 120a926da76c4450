// Elementwise exponentials, logarithms, hyperbolics and activations.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

#define PG_FUNCTOR(NAME, UNROLL, EXPRESSION)                            \
  struct NAME {                                                        \
    static constexpr int unroll = UNROLL;                              \
    template <class C>                                                 \
    static __device__ __forceinline__ C run(C x) { return EXPRESSION; } \
  };
PG_FUNCTOR(exp_op, 2, m::exp(x))
PG_FUNCTOR(exp2_op, 2, m::exp2(x))
PG_FUNCTOR(expm1_op, 1, m::expm1(x))
PG_FUNCTOR(log_op, 2, m::log(x))
PG_FUNCTOR(log1p_op, 1, m::log1p(x))
PG_FUNCTOR(log2_op, 2, m::log2(x))
PG_FUNCTOR(log10_op, 2, m::log10(x))
PG_FUNCTOR(erf_op, 1, m::erf(x))
PG_FUNCTOR(sinh_op, 1, m::sinh(x))
PG_FUNCTOR(cosh_op, 1, m::cosh(x))
PG_FUNCTOR(tanh_op, 1, m::tanh(x))
PG_FUNCTOR(sigmoid_op, 1, C(1) / (C(1) + m::exp(-x)))
// log(1 + exp(x)) as max(x, 0) + log1p(exp(-|x|)): no overflow, exact tails.
PG_FUNCTOR(softplus_op, 1, (m::is_nan(x) ? x : (x > C(0) ? x : C(0)) + m::log1p(m::exp(-m::fabs(x)))))
PG_FUNCTOR(silu_op, 1, x / (C(1) + m::exp(-x)))
// NaN at -inf, as silu, and as in PyTorch and JAX.
PG_FUNCTOR(gelu_op, 1, x * (C(0.5) * m::erfc(x * C(-0.70710678118654752440))))
PG_FUNCTOR(gelu_tanh_op, 1, x / (C(1) + m::exp(C(-1.59576912160573071176) * (x + C(0.044715) * x * x * x))))

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_UNARY(exp, exp_op, float_types)
PG_UNARY(exp2, exp2_op, float_types)
PG_UNARY(expm1, expm1_op, float_types)
PG_UNARY(log, log_op, float_types)
PG_UNARY(log1p, log1p_op, float_types)
PG_UNARY(log2, log2_op, float_types)
PG_UNARY(log10, log10_op, float_types)
PG_UNARY(erf, erf_op, float_types)
PG_UNARY(sinh, sinh_op, float_types)
PG_UNARY(cosh, cosh_op, float_types)
PG_UNARY(tanh, tanh_op, float_types)
PG_UNARY(sigmoid, sigmoid_op, float_types)
PG_UNARY(softplus, softplus_op, float_types)
PG_UNARY(silu, silu_op, float_types)
PG_UNARY(gelu, gelu_op, float_types)
PG_UNARY(gelu_tanh, gelu_tanh_op, float_types)
