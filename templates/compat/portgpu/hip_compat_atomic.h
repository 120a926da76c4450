// libcu++'s atomics with scopes, and its barriers. NVIDIA and the CPU target have their own.
#ifndef PORTGPU_HIP_COMPAT_ATOMIC_H
#define PORTGPU_HIP_COMPAT_ATOMIC_H

#include "hip_compat.h"
#if defined(PG_COMPAT_NVIDIA)
#include <cuda/atomic>
#include <cuda/barrier>
#elif defined(PGCPU)
#include <pgcpu/libcuxx.h>
#else
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#endif

namespace pg_compat {
#if defined(PG_COMPAT_NVIDIA) || defined(PGCPU)

using ::cuda::aligned_size_t;
using ::cuda::atomic;
using ::cuda::atomic_ref;
using ::cuda::atomic_thread_fence;
using ::cuda::barrier;
using ::cuda::memcpy_async;
using ::cuda::memory_order;
using ::cuda::memory_order_acq_rel;
using ::cuda::memory_order_acquire;
using ::cuda::memory_order_consume;
using ::cuda::memory_order_relaxed;
using ::cuda::memory_order_release;
using ::cuda::memory_order_seq_cst;
using ::cuda::thread_scope;
using ::cuda::thread_scope_block;
using ::cuda::thread_scope_device;
using ::cuda::thread_scope_system;
using ::cuda::thread_scope_thread;
template <class... Completion>
using std_barrier = ::cuda::barrier<::cuda::thread_scope_system, Completion...>;

#else

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread = 10
};
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

// The unsigned integer that holds a value's bits.
template <std::size_t Bytes>
struct atomic_bits {};
template <>
struct atomic_bits<1> {
  using type = unsigned char;
};
template <>
struct atomic_bits<2> {
  using type = unsigned short;
};
template <>
struct atomic_bits<4> {
  using type = unsigned;
};
template <>
struct atomic_bits<8> {
  using type = unsigned long long;
};
template <class To, class From>
PG_COMPAT_BOTH To same_bits(const From& from) {
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

// The host's pass has the compiler's ordinary atomics: AMD's know no scope there.
#if defined(__HIP_DEVICE_COMPILE__)
template <thread_scope Scope>
struct hip_scope {
  static constexpr int value = Scope == thread_scope_system   ? __HIP_MEMORY_SCOPE_SYSTEM
                               : Scope == thread_scope_device ? __HIP_MEMORY_SCOPE_AGENT
                               : Scope == thread_scope_block  ? __HIP_MEMORY_SCOPE_WORKGROUP
                                                              : __HIP_MEMORY_SCOPE_SINGLETHREAD;
};
#define PG_COMPAT_ATOMIC(NAME, HOST, ...) \
  __hip_atomic_##NAME(__VA_ARGS__, ::pg_compat::detail::hip_scope<Scope>::value)
#else
#define PG_COMPAT_ATOMIC(NAME, HOST, ...) __atomic_##HOST(__VA_ARGS__)
#endif

// AMD's compiler gives all orders but the strongest to one address space alone: a counter in shared
// memory would not order what threads wrote to global memory.
PG_COMPAT_BOTH int atomic_order(int order) {
#if defined(__HIP_DEVICE_COMPILE__)
  return order == __ATOMIC_RELAXED ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST;
#else
  return order;
#endif
}

template <thread_scope Scope, class W>
PG_COMPAT_BOTH W atomic_get(W* p, int order) {
  return PG_COMPAT_ATOMIC(load, load_n, p, atomic_order(order));
}
template <thread_scope Scope, class W>
PG_COMPAT_BOTH void atomic_put(W* p, W v, int order) {
  PG_COMPAT_ATOMIC(store, store_n, p, v, atomic_order(order));
}
template <thread_scope Scope, class W>
PG_COMPAT_BOTH W atomic_swap(W* p, W v, int order) {
  return PG_COMPAT_ATOMIC(exchange, exchange_n, p, v, atomic_order(order));
}
template <thread_scope Scope, class W>
PG_COMPAT_BOTH bool atomic_replace(W* p, W* expected, W v, int order, int failed) {
#if defined(__HIP_DEVICE_COMPILE__)
  return PG_COMPAT_ATOMIC(compare_exchange_strong, , p, expected, v, atomic_order(order),
                          atomic_order(failed));
#else
  return __atomic_compare_exchange_n(p, expected, v, false, order, failed);
#endif
}
template <thread_scope Scope, class W>
PG_COMPAT_BOTH W atomic_plus(W* p, W v, int order) {
  return PG_COMPAT_ATOMIC(fetch_add, fetch_add, p, v, atomic_order(order));
}

// What read-modify-write operations do, on words as one instruction, else by compare and swap.
struct atomic_add_op {
  template <class T, class D>
  __host__ __device__ T operator()(T a, D b) const {
    return static_cast<T>(a + b);
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_add, , p, v, atomic_order(order));
  }
#endif
};
struct atomic_sub_op {
  template <class T, class D>
  __host__ __device__ T operator()(T a, D b) const {
    return static_cast<T>(a - b);
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    using W = typename atomic_bits<sizeof(T)>::type;  // negation must not overflow
    return static_cast<T>(
        atomic_add_op::word<Scope, W>(reinterpret_cast<W*>(p), W(0) - static_cast<W>(v), order));
  }
#endif
};
struct atomic_and_op {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_and, , p, v, atomic_order(order));
  }
