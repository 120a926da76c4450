// Target CPU: kernel launches on the emulator.
#ifndef PG_DETAIL_LAUNCH_H
#define PG_DETAIL_LAUNCH_H

#include "../host.h"

namespace pg {
namespace detail {

inline dim3 native_dim(const extent& e) {
  return dim3(static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z));
}

// HIP counts threads of an axis in 32 bits; the CPU target is as strict.
constexpr unsigned long long threads_per_axis = 0xffffffffull;

template <class... P>
int launch(const char* name, ::pgcpu::site at, bool cooperative, void (*kernel)(P...), extent grid, extent block,
           size_t shared_bytes, void* s, typename identity<P>::type... arguments) {
  if (is_empty(grid)) return ok;
  const int status = check_launch(grid, block, threads_per_axis);
  if (status != ok) return status;
  if (shared_bytes > ::pgcpu::host::shared_limit())
    return fail(error_launch_limits, "%zu bytes of dynamic shared memory exceed the device's %zu", shared_bytes, ::pgcpu::host::shared_limit());
  ::pgcpu::config config(native_dim(grid), native_dim(block), shared_bytes, s);
  config.named(name, cooperative, at);
  return check(::pgcpu::detail::make_exact{config}(kernel).run(arguments...), "launch");
}
}  // namespace detail

// Lets `kernel` be launched with up to `bytes` of dynamic shared memory.
template <class... P>
int set_max_dynamic_shared(void (*)(P...), size_t bytes) {
  if (bytes <= ::pgcpu::host::shared_limit()) return ok;
  return detail::fail(error_invalid_value, "set_max_dynamic_shared: %zu bytes exceed the device's %zu", bytes, ::pgcpu::host::shared_limit());
}
// How many blocks of `threads` threads fit on one compute unit at a time.
template <class... P>
int occupancy(int* blocks, void (*)(P...), int threads, size_t shared_bytes) {
  *blocks = ::pgcpu::host::occupancy(threads, shared_bytes);
  return ok;
}

}  // namespace pg

#define PG_LAUNCH_ON_(kernel, grid, block, shared_bytes, ...)                                              \
  ::pg::detail::launch(#kernel, ::pgcpu::site{__FILE__, __LINE__}, false, kernel, grid, block, shared_bytes, __VA_ARGS__)
#define PG_LAUNCH_COOPERATIVE_ON_(kernel, grid, block, shared_bytes, ...)                                  \
  ::pg::detail::launch(#kernel, ::pgcpu::site{__FILE__, __LINE__}, true, kernel, grid, block, shared_bytes, __VA_ARGS__)

#endif
