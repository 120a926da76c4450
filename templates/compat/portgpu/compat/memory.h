// Loads and stores with cache hints, address spaces, scoped atomics, sleeping, asynchronous copies.
#ifndef PORTGPU_COMPAT_MEMORY_H
#define PORTGPU_COMPAT_MEMORY_H

namespace pg_compat {
namespace detail {

template <int Bytes>
struct chunk {
  struct type {
    unsigned char raw[Bytes];
  };
};
template <>
struct chunk<4> {
  using type = unsigned;
};
template <>
struct chunk<8> {
#if defined(PG_COMPAT_NVIDIA)
  using type = uint2;
#else
  typedef unsigned type __attribute__((vector_size(8)));
#endif
};
template <>
struct chunk<16> {
#if defined(PG_COMPAT_NVIDIA)
  using type = uint4;
#else
  typedef unsigned type __attribute__((vector_size(16)));
#endif
};
template <>
struct chunk<2> {
  using type = unsigned short;
};
template <>
struct chunk<1> {
  using type = unsigned char;
};

#if defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE bool swapped(unsigned* p, unsigned* expected, unsigned v) {
  const unsigned old = atomicCAS(p, *expected, v);
  const bool same = old == *expected;
  *expected = old;
  return same;
}
#endif

}  // namespace detail

// The few places where NVIDIA and the CPU target need other builtins than AMD's compiler.
#if defined(PG_COMPAT_NVIDIA)
#define PG_COMPAT_LOAD_ONCE(P) __ldcs(P)
#define PG_COMPAT_STORE_ONCE(V, P) __stcs(P, V)
#define PG_COMPAT_ATOMIC_LOAD(P) (*static_cast<const volatile unsigned*>(P))
#define PG_COMPAT_ATOMIC_CAS(P, EXPECTED, V) pg_compat::detail::swapped(P, EXPECTED, V)
#elif defined(PGCPU)
#define PG_COMPAT_LOAD_ONCE(P) (*(P))
#define PG_COMPAT_STORE_ONCE(V, P) (*(P) = (V))
#define PG_COMPAT_ATOMIC_LOAD(P) __atomic_load_n(P, __ATOMIC_RELAXED)
#define PG_COMPAT_ATOMIC_CAS(P, EXPECTED, V) \
  __atomic_compare_exchange_n(P, EXPECTED, V, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#else
#define PG_COMPAT_LOAD_ONCE(P) __builtin_nontemporal_load(P)
#define PG_COMPAT_STORE_ONCE(V, P) __builtin_nontemporal_store(V, P)
#define PG_COMPAT_ATOMIC_LOAD(P) \
  __hip_atomic_load(P, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define PG_COMPAT_ATOMIC_CAS(P, EXPECTED, V)                                              \
  __hip_atomic_compare_exchange_strong(P, EXPECTED, V, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                       __HIP_MEMORY_SCOPE_AGENT)
#endif

// Streaming: read or written once. Cached hints other than that have no counterpart.
template <class T>
PG_COMPAT_DEVICE T load_streaming(const T* p) {
  using C = typename detail::chunk<sizeof(T)>::type;
  const C c = PG_COMPAT_LOAD_ONCE(reinterpret_cast<const C*>(p));
  T v;
  __builtin_memcpy(&v, &c, sizeof(T));
  return v;
}
template <class T, class V>
PG_COMPAT_DEVICE void store_streaming(T* p, V value) {
  using C = typename detail::chunk<sizeof(T)>::type;
  const T v = value;
  C c;
  __builtin_memcpy(&c, &v, sizeof(T));
  PG_COMPAT_STORE_ONCE(c, reinterpret_cast<C*>(p));
}
template <class T>
PG_COMPAT_DEVICE T load(const T* p) {
  return *p;
}
template <class T>
PG_COMPAT_DEVICE T load_volatile(const T* p) {
#if defined(PG_COMPAT_NVIDIA)
  return __ldcv(p);
#else
  using C = typename detail::chunk<sizeof(T)>::type;
  C c = *reinterpret_cast<const volatile C*>(p);
  T v;
  __builtin_memcpy(&v, &c, sizeof(T));
  return v;
#endif
}
template <class T, class V>
PG_COMPAT_DEVICE void store(T* p, V value) {
  *p = value;
}
// A read-only load, for every type that CUDA's __ldg takes.
template <class T>
PG_COMPAT_DEVICE T ldg(const T* p) {
  return *p;
}

template <class T>
PG_COMPAT_DEVICE void prefetch(const T*) {}

#if defined(PG_COMPAT_NVIDIA) || defined(PGCPU)
#if defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE bool is_shared(const void* p) { return __isShared(p); }
PG_COMPAT_DEVICE bool is_local(const void* p) { return __isLocal(p); }
#define PG_COMPAT_IN(FUNCTION, SCOPE) FUNCTION##_##SCOPE
#else
PG_COMPAT_DEVICE bool is_shared(const void*) { return false; }
PG_COMPAT_DEVICE bool is_local(const void*) { return false; }
#define PG_COMPAT_IN(FUNCTION, SCOPE) FUNCTION  // every atomic is of the system's scope
#endif
#define PG_COMPAT_SCOPED(NAME, FUNCTION)                                       \
  template <class T, class V>                                                  \
  PG_COMPAT_DEVICE T NAME##_block(T* p, V v) {                                 \
    return PG_COMPAT_IN(FUNCTION, block)(p, static_cast<T>(v));                \
  }                                                                            \
  template <class T, class V>                                                  \
  PG_COMPAT_DEVICE T NAME##_system(T* p, V v) {                                \
    return PG_COMPAT_IN(FUNCTION, system)(p, static_cast<T>(v));               \
  }
