// Vector access, cache hints, read-only loads, asynchronous copies to shared memory, fences.
#ifndef PG_MEMORY_H
#define PG_MEMORY_H

#include "vec.h"
#include "detail/memory.h"

namespace pg {

// N elements from / to p, which must be aligned to vec<T, N>. 16 bytes are one instruction.
template <int N, class T>
PG_FN vec<T, N> load_vec(const T* p PG_SITE) { return detail::load_bytes<vec<T, N>>(p PG_AT); }
template <int N, class T>
PG_FN void store_vec(T* p, const vec<T, N>& v PG_SITE) { detail::store_bytes(p, v PG_AT); }

// Data that is used once: kept out of the way of the caches' other contents.
template <class T>
PG_FN T load_streaming(const T* p PG_SITE) { return detail::load_streaming(p PG_AT); }
template <class T>
PG_FN void store_streaming(T* p, T v PG_SITE) { detail::store_streaming(p, v PG_AT); }
template <int N, class T>
PG_FN vec<T, N> load_vec_streaming(const T* p PG_SITE) {
  return detail::load_streaming(reinterpret_cast<const vec<T, N>*>(p) PG_AT);
}
template <int N, class T>
PG_FN void store_vec_streaming(T* p, const vec<T, N>& v PG_SITE) {
  detail::store_streaming(reinterpret_cast<vec<T, N>*>(p), v PG_AT);
}

// Load of data that nothing writes while the kernel runs.
template <class T>
PG_FN T ldg(const T* p PG_SITE) { return detail::load_readonly(p PG_AT); }

// Copies Bytes (4, 8 or 16) from global to shared memory, both aligned to Bytes. The copy may still
// be under way until async_wait and a barrier; where the hardware has none it is done at once.
template <int Bytes>
PG_FN void async_copy(void* shared, const void* global PG_SITE) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "pg::async_copy copies 4, 8 or 16 bytes");
  detail::async_copy<Bytes>(shared, global PG_AT);
}
// One element of 4, 8 or 16 bytes.
template <class T>
PG_FN void async_copy(T* shared, const T* global PG_SITE) {
  async_copy<static_cast<int>(sizeof(T))>(static_cast<void*>(shared), static_cast<const void*>(global) PG_AT);
}
// As above where `inside`, else zeros, and `global` is not read.
template <int Bytes>
PG_FN void async_copy_if(bool inside, void* shared, const void* global PG_SITE) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "pg::async_copy_if copies 4, 8 or 16 bytes");
  detail::async_copy_if<Bytes>(inside, shared, global PG_AT);
}
// Closes a group of copies of the calling thread.
PG_FN void async_commit() { detail::async_commit(); }
// Waits until at most `Pending` of the thread's latest groups are under way (uncommitted copies
// count as a group of their own when Pending is 0).
template <int Pending = 0>
PG_FN void async_wait() { detail::async_wait<Pending>(); }

// Orders the caller's memory accesses, as seen by its block, its device, or everybody.
PG_FN void fence_block() { __threadfence_block(); }
PG_FN void fence_device() { __threadfence(); }
PG_FN void fence_system() { __threadfence_system(); }

}  // namespace pg

#endif
