// Target CUDA: atomics on 32-bit and 64-bit words.
#ifndef PG_DETAIL_ATOMIC_H
#define PG_DETAIL_ATOMIC_H

#include "atomic_words.h"

namespace pg {
namespace detail {

template <class U>
PG_FN U load_word(U* p) { return *const_cast<volatile U*>(p); }

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
