// What programs use of libcu++: atomics with scopes, barriers, pipelines, asynchronous copies. Copies are done
// at the call; barriers and pipelines really wait, and let other threads run meanwhile.
#pragma once
#include "atomic.h"
#include "thread.h"

#include <atomic>
#include <limits>
#include <utility>

namespace pgcpu::detail {
void checker_ordered();  // the calling thread knows of all that was done in its block
}

namespace cuda {
namespace std = ::std;

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

#define PGCPU_WHERE ::pgcpu::site at = ::pgcpu::site::current()
#if PGCPU_CHECKED
#define PGCPU_HERE , at
#else
#define PGCPU_HERE
#endif

inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) { __threadfence(); }

// Operations on memory that somebody else holds; all have sequential order, which is as good as any weaker one.
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref {
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  explicit atomic_ref(T& v) : p_(&v) {}
  bool is_lock_free() const { return true; }
  T load(memory_order = memory_order_seq_cst, PGCPU_WHERE) const {
    (void)at;
    return ::pgcpu::atomic_load<T>(p_ PGCPU_HERE);
  }
  void store(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) const { exchange(v, o, at); }
  T exchange(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) const {
    release(o);
    (void)at;
    return ::pgcpu::atomic_exch<T>(p_, v PGCPU_HERE);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order o = memory_order_seq_cst,
                               memory_order = memory_order_seq_cst, PGCPU_WHERE) const {
    release(o);
    (void)at;
    const T old = ::pgcpu::atomic_cas<T>(p_, expected, desired PGCPU_HERE);
    const bool same = ::pgcpu::detail::to_word<T>(old) == ::pgcpu::detail::to_word<T>(expected);
    if (!same) expected = old;
    return same;
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order o = memory_order_seq_cst,
                             memory_order f = memory_order_seq_cst, PGCPU_WHERE) const {
    return compare_exchange_strong(expected, desired, o, f, at);
  }
#define PGCPU_FETCH(NAME, CALL)                                                      \
  T fetch_##NAME(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) const {    \
    release(o);                                                                      \
    (void)at;                                                                        \
    return ::pgcpu::CALL<T>(p_, v PGCPU_HERE);                                       \
  }
  PGCPU_FETCH(add, atomic_add)
  PGCPU_FETCH(sub, atomic_sub)
  PGCPU_FETCH(min, atomic_min)
  PGCPU_FETCH(max, atomic_max)
  PGCPU_FETCH(and, atomic_and_)
  PGCPU_FETCH(or, atomic_or_)
  PGCPU_FETCH(xor, atomic_xor_)