#endif
};
struct atomic_or_op {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_or, , p, v, atomic_order(order));
  }
#endif
};
struct atomic_xor_op {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_xor, , p, v, atomic_order(order));
  }
#endif
};
struct atomic_min_op {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_min, , p, v, atomic_order(order));
  }
#endif
};
struct atomic_max_op {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
#if defined(__HIP_DEVICE_COMPILE__)
  template <thread_scope Scope, class T>
  __device__ static T word(T* p, T v, int order) {
    return PG_COMPAT_ATOMIC(fetch_max, , p, v, atomic_order(order));
  }
#endif
};

template <thread_scope Scope, class Op, class T, class D>
PG_COMPAT_BOTH T atomic_change(T* p, D v, int order, std::false_type) {
  using W = typename atomic_bits<sizeof(T)>::type;
  W* word = reinterpret_cast<W*>(p);
  W seen = atomic_get<Scope>(word, __ATOMIC_RELAXED);
  while (!atomic_replace<Scope>(word, &seen, same_bits<W>(Op()(same_bits<T>(seen), v)), order,
                                __ATOMIC_RELAXED)) {
  }
  return same_bits<T>(seen);
}
#if defined(__HIP_DEVICE_COMPILE__)
template <thread_scope Scope, class Op, class T>
PG_COMPAT_BOTH T atomic_change(T* p, T v, int order, std::true_type) {
  return Op::template word<Scope, T>(p, v, order);
}
#endif
template <class Op, class T>
struct atomic_in_one {
#if defined(__HIP_DEVICE_COMPILE__)
  static constexpr bool value =
      sizeof(T) >= 4 && (std::is_integral<T>::value || (std::is_same<Op, atomic_add_op>::value &&
                                                        std::is_floating_point<T>::value));
#else
  static constexpr bool value = false;
#endif
};

PG_COMPAT_BOTH void atomic_pause() {
#if defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_s_sleep(1);
#endif
}
// An order for the failure of a compare and swap: what may stand there.
PG_COMPAT_BOTH int atomic_failed(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
         : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                     : order;
}

}  // namespace detail

// Orders memory for other threads of the scope.
PG_COMPAT_BOTH void atomic_thread_fence(memory_order order,
                                        thread_scope scope = thread_scope_system) {
#if defined(__HIP_DEVICE_COMPILE__)
  if (order == memory_order_relaxed) return;
  // All orders but relaxed as the strongest of them: the builtin takes constants alone.
  if (scope == thread_scope_system) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  } else if (scope == thread_scope_device) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  } else if (scope == thread_scope_block) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  }
#else
  (void)scope;
  __atomic_thread_fence(static_cast<int>(order));
#endif
}

