// Target ROCm: atomics on 32-bit and 64-bit words.
#ifndef PG_DETAIL_ATOMIC_H
#define PG_DETAIL_ATOMIC_H

#include "../types.h"

#if !PG_AMD
#include "atomic_words.h"
#endif

namespace pg {
namespace detail {

template <class U>
PG_FN U load_word(U* p) { return *const_cast<volatile U*>(p); }

#if PG_AMD
enum class scope { block, device, system };

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
