// Shared memory of a block: declared variables with guards, and the dynamic part.
#pragma once
#include "thread.h"

// Hidden: a library uses the runtime that it carries. Empty where several share one.
#ifndef PGCPU_LOCAL
#define PGCPU_LOCAL __attribute__((visibility("hidden")))
#endif

namespace pgcpu {

// One `__shared__` declaration; a static of the function that holds it. Hidden, so that the statics of
// templates stay apart in libraries that carry a runtime each.
struct PGCPU_LOCAL shared_decl {
  const char* name;
  unsigned size;
  unsigned align;
  const char* file;
  int line;
  unsigned index;  // 0 until first used
};

namespace detail {
struct shared_slot {
  unsigned long long serial;
  void* address;
};
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL shared_slot* shared_slots;  // by declaration index
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL unsigned shared_slot_count;
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL unsigned long long block_serial;
// Shared memory of the OS thread, the same for all runtimes in a process: a pointer to its dynamic
// part may be a static that libraries share, too.
inline thread_local char* arena_base = nullptr;
void* shared_allocate(shared_decl& decl);
void* dyn_base();
}  // namespace detail

inline void* shared_variable(shared_decl& decl) {
  const unsigned i = __atomic_load_n(&decl.index, __ATOMIC_ACQUIRE);
  if (i && i < detail::shared_slot_count && detail::shared_slots[i].serial == detail::block_serial)
    return detail::shared_slots[i].address;
  return detail::shared_allocate(decl);
}

void* dyn_shared();
unsigned dyn_shared_bytes();

}  // namespace pgcpu

#define PGCPU_SHARED(T, NAME, ...)                                                               \
  typedef PGCPU_BARE(T) PGCPU_CAT(pgcpu_shared_type_, NAME) __VA_ARGS__;                         \
  static ::pgcpu::shared_decl PGCPU_CAT(pgcpu_shared_decl_, NAME) = {                            \
      #NAME, sizeof(PGCPU_CAT(pgcpu_shared_type_, NAME)),                                        \
      alignof(PGCPU_CAT(pgcpu_shared_type_, NAME)), __FILE__, __LINE__, 0};                      \
  auto& NAME = *static_cast<PGCPU_CAT(pgcpu_shared_type_, NAME)*>(                               \
      ::pgcpu::shared_variable(PGCPU_CAT(pgcpu_shared_decl_, NAME)))

// The base is the same for all blocks that an OS thread runs, so this also works at namespace scope.
#define PGCPU_DYN_SHARED(T, NAME) \
  static thread_local PGCPU_BARE(T)* const NAME = static_cast<PGCPU_BARE(T)*>(::pgcpu::detail::dyn_base())
