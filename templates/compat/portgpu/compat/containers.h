// Checked access to containers in device code.
#ifndef PORTGPU_COMPAT_CONTAINERS_H
#define PORTGPU_COMPAT_CONTAINERS_H

#include <array>
#include <initializer_list>
#include <type_traits>

namespace pg_compat {

// `a.at(i)`: std::array throws by a host function. Devices trap instead.
namespace detail {
template <class C, class I>
PG_COMPAT_BOTH auto checked(C& c, const I& i, long) -> decltype(c.at(i)) {
  return c.at(i);
}
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
template <class T, size_t N, class I>
PG_COMPAT_BOTH T& checked(std::array<T, N>& a, const I& i, int) {
  if (static_cast<size_t>(i) >= N) __builtin_trap();
  return a[i];
}
template <class T, size_t N, class I>
PG_COMPAT_BOTH const T& checked(const std::array<T, N>& a, const I& i, int) {
  if (static_cast<size_t>(i) >= N) __builtin_trap();
  return a[i];
}
#endif
}  // namespace detail
template <class C, class I>
PG_COMPAT_BOTH auto at(C&& c, const I& i) -> decltype(c.at(i)) {
  return detail::checked(c, i, 0);
}

// A vector of Thrust from its elements: rocThrust before 6 has no constructor for a list.
template <class V, class Made = typename std::remove_reference<V>::type>
PG_COMPAT_HOST Made vector_of(std::initializer_list<typename Made::value_type> values) {
  return Made(values.begin(), values.end());
}

namespace detail {
template <class T>
struct itself {  // keeps T from being deduced
  using type = T;
};
template <class T>
using list = std::initializer_list<typename itself<T>::type>;
}  // namespace detail
// Values of an array whose length is known at run time; sizes in bytes of all, of a[0], of a[0][0].
template <class T>
PG_COMPAT_HOST void set_array(T* to, size_t bytes, detail::list<T> values) {
  size_t i = 0;
  for (const T& value : values)
    if (i < bytes / sizeof(T)) to[i++] = value;
  for (; i < bytes / sizeof(T); ++i) to[i] = T();
}
template <class T>
PG_COMPAT_HOST void set_array(T* to, size_t bytes, size_t row,
                              detail::list<detail::list<T>> values) {
  size_t at = 0;
  for (const auto& value : values) {
    if (at + row <= bytes) set_array(to + at / sizeof(T), row, value);
    at += row;
  }
  if (at < bytes) set_array(to + at / sizeof(T), bytes - at, detail::list<T>());
}
template <class T>
PG_COMPAT_HOST void set_array(
    T* to, size_t bytes, size_t row, size_t cell,
    detail::list<detail::list<detail::list<T>>> values) {
  size_t at = 0;
  for (const auto& value : values) {
    if (at + row <= bytes) set_array(to + at / sizeof(T), row, cell, value);
    at += row;
  }
  if (at < bytes) set_array(to + at / sizeof(T), bytes - at, detail::list<T>());
}

}  // namespace pg_compat
#endif
