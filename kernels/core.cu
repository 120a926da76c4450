// What is not an op: error text, build facts, devices, memory, streams, events.
#include <cstdarg>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "support/layout.cuh"
#include "support/memory.cuh"
#include "support/types.cuh"

#define PG_TEXT_(x) #x
#define PG_TEXT(x) PG_TEXT_(x)
#ifndef PG_VERSION_STRING
#define PG_VERSION_STRING "unversioned"
#endif
#ifndef PG_BUILT_ARCHS
#define PG_BUILT_ARCHS ""
#endif

namespace pgops {
namespace {
thread_local std::string error_text;  // not an array: memory of threads is scarce in late libraries
}

int fail(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_text = text;
  return status;
}

int launched(int code, const char* op) {
  return code == 0 ? int(PG_OK) : fail(PG_ERR_DEVICE, "%s: %s", op, pg::last_error_string());
}

namespace {
constexpr int kEventDevices = 64;
std::mutex events_lock;
std::vector<void*> idle_events[kEventDevices];
}  // namespace

int take_event(void** event) {
  int device = 0;
  PG_TRY(launched(pg::get_device(&device), "event_create"));
  {
    std::lock_guard<std::mutex> hold(events_lock);
    auto& idle = idle_events[device % kEventDevices];
    if (!idle.empty()) {
      *event = idle.back();
      idle.pop_back();
      return PG_OK;
    }
  }
  pg::event made;
  PG_TRY(launched(pg::event_create(&made), "event_create"));
  *event = made;
  return PG_OK;
}
void give_event(void* event) {
  int device = 0;
  if (pg::get_device(&device) != pg::ok) return;
  std::lock_guard<std::mutex> hold(events_lock);
  idle_events[device % kEventDevices].push_back(event);
}

namespace {
__global__ void empty(int) {}

// Whether indices lie in [-n, n): sets *flag to 1 if one does not.
template <class I>
__global__ void PG_LAUNCH_BOUNDS(256)
    check_indices(const I* indices, int32_t* flag, int64_t n, uint32_t count, const PG_GRID_CONSTANT strided<1> map) {
  const uint32_t i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  int64_t at[1];
  map.offsets(i, at);
  const int64_t index = indices[at[0]];
  if (index < -n || index >= n) *flag = 1;
}
}  // namespace
}  // namespace pgops

using pgops::fail;
using pgops::launched;

