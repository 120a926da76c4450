// Target CPU: memory access. A vector access that a GPU could not make is an error here.
#ifndef PG_DETAIL_MEMORY_H
#define PG_DETAIL_MEMORY_H

#include "../words.h"

namespace pg {
namespace detail {

template <class T>
T load_bytes(const void* p, ::pgcpu::site at) {
  ::pgcpu::require_aligned(p, alignof(T), "a load", at);
  T value;
  ::memcpy(static_cast<void*>(&value), p, sizeof(T));
  return value;
}
template <class T>
void store_bytes(void* p, const T& value, ::pgcpu::site at) {
  ::pgcpu::require_aligned(p, alignof(T), "a store", at);
  ::memcpy(p, &value, sizeof(T));
}
template <class T>
T load_streaming(const T* p, ::pgcpu::site at) { return load_bytes<T>(p, at); }
template <class T>
void store_streaming(T* p, const T& value, ::pgcpu::site at) { store_bytes(p, value, at); }
template <class T>
T load_readonly(const T* p, ::pgcpu::site at) { return load_bytes<T>(p, at); }

template <int Bytes>
void async_copy(void* shared, const void* global, ::pgcpu::site at) {
  ::pgcpu::require_aligned(shared, Bytes, "the destination of async_copy", at);
  ::pgcpu::require_aligned(global, Bytes, "the source of async_copy", at);
  ::memcpy(shared, global, Bytes);
}
template <int Bytes>
void async_copy_if(bool inside, void* shared, const void* global, ::pgcpu::site at) {
  if (inside) {
    async_copy<Bytes>(shared, global, at);
  } else {
    ::pgcpu::require_aligned(shared, Bytes, "the destination of async_copy_if", at);
    ::memset(shared, 0, Bytes);
  }
}
inline void async_commit() {}
template <int Pending>
void async_wait() {}

}  // namespace detail
}  // namespace pg

#endif
