// Target ROCm: memory access.
#ifndef PG_DETAIL_MEMORY_H
#define PG_DETAIL_MEMORY_H

#include "../words.h"

namespace pg {
namespace detail {

#if PG_AMD
// Clang's own vectors: one instruction for 16 bytes, and what the nontemporal builtins take.
template <int Bytes>
struct native_word { using type = typename uint_of_size<Bytes>::type; };
template <>
struct native_word<8> { typedef uint32_t type __attribute__((ext_vector_type(2))); };
template <>
struct native_word<16> { typedef uint32_t type __attribute__((ext_vector_type(4))); };
template <class T>
struct native_word_of {
  static constexpr int bytes = word_of<T>::bytes;
  using type = typename native_word<bytes>::type;
  static constexpr int count = word_of<T>::count;
};

#define PG_EACH_WORD_(expression)                                            \
  using W = typename native_word_of<T>::type;                                \
  W words[native_word_of<T>::count];                                         \
  const W* from = reinterpret_cast<const W*>(p);                             \
  PG_UNROLL                                                                  \
  for (int i = 0; i < native_word_of<T>::count; ++i) words[i] = expression;  \
  T value;                                                                   \
  PG_COPY_BYTES_(static_cast<void*>(&value), words, sizeof(T));                                          \
  return value;
template <class T>
PG_FN T load_bytes(const void* p) { PG_EACH_WORD_(from[i]) }
template <class T>
PG_FN T load_streaming(const T* p) { PG_EACH_WORD_(__builtin_nontemporal_load(from + i)) }
#undef PG_EACH_WORD_

// The native words of a value, by way of 32-bit ones: of those the compiler always keeps track.
template <class T, class W>
PG_FN void to_words(const T& value, W* words) {
  if constexpr (sizeof(W) <= 4) {
    PG_COPY_BYTES_(words, &value, sizeof(T));
  } else {
    constexpr int parts = static_cast<int>(sizeof(W)) / 4;
    uint32_t in[sizeof(T) / 4];
    PG_COPY_BYTES_(in, &value, sizeof(T));
    PG_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(T)) / 4; ++i) words[i / parts][i % parts] = in[i];
  }
}
template <class T>
PG_FN void store_bytes(void* p, const T& value) {
  using W = typename native_word_of<T>::type;
  W words[native_word_of<T>::count];
  to_words(value, words);
  PG_UNROLL
  for (int i = 0; i < native_word_of<T>::count; ++i) static_cast<W*>(p)[i] = words[i];
}
template <class T>
PG_FN void store_streaming(T* p, const T& value) {
  using W = typename native_word_of<T>::type;
  W words[native_word_of<T>::count];
  to_words(value, words);
  PG_UNROLL
  for (int i = 0; i < native_word_of<T>::count; ++i)
    __builtin_nontemporal_store(words[i], reinterpret_cast<W*>(p) + i);
}
#else
template <class T>
PG_FN T load_bytes(const void* p) { return *static_cast<const T*>(p); }
template <class T>
PG_FN T load_streaming(const T* p) { return *p; }
template <class T>
PG_FN void store_bytes(void* p, const T& value) { *static_cast<T*>(p) = value; }
template <class T>
PG_FN void store_streaming(T* p, const T& value) { *p = value; }
#endif
template <class T>
PG_FN T load_readonly(const T* p) { return *p; }

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

}  // namespace detail
}  // namespace pg

#endif
