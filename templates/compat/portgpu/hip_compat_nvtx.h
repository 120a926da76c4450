// NVTX: ranges and marks for a profiler. As in CUDA nothing has to be linked, and without a profiler
// nothing happens: link or preload libroctx64 (rocprofiler-sdk-roctx) to see the ranges.
// roctx knows texts alone: colours, payloads, categories and domains are taken and dropped.
#ifndef PORTGPU_HIP_COMPAT_NVTX_H
#define PORTGPU_HIP_COMPAT_NVTX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define PG_COMPAT_NVTX_VERSION 3
#define PG_COMPAT_NVTX_EVENT_SIZE ((uint16_t)sizeof(pg_compat::nvtx_event_attributes))
#define PG_COMPAT_NVTX static inline __attribute__((unused))

extern "C" {
__attribute__((weak)) void roctxMarkA(const char* message);
__attribute__((weak)) int roctxRangePushA(const char* message);
__attribute__((weak)) int roctxRangePop();
__attribute__((weak)) uint64_t roctxRangeStartA(const char* message);
__attribute__((weak)) void roctxRangeStop(uint64_t id);
}

namespace pg_compat {

using nvtx_range_id = uint64_t;
enum nvtx_color_type { nvtx_color_unknown = 0, nvtx_color_argb = 1 };
enum nvtx_message_type {
  nvtx_message_unknown = 0,
  nvtx_message_ascii = 1,
  nvtx_message_unicode = 2,
  nvtx_message_registered = 3
};
enum nvtx_payload_type {
  nvtx_payload_unknown = 0,
  nvtx_payload_unsigned_int64 = 1,
  nvtx_payload_int64 = 2,
  nvtx_payload_double = 3,
  nvtx_payload_unsigned_int32 = 4,
  nvtx_payload_int32 = 5,
  nvtx_payload_float = 6
};
using nvtx_domain = const void*;
struct nvtx_string {
  char text[120];
};
using nvtx_string_handle = const nvtx_string*;
union nvtx_message_value {
  const char* ascii;
  const wchar_t* unicode;
  nvtx_string_handle registered;
};
// The fields of nvtxEventAttributes_t.
struct nvtx_event_attributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtx_message_value message;
};

PG_COMPAT_NVTX const char* nvtx_text(const nvtx_event_attributes* event) {
  if (event && event->messageType == nvtx_message_ascii && event->message.ascii)
    return event->message.ascii;
  if (event && event->messageType == nvtx_message_registered && event->message.registered)
    return event->message.registered->text;
  return "";
}

// As in NVTX without a tool: a negative number says that nobody counts the depth.
PG_COMPAT_NVTX int nvtx_range_push(const char* message) {
  return roctxRangePushA ? roctxRangePushA(message) : -2;
}
PG_COMPAT_NVTX int nvtx_range_push_wide(const wchar_t*) { return nvtx_range_push(""); }
PG_COMPAT_NVTX int nvtx_range_push_ex(const nvtx_event_attributes* event) {
  return nvtx_range_push(nvtx_text(event));
}
PG_COMPAT_NVTX int nvtx_range_pop() { return roctxRangePop ? roctxRangePop() : -2; }
PG_COMPAT_NVTX nvtx_range_id nvtx_range_start(const char* message) {
  return roctxRangeStartA ? roctxRangeStartA(message) : 0;
}
PG_COMPAT_NVTX nvtx_range_id nvtx_range_start_wide(const wchar_t*) { return nvtx_range_start(""); }
PG_COMPAT_NVTX nvtx_range_id nvtx_range_start_ex(const nvtx_event_attributes* event) {
  return nvtx_range_start(nvtx_text(event));
}
PG_COMPAT_NVTX void nvtx_range_end(nvtx_range_id id) {
  if (roctxRangeStop) roctxRangeStop(id);
}
PG_COMPAT_NVTX void nvtx_mark(const char* message) {
  if (roctxMarkA) roctxMarkA(message);
}
PG_COMPAT_NVTX void nvtx_mark_wide(const wchar_t*) { nvtx_mark(""); }
PG_COMPAT_NVTX void nvtx_mark_ex(const nvtx_event_attributes* event) {
  nvtx_mark(nvtx_text(event));
}

PG_COMPAT_NVTX nvtx_domain nvtx_domain_create(const char*) { return nullptr; }
PG_COMPAT_NVTX nvtx_domain nvtx_domain_create_wide(const wchar_t*) { return nullptr; }
PG_COMPAT_NVTX void nvtx_domain_destroy(nvtx_domain) {}
PG_COMPAT_NVTX int nvtx_domain_range_push_ex(nvtx_domain, const nvtx_event_attributes* event) {
  return nvtx_range_push_ex(event);
}
PG_COMPAT_NVTX int nvtx_domain_range_pop(nvtx_domain) { return nvtx_range_pop(); }
PG_COMPAT_NVTX nvtx_range_id nvtx_domain_range_start_ex(nvtx_domain,
                                                        const nvtx_event_attributes* event) {
  return nvtx_range_start_ex(event);
}
PG_COMPAT_NVTX void nvtx_domain_range_end(nvtx_domain, nvtx_range_id id) { nvtx_range_end(id); }
PG_COMPAT_NVTX void nvtx_domain_mark_ex(nvtx_domain, const nvtx_event_attributes* event) {
  nvtx_mark_ex(event);
}
// Registered texts live as long as the program, as NVTX's do.
PG_COMPAT_NVTX nvtx_string_handle nvtx_domain_register_string(nvtx_domain, const char* text) {
  nvtx_string* kept = new nvtx_string;
  strncpy(kept->text, text, sizeof(kept->text) - 1);
  kept->text[sizeof(kept->text) - 1] = 0;
  return kept;
}
PG_COMPAT_NVTX nvtx_string_handle nvtx_domain_register_string_wide(nvtx_domain domain,
                                                                   const wchar_t*) {
  return nvtx_domain_register_string(domain, "");
}
PG_COMPAT_NVTX void nvtx_domain_name_category(nvtx_domain, uint32_t, const char*) {}
PG_COMPAT_NVTX void nvtx_domain_name_category_wide(nvtx_domain, uint32_t, const wchar_t*) {}
PG_COMPAT_NVTX void nvtx_initialize(const void*) {}
PG_COMPAT_NVTX void nvtx_name_category(uint32_t, const char*) {}
PG_COMPAT_NVTX void nvtx_name_os_thread(uint32_t, const char*) {}
template <class Resource>
PG_COMPAT_NVTX void nvtx_name_resource(Resource, const char*) {}

}  // namespace pg_compat
#endif
