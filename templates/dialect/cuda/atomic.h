// Target CUDA: atomics on 32-bit and 64-bit words.
#ifndef PG_DETAIL_ATOMIC_H
#define PG_DETAIL_ATOMIC_H

#include "../types.h"

namespace pg {
namespace detail {

enum class scope { block, device, system };

template <class U>
PG_FN U load_word(U* p) { return *const_cast<volatile U*>(p); }

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

template <class T>
struct has_native_add {
  static constexpr bool value =
      is_same<T, float>::value || (is_same<T, double>::value && PG_CUDA_ARCH >= 60) ||
      (is_same<T, half>::value && PG_CUDA_ARCH >= 70) || (is_same<T, bfloat16>::value && PG_CUDA_ARCH >= 90);
};
template <scope S, class T>
PG_FN T add_native(T* p, T v) {
  // 16-bit floats have no _block and _system forms: the device's is good for a block, and a loop
  // is not needed for the system where the hardware adds atomically.
  if constexpr (is_float16<T>::value) return atomicAdd(p, v);
  else { PG_SCOPED_(atomicAdd, p, v) }
}
#undef PG_WORD_
#undef PG_SCOPED_

}  // namespace detail
}  // namespace pg

#endif
