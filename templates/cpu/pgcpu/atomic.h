// Atomics on plain memory: one implementation, relaxed, for every scope.
#pragma once
#include "half.h"
#include "thread.h"

#include <type_traits>

#if PGCPU_CHECKED
// The checker sees an atomic as one access by name, not as the loop that does it.
#define PGCPU_ATOMIC __attribute__((no_sanitize("thread"))) inline
#define PGCPU_AT , ::pgcpu::site at = ::pgcpu::site::current()
#define PGCPU_ON , at
#else
#define PGCPU_ATOMIC inline
#define PGCPU_AT
#define PGCPU_ON
#endif

namespace pgcpu {

namespace detail {
void spin_hint();
void checker_atomic(const volatile void* p, unsigned size, site at);

template <size_t N>
struct word;
template <>
struct word<1> { using type = unsigned char; };
template <>
struct word<2> { using type = unsigned short; };
template <>
struct word<4> { using type = unsigned int; };
template <>
struct word<8> { using type = unsigned long long; };

template <class T>
using word_t = typename word<sizeof(T)>::type;

template <class T>
PGCPU_ATOMIC T from_word(word_t<T> w) {
  T v;
  __builtin_memcpy(static_cast<void*>(&v), &w, sizeof(T));
  return v;
}
template <class T>
PGCPU_ATOMIC word_t<T> to_word(T v) {
  word_t<T> w;
  __builtin_memcpy(&w, static_cast<const void*>(&v), sizeof(T));
  return w;
}
template <class T>
PGCPU_ATOMIC volatile word_t<T>* words(volatile T* p) {
  return reinterpret_cast<volatile word_t<T>*>(p);
}
PGCPU_ATOMIC void touch([[maybe_unused]] const volatile void* p, [[maybe_unused]] unsigned size PGCPU_AT) {
#if PGCPU_CHECKED
  checker_atomic(p, size, at);
#endif
  spin_hint();
}

// Replaces *p by f(*p); returns the old value.
template <class T, class F>
PGCPU_ATOMIC T atomic_update(volatile T* p, F f PGCPU_AT) {
  touch(p, sizeof(T) PGCPU_ON);
  auto* w = words(p);
  word_t<T> old = __atomic_load_n(w, __ATOMIC_RELAXED);
  for (;;) {
    const T before = from_word<T>(old);
    const word_t<T> next = to_word<T>(f(before));
    if (__atomic_compare_exchange_n(w, &old, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return before;
  }
}

template <class T>
PGCPU_ATOMIC T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else return a + b;
}
PGCPU_ATOMIC half sum_of(half a, half b) { return to_half(to_float(a) + to_float(b)); }
PGCPU_ATOMIC bfloat16 sum_of(bfloat16 a, bfloat16 b) { return to_bfloat16(to_float(a) + to_float(b)); }
template <class T>
PGCPU_ATOMIC bool less(T a, T b) { return a < b; }
PGCPU_ATOMIC bool less(half a, half b) { return to_float(a) < to_float(b); }
PGCPU_ATOMIC bool less(bfloat16 a, bfloat16 b) { return to_float(a) < to_float(b); }
}  // namespace detail

template <class T>
PGCPU_ATOMIC T atomic_add(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  if constexpr (std::is_integral_v<T>) {
    detail::touch(p, sizeof(T) PGCPU_ON);
    return T(__atomic_fetch_add(detail::words(p), detail::to_word<T>(v), __ATOMIC_ACQ_REL));
  } else {
    return detail::atomic_update(p, [v](T o) { return detail::sum_of(o, v); } PGCPU_ON);
  }
}
template <class T>
PGCPU_ATOMIC T atomic_sub(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  if constexpr (std::is_integral_v<T>) {
    detail::touch(p, sizeof(T) PGCPU_ON);
    return T(__atomic_fetch_sub(detail::words(p), detail::to_word<T>(v), __ATOMIC_ACQ_REL));
  } else {
    return detail::atomic_update(p, [v](T o) { return o - v; } PGCPU_ON);
  }
}
template <class T>
PGCPU_ATOMIC T atomic_min(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  return detail::atomic_update(p, [v](T o) { return detail::less(v, o) ? v : o; } PGCPU_ON);
}
template <class T>
PGCPU_ATOMIC T atomic_max(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  return detail::atomic_update(p, [v](T o) { return detail::less(o, v) ? v : o; } PGCPU_ON);
}
template <class T>
PGCPU_ATOMIC T atomic_exch(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  detail::touch(p, sizeof(T) PGCPU_ON);
  return detail::from_word<T>(
      __atomic_exchange_n(detail::words(p), detail::to_word<T>(v), __ATOMIC_ACQ_REL));
}
template <class T>
PGCPU_ATOMIC T atomic_cas(volatile T* p, std::common_type_t<T> expect, std::common_type_t<T> desired PGCPU_AT) {
  detail::touch(p, sizeof(T) PGCPU_ON);
  detail::word_t<T> e = detail::to_word<T>(expect);
  __atomic_compare_exchange_n(detail::words(p), &e, detail::to_word<T>(desired), false,
                              __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return detail::from_word<T>(e);
}
#define PGCPU_BITS(NAME, CALL)                                                         \
  template <class T>                                                                   \
  PGCPU_ATOMIC T NAME(volatile T* p, std::common_type_t<T> v PGCPU_AT) {               \
    static_assert(std::is_integral_v<T>, "bitwise atomics are for integers");          \
    detail::touch(p, sizeof(T) PGCPU_ON);                                                       \
    return T(CALL(detail::words(p), detail::to_word<T>(v), __ATOMIC_ACQ_REL));         \
  }
PGCPU_BITS(atomic_and_, __atomic_fetch_and)
PGCPU_BITS(atomic_or_, __atomic_fetch_or)
PGCPU_BITS(atomic_xor_, __atomic_fetch_xor)
#undef PGCPU_BITS
template <class T>
PGCPU_ATOMIC T atomic_inc(volatile T* p, std::common_type_t<T> limit PGCPU_AT) {
  return detail::atomic_update(p, [limit](T o) { return o >= limit ? T(0) : T(o + 1); } PGCPU_ON);
}
template <class T>
PGCPU_ATOMIC T atomic_dec(volatile T* p, std::common_type_t<T> limit PGCPU_AT) {
  return detail::atomic_update(p, [limit](T o) { return o == 0 || o > limit ? limit : T(o - 1); } PGCPU_ON);
}
template <class T>
PGCPU_ATOMIC T atomic_load(const volatile T* p PGCPU_AT) {
  detail::touch(p, sizeof(T) PGCPU_ON);
  return detail::from_word<T>(
      __atomic_load_n(detail::words(const_cast<volatile T*>(p)), __ATOMIC_ACQUIRE));
}
template <class T>
PGCPU_ATOMIC void atomic_store(volatile T* p, std::common_type_t<T> v PGCPU_AT) {
  detail::touch(p, sizeof(T) PGCPU_ON);
  __atomic_store_n(detail::words(p), detail::to_word<T>(v), __ATOMIC_RELEASE);
}

}  // namespace pgcpu

// The names that CUDA and HIP share. Templates, so that a program's own overload is preferred.
#define PGCPU_ATOMIC_NAME(NAME, FN)                                                          \
  template <class T>                                                                         \
  PGCPU_ATOMIC T NAME(T* p, std::common_type_t<T> v PGCPU_AT) { return ::pgcpu::FN<T>(p, v PGCPU_ON); }        \
  template <class T>                                                                         \
  PGCPU_ATOMIC T NAME##_block(T* p, std::common_type_t<T> v PGCPU_AT) { return ::pgcpu::FN<T>(p, v PGCPU_ON); } \
  template <class T>                                                                         \
  PGCPU_ATOMIC T NAME##_system(T* p, std::common_type_t<T> v PGCPU_AT) { return ::pgcpu::FN<T>(p, v PGCPU_ON); }
PGCPU_ATOMIC_NAME(atomicAdd, atomic_add)
PGCPU_ATOMIC_NAME(atomicSub, atomic_sub)
PGCPU_ATOMIC_NAME(atomicMin, atomic_min)
PGCPU_ATOMIC_NAME(atomicMax, atomic_max)
PGCPU_ATOMIC_NAME(atomicExch, atomic_exch)
PGCPU_ATOMIC_NAME(atomicAnd, atomic_and_)
PGCPU_ATOMIC_NAME(atomicOr, atomic_or_)
PGCPU_ATOMIC_NAME(atomicXor, atomic_xor_)
PGCPU_ATOMIC_NAME(atomicInc, atomic_inc)
PGCPU_ATOMIC_NAME(atomicDec, atomic_dec)
#undef PGCPU_ATOMIC_NAME
#define PGCPU_ATOMIC_CAS(NAME)                                                                \
  template <class T>                                                                          \
  PGCPU_ATOMIC T NAME(T* p, std::common_type_t<T> e, std::common_type_t<T> d PGCPU_AT) {      \
    return ::pgcpu::atomic_cas<T>(p, e, d PGCPU_ON);                                                   \
  }
PGCPU_ATOMIC_CAS(atomicCAS)
PGCPU_ATOMIC_CAS(atomicCAS_block)
PGCPU_ATOMIC_CAS(atomicCAS_system)
#undef PGCPU_ATOMIC_CAS
#undef PGCPU_AT
#undef PGCPU_ON
