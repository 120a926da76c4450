// Atomics: relaxed, device scope; _block and _system variants. Each returns the old value.
// Types: integers of 8 to 64 bits, float, double, half, bfloat16. What the hardware lacks is a
// compare-and-swap loop, on the containing 32-bit word for short types.
#ifndef PG_ATOMIC_H
#define PG_ATOMIC_H

#include "detail/atomic.h"
#include "ops.h"

namespace pg {
namespace detail {

template <class T>
struct is_word_integer {
  static constexpr bool value = !is_floating<T>::value && (sizeof(T) == 4 || sizeof(T) == 8);
};

// Compare-and-swap by bits, for 1, 2, 4 and 8 bytes.
template <scope S, class U>
PG_FN U cas_bits(U* p, U expected, U desired) {
  if constexpr (sizeof(U) >= 4) {
    return cas_word<S>(p, expected, desired);
  } else {
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    uint32_t* const whole = reinterpret_cast<uint32_t*>(address & ~uintptr_t(3));
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    const uint32_t mask = (sizeof(U) == 1 ? 0xffu : 0xffffu) << shift;
    uint32_t seen = load_word(whole);
    while (true) {
      const U current = static_cast<U>((seen & mask) >> shift);
      if (current != expected) return current;
      const uint32_t before = cas_word<S>(whole, seen, (seen & ~mask) | (static_cast<uint32_t>(desired) << shift));
      if (before == seen) return current;
      seen = before;
    }
  }
}

template <class U>
PG_FN U load_bits(U* p) {
  if constexpr (sizeof(U) >= 4) return load_word(p);
  const uintptr_t address = reinterpret_cast<uintptr_t>(p);
  const uint32_t whole = load_word(reinterpret_cast<uint32_t*>(address & ~uintptr_t(3)));
  return static_cast<U>(whole >> ((address & 3) * 8));
}

template <scope S, class T, class F>
PG_FN T atomic_apply(T* p, T v, F f) {
  using U = typename uint_of_size<sizeof(T)>::type;
  U* const bits = reinterpret_cast<U*>(p);
  U seen = load_bits(bits);
  while (true) {
    const T old = bit_cast<T>(seen);
    const U wanted = bit_cast<U>(f(old, v));
    if (wanted == seen) return old;  // nothing to store (also keeps NaN from looping)
    const U before = cas_bits<S>(bits, seen, wanted);
    if (before == seen) return old;
    seen = before;
  }
}

struct take_second {
  template <class T>
  PG_FN T operator()(T, T b) const { return b; }
};

template <scope S, class T>
PG_FN T atomic_add(T* p, T v) {
  if constexpr (is_word_integer<T>::value) {
    using U = typename uint_of_size<sizeof(T)>::type;
    return static_cast<T>(add_word<S>(reinterpret_cast<U*>(p), static_cast<U>(v)));
  } else if constexpr (has_native_add<T>::value) {
    return add_native<S>(p, v);
  } else {
    return atomic_apply<S>(p, v, plus());
  }
}
template <scope S, class T>
PG_FN T atomic_min(T* p, T v) {
  if constexpr (is_word_integer<T>::value) return min_word<S>(p, v);
  else return atomic_apply<S>(p, v, minimum());
}
template <scope S, class T>
PG_FN T atomic_max(T* p, T v) {
  if constexpr (is_word_integer<T>::value) return max_word<S>(p, v);
  else return atomic_apply<S>(p, v, maximum());
}
template <scope S, class T>
PG_FN T atomic_exch(T* p, T v) {
  using U = typename uint_of_size<sizeof(T)>::type;
  if constexpr (sizeof(T) >= 4) return bit_cast<T>(exch_word<S>(reinterpret_cast<U*>(p), bit_cast<U>(v)));
  else return atomic_apply<S>(p, v, take_second());
}
template <scope S, class T>
PG_FN T atomic_cas(T* p, T expected, T desired) {
  using U = typename uint_of_size<sizeof(T)>::type;
  return bit_cast<T>(cas_bits<S>(reinterpret_cast<U*>(p), bit_cast<U>(expected), bit_cast<U>(desired)));
}
#define PG_ATOMIC_BITWISE_(name, op)                                                            \
  template <scope S, class T>                                                                   \
  PG_FN T atomic_##name(T* p, T v) {                                                            \
    static_assert(!is_floating<T>::value, "bitwise atomics are for integers");                  \
    if constexpr (is_word_integer<T>::value) {                                                  \
      using U = typename uint_of_size<sizeof(T)>::type;                                         \
      return static_cast<T>(name##_word<S>(reinterpret_cast<U*>(p), static_cast<U>(v)));        \
    } else {                                                                                    \
      return atomic_apply<S>(p, v, op());                                                       \
    }                                                                                           \
  }
PG_ATOMIC_BITWISE_(and, bit_and)
PG_ATOMIC_BITWISE_(or, bit_or)
PG_ATOMIC_BITWISE_(xor, bit_xor)
#undef PG_ATOMIC_BITWISE_
}  // namespace detail

#define PG_ATOMIC_(name, suffix, which)                                                         \
  template <class T>                                                                            \
  PG_FN T atomic_##name##suffix(T* p, typename detail::identity<T>::type v) {                   \
    return detail::atomic_##name<detail::scope::which>(p, v);                                   \
  }
#define PG_ATOMICS_(suffix, which)                                                              \
  PG_ATOMIC_(add, suffix, which)                                                                \
  PG_ATOMIC_(min, suffix, which)                                                                \
  PG_ATOMIC_(max, suffix, which)                                                                \
  PG_ATOMIC_(exch, suffix, which)                                                               \
  PG_ATOMIC_(and, suffix, which)                                                                \
  PG_ATOMIC_(or, suffix, which)                                                                 \
  PG_ATOMIC_(xor, suffix, which)                                                                \
  template <class T>                                                                            \
  PG_FN T atomic_cas##suffix(T* p, typename detail::identity<T>::type expected,                 \
                             typename detail::identity<T>::type desired) {                      \
    return detail::atomic_cas<detail::scope::which>(p, expected, desired);                      \
  }
// add/min/max/exch/and/or/xor(p, v) and cas(p, expected, desired). min and max let NaN win.
PG_ATOMICS_(, device)
PG_ATOMICS_(_block, block)
PG_ATOMICS_(_system, system)
#undef PG_ATOMICS_
#undef PG_ATOMIC_

}  // namespace pg

#endif