PG_COMPAT_SCOPED(atomic_add, atomicAdd)
PG_COMPAT_SCOPED(atomic_and, atomicAnd)
PG_COMPAT_SCOPED(atomic_or, atomicOr)
PG_COMPAT_SCOPED(atomic_xor, atomicXor)
PG_COMPAT_SCOPED(atomic_min, atomicMin)
PG_COMPAT_SCOPED(atomic_max, atomicMax)
PG_COMPAT_SCOPED(atomic_exch, atomicExch)
#undef PG_COMPAT_SCOPED
template <class T, class A, class B>
PG_COMPAT_DEVICE T atomic_cas_block(T* p, A compare, B value) {
  return PG_COMPAT_IN(atomicCAS, block)(p, static_cast<T>(compare), static_cast<T>(value));
}
template <class T, class A, class B>
PG_COMPAT_DEVICE T atomic_cas_system(T* p, A compare, B value) {
  return PG_COMPAT_IN(atomicCAS, system)(p, static_cast<T>(compare), static_cast<T>(value));
}
#undef PG_COMPAT_IN
#else
PG_COMPAT_DEVICE bool is_shared(const void* p) {
  return __builtin_amdgcn_is_shared(
      (const __attribute__((address_space(0))) void*)p);
}
PG_COMPAT_DEVICE bool is_local(const void* p) {
  return __builtin_amdgcn_is_private(
      (const __attribute__((address_space(0))) void*)p);
}

// Scoped atomics; ordering is relaxed, as CUDA's are.
#define PG_COMPAT_SCOPED(NAME, BUILTIN)                                                    \
  template <class T, class V>                                                              \
  PG_COMPAT_DEVICE T NAME##_block(T* p, V v) {                                             \
    return BUILTIN(p, static_cast<T>(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);  \
  }                                                                                        \
  template <class T, class V>                                                              \
  PG_COMPAT_DEVICE T NAME##_system(T* p, V v) {                                            \
    return BUILTIN(p, static_cast<T>(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);     \
  }
