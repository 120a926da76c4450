// Elementwise trigonometric functions and inverse hyperbolics.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

#define PG_FUNCTOR(NAME)                                                 \
  struct NAME##_op {                                                     \
    static constexpr int unroll = 1;                                     \
    template <class C>                                                   \
    static __device__ __forceinline__ C run(C x) { return m::NAME(x); } \
  };
PG_FUNCTOR(sin)
PG_FUNCTOR(cos)
PG_FUNCTOR(tan)
PG_FUNCTOR(asin)
PG_FUNCTOR(acos)
PG_FUNCTOR(atan)
PG_FUNCTOR(asinh)
PG_FUNCTOR(acosh)
PG_FUNCTOR(atanh)

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_UNARY(sin, sin_op, float_types)
PG_UNARY(cos, cos_op, float_types)
PG_UNARY(tan, tan_op, float_types)
PG_UNARY(asin, asin_op, float_types)
PG_UNARY(acos, acos_op, float_types)
PG_UNARY(atan, atan_op, float_types)
PG_UNARY(asinh, asinh_op, float_types)
PG_UNARY(acosh, acosh_op, float_types)
PG_UNARY(atanh, atanh_op, float_types)