// Atomic operations on memory of 1, 2, 4 or 8 bytes that somebody else holds.
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref {
  using bits = typename detail::atomic_bits<sizeof(T)>::type;

 public:
  using value_type = T;
  using difference_type =
      typename std::conditional<std::is_pointer<T>::value, std::ptrdiff_t, T>::type;
  static constexpr bool is_always_lock_free = true;
  static constexpr std::size_t required_alignment = sizeof(T);
  __host__ __device__ explicit atomic_ref(T& v) : p_(&v) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  __host__ __device__ bool is_lock_free() const { return true; }

  __host__ __device__ T load(memory_order o = memory_order_seq_cst) const {
    return detail::same_bits<T>(detail::atomic_get<Scope>(word(), static_cast<int>(o)));
  }
  __host__ __device__ void store(T v, memory_order o = memory_order_seq_cst) const {
    detail::atomic_put<Scope>(word(), detail::same_bits<bits>(v), static_cast<int>(o));
  }
  __host__ __device__ T exchange(T v, memory_order o = memory_order_seq_cst) const {
    return detail::same_bits<T>(
        detail::atomic_swap<Scope>(word(), detail::same_bits<bits>(v), static_cast<int>(o)));
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T v, memory_order done,
                                                   memory_order failed) const {
    bits seen = detail::same_bits<bits>(expected);
    const bool same =
        detail::atomic_replace<Scope>(word(), &seen, detail::same_bits<bits>(v),
                                      static_cast<int>(done), static_cast<int>(failed));
    if (!same) expected = detail::same_bits<T>(seen);
    return same;
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T v,
                                                   memory_order o = memory_order_seq_cst) const {
    return compare_exchange_strong(
        expected, v, o, static_cast<memory_order>(detail::atomic_failed(static_cast<int>(o))));
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T v, memory_order done,
                                                 memory_order failed) const {
    return compare_exchange_strong(expected, v, done, failed);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T v,
                                                 memory_order o = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, v, o);
  }

  __host__ __device__ T fetch_add(difference_type v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_add_op>(v, o);
  }
  __host__ __device__ T fetch_sub(difference_type v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_sub_op>(v, o);
  }
  __host__ __device__ T fetch_and(T v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_and_op>(v, o);
  }
  __host__ __device__ T fetch_or(T v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_or_op>(v, o);
  }
  __host__ __device__ T fetch_xor(T v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_xor_op>(v, o);
  }
  __host__ __device__ T fetch_min(T v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_min_op>(v, o);
  }
  __host__ __device__ T fetch_max(T v, memory_order o = memory_order_seq_cst) const {
    return change<detail::atomic_max_op>(v, o);
  }

  // Waiting threads look again and again, so that there is nobody to wake.
  __host__ __device__ void wait(T old, memory_order o = memory_order_seq_cst) const {
    while (detail::same_bits<bits>(load(o)) == detail::same_bits<bits>(old)) detail::atomic_pause();
  }
  __host__ __device__ void notify_one() const {}
  __host__ __device__ void notify_all() const {}

  __host__ __device__ operator T() const { return load(); }
  __host__ __device__ T operator=(T v) const {
    store(v);
    return v;
  }
  __host__ __device__ T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  __host__ __device__ T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  __host__ __device__ T operator++(int) const { return fetch_add(1); }
  __host__ __device__ T operator--(int) const { return fetch_sub(1); }
  __host__ __device__ T operator+=(difference_type v) const {
    return static_cast<T>(fetch_add(v) + v);
  }
  __host__ __device__ T operator-=(difference_type v) const {
    return static_cast<T>(fetch_sub(v) - v);
  }
  __host__ __device__ T operator&=(T v) const { return static_cast<T>(fetch_and(v) & v); }
  __host__ __device__ T operator|=(T v) const { return static_cast<T>(fetch_or(v) | v); }
  __host__ __device__ T operator^=(T v) const { return static_cast<T>(fetch_xor(v) ^ v); }

 private:
  __host__ __device__ bits* word() const { return reinterpret_cast<bits*>(p_); }
  template <class Op, class D>
  __host__ __device__ T change(D v, memory_order o) const {
    return detail::atomic_change<Scope, Op>(
        p_, v, static_cast<int>(o),
        std::integral_constant<bool, detail::atomic_in_one<Op, T>::value>());
  }
  T* p_;
};

