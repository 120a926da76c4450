// Target CPU: host runtime of the emulator. One device; memory is the process's own.
#ifndef PG_DETAIL_HOST_H
#define PG_DETAIL_HOST_H

#include "../base.h"

namespace pg {
namespace detail {

// The portable status of the emulator's code; keeps the text.
inline int check(int code, const char* call) {
  namespace h = ::pgcpu::host;
  if (code == h::success) return ok;
  int result = error_runtime;
  switch (code) {
    case h::invalid_value:
    case h::invalid_device:
    case h::invalid_resource_handle:
    case h::invalid_device_pointer: result = error_invalid_value; break;
    case h::out_of_memory: result = error_out_of_memory; break;
    case h::not_supported:
    case h::stream_capture_unsupported: result = error_unsupported; break;
    case h::invalid_configuration:
    case h::cooperative_too_large: result = error_launch_limits; break;
    case h::launch_failure:
    case h::illegal_address:
    case h::assert_failed: result = error_launch_failed; break;
    case h::not_ready: result = error_not_ready; break;
    default: break;
  }
  const char* message = result == error_launch_failed || result == error_launch_limits ? h::last_message() : "";
  (void)h::last_error();
  return fail(result, "%s: %s%s%s", call, h::error_text(code), message && *message ? ": " : "", message ? message : "");
}
#define PG_CHECK_(call) ::pg::detail::check(call, #call)

inline ::pgcpu::host::stream* native_stream(void* s) { return static_cast<::pgcpu::host::stream*>(s); }
inline ::pgcpu::host::event* native_event(void* e) { return static_cast<::pgcpu::host::event*>(e); }
inline int only_device(int device) {
  return device == 0 ? int(ok) : fail(error_invalid_value, "device %d: the CPU target has device 0 only", device);
}
}  // namespace detail

// Devices. Numbers count from 0.
inline int device_count(int* count) { *count = 1; return ok; }
inline int set_device(int device) { return detail::only_device(device); }
inline int get_device(int* device) { *device = 0; return ok; }
inline int device_synchronize() { return PG_CHECK_(::pgcpu::host::stream_synchronize(nullptr)); }
// Physical lanes of a warp on `device`, 0 when it cannot be asked. Launch code uses this one.
inline int host_warp_size(int device) { return detail::only_device(device) == ok ? static_cast<int>(::pgcpu::warp_size()) : 0; }
inline int device_info(int device, device_properties* out) {
  *out = device_properties();
  int status = detail::only_device(device);
  if (status != ok) return status;
  ::pgcpu::device_info info;
  status = PG_CHECK_(::pgcpu::host::get_device_info(&info));
  if (status != ok) return status;
  snprintf(out->name, sizeof(out->name), "%s", info.name);
  snprintf(out->arch, sizeof(out->arch), "%s", info.arch);
  out->warp_size = info.warp_size;
  out->compute_units = info.units;
  out->max_threads_per_block = info.max_threads;
  out->shared_per_block = info.shared_block;
  out->shared_optin = info.shared_optin;
  out->total_memory = info.memory;
  out->managed = 1;
  out->cooperative = 1;
  return ok;
}

// Memory. free_* take null.
inline int malloc_device(void** out, size_t bytes) {
  *out = nullptr;
  return bytes == 0 ? int(ok) : PG_CHECK_(::pgcpu::host::malloc_device(out, bytes));
}
inline int free_device(void* p) { return p == nullptr ? int(ok) : PG_CHECK_(::pgcpu::host::free_device(p)); }
// Page-locked host memory.
inline int malloc_host(void** out, size_t bytes) {
  *out = bytes == 0 ? nullptr : ::malloc(bytes);
  return bytes == 0 || *out != nullptr ? int(ok) : detail::fail(error_out_of_memory, "malloc_host: %zu bytes", bytes);
}
inline int free_host(void* p) { ::free(p); return ok; }
// Memory that host and device both use by one address.
inline int malloc_managed(void** out, size_t bytes) { return malloc_device(out, bytes); }
// Moves managed memory to a device (-1: the host) ahead of its use.
inline int prefetch(const void*, size_t, int device, void* = nullptr) { return device == -1 ? int(ok) : detail::only_device(device); }

// Copies and fills, in order on the stream.
inline int memcpy(void* to, const void* from, size_t bytes, copy_kind, void* s = nullptr) {
  return bytes == 0 ? int(ok) : PG_CHECK_(::pgcpu::host::copy(to, from, bytes, detail::native_stream(s)));
}
inline int memcpy_h2d(void* to, const void* from, size_t bytes, void* s = nullptr) { return memcpy(to, from, bytes, copy_kind::host_to_device, s); }
inline int memcpy_d2h(void* to, const void* from, size_t bytes, void* s = nullptr) { return memcpy(to, from, bytes, copy_kind::device_to_host, s); }
inline int memcpy_d2d(void* to, const void* from, size_t bytes, void* s = nullptr) { return memcpy(to, from, bytes, copy_kind::device_to_device, s); }
inline int memset(void* to, int byte, size_t bytes, void* s = nullptr) {
  return bytes == 0 ? int(ok) : PG_CHECK_(::pgcpu::host::fill(to, byte, bytes, detail::native_stream(s)));
}
inline int memory_info(size_t* free_bytes, size_t* total_bytes) {
  ::pgcpu::device_info info;
  const int status = PG_CHECK_(::pgcpu::host::get_device_info(&info));
  if (status != ok) return status;
  *total_bytes = info.memory;
  const size_t used = ::pgcpu::host::memory_in_use();
  *free_bytes = used < info.memory ? info.memory - used : 0;
  return ok;
}

// Peer access: there is no second device.
inline int peer_can_access(int* can, int, int) { *can = 0; return ok; }
inline int peer_enable(int) { return detail::fail(error_unsupported, "peer_enable: the CPU target has one device"); }
inline int memcpy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes, void* s = nullptr) {
  const int status = detail::only_device(to_device) | detail::only_device(from_device);
  return status != ok ? int(error_invalid_value) : memcpy_d2d(to, from, bytes, s);
}

