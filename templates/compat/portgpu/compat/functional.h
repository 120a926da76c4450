// Function objects of libcu++'s <cuda/functional>.
#ifndef PORTGPU_COMPAT_FUNCTIONAL_H
#define PORTGPU_COMPAT_FUNCTIONAL_H

#include <type_traits>
#include <utility>

namespace pg_compat {

// A function object that says what it returns, so that the host need not ask a device lambda.
template <class R, class F>
struct returns {
  F f;
  template <class... A>
  __host__ __device__ R operator()(A&&... a) const {
    return f(std::forward<A>(a)...);
  }
  template <class... A>
  __host__ __device__ R operator()(A&&... a) {
    return f(std::forward<A>(a)...);
  }
};
template <class R, class F>
PG_COMPAT_BOTH returns<R, F> proclaim_return_type(F f) {
  return {f};
}
template <class F>
PG_COMPAT_BOTH F proclaim_copyable_arguments(F f) {
  return f;
}

template <class T = void>
struct maximum {
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <class A, class B>
  __host__ __device__ constexpr typename std::common_type<A, B>::type operator()(
      const A& a, const B& b) const {
    return a < b ? b : a;
  }
};
template <class T = void>
struct minimum {
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <class A, class B>
  __host__ __device__ constexpr typename std::common_type<A, B>::type operator()(
      const A& a, const B& b) const {
    return b < a ? b : a;
  }
};

// The standard library has these for devices from C++20 on.
template <class T>
PG_COMPAT_BOTH void swap(T& a, T& b) {
  T old = std::move(a);
  a = std::move(b);
  b = std::move(old);
}
template <class T, class U = T>
PG_COMPAT_BOTH T exchange(T& value, U&& next) {
  T old = std::move(value);
  value = std::forward<U>(next);
  return old;
}

struct identity {
  template <class T>
  __host__ __device__ constexpr T&& operator()(T&& value) const {
    return std::forward<T>(value);
  }
};

}  // namespace pg_compat
#endif
