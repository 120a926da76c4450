// Copies with conversion between element types.
#include "support/word.cuh"

namespace pgops {
namespace {

template <class R>
struct cast_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ compute_t<R> run(C x) { return convert<compute_t<R>>(x); }
};
// 16-bit results of double round once.
template <class R>
struct cast_double_op {
  static constexpr int unroll = 1;
  static __device__ __forceinline__ float run(double x) { return pg::to_float(pg::convert<R>(x)); }
};

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_cast(const pg_tensor* x, const pg_tensor* out, void* stream) {
  view to, in[1];
  PG_TRY(parse(x, "cast", "x", in[0]));
  PG_TRY(parse(out, "cast", "out", to));
  PG_TRY(check_dtype<movable_types>("cast", to.dtype));
  layout<2> plan;
  return dispatch("cast", in[0].dtype, movable_types{}, [&](auto from_tag) {
    using T = typename decltype(from_tag)::type;
    return dispatch("cast", to.dtype, movable_types{}, [&](auto to_tag) {
      using R = typename decltype(to_tag)::type;
      PG_TRY(plan_map<2>("cast", to, in, plan));
      using Op = std::conditional_t<std::is_same_v<T, double> && is_half<R>, cast_double_op<R>, cast_op<R>>;
      return launch_unary<Op, T, R>("cast", plan, in[0], to, stream);
    });
  });
}