// Stream-ordered allocation: work runs at the call, so order is kept. A pool keeps nothing: freed memory is
// given up at once, so that its later use is found.
inline int malloc_async(void** out, size_t bytes, void* = nullptr) { return malloc_device(out, bytes); }
inline int free_async(void* p, void* = nullptr) { return free_device(p); }
namespace detail {
struct pool_state {
  bool own;
};
inline pool_state* device_pool() {
  static pool_state pool{false};
  return &pool;
}
inline pool_state* pool_of(const memory_pool& pool) { return static_cast<pool_state*>(pool.value); }
inline int needs_pool(const memory_pool& pool) {
  return pool.value != nullptr ? int(ok) : fail(error_invalid_value, "not a memory pool");
}
}  // namespace detail
inline int pool_create(memory_pool* out, int device) {
  out->value = nullptr;
  const int status = detail::only_device(device);
  if (status == ok) out->value = new detail::pool_state{true};
  return status;
}
inline int pool_destroy(memory_pool pool) {
  if (pool.value == nullptr || !detail::pool_of(pool)->own)
    return detail::fail(error_invalid_value, "pool_destroy: not a pool of pool_create");
  delete detail::pool_of(pool);
  return ok;
}
inline int pool_of_device(memory_pool* out, int device) {
  const int status = detail::only_device(device);
  out->value = status == ok ? detail::device_pool() : nullptr;
  return status;
}
// The pool keeps up to `bytes` when it is idle.
inline int pool_keep(memory_pool pool, unsigned long long) { return detail::needs_pool(pool); }
inline int pool_trim(memory_pool pool, size_t) { return detail::needs_pool(pool); }
inline int malloc_from_pool(void** out, size_t bytes, memory_pool pool, void* = nullptr) {
  *out = nullptr;
  const int status = detail::needs_pool(pool);
  return status == ok ? malloc_device(out, bytes) : status;
}

