// Target ROCm: atomics on 32-bit and 64-bit words.
#ifndef PG_DETAIL_ATOMIC_H
#define PG_DETAIL_ATOMIC_H

#include "../types.h"

namespace pg {
namespace detail {

enum class scope { block, device, system };

template <class U>
PG_FN U load_word(U* p) { return *const_cast<volatile U*>(p); }

#if PG_AMD
// The scope must be a literal constant of the builtin.
#define PG_SCOPED_(builtin, ...)                                                                     \
  if constexpr (S == scope::block) return builtin(__VA_ARGS__, __HIP_MEMORY_SCOPE_WORKGROUP);        \
  else if constexpr (S == scope::system) return builtin(__VA_ARGS__, __HIP_MEMORY_SCOPE_SYSTEM);     \
  else return builtin(__VA_ARGS__, __HIP_MEMORY_SCOPE_AGENT);
#define PG_WORD_(name, builtin)                                                                      \
  template <scope S, class U>                                                                        \
  PG_FN U name(U* p, U v) { PG_SCOPED_(builtin, p, v, __ATOMIC_RELAXED) }
PG_WORD_(add_word, __hip_atomic_fetch_add)
PG_WORD_(min_word, __hip_atomic_fetch_min)
PG_WORD_(max_word, __hip_atomic_fetch_max)
PG_WORD_(exch_word, __hip_atomic_exchange)
PG_WORD_(and_word, __hip_atomic_fetch_and)
PG_WORD_(or_word, __hip_atomic_fetch_or)
PG_WORD_(xor_word, __hip_atomic_fetch_xor)
template <scope S, class U>
PG_FN bool cas_builtin(U* p, U* expected, U desired) {
  PG_SCOPED_(__hip_atomic_compare_exchange_strong, p, expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
}
template <scope S, class U>
PG_FN U cas_word(U* p, U expected, U desired) {
  cas_builtin<S>(p, &expected, desired);
  return expected;
}
#else
template <class T>
struct native_word_type {
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  using small = typename conditional<is_signed, int, unsigned>::type;
  using large = typename conditional<is_signed, long long, unsigned long long>::type;
  using type = typename conditional<sizeof(T) == 4, small, large>::type;
};

// Calls the function of the scope S.
#define PG_SCOPED_(call, ...)                                                \
  if constexpr (S == scope::block) return call##_block(__VA_ARGS__);         \
  else if constexpr (S == scope::system) return call##_system(__VA_ARGS__);  \
  else return call(__VA_ARGS__);
#define PG_WORD_(name, call)                                                                  \
  template <scope S, class U>                                                                 \
  PG_FN U name(U* p, U v) {                                                                   \
    using N = typename native_word_type<U>::type;                                             \
    PG_SCOPED_(call, reinterpret_cast<N*>(p), static_cast<N>(v))                              \
  }
PG_WORD_(add_word, atomicAdd)
PG_WORD_(min_word, atomicMin)
PG_WORD_(max_word, atomicMax)
PG_WORD_(exch_word, atomicExch)
PG_WORD_(and_word, atomicAnd)
PG_WORD_(or_word, atomicOr)
PG_WORD_(xor_word, atomicXor)
template <scope S, class U>
PG_FN U cas_word(U* p, U expected, U desired) {
  using N = typename native_word_type<U>::type;
  PG_SCOPED_(atomicCAS, reinterpret_cast<N*>(p), static_cast<N>(expected), static_cast<N>(desired))
}
#endif

template <class T>
struct has_native_add {
  static constexpr bool value = is_same<T, float>::value || is_same<T, double>::value;
};
template <scope S, class T>
PG_FN T add_native(T* p, T v) {
#if PG_AMD
  PG_SCOPED_(__hip_atomic_fetch_add, p, v, __ATOMIC_RELAXED)
#else
  PG_SCOPED_(atomicAdd, p, v)
#endif
}
#undef PG_WORD_
#undef PG_SCOPED_

}  // namespace detail
}  // namespace pg

#endif
