// What CUDA's Thrust takes and rocThrust does not: functors of devices alone in what asks for their
// result, and functors that take its tuples as those of libcu++, which they are in CUDA.
#ifndef PORTGPU_HIP_COMPAT_THRUST_FUNCTORS_H
#define PORTGPU_HIP_COMPAT_THRUST_FUNCTORS_H

#include "hip_compat.h"
#include <thrust/tuple.h>
#if __has_include(<thrust/detail/type_traits/result_of_adaptable_function.h>)
#include <thrust/detail/type_traits/result_of_adaptable_function.h>
#define PG_COMPAT_THRUST_RESULT 1
#endif

namespace thrust {
// Found by its argument: the tuple that a tuple of references derives from.
template <class... A>
__host__ __device__ const tuple<A...>& pg_compat_tuple(const tuple<A...>& t) {
  return t;
}
#if defined(PG_COMPAT_THRUST_RESULT)
namespace detail {
// The standard library's invoke_result asks in a function of the host, which may call no functor of
// devices alone. Nothing is called here.
template <class F, class... A>
struct result_of_adaptable_function<
    F(A...), typename enable_if<!has_result_type<F>::value && std::is_class<F>::value>::type> {
  using type = decltype(std::declval<F>()(std::declval<A>()...));
};
}  // namespace detail
#endif
}  // namespace thrust

namespace pg_compat {
namespace detail {
template <class X>
struct taken_apart<X, decltype((void)pg_compat_tuple(std::declval<const X&>()))> {
  using plain = typename std::decay<decltype(pg_compat_tuple(std::declval<const X&>()))>::type;
  static constexpr std::size_t size = thrust::tuple_size<plain>::value;
  template <std::size_t I>
  static __host__ __device__ auto part(const X& x)
      -> decltype(thrust::get<I>(pg_compat_tuple(x))) {
    return thrust::get<I>(pg_compat_tuple(x));
  }
  template <std::size_t I>
  static __host__ __device__ auto part(X& x) -> decltype(thrust::get<I>(x)) {
    return thrust::get<I>(x);
  }
};
}  // namespace detail
}  // namespace pg_compat
#endif