PG_COMPAT_SCOPED(atomic_add, __hip_atomic_fetch_add)
PG_COMPAT_SCOPED(atomic_and, __hip_atomic_fetch_and)
PG_COMPAT_SCOPED(atomic_or, __hip_atomic_fetch_or)
PG_COMPAT_SCOPED(atomic_xor, __hip_atomic_fetch_xor)
PG_COMPAT_SCOPED(atomic_min, __hip_atomic_fetch_min)
PG_COMPAT_SCOPED(atomic_max, __hip_atomic_fetch_max)
PG_COMPAT_SCOPED(atomic_exch, __hip_atomic_exchange)
#undef PG_COMPAT_SCOPED
#define PG_COMPAT_CAS(NAME, SCOPE)                                                     \
  template <class T, class A, class B>                                                 \
  PG_COMPAT_DEVICE T NAME(T* p, A compare, B value) {                                  \
    T expected = static_cast<T>(compare);                                              \
    __hip_atomic_compare_exchange_strong(p, &expected, static_cast<T>(value),          \
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED, SCOPE);   \
    return expected;                                                                   \
  }
PG_COMPAT_CAS(atomic_cas_block, __HIP_MEMORY_SCOPE_WORKGROUP)
PG_COMPAT_CAS(atomic_cas_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef PG_COMPAT_CAS
#endif
PG_COMPAT_DEVICE bool is_global(const void* p) { return !is_shared(p) && !is_local(p); }
template <class T, class V>
PG_COMPAT_DEVICE T atomic_sub_block(T* p, V v) {
  return atomic_add_block(p, static_cast<T>(T(0) - static_cast<T>(v)));
}
template <class T, class V>
PG_COMPAT_DEVICE T atomic_sub_system(T* p, V v) {
  return atomic_add_system(p, static_cast<T>(T(0) - static_cast<T>(v)));
}
// atomicInc and atomicDec wrap around at `limit`.
#define PG_COMPAT_WRAPPING(SCOPE)                                                          \
  PG_COMPAT_DEVICE unsigned atomic_inc_##SCOPE(unsigned* p, unsigned limit) {              \
    unsigned seen = *reinterpret_cast<volatile unsigned*>(p), before;                      \
    do {                                                                                   \
      before = seen;                                                                       \
      seen = atomic_cas_##SCOPE(p, before, before >= limit ? 0u : before + 1u);            \
    } while (seen != before);                                                              \
    return before;                                                                         \
  }                                                                                        \
  PG_COMPAT_DEVICE unsigned atomic_dec_##SCOPE(unsigned* p, unsigned limit) {              \
    unsigned seen = *reinterpret_cast<volatile unsigned*>(p), before;                      \
    do {                                                                                   \
      before = seen;                                                                       \
      seen = atomic_cas_##SCOPE(p, before,                                                 \
                                before == 0u || before > limit ? limit : before - 1u);     \
    } while (seen != before);                                                              \
    return before;                                                                         \
  }
PG_COMPAT_WRAPPING(block)
PG_COMPAT_WRAPPING(system)
#undef PG_COMPAT_WRAPPING
// 16-bit compare-and-swap, on the 32-bit word around it.
PG_COMPAT_DEVICE unsigned short atomic_cas_16(unsigned short* p, unsigned short compare,
                                              unsigned short value) {
  const size_t address = reinterpret_cast<size_t>(p);
  unsigned* word = reinterpret_cast<unsigned*>(address & ~size_t(3));
  const unsigned shift = (address & 2) * 8;
  unsigned old = PG_COMPAT_ATOMIC_LOAD(word);
  for (;;) {
    const unsigned short now = static_cast<unsigned short>(old >> shift);
    if (now != compare) return now;
    const unsigned next = (old & ~(0xffffu << shift)) | (unsigned(value) << shift);
    if (PG_COMPAT_ATOMIC_CAS(word, &old, next))
      return compare;
  }
}

