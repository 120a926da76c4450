// Target CPU: atomics on 32-bit and 64-bit words. All scopes are the process.
#ifndef PG_DETAIL_ATOMIC_H
#define PG_DETAIL_ATOMIC_H

#include "../types.h"

namespace pg {
namespace detail {

enum class scope { block, device, system };

template <class U>
U load_word(U* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

template <scope S, class U>
U cas_word(U* p, U expected, U desired) {
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <scope S, class U>
U add_word(U* p, U v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <scope S, class U>
U exch_word(U* p, U v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
template <scope S, class U>
U and_word(U* p, U v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
template <scope S, class U>
U or_word(U* p, U v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <scope S, class U>
U xor_word(U* p, U v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }
template <scope S, class U>
U min_word(U* p, U v) {
  U old = load_word(p);
  while (v < old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <scope S, class U>
U max_word(U* p, U v) {
  U old = load_word(p);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <class T>
struct has_native_add { static constexpr bool value = false; };
template <scope S, class T>
T add_native(T*, T v) { return v; }

}  // namespace detail
}  // namespace pg

#endif