// A value of 1, 2, 4 or 8 bytes with atomic operations.
template <class T, thread_scope Scope = thread_scope_system>
class atomic {
  using ref = atomic_ref<T, Scope>;

 public:
  using value_type = T;
  using difference_type = typename ref::difference_type;
  static constexpr bool is_always_lock_free = true;
  atomic() noexcept = default;
  __host__ __device__ constexpr atomic(T v) noexcept : value_(v) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __host__ __device__ bool is_lock_free() const { return true; }

  __host__ __device__ T load(memory_order o = memory_order_seq_cst) const { return own().load(o); }
  __host__ __device__ void store(T v, memory_order o = memory_order_seq_cst) { own().store(v, o); }
  __host__ __device__ T exchange(T v, memory_order o = memory_order_seq_cst) {
    return own().exchange(v, o);
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T v, memory_order done,
                                                   memory_order failed) {
    return own().compare_exchange_strong(expected, v, done, failed);
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T v,
                                                   memory_order o = memory_order_seq_cst) {
    return own().compare_exchange_strong(expected, v, o);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T v, memory_order done,
                                                 memory_order failed) {
    return own().compare_exchange_strong(expected, v, done, failed);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T v,
                                                 memory_order o = memory_order_seq_cst) {
    return own().compare_exchange_strong(expected, v, o);
  }
  __host__ __device__ T fetch_add(difference_type v, memory_order o = memory_order_seq_cst) {
    return own().fetch_add(v, o);
  }
  __host__ __device__ T fetch_sub(difference_type v, memory_order o = memory_order_seq_cst) {
    return own().fetch_sub(v, o);
  }
  __host__ __device__ T fetch_and(T v, memory_order o = memory_order_seq_cst) {
    return own().fetch_and(v, o);
  }
  __host__ __device__ T fetch_or(T v, memory_order o = memory_order_seq_cst) {
    return own().fetch_or(v, o);
  }
  __host__ __device__ T fetch_xor(T v, memory_order o = memory_order_seq_cst) {
    return own().fetch_xor(v, o);
  }
  __host__ __device__ T fetch_min(T v, memory_order o = memory_order_seq_cst) {
    return own().fetch_min(v, o);
  }
  __host__ __device__ T fetch_max(T v, memory_order o = memory_order_seq_cst) {
    return own().fetch_max(v, o);
  }
  __host__ __device__ void wait(T old, memory_order o = memory_order_seq_cst) const {
    own().wait(old, o);
  }
  __host__ __device__ void notify_one() const {}
  __host__ __device__ void notify_all() const {}

  __host__ __device__ operator T() const { return load(); }
  __host__ __device__ T operator=(T v) { return own() = v; }
  __host__ __device__ T operator++() { return ++own(); }
  __host__ __device__ T operator--() { return --own(); }
  __host__ __device__ T operator++(int) { return own()++; }
  __host__ __device__ T operator--(int) { return own()--; }
  __host__ __device__ T operator+=(difference_type v) { return own() += v; }
  __host__ __device__ T operator-=(difference_type v) { return own() -= v; }
  __host__ __device__ T operator&=(T v) { return own() &= v; }
  __host__ __device__ T operator|=(T v) { return own() |= v; }
  __host__ __device__ T operator^=(T v) { return own() ^= v; }

 private:
  __host__ __device__ ref own() const { return ref(const_cast<T&>(value_)); }
  alignas(sizeof(T)) T value_;
};

struct no_completion {
  __host__ __device__ void operator()() const {}
};

