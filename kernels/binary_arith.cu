// Elementwise arithmetic of two operands.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

// Integers wrap: computed unsigned, where overflow is defined.
template <class C>
using wrap_t = std::conditional_t<std::is_floating_point_v<C>, C, uint64_t>;

#define PG_FUNCTOR(NAME, OPERATOR)                                                      \
  struct NAME {                                                                         \
    static constexpr int unroll = 2;                                                    \
    template <class C>                                                                  \
    static __device__ __forceinline__ C run(C a, C b) {                                 \
      return C(static_cast<wrap_t<C>>(a) OPERATOR static_cast<wrap_t<C>>(b));           \
    }                                                                                   \
  };
PG_FUNCTOR(add_op, +)
PG_FUNCTOR(sub_op, -)
PG_FUNCTOR(mul_op, *)
PG_FUNCTOR(div_op, /)

// Small integers compare as int: 16-bit instructions would need more registers.
template <class C>
using compare_t = std::conditional_t<std::is_integral_v<C> && sizeof(C) < 4, int32_t, C>;

struct minimum_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) { return C(m::min_nan(compare_t<C>(a), compare_t<C>(b))); }
};
struct maximum_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) { return C(m::max_nan(compare_t<C>(a), compare_t<C>(b))); }
};

using number_types = built_types<types<float, half, bfloat16, int32_t, int64_t>,
                                 types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_BINARY(add, add_op, number_types)
PG_BINARY(sub, sub_op, number_types)
PG_BINARY(mul, mul_op, number_types)
PG_BINARY(minimum, minimum_op, number_types)
PG_BINARY(maximum, maximum_op, number_types)
PG_BINARY(div, div_op, float_types)