#if defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE void nanosleep(unsigned nanoseconds) { __nanosleep(nanoseconds); }
PG_COMPAT_DEVICE void trap() { __trap(); }
PG_COMPAT_DEVICE void breakpoint() { __brkpt(); }
#elif defined(PGCPU)
PG_COMPAT_DEVICE void nanosleep(unsigned) { pgcpu::yield(); }
PG_COMPAT_DEVICE void trap() { __builtin_trap(); }
PG_COMPAT_DEVICE void breakpoint() { __builtin_trap(); }
#else
PG_COMPAT_DEVICE void nanosleep(unsigned nanoseconds) {
  // One step of s_sleep is about 64 clocks, some 40 ns.
  for (unsigned i = 0; i < nanoseconds / 40u + 1u; ++i) __builtin_amdgcn_s_sleep(1);
}
PG_COMPAT_DEVICE void trap() { __builtin_trap(); }
PG_COMPAT_DEVICE void breakpoint() { __builtin_debugtrap(); }
#endif
PG_COMPAT_DEVICE void prof_trigger(int) {}

// Asynchronous copies, done at once: the waits then have nothing to wait for.
template <int Bytes>
PG_COMPAT_DEVICE void copy_bytes(void* to, const void* from) {
  using C = typename detail::chunk<Bytes>::type;
  *static_cast<C*>(to) = *static_cast<const C*>(from);
}
PG_COMPAT_DEVICE void copy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  char* d = static_cast<char*>(to);
  const char* s = static_cast<const char*>(from);
  if (zeros == 0 && bytes == 16) return copy_bytes<16>(to, from);
  if (zeros == 0 && bytes == 8) return copy_bytes<8>(to, from);
  if (zeros == 0 && bytes == 4) return copy_bytes<4>(to, from);
  for (size_t i = 0; i < bytes; ++i) d[i] = i < bytes - zeros ? s[i] : char(0);
}
PG_COMPAT_DEVICE void copy_commit() {}
PG_COMPAT_DEVICE void copy_wait(size_t = 0) {}

// A shared-memory address as CUDA's 32-bit number, and back.
#if defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
PG_COMPAT_DEVICE void* shared_pointer(unsigned address) {
  return __cvta_shared_to_generic(address);
}
#elif defined(PGCPU)
PG_COMPAT_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(static_cast<const char*>(p) - ::pgcpu::detail::arena_base);
}
PG_COMPAT_DEVICE void* shared_pointer(unsigned address) {
  return ::pgcpu::detail::arena_base + address;
}
#else
PG_COMPAT_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(reinterpret_cast<size_t>(
      (const __attribute__((address_space(3))) void*)p));
}
PG_COMPAT_DEVICE void* shared_pointer(unsigned address) {
  return (void*)reinterpret_cast<__attribute__((address_space(3))) void*>(address);
}
#endif

}  // namespace pg_compat

#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA)
// Signed 64-bit minimum and maximum, which HIP 5 lacks; where it has them, its functions win.
#define PG_COMPAT_ATOMIC_LONG(NAME, OPERATOR)                                               \
  template <class T, class = decltype(static_cast<long long**>(static_cast<T**>(nullptr)))>  \
  static __device__ inline T NAME(T* p, long long v) {                                       \
    unsigned long long old = __hip_atomic_load(reinterpret_cast<unsigned long long*>(p),     \
                                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);  \
    while (v OPERATOR static_cast<long long>(old) &&                                         \
           !__hip_atomic_compare_exchange_strong(                                            \
               reinterpret_cast<unsigned long long*>(p), &old,                               \
               static_cast<unsigned long long>(v), __ATOMIC_RELAXED, __ATOMIC_RELAXED,       \
               __HIP_MEMORY_SCOPE_AGENT)) {                                                  \
    }                                                                                        \
    return static_cast<long long>(old);                                                      \
  }
PG_COMPAT_ATOMIC_LONG(atomicMin, <)
PG_COMPAT_ATOMIC_LONG(atomicMax, >)
#undef PG_COMPAT_ATOMIC_LONG
// Of 16 bits, which HIP has from 7 on.
template <class T, class = decltype(static_cast<unsigned short**>(static_cast<T**>(nullptr)))>
static __device__ inline T atomicCAS(T* p, unsigned short compare, unsigned short v) {
  __hip_atomic_compare_exchange_strong(p, &compare, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return compare;
}
#endif

#endif