extern "C" {

PG_API const char* pg_last_error(void) { return pgops::error_text.c_str(); }
PG_API int pg_abi_version(void) { return PG_ABI_VERSION; }
PG_API const char* pg_version(void) { return PG_VERSION_STRING; }
PG_API const char* pg_target(void) { return PG_TARGET_CUDA ? "cuda" : PG_TARGET_ROCM ? "rocm" : "cpu"; }
PG_API const char* pg_built_archs(void) { return PG_BUILT_ARCHS; }
PG_API const char* pg_built_types(void) { return PG_TYPES_ALL ? "all" : "core"; }

PG_API int pg_device_count(int* count) {
  if (count == nullptr) return fail(PG_ERR_NULL, "device_count: count is NULL");
  return launched(pg::device_count(count), "device_count");
}
PG_API int pg_set_device(int device) { return launched(pg::set_device(device), "set_device"); }
PG_API int pg_get_device(int* device) {
  if (device == nullptr) return fail(PG_ERR_NULL, "get_device: device is NULL");
  return launched(pg::get_device(device), "get_device");
}
PG_API int pg_device_info(int device, pg_device_props* props) {
  if (props == nullptr) return fail(PG_ERR_NULL, "device_info: props is NULL");
  pg::device_properties p;
  if (const int code = pg::device_info(device, &p)) return launched(code, "device_info");
  std::memset(props, 0, sizeof *props);
  std::snprintf(props->name, sizeof props->name, "%.127s", p.name);
  std::snprintf(props->arch, sizeof props->arch, "%.63s", p.arch);
  props->warp_size = p.warp_size;
  props->compute_units = p.compute_units;
  props->shared_bytes_per_block = int64_t(p.shared_per_block);
  props->total_memory = int64_t(p.total_memory);
  return PG_OK;
}

PG_API int pg_malloc(void** data, size_t bytes) {
  if (data == nullptr) return fail(PG_ERR_NULL, "malloc: data is NULL");
  return launched(pg::malloc_device(data, bytes), "malloc");
}
PG_API int pg_free(void* data) { return data == nullptr ? int(PG_OK) : launched(pg::free_device(data), "free"); }
PG_API int pg_memcpy(void* dst, const void* src, size_t bytes, int kind, void* stream) {
  if (bytes == 0) return PG_OK;
  if (dst == nullptr || src == nullptr) return fail(PG_ERR_NULL, "memcpy: a pointer is NULL");
  switch (kind) {
    case PG_COPY_H2D: return launched(pg::memcpy_h2d(dst, src, bytes, stream), "memcpy");
    case PG_COPY_D2H: return launched(pg::memcpy_d2h(dst, src, bytes, stream), "memcpy");
    case PG_COPY_D2D: return launched(pg::memcpy_d2d(dst, src, bytes, stream), "memcpy");
    default: return fail(PG_ERR_VALUE, "memcpy: unknown kind %d", kind);
  }
}
PG_API int pg_memset(void* dst, int byte, size_t bytes, void* stream) {
  if (bytes == 0) return PG_OK;
  if (dst == nullptr) return fail(PG_ERR_NULL, "memset: dst is NULL");
  return launched(pg::memset(dst, byte, bytes, stream), "memset");
}

PG_API int pg_stream_create(void** stream) {
  if (stream == nullptr) return fail(PG_ERR_NULL, "stream_create: stream is NULL");
  pg::stream s;
  const int code = pg::stream_create(&s);
  *stream = s;
  if (code == pg::ok) pgops::memory_new_stream(s);
  return launched(code, "stream_create");
}
PG_API int pg_stream_destroy(void* stream) {
  if (stream == nullptr) return PG_OK;
  // Its memory goes to other streams: its work must have ended.
  PG_TRY(launched(pg::stream_synchronize(stream), "stream_destroy"));
  pgops::memory_drop_stream(stream);
  return launched(pg::stream_destroy(stream), "stream_destroy");
}
PG_API int pg_stream_synchronize(void* stream) {
  return launched(pg::stream_synchronize(stream), "stream_synchronize");
}
PG_API int pg_stream_wait_event(void* stream, void* event) {
  return launched(pg::stream_wait_event(stream, event), "stream_wait_event");
}
PG_API int pg_stream_capturing(void* stream, int* yes) {
  if (yes == nullptr) return fail(PG_ERR_NULL, "stream_capturing: yes is NULL");
  return launched(pg::stream_capturing(stream, yes), "stream_capturing");
}

PG_API int pg_stream_host_call(void* stream, void (*f)(void*), void* data) {
  if (f == nullptr) return fail(PG_ERR_NULL, "stream_host_call: f is NULL");
  return launched(pg::stream_host_call(stream, f, data), "stream_host_call");
}

PG_API int pg_event_create(void** event) {
  if (event == nullptr) return fail(PG_ERR_NULL, "event_create: event is NULL");
  return pgops::take_event(event);
}
PG_API int pg_event_destroy(void* event) {
  if (event != nullptr) pgops::give_event(event);
  return PG_OK;
}
PG_API int pg_event_query(void* event, int* done) {
  if (done == nullptr) return fail(PG_ERR_NULL, "event_query: done is NULL");
  const int code = pg::event_query(event);
  *done = code == pg::ok;
  return code == pg::error_not_ready ? int(PG_OK) : launched(code, "event_query");
}
PG_API int pg_event_record(void* event, void* stream) {
  return launched(pg::event_record(event, stream), "event_record");
}
PG_API int pg_event_synchronize(void* event) { return launched(pg::event_synchronize(event), "event_synchronize"); }
PG_API int pg_event_elapsed_ms(void* start, void* stop, float* ms) {
  if (ms == nullptr) return fail(PG_ERR_NULL, "event_elapsed_ms: ms is NULL");
  return launched(pg::event_elapsed(ms, start, stop), "event_elapsed_ms");
}

PG_API int pg_launch_empty(void* stream) {
  return launched(PG_LAUNCH(pgops::empty, 1, 1, 0, stream, 0), "launch_empty");
}

// For callers that want bad indices reported: *flag (device, i32) becomes 1 if an index of a gather
// or scatter along an axis of extent n is outside [-n, n). The caller clears the flag.
PG_API int pg_check_indices(const pg_tensor* indices, int64_t n, void* flag, void* stream) {
  using namespace pgops;
  view v;
  PG_TRY(parse(indices, "check_indices", "indices", v));
  PG_TRY(want_index("check_indices", v));
  if (flag == nullptr) return fail(PG_ERR_NULL, "check_indices: flag is NULL");
  layout<1> plan;
  for (int d = 0; d < v.ndim; ++d) {
    const int64_t s[1] = {v.stride[d]};
    plan.push(v.shape[d], s);
  }
  if (plan.numel() == 0) return PG_OK;
  plan.normalize();
  PG_TRY(check_rank("check_indices", plan.ndim));
  return for_chunks(plan, [&](const layout<1>& piece, const int64_t (&start)[1]) {
    const int64_t count = piece.numel();
    const unsigned blocks = unsigned((count + 255) / 256);
    int32_t* to = static_cast<int32_t*>(flag);
    if (v.dtype == PG_I64)
      return launched(PG_LAUNCH((check_indices<int64_t>), blocks, 256, 0, stream,
                                reinterpret_cast<const int64_t*>(v.data) + start[0], to, n, uint32_t(count),
                                piece.device()), "check_indices");
    return launched(PG_LAUNCH((check_indices<int32_t>), blocks, 256, 0, stream,
                              reinterpret_cast<const int32_t*>(v.data) + start[0], to, n, uint32_t(count),
                              piece.device()), "check_indices");
  });
}

}  // extern "C"
