// Host side: devices, memory, streams, events, graphs. Every call returns a status, 0 for success;
// pg::last_error_string() has the text of this thread's latest failure. What a target cannot do is
// error_unsupported with a text. A stream is a void* to all, null is the default stream.
#ifndef PG_HOST_H
#define PG_HOST_H

#include <cstdarg>
#include <cstdio>

#include "base.h"

namespace pg {

// A handle of the vendor's runtime as a void*. `none` makes each kind a type of its own.
template <class Kind>
struct handle {
  void* value = nullptr;
  handle() = default;
  handle(void* v) : value(v) {}
  operator void*() const { return value; }
};
using stream = handle<struct stream_kind>;
using event = handle<struct event_kind>;
using graph = handle<struct graph_kind>;
using graph_exec = handle<struct graph_exec_kind>;
using memory_pool = handle<struct memory_pool_kind>;

struct device_properties {
  char name[256];
  char arch[64];               // sm_90, gfx90a:sramecc+:xnack-, cpu
  int warp_size;               // physical lanes
  int compute_units;           // multiprocessors, compute units, or CPU threads
  int max_threads_per_block;
  size_t shared_per_block;     // bytes without asking
  size_t shared_optin;         // bytes with set_max_dynamic_shared
  size_t total_memory;         // bytes
  int managed;                 // 1 when malloc_managed works
  int cooperative;             // 1 when cooperative launches work
};

enum class copy_kind { host_to_device, device_to_host, device_to_device, host_to_host, automatic };

namespace detail {
// On the heap: memory of threads in libraries that are loaded late is scarce.
inline char* error_buffer() {
  struct owner {
    char* text = new char[512]();
    ~owner() { delete[] text; }
  };
  static thread_local owner own;
  return own.text;
}
// Keeps the text for last_error_string and returns the status.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
inline int fail(int code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error_buffer(), 512, format, arguments);
  va_end(arguments);
  return code;
}
}  // namespace detail

// Text of this thread's latest failure; empty when there was none.
inline const char* last_error_string() { return detail::error_buffer(); }

// Name of a status.
inline const char* status_name(int code) {
  switch (code) {
    case ok: return "ok";
    case error_invalid_value: return "invalid value";
    case error_out_of_memory: return "out of memory";
    case error_no_device: return "no device";
    case error_unsupported: return "unsupported";
    case error_launch_limits: return "launch limits exceeded";
    case error_launch_failed: return "launch failed";
    case error_not_ready: return "not ready";
    case error_no_kernel_image: return "no kernel image for this device";
    case error_runtime: return "runtime error";
    default: return "unknown status";
  }
}

// Sizes of a grid or block: an integer or a dim3.
struct extent {
  unsigned long long x, y, z;
  template <class I, class = typename detail::enable_if<(static_cast<I>(1) / 2 == 0)>::type>
  extent(I n) : x(static_cast<unsigned long long>(n)), y(1), z(1) {}  // a negative number becomes huge
  extent(const dim3& d) : x(d.x), y(d.y), z(d.z) {}
  unsigned long long count() const { return x * y * z; }
};

namespace detail {
// Limits that hold on every device of every target; the device's own are the vendor's to check.
inline int check_launch(const extent& grid, const extent& block, unsigned long long threads_per_axis) {
  if (block.x == 0 || block.y == 0 || block.z == 0)
    return fail(error_launch_limits, "a block must have at least one thread");
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return fail(error_launch_limits, "a block of %llu x %llu x %llu threads exceeds 1024 x 1024 x 64, 1024 in all",
                block.x, block.y, block.z);
  if (grid.x > 0x7fffffffull || grid.y > 65535 || grid.z > 65535)
    return fail(error_launch_limits, "a grid of %llu x %llu x %llu blocks exceeds 2147483647 x 65535 x 65535",
                grid.x, grid.y, grid.z);
  if (grid.x * block.x > threads_per_axis || grid.y * block.y > threads_per_axis || grid.z * block.z > threads_per_axis)
    return fail(error_launch_limits, "grid x block is %llu x %llu x %llu threads; each must be below 2^32 here",
                grid.x * block.x, grid.y * block.y, grid.z * block.z);
  return ok;
}
inline bool is_empty(const extent& grid) { return grid.x == 0 || grid.y == 0 || grid.z == 0; }
}  // namespace detail

}  // namespace pg

#include "detail/host.h"

#endif
