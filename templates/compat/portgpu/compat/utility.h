// `cuda::std::pair`, `tuple` and `variant`: types of their own, as in CUDA, made of the standard
// library's, with assignments for devices too, which it has from C++20 on.
#ifndef PORTGPU_COMPAT_UTILITY_H
#define PORTGPU_COMPAT_UTILITY_H

#if defined(PG_COMPAT_NVIDIA)
#include <cuda/std/tuple>
#include <cuda/std/utility>
#if __cplusplus >= 201703L && CUDART_VERSION >= 12040
#include <cuda/std/variant>
#define PG_COMPAT_VARIANT 1
#endif
#endif
#include <tuple>
#include <type_traits>
#include <utility>
#if defined(__clang__) && defined(__HIP__) && !defined(_GLIBCXX_VARIANT)
namespace std {  // what throws on the host traps on devices; <variant> must find it
__attribute__((device, always_inline)) inline void __throw_bad_variant_access(const char*) {
  __builtin_trap();
}
__attribute__((device, always_inline)) inline void __throw_bad_variant_access(bool) {
  __builtin_trap();
}
}  // namespace std
#endif
#if __cplusplus >= 201703L
#include <variant>
#endif

namespace pg_compat {

#if defined(PG_COMPAT_NVIDIA)
using ::cuda::std::get;
using ::cuda::std::make_pair;
using ::cuda::std::make_tuple;
using ::cuda::std::pair;
using ::cuda::std::tie;
using ::cuda::std::tuple;
using ::cuda::std::tuple_cat;
#if defined(PG_COMPAT_VARIANT)
using ::cuda::std::variant;
#endif
#else

namespace detail {
template <bool... All>
struct bools;
template <bool... All>
using when =
    typename std::enable_if<std::is_same<bools<true, All...>, bools<All..., true>>::value>::type;
// std::index_sequence of C++14: hipcc of HIP 5.2 reads C++11 unless told otherwise.
template <std::size_t... I>
struct indices {
  using type = indices;
};
template <std::size_t N, std::size_t... I>
struct count_up : count_up<N - 1, N - 1, I...> {};
template <std::size_t... I>
struct count_up<0, I...> : indices<I...> {};
template <class... T>
using indices_for = typename count_up<sizeof...(T)>::type;
// Tuples of other libraries, whose header says how many parts they have, and `part<I>(x)`.
template <class X, class = void>
struct taken_apart {
  static constexpr std::size_t size = 0;
};
}  // namespace detail

// Constructors that a class inherits are for the host alone in C++17.
template <class T, class U>
struct pair : std::pair<T, U> {
  using plain = std::pair<T, U>;
  pair() = default;
  pair(const pair&) = default;
  pair(pair&&) = default;
  constexpr pair(const T& a, const U& b) : plain(a, b) {}
  template <class A, class B,
            class = detail::when<std::is_constructible<T, A&&>::value,
                                 std::is_constructible<U, B&&>::value>>
  constexpr pair(A&& a, B&& b) : plain(std::forward<A>(a), std::forward<B>(b)) {}
  template <class A, class B,
            class = detail::when<std::is_constructible<T, const A&>::value,
                                 std::is_constructible<U, const B&>::value>>
  constexpr pair(const std::pair<A, B>& p) : plain(p) {}
  template <class A, class B,
            class = detail::when<std::is_constructible<T, A&&>::value,
                                 std::is_constructible<U, B&&>::value>>
  constexpr pair(std::pair<A, B>&& p) : plain(std::move(p)) {}
  template <class... A, class... B>
  pair(std::piecewise_construct_t how, std::tuple<A...> a, std::tuple<B...> b) : plain(how, a, b) {}
  __host__ __device__ pair& operator=(const pair& p) {
    this->first = p.first;
    this->second = p.second;
    return *this;
  }
  __host__ __device__ pair& operator=(pair&& p) {
    this->first = std::forward<T>(p.first);
    this->second = std::forward<U>(p.second);
    return *this;
  }
  template <class A, class B>
  __host__ __device__ pair& operator=(const std::pair<A, B>& p) {
    this->first = p.first;
    this->second = p.second;
    return *this;
  }
};

template <class... T>
struct tuple : std::tuple<T...> {
  using plain = std::tuple<T...>;
  tuple() = default;
  tuple(const tuple&) = default;
  tuple(tuple&&) = default;
  template <class Own = void, class = detail::when<std::is_void<Own>::value, (sizeof...(T) > 0)>>
  constexpr tuple(const T&... values) : plain(values...) {}
  template <class... A, class = detail::when<(sizeof...(A) == sizeof...(T) && sizeof...(T) > 0),
                                             std::is_constructible<T, A&&>::value...>>
  constexpr tuple(A&&... values) : plain(std::forward<A>(values)...) {}
  template <class... A,
            class = detail::when<std::is_constructible<plain, const std::tuple<A...>&>::value>>
  constexpr tuple(const std::tuple<A...>& t) : plain(t) {}
  template <class... A, class = detail::when<std::is_constructible<plain, std::tuple<A...>>::value>>
  constexpr tuple(std::tuple<A...>&& t) : plain(std::move(t)) {}
  template <class A, class B,
            class = detail::when<std::is_constructible<plain, std::pair<A, B>>::value>>
  constexpr tuple(const std::pair<A, B>& p) : plain(p) {}
  template <class X, class = detail::when<(sizeof...(T) > 0),
                                          detail::taken_apart<X>::size == sizeof...(T)>>
  __host__ __device__ tuple(const X& x) : tuple(x, detail::indices_for<T...>()) {}
  __host__ __device__ tuple& operator=(const tuple& t) {
    return set(t, detail::indices_for<T...>());
  }
  __host__ __device__ tuple& operator=(tuple&& t) {
    return set(std::move(t), detail::indices_for<T...>());
  }
  template <class... A>
  __host__ __device__ tuple& operator=(const std::tuple<A...>& t) {
    return set(t, detail::indices_for<T...>());
  }
  template <class A, class B>
  __host__ __device__ tuple& operator=(const std::pair<A, B>& t) {
    return set(t, detail::indices_for<T...>());
  }

