// Elementwise comparisons.
#include "support/elementwise.cuh"

namespace pgops {
namespace {

#define PG_FUNCTOR(NAME, OPERATOR)                                                     \
  struct NAME {                                                                        \
    static constexpr int unroll = 2;                                                   \
    template <class C>                                                                 \
    static __device__ __forceinline__ bool run(C a, C b) { return a OPERATOR b; }      \
  };
PG_FUNCTOR(equal_op, ==)
PG_FUNCTOR(not_equal_op, !=)
PG_FUNCTOR(less_op, <)
PG_FUNCTOR(less_equal_op, <=)

using compare_types = built_types<types<float, half, bfloat16, int32_t, int64_t>,
                                  types<double, bool, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_BINARY(equal, equal_op, compare_types, bool)
PG_BINARY(not_equal, not_equal_op, compare_types, bool)
PG_BINARY(less, less_op, compare_types, bool)
PG_BINARY(less_equal, less_equal_op, compare_types, bool)
// a > b is b < a: the same kernels.
#define PG_SWAPPED(NAME, OP)                                                                              \
  extern "C" PG_API int pg_##NAME(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out,           \
                                  void* stream) {                                                         \
    return binary<OP, compare_types, bool>(#NAME, b, a, out, stream, "b", "a");                           \
  }
PG_SWAPPED(greater, less_op)
PG_SWAPPED(greater_equal, less_equal_op)
