// Checked access to containers in device code.
#ifndef PORTGPU_COMPAT_CONTAINERS_H
#define PORTGPU_COMPAT_CONTAINERS_H

#include <array>

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

}  // namespace pg_compat
#endif