 private:
  template <class X, std::size_t... I>
  __host__ __device__ tuple(const X& x, detail::indices<I...>)
      : plain(detail::taken_apart<X>::template part<I>(x)...) {}
  template <class A, std::size_t... I>
  __host__ __device__ tuple& set(A&& t, detail::indices<I...>) {
    const int done[] = {0, ((void)(std::get<I>(*this) = std::get<I>(std::forward<A>(t))), 0)...};
    (void)done;
    return *this;
  }
};

#if __cplusplus >= 201703L
template <class T, class U>
__host__ __device__ pair(T, U) -> pair<T, U>;
template <class... T>
__host__ __device__ tuple(T...) -> tuple<T...>;
#endif

namespace detail {
template <class P>
struct own_form;
template <class T, class U>
struct own_form<std::pair<T, U>> {
  using type = pair<T, U>;
};
template <class... T>
struct own_form<std::tuple<T...>> {
  using type = tuple<T...>;
};
// What the standard library may take apart: ours as what they are made of.
template <class T, class U>
constexpr const std::pair<T, U>& plain_form(const std::pair<T, U>& p) {
  return p;
}
template <class... T>
constexpr const std::tuple<T...>& plain_form(const std::tuple<T...>& t) {
  return t;
}
}  // namespace detail

// Of everything that has parts: of Thrust's tuples too, which are libcu++'s own in CUDA.
template <std::size_t I, class X>
__host__ __device__ constexpr auto get(X&& x) -> decltype(std::get<I>(std::forward<X>(x))) {
  return std::get<I>(std::forward<X>(x));
}
template <class T, class X>
__host__ __device__ constexpr auto get(X&& x) -> decltype(std::get<T>(std::forward<X>(x))) {
  return std::get<T>(std::forward<X>(x));
}
template <std::size_t I, class X, class P = detail::taken_apart<typename std::decay<X>::type>,
          class = detail::when<(P::size > I)>>
__host__ __device__ auto get(X&& x) -> decltype(P::template part<I>(x)) {
  return P::template part<I>(x);
}

template <class T, class U>
constexpr typename detail::own_form<decltype(
    std::make_pair(std::declval<T>(), std::declval<U>()))>::type
make_pair(T&& a, U&& b) {
  return {std::forward<T>(a), std::forward<U>(b)};
}
template <class... T>
constexpr typename detail::own_form<decltype(std::make_tuple(std::declval<T>()...))>::type
make_tuple(T&&... values) {
  return typename detail::own_form<decltype(std::make_tuple(std::declval<T>()...))>::type(
      std::forward<T>(values)...);
}
template <class... T>
constexpr tuple<T&...> tie(T&... values) {
  return tuple<T&...>(values...);
}
template <class... T>
constexpr typename detail::own_form<decltype(
    std::tuple_cat(detail::plain_form(std::declval<T>())...))>::type
tuple_cat(T&&... parts) {
  return std::tuple_cat(detail::plain_form(parts)...);
}

#if __cplusplus >= 201703L
template <class... T>
struct variant : std::variant<T...> {
  using plain = std::variant<T...>;
#if defined(_GLIBCXX_VARIANT)
  using thrower = decltype(std::__throw_bad_variant_access(""));  // what is pasted needs it too
#endif
  template <class V>
  using other = detail::when<!std::is_base_of<plain, typename std::decay<V>::type>::value,
                             std::is_constructible<plain, V&&>::value>;
  variant() = default;
  variant(const variant&) = default;
  variant(variant&&) = default;
  constexpr variant(const plain& v) : plain(v) {}
  constexpr variant(plain&& v) : plain(std::move(v)) {}
  template <class V, class = other<V>>
  constexpr variant(V&& v) : plain(std::forward<V>(v)) {}
  template <std::size_t I, class... A>
  constexpr explicit variant(std::in_place_index_t<I> how, A&&... a)
      : plain(how, std::forward<A>(a)...) {}
  template <class V, class... A>
  constexpr explicit variant(std::in_place_type_t<V> how, A&&... a)
      : plain(how, std::forward<A>(a)...) {}
  variant& operator=(const variant&) = default;
  variant& operator=(variant&&) = default;
  template <class V, class = other<V>>
  variant& operator=(V&& v) {
    plain::operator=(std::forward<V>(v));
    return *this;
  }
};
#endif
#endif

}  // namespace pg_compat

#if !defined(PG_COMPAT_NVIDIA)
namespace std {
template <class T, class U>
struct tuple_size<pg_compat::pair<T, U>> : integral_constant<size_t, 2> {};
template <size_t I, class T, class U>
struct tuple_element<I, pg_compat::pair<T, U>> : tuple_element<I, pair<T, U>> {};
template <class... T>
struct tuple_size<pg_compat::tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <size_t I, class... T>
struct tuple_element<I, pg_compat::tuple<T...>> : tuple_element<I, tuple<T...>> {};
#if __cplusplus >= 201703L
template <class... T>
struct variant_size<pg_compat::variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <size_t I, class... T>
struct variant_alternative<I, pg_compat::variant<T...>> : variant_alternative<I, variant<T...>> {};
#endif
}  // namespace std
#endif
#endif