#undef PGCPU_FETCH
  void wait(T old, memory_order = memory_order_seq_cst, PGCPU_WHERE) const {
    while (::pgcpu::detail::to_word<T>(load(memory_order_acquire, at)) == ::pgcpu::detail::to_word<T>(old))
      ::pgcpu::yield();
  }
  void notify_one() const {}
  void notify_all() const {}
  operator T() const { return load(); }
  T operator=(T v) const {
    store(v);
    return v;
  }
  T operator++() const { return T(fetch_add(T(1)) + T(1)); }
  T operator--() const { return T(fetch_sub(T(1)) - T(1)); }
  T operator++(int) const { return fetch_add(T(1)); }
  T operator--(int) const { return fetch_sub(T(1)); }
  T operator+=(T v) const { return T(fetch_add(v) + v); }
  T operator-=(T v) const { return T(fetch_sub(v) - v); }
  T operator&=(T v) const { return T(fetch_and(v) & v); }
  T operator|=(T v) const { return T(fetch_or(v) | v); }
  T operator^=(T v) const { return T(fetch_xor(v) ^ v); }

 private:
  static void release(memory_order o) {
    if (o != memory_order_relaxed && o != memory_order_acquire) __threadfence();
  }
  T* p_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic {
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  atomic() noexcept = default;
  constexpr atomic(T v) noexcept : value_(v) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  bool is_lock_free() const { return true; }
  T load(memory_order o = memory_order_seq_cst, PGCPU_WHERE) const { return ref().load(o, at); }
  void store(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) { ref().store(v, o, at); }
  T exchange(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) { return ref().exchange(v, o, at); }
  bool compare_exchange_strong(T& e, T d, memory_order o = memory_order_seq_cst,
                               memory_order f = memory_order_seq_cst, PGCPU_WHERE) {
    return ref().compare_exchange_strong(e, d, o, f, at);
  }
  bool compare_exchange_weak(T& e, T d, memory_order o = memory_order_seq_cst,
                             memory_order f = memory_order_seq_cst, PGCPU_WHERE) {
    return ref().compare_exchange_strong(e, d, o, f, at);
  }
#define PGCPU_FETCH(NAME) \
  T fetch_##NAME(T v, memory_order o = memory_order_seq_cst, PGCPU_WHERE) { return ref().fetch_##NAME(v, o, at); }
  PGCPU_FETCH(add)
  PGCPU_FETCH(sub)
  PGCPU_FETCH(min)
  PGCPU_FETCH(max)
  PGCPU_FETCH(and)
  PGCPU_FETCH(or)
  PGCPU_FETCH(xor)
#undef PGCPU_FETCH
  void wait(T old, memory_order o = memory_order_seq_cst, PGCPU_WHERE) const { ref().wait(old, o, at); }
  void notify_one() const {}
  void notify_all() const {}
  operator T() const { return load(); }
  T operator=(T v) { return ref() = v; }
  T operator++() { return ++ref(); }
  T operator--() { return --ref(); }
  T operator++(int) { return ref()++; }
  T operator--(int) { return ref()--; }
  T operator+=(T v) { return ref() += v; }
  T operator-=(T v) { return ref() -= v; }
  T operator&=(T v) { return ref() &= v; }
  T operator|=(T v) { return ref() |= v; }
  T operator^=(T v) { return ref() ^= v; }

 private:
  atomic_ref<T, Scope> ref() const { return atomic_ref<T, Scope>(const_cast<T&>(value_)); }
  alignas(sizeof(T) <= 8 ? sizeof(T) : alignof(T)) T value_;
};
template <thread_scope Scope = thread_scope_system>
class atomic_flag {
 public:
  bool test_and_set(memory_order = memory_order_seq_cst) { return value_.exchange(1) != 0; }
  void clear(memory_order = memory_order_seq_cst) { value_.store(0); }
  bool test(memory_order = memory_order_seq_cst) const { return value_.load() != 0; }

 private:
  atomic<int, Scope> value_{0};
};

// ---- barriers ----
struct pgcpu_nothing {
  void operator()() const {}
};
template <thread_scope Scope, class Completion = pgcpu_nothing>
class barrier {
 public:
  using arrival_token = unsigned;
  barrier() = default;
  barrier(std::ptrdiff_t expected, Completion f = Completion()) { start(expected, f); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  static constexpr std::ptrdiff_t max() { return (1 << 20) - 1; }
  friend void init(barrier* b, std::ptrdiff_t expected) { b->start(expected, Completion()); }
  friend void init(barrier* b, std::ptrdiff_t expected, Completion f) { b->start(expected, f); }

  PGCPU_NO_CHECK arrival_token arrive(std::ptrdiff_t update = 1) {
    const unsigned phase = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&arrived_, unsigned(update), __ATOMIC_ACQ_REL) == __atomic_load_n(&expected_, __ATOMIC_ACQUIRE)) {
      completion_();
      __atomic_store_n(&arrived_, 0u, __ATOMIC_RELEASE);
      __atomic_store_n(&phase_, phase + 1, __ATOMIC_RELEASE);
    }
    return phase;
  }
  PGCPU_NO_CHECK void wait(arrival_token phase) const {
    while (__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) == phase) ::pgcpu::yield();
    ::pgcpu::detail::checker_ordered();
  }
  PGCPU_NO_CHECK void wait_parity(bool parity) const {
    while ((__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) & 1) == unsigned(parity)) ::pgcpu::yield();
    ::pgcpu::detail::checker_ordered();
  }
  PGCPU_NO_CHECK bool try_wait(arrival_token phase) const { return __atomic_load_n(&phase_, __ATOMIC_ACQUIRE) != phase; }
  void arrive_and_wait() { wait(arrive()); }
  PGCPU_NO_CHECK void arrive_and_drop() {
    // The count of later phases; this one still waits for the same number, of which one has come.
    const unsigned phase = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE);
    if (__atomic_sub_fetch(&expected_, 1u, __ATOMIC_ACQ_REL) == __atomic_load_n(&arrived_, __ATOMIC_ACQUIRE)) {
      completion_();
      __atomic_store_n(&arrived_, 0u, __ATOMIC_RELEASE);
      __atomic_store_n(&phase_, phase + 1, __ATOMIC_RELEASE);
    }
  }

 private:
  PGCPU_NO_CHECK void start(std::ptrdiff_t expected, const Completion& f) {
    arrived_ = phase_ = 0;
    expected_ = unsigned(expected);
    new (&completion_) Completion(f);
  }
  unsigned expected_, arrived_, phase_;
  Completion completion_;
};

