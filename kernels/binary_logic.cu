// Elementwise logic on truth values, bit operations and shifts.
#include "support/elementwise.cuh"

namespace pgops {
namespace {

#define PG_LOGIC(NAME, EXPRESSION)                                                     \
  struct NAME {                                                                        \
    static constexpr int unroll = 2;                                                   \
    template <class C>                                                                 \
    static __device__ __forceinline__ bool run(C x, C y) {                             \
      const bool a = x != C(0), b = y != C(0);                                         \
      return EXPRESSION;                                                               \
    }                                                                                  \
  };
PG_LOGIC(logical_and_op, a && b)
PG_LOGIC(logical_or_op, a || b)
PG_LOGIC(logical_xor_op, a != b)

#define PG_BITS(NAME, OPERATOR)                                                        \
  struct NAME {                                                                        \
    static constexpr int unroll = 2;                                                   \
    template <class C>                                                                 \
    static __device__ __forceinline__ C run(C a, C b) { return C(a OPERATOR b); }      \
  };
PG_BITS(bitwise_and_op, &)
PG_BITS(bitwise_or_op, |)
PG_BITS(bitwise_xor_op, ^)

// A count that is negative or reaches the width shifts everything out.
template <class C>
__device__ __forceinline__ bool shifts_all(C count) {
  if constexpr (std::is_signed_v<C>) {
    if (count < C(0)) return true;
  }
  return uint64_t(count) >= sizeof(C) * 8;
}
struct left_shift_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) {
    return shifts_all(b) ? C(0) : C(uint64_t(a) << b);
  }
};
struct right_shift_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) {
    if constexpr (std::is_signed_v<C>) {
      if (shifts_all(b)) return C(a < C(0) ? -1 : 0);
    }
    return shifts_all(b) ? C(0) : C(a >> b);
  }
};

using truth_types = built_types<types<bool, float>, types<half, bfloat16, double, uint8_t, int8_t, int16_t, uint16_t,
                                                          uint32_t, int32_t, int64_t, uint64_t>>;
using bit_types = built_types<types<int32_t, bool>,
                              types<uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;
using shift_types = built_types<types<int32_t>,
                                types<uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_BINARY(logical_and, logical_and_op, truth_types, bool)
PG_BINARY(logical_or, logical_or_op, truth_types, bool)
PG_BINARY(logical_xor, logical_xor_op, truth_types, bool)
PG_BINARY(bitwise_and, bitwise_and_op, bit_types)
PG_BINARY(bitwise_or, bitwise_or_op, bit_types)
PG_BINARY(bitwise_xor, bitwise_xor_op, bit_types)
PG_BINARY(left_shift, left_shift_op, shift_types)
PG_BINARY(right_shift, right_shift_op, shift_types)