// Streams. A new one does not wait for the default stream.
inline int stream_create(stream* out) {
  ::pgcpu::host::stream* s = nullptr;
  const int status = PG_CHECK_(::pgcpu::host::stream_create(&s));
  out->value = s;
  return status;
}
inline int stream_destroy(void* s) { return PG_CHECK_(::pgcpu::host::stream_destroy(detail::native_stream(s))); }
inline int stream_synchronize(void* s) { return PG_CHECK_(::pgcpu::host::stream_synchronize(detail::native_stream(s))); }
// ok when all work is done, error_not_ready when not.
inline int stream_query(void* s) { return stream_synchronize(s); }
inline int stream_wait_event(void* s, void* e) {
  return PG_CHECK_(::pgcpu::host::stream_wait(detail::native_stream(s), detail::native_event(e)));
}
// Calls f(data) on a host thread in the stream's order; f must not call the runtime.
inline int stream_host_call(void* s, void (*f)(void*), void* data) { return PG_CHECK_(::pgcpu::host::host_call(f, data, detail::native_stream(s))); }

// Events.
inline int event_create(event* out) {
  ::pgcpu::host::event* e = nullptr;
  const int status = PG_CHECK_(::pgcpu::host::event_create(&e));
  out->value = e;
  return status;
}
inline int event_destroy(void* e) { return PG_CHECK_(::pgcpu::host::event_destroy(detail::native_event(e))); }
inline int event_record(void* e, void* s = nullptr) { return PG_CHECK_(::pgcpu::host::event_record(detail::native_event(e), detail::native_stream(s))); }
inline int event_synchronize(void* e) { return PG_CHECK_(::pgcpu::host::event_synchronize(detail::native_event(e))); }
inline int event_query(void* e) { return PG_CHECK_(::pgcpu::host::event_query(detail::native_event(e))); }
inline int event_elapsed(float* milliseconds, void* from, void* to) {
  return PG_CHECK_(::pgcpu::host::event_elapsed_ms(milliseconds, detail::native_event(from), detail::native_event(to)));
}

// Graphs: what is queued on a stream between begin and end is kept, and launched as one.
inline int graph_capture_begin(void* s) { return PG_CHECK_(::pgcpu::host::capture_begin(detail::native_stream(s))); }
// *yes is 1 while the stream is being captured, by whomever.
inline int stream_capturing(void* s, int* yes) { *yes = ::pgcpu::host::capture_status(detail::native_stream(s)); return ok; }
// While one lives, this thread may allocate although a stream is being captured. Here it always may.
struct capture_pause {
  capture_pause() {}
  ~capture_pause() {}
};
inline int graph_capture_end(void* s, graph* out) { out->value = nullptr; return PG_CHECK_(::pgcpu::host::capture_end(detail::native_stream(s), &out->value)); }
inline int graph_instantiate(graph_exec* out, graph g) {
  out->value = ::pgcpu::host::graph_clone(g.value);
  return out->value != nullptr ? int(ok) : detail::fail(error_invalid_value, "graph_instantiate: not a graph");
}
inline int graph_launch(graph_exec exec, void* s) { return PG_CHECK_(::pgcpu::host::graph_run(exec.value, detail::native_stream(s))); }
inline int graph_destroy(graph g) { ::pgcpu::host::graph_free(g.value); return ok; }
inline int graph_exec_destroy(graph_exec exec) { ::pgcpu::host::graph_free(exec.value); return ok; }

#undef PG_CHECK_

}  // namespace pg

// Copies to / from a __constant__ or __device__ variable, named directly.
#define PG_COPY_TO_SYMBOL(symbol, from, bytes, s) \
  ::pg::memcpy(const_cast<void*>(static_cast<const void*>(&(symbol))), from, bytes, ::pg::copy_kind::host_to_device, s)
#define PG_COPY_FROM_SYMBOL(to, symbol, bytes, s) \
  ::pg::memcpy(to, static_cast<const void*>(&(symbol)), bytes, ::pg::copy_kind::device_to_host, s)

#endif