// ---- asynchronous copies ----
template <std::size_t Alignment>
struct aligned_size_t {
  std::size_t value;
  explicit constexpr aligned_size_t(std::size_t n) : value(n) {}
  constexpr operator std::size_t() const { return value; }
};
namespace pgcpu_detail {
// Each thread of the group copies its share.
template <class G>
void copy_share(const G& g, void* dst, const void* src, std::size_t bytes) {
  auto* d = static_cast<unsigned char*>(dst);
  const auto* s = static_cast<const unsigned char*>(src);
  const std::size_t step =
      (reinterpret_cast<std::uintptr_t>(d) | reinterpret_cast<std::uintptr_t>(s) | bytes) & 3 ? 1 : 4;
  for (std::size_t i = std::size_t(g.thread_rank()) * step; i < bytes; i += std::size_t(g.size()) * step) {
    if (step == 4) {
      unsigned w;
      __builtin_memcpy(&w, s + i, 4);
      __builtin_memcpy(d + i, &w, 4);
    } else {
      d[i] = s[i];
    }
  }
}
struct alone {
  static unsigned thread_rank() { return 0; }
  static unsigned size() { return 1; }
};
}  // namespace pgcpu_detail

template <thread_scope Scope>
class pipeline;
template <class G, class T, class U, class Size, thread_scope S, class F>
void memcpy_async(const G& g, T* dst, const U* src, Size n, barrier<S, F>&) {
  pgcpu_detail::copy_share(g, dst, src, std::size_t(n));
}
template <class T, class U, class Size, thread_scope S, class F>
void memcpy_async(T* dst, const U* src, Size n, barrier<S, F>&) {
  pgcpu_detail::copy_share(pgcpu_detail::alone(), dst, src, std::size_t(n));
}
template <class G, class T, class U, class Size, thread_scope S>
void memcpy_async(const G& g, T* dst, const U* src, Size n, pipeline<S>&) {
  pgcpu_detail::copy_share(g, dst, src, std::size_t(n));
}
template <class T, class U, class Size, thread_scope S>
void memcpy_async(T* dst, const U* src, Size n, pipeline<S>&) {
  pgcpu_detail::copy_share(pgcpu_detail::alone(), dst, src, std::size_t(n));
}