// Threads that arrive and wait for each other, phase by phase. The lanes of a wave run together:
// those that wait must not keep others of their wave from arriving.
template <thread_scope Scope, class Completion = no_completion>
class barrier {
 public:
  using arrival_token = unsigned;
  barrier() = default;
  __host__ __device__ barrier(std::ptrdiff_t expected, Completion f = Completion()) {
    start(expected, f);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  __host__ __device__ static constexpr std::ptrdiff_t max() { return (1 << 20) - 1; }
  friend __host__ __device__ void init(barrier* b, std::ptrdiff_t expected) {
    b->start(expected, Completion());
  }
  friend __host__ __device__ void init(barrier* b, std::ptrdiff_t expected, Completion f) {
    b->start(expected, f);
  }

  __host__ __device__ arrival_token arrive(std::ptrdiff_t update = 1) {
    const unsigned phase = detail::atomic_get<Scope>(&phase_, __ATOMIC_RELAXED);
    const unsigned by = static_cast<unsigned>(update);
    if (detail::atomic_plus<Scope>(&pending_, 0u - by, __ATOMIC_ACQ_REL) == by) {
      completion_();
      detail::atomic_put<Scope>(&pending_, detail::atomic_get<Scope>(&expected_, __ATOMIC_RELAXED),
                                __ATOMIC_RELAXED);
      detail::atomic_put<Scope>(&phase_, phase + 1, __ATOMIC_RELEASE);
    }
    return phase;
  }
  __host__ __device__ bool try_wait(arrival_token phase) const {
    return current() != phase;
  }
  __host__ __device__ bool try_wait_parity(bool parity) const {
    return (current() & 1) != static_cast<unsigned>(parity);
  }
  __host__ __device__ void wait(arrival_token phase) const {
    while (!try_wait(phase)) detail::atomic_pause();
  }
  __host__ __device__ void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) detail::atomic_pause();
  }
  __host__ __device__ void arrive_and_wait() { wait(arrive()); }
  __host__ __device__ void arrive_and_drop() {
    // The last to arrive sees this: what comes before an arrival is known to those behind it.
    detail::atomic_plus<Scope>(&expected_, ~0u, __ATOMIC_RELAXED);
    arrive();
  }

 private:
  __host__ __device__ void start(std::ptrdiff_t expected, Completion f) {
    expected_ = pending_ = static_cast<unsigned>(expected);
    phase_ = 0;
    completion_ = f;
  }
  __host__ __device__ unsigned current() const {
    return detail::atomic_get<Scope>(const_cast<unsigned*>(&phase_), __ATOMIC_ACQUIRE);
  }
  unsigned expected_, pending_, phase_;
  Completion completion_;
};
template <class... F>
using std_barrier = barrier<thread_scope_system, F...>;

// Copies before a barrier: each thread of the group its share, done at the call.
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(std::size_t n) : value(n) {}
  __host__ __device__ constexpr operator std::size_t() const { return value; }
};
namespace detail {
PG_COMPAT_DEVICE void copy_share(unsigned rank, unsigned size, void* to, const void* from,
                                 std::size_t bytes) {
  char* d = static_cast<char*>(to);
  const char* s = static_cast<const char*>(from);
  const bool words = ((reinterpret_cast<std::uintptr_t>(d) | reinterpret_cast<std::uintptr_t>(s) |
                       bytes) & 3) == 0;
  if (words) {
    for (std::size_t i = rank; i < bytes / 4; i += size) {
      reinterpret_cast<unsigned*>(d)[i] = reinterpret_cast<const unsigned*>(s)[i];
    }
  } else {
    for (std::size_t i = rank; i < bytes; i += size) d[i] = s[i];
  }
}
}  // namespace detail
template <class Group, class T, class U, class Size, thread_scope Scope, class F>
PG_COMPAT_DEVICE void memcpy_async(const Group& group, T* to, const U* from, Size bytes,
                                   barrier<Scope, F>&) {
  detail::copy_share(group.thread_rank(), group.size(), to, from, std::size_t(bytes));
}
template <class T, class U, class Size, thread_scope Scope, class F>
PG_COMPAT_DEVICE void memcpy_async(T* to, const U* from, Size bytes, barrier<Scope, F>&) {
  detail::copy_share(0, 1, to, from, std::size_t(bytes));
}
#undef PG_COMPAT_ATOMIC
#endif

using atomic_bool = atomic<bool>;
using atomic_char = atomic<char>;
using atomic_short = atomic<short>;
using atomic_ushort = atomic<unsigned short>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<unsigned long>;
using atomic_llong = atomic<long long>;
using atomic_ullong = atomic<unsigned long long>;
using atomic_int32_t = atomic<int>;
using atomic_uint32_t = atomic<unsigned>;
using atomic_size_t = atomic<unsigned long>;

}  // namespace pg_compat
#endif
