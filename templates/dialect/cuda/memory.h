// Target CUDA: memory access.
#ifndef PG_DETAIL_MEMORY_H
#define PG_DETAIL_MEMORY_H

#include "../words.h"

namespace pg {
namespace detail {

#define PG_EACH_WORD_(expression)                                      \
  using W = typename word_of<T>::type;                                 \
  W words[word_of<T>::count];                                          \
  const W* from = reinterpret_cast<const W*>(p);                       \
  PG_UNROLL                                                            \
  for (int i = 0; i < word_of<T>::count; ++i) words[i] = expression;   \
  T value;                                                             \
  ::memcpy(static_cast<void*>(&value), words, sizeof(T));                                    \
  return value;

template <class T>
PG_FN T load_bytes(const void* p) { PG_EACH_WORD_(from[i]) }
template <class T>
PG_FN T load_streaming(const T* p) { PG_EACH_WORD_(__ldcs(from + i)) }
template <class T>
PG_FN T load_readonly(const T* p) { PG_EACH_WORD_(__ldg(from + i)) }
#undef PG_EACH_WORD_

template <class T>
PG_FN void store_bytes(void* p, const T& value) {
  using W = typename word_of<T>::type;
  W words[word_of<T>::count];
  ::memcpy(words, &value, sizeof(T));
  PG_UNROLL
  for (int i = 0; i < word_of<T>::count; ++i) static_cast<W*>(p)[i] = words[i];
}
template <class T>
PG_FN void store_streaming(T* p, const T& value) {
  using W = typename word_of<T>::type;
  W words[word_of<T>::count];
  ::memcpy(words, &value, sizeof(T));
  PG_UNROLL
  for (int i = 0; i < word_of<T>::count; ++i) __stcs(reinterpret_cast<W*>(p) + i, words[i]);
}

#if PG_HAS_ASYNC_COPY
template <int Bytes>
PG_FN void async_copy(void* shared, const void* global) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
}
template <int Bytes>
PG_FN void async_copy_if(bool inside, void* shared, const void* global) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared)), size = inside ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(size) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(Bytes), "r"(size)
                 : "memory");
}
PG_FN void async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
PG_FN void async_wait() {
  if constexpr (Pending == 0) asm volatile("cp.async.wait_all;" ::: "memory");
  else asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
#else
template <int Bytes>
PG_FN void async_copy(void* shared, const void* global) {
  using W = typename word<Bytes>::type;
  *static_cast<W*>(shared) = *static_cast<const W*>(global);
}
template <int Bytes>
PG_FN void async_copy_if(bool inside, void* shared, const void* global) {
  using W = typename word<Bytes>::type;
  *static_cast<W*>(shared) = inside ? *static_cast<const W*>(global) : W{};
}
PG_FN void async_commit() {}
template <int Pending>
PG_FN void async_wait() {}
#endif

}  // namespace detail
}  // namespace pg

#endif