// ---- pipelines ----
enum class pipeline_role { producer, consumer };
template <thread_scope Scope, std::uint8_t Stages>
struct pipeline_shared_state {
  unsigned produced[Stages], consumed[Stages];  // how often, over all threads
  unsigned producers, consumers;
};
template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = default;  // of one thread
  pipeline(unsigned* produced, unsigned* consumed, unsigned stages, unsigned producers, unsigned consumers)
      : produced_(produced), consumed_(consumed), stages_(stages), producers_(producers), consumers_(consumers) {}
  void producer_acquire() {
    if (produced_) await(consumed_[head_ % stages_], head_ / stages_ * consumers_);
  }
  void producer_commit() {
    if (produced_) __atomic_fetch_add(&produced_[head_ % stages_], 1u, __ATOMIC_ACQ_REL);
    ++head_;
  }
  void consumer_wait() {
    if (produced_) await(produced_[tail_ % stages_], (tail_ / stages_ + 1) * producers_);
  }
  void consumer_release() {
    if (produced_) __atomic_fetch_add(&consumed_[tail_ % stages_], 1u, __ATOMIC_ACQ_REL);
    ++tail_;
  }
  bool quit() { return true; }

 private:
  static void await(const unsigned& count, unsigned least) {
    while (__atomic_load_n(&count, __ATOMIC_ACQUIRE) < least) ::pgcpu::yield();
    ::pgcpu::detail::checker_ordered();
  }
  unsigned *produced_ = nullptr, *consumed_ = nullptr;
  unsigned stages_ = 1, producers_ = 1, consumers_ = 1, head_ = 0, tail_ = 0;
};
template <unsigned Prior, thread_scope Scope>
void pipeline_consumer_wait_prior(pipeline<Scope>&) {}
inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

namespace pgcpu_detail {
template <class G, thread_scope S, std::uint8_t N>
pipeline<S> join(const G& g, pipeline_shared_state<S, N>* s, bool produces, bool consumes) {
  if (g.thread_rank() == 0) {
    for (unsigned i = 0; i < N; ++i) s->produced[i] = s->consumed[i] = 0;
    s->producers = s->consumers = 0;
  }
  g.sync();
  if (produces) ::pgcpu::atomic_add<unsigned>(&s->producers, 1u);
  if (consumes) ::pgcpu::atomic_add<unsigned>(&s->consumers, 1u);
  g.sync();
  return {s->produced, s->consumed, N, s->producers, s->consumers};
}
}  // namespace pgcpu_detail
template <class G, thread_scope S, std::uint8_t N>
pipeline<S> make_pipeline(const G& g, pipeline_shared_state<S, N>* s) {
  return pgcpu_detail::join(g, s, true, true);
}
template <class G, thread_scope S, std::uint8_t N>
pipeline<S> make_pipeline(const G& g, pipeline_shared_state<S, N>* s, std::size_t producers) {
  const bool first = std::size_t(g.thread_rank()) < producers;
  return pgcpu_detail::join(g, s, first, !first);
}
template <class G, thread_scope S, std::uint8_t N>
pipeline<S> make_pipeline(const G& g, pipeline_shared_state<S, N>* s, pipeline_role role) {
  return pgcpu_detail::join(g, s, role == pipeline_role::producer, role == pipeline_role::consumer);
}

// ---- semaphores, function objects ----
template <thread_scope Scope, std::ptrdiff_t Most = std::numeric_limits<int>::max()>
class counting_semaphore {
 public:
  explicit counting_semaphore(std::ptrdiff_t n) : count_(int(n)) {}
  void release(std::ptrdiff_t n = 1) { count_.fetch_add(int(n)); }
  bool try_acquire() {
    int seen = count_.load();
    while (seen > 0)
      if (count_.compare_exchange_strong(seen, seen - 1)) return true;
    return false;
  }
  void acquire() {
    while (!try_acquire()) ::pgcpu::yield();
  }

 private:
  atomic<int, Scope> count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

template <class T = void>
struct maximum {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const -> decltype(a < b ? b : a) { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const -> decltype(b < a ? b : a) { return b < a ? b : a; }
};
template <class R, class F>
F proclaim_return_type(F f) { return f; }
template <class A, class B>
constexpr auto ceil_div(A a, B b) { return a / b + (a % b != 0); }
template <class A, class B>
constexpr auto round_up(A a, B b) { return ceil_div(a, b) * b; }
template <class A, class B>
constexpr auto round_down(A a, B b) { return a / b * b; }

#undef PGCPU_WHERE
#undef PGCPU_HERE
}  // namespace cuda
