// Memory functions of the compat header.
#pragma once
#include "atomic.h"

namespace pg_compat {

template <class T>
PG_COMPAT_DEVICE T load_streaming(const T* p) { return *p; }
template <class T, class V>
PG_COMPAT_DEVICE void store_streaming(T* p, V v) { *p = v; }
template <class T>
PG_COMPAT_DEVICE T load(const T* p) { return *p; }
template <class T>
PG_COMPAT_DEVICE T load_volatile(const T* p) { return *const_cast<const volatile T*>(p); }
template <class T, class V>
PG_COMPAT_DEVICE void store(T* p, V v) { *p = v; }
template <class T>
PG_COMPAT_DEVICE T ldg(const T* p) { return *p; }
template <class T>
PG_COMPAT_DEVICE void prefetch(const T*) {}

#define PGCPU_COMPAT_SCOPED(NAME, FN)                                                              \
  template <class T, class V>                                                                      \
  PG_COMPAT_DEVICE T NAME##_block(T* p, V v) { return ::pgcpu::FN<T>(p, static_cast<T>(v)); }      \
  template <class T, class V>                                                                      \
  PG_COMPAT_DEVICE T NAME##_system(T* p, V v) { return ::pgcpu::FN<T>(p, static_cast<T>(v)); }
PGCPU_COMPAT_SCOPED(atomic_add, atomic_add)
PGCPU_COMPAT_SCOPED(atomic_sub, atomic_sub)
PGCPU_COMPAT_SCOPED(atomic_and, atomic_and_)
PGCPU_COMPAT_SCOPED(atomic_or, atomic_or_)
PGCPU_COMPAT_SCOPED(atomic_xor, atomic_xor_)
PGCPU_COMPAT_SCOPED(atomic_min, atomic_min)
PGCPU_COMPAT_SCOPED(atomic_max, atomic_max)
PGCPU_COMPAT_SCOPED(atomic_exch, atomic_exch)
#undef PGCPU_COMPAT_SCOPED
template <class T, class A, class B>
PG_COMPAT_DEVICE T atomic_cas_block(T* p, A a, B b) {
  return ::pgcpu::atomic_cas<T>(p, static_cast<T>(a), static_cast<T>(b));
}
template <class T, class A, class B>
PG_COMPAT_DEVICE T atomic_cas_system(T* p, A a, B b) {
  return ::pgcpu::atomic_cas<T>(p, static_cast<T>(a), static_cast<T>(b));
}
PG_COMPAT_DEVICE unsigned short atomic_cas_16(unsigned short* p, unsigned short a, unsigned short b) {
  return ::pgcpu::atomic_cas<unsigned short>(p, a, b);
}

PG_COMPAT_DEVICE void nanosleep(unsigned n) { ::pgcpu::sleep_ns(n); }
PG_COMPAT_DEVICE void trap(::pgcpu::site at = ::pgcpu::site::current()) { ::pgcpu::trap(at); }
PG_COMPAT_DEVICE void breakpoint() {}
PG_COMPAT_DEVICE void prof_trigger(int) {}

PG_COMPAT_DEVICE void copy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char*>(to) + bytes - zeros, 0, zeros);
}
template <int Bytes>
PG_COMPAT_DEVICE void copy_bytes(void* to, const void* from) { __builtin_memcpy(to, from, Bytes); }
PG_COMPAT_DEVICE void copy_commit() {}
PG_COMPAT_DEVICE void copy_wait(size_t = 0) {}

}  // namespace pg_compat
