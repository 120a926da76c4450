// Targets CUDA, and ROCm's names on CUDA: atomics on words by the runtime's own functions. Leaves PG_SCOPED_ and
// PG_WORD_ defined for the including file.
#ifndef PG_DETAIL_ATOMIC_WORDS_H
#define PG_DETAIL_ATOMIC_WORDS_H

#include "../types.h"

namespace pg {
namespace detail {

enum class scope { block, device, system };

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

}  // namespace detail
}  // namespace pg

#endif
