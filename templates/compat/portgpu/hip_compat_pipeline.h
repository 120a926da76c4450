// libcu++'s pipelines. Copies are done at the call; stages count in memory who produced and consumed.
#ifndef PORTGPU_HIP_COMPAT_PIPELINE_H
#define PORTGPU_HIP_COMPAT_PIPELINE_H

#include "hip_compat_atomic.h"
#if defined(PG_COMPAT_NVIDIA)
#include <cuda/pipeline>
#endif

namespace pg_compat {
#if defined(PG_COMPAT_NVIDIA) || defined(PGCPU)

using ::cuda::make_pipeline;
using ::cuda::memcpy_async;  // again: <cuda/pipeline> adds forms
using ::cuda::pipeline;
using ::cuda::pipeline_consumer_wait_prior;
using ::cuda::pipeline_role;
using ::cuda::pipeline_shared_state;

#else

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, std::uint8_t Stages>
struct pipeline_shared_state {
  barrier<Scope> produced[Stages], consumed[Stages];
  unsigned producers, consumers;
};

// A thread's view of a pipeline. Without shared state it is the thread's own and never waits. As with
// barriers, lanes that wait must not keep others of their wave from producing.
template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = default;
  __device__ pipeline(barrier<Scope>* produced, barrier<Scope>* consumed, unsigned stages)
      : produced_(produced), consumed_(consumed), stages_(stages) {}
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = default;

  // Waits until the next stage is free.
  __device__ void producer_acquire() {
    if (stages_ != 0 && head_ >= stages_)
      consumed_[head_ % stages_].wait_parity((head_ / stages_ - 1) & 1);
  }
  __device__ void producer_commit() {
    if (stages_ != 0) (void)produced_[head_ % stages_].arrive();
    ++head_;
  }
  // Waits until the oldest stage is filled.
  __device__ void consumer_wait() {
    if (stages_ != 0) produced_[tail_ % stages_].wait_parity((tail_ / stages_) & 1);
  }
  template <class Duration>
  __device__ bool consumer_wait_for(const Duration&) {
    consumer_wait();
    return true;
  }
  template <class Time>
  __device__ bool consumer_wait_until(const Time&) {
    consumer_wait();
    return true;
  }
  __device__ void consumer_release() {
    if (stages_ != 0) (void)consumed_[tail_ % stages_].arrive();
    ++tail_;
  }
  __device__ bool quit() { return true; }

 private:
  barrier<Scope>* produced_ = nullptr;
  barrier<Scope>* consumed_ = nullptr;
  unsigned stages_ = 0, head_ = 0, tail_ = 0;
};

PG_COMPAT_DEVICE pipeline<thread_scope_thread> make_pipeline() {
  return pipeline<thread_scope_thread>();
}
namespace detail {
template <class Group, thread_scope Scope, std::uint8_t Stages>
PG_COMPAT_DEVICE pipeline<Scope> join(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                      unsigned producers, unsigned consumers) {
  if (group.thread_rank() == 0)
    for (int i = 0; i < Stages; ++i) {
      init(&state->produced[i], producers);
      init(&state->consumed[i], consumers);
    }
  group.sync();
  return pipeline<Scope>(state->produced, state->consumed, Stages);
}
}  // namespace detail
// Every thread of the group produces and consumes.
template <class Group, thread_scope Scope, std::uint8_t Stages>
PG_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group,
                                               pipeline_shared_state<Scope, Stages>* state) {
  const unsigned all = static_cast<unsigned>(group.size());
  return detail::join(group, state, all, all);
}
// The first `producers` threads produce, the others consume.
template <class Group, thread_scope Scope, std::uint8_t Stages>
PG_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group,
                                               pipeline_shared_state<Scope, Stages>* state,
                                               std::size_t producers) {
  const unsigned first = static_cast<unsigned>(producers);
  return detail::join(group, state, first, static_cast<unsigned>(group.size()) - first);
}
// Each thread says what it does.
template <class Group, thread_scope Scope, std::uint8_t Stages>
PG_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group,
                                               pipeline_shared_state<Scope, Stages>* state,
                                               pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = state->consumers = 0;
  group.sync();
  detail::atomic_plus<Scope>(role == pipeline_role::producer ? &state->producers : &state->consumers,
                             1u, __ATOMIC_RELAXED);
  group.sync();
  const unsigned producers = state->producers, consumers = state->consumers;
  group.sync();
  return detail::join(group, state, producers, consumers);
}

// The copies of all but the newest `Prior` stages are done; all are, at the call.
template <unsigned Prior, thread_scope Scope>
PG_COMPAT_DEVICE void pipeline_consumer_wait_prior(pipeline<Scope>&) {}

template <class Group, class T, class U, class Size, thread_scope Scope>
PG_COMPAT_DEVICE void memcpy_async(const Group& group, T* to, const U* from, Size bytes,
                                   pipeline<Scope>&) {
  detail::copy_share(static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()),
                     to, from, std::size_t(bytes));
}
template <class T, class U, class Size, thread_scope Scope>
PG_COMPAT_DEVICE void memcpy_async(T* to, const U* from, Size bytes, pipeline<Scope>&) {
  detail::copy_share(0, 1, to, from, std::size_t(bytes));
}
#endif
}  // namespace pg_compat
#endif
