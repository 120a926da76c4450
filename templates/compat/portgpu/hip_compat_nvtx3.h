// The parts of nvtx3.hpp that programs use: ranges of a scope, and marks.
#ifndef PORTGPU_HIP_COMPAT_NVTX3_H
#define PORTGPU_HIP_COMPAT_NVTX3_H

#include "hip_compat_nvtx.h"

#define PG_COMPAT_NVTX_JOIN_(A, B) A##B
#define PG_COMPAT_NVTX_JOIN(A, B) PG_COMPAT_NVTX_JOIN_(A, B)
#define NVTX3_FUNC_RANGE() \
  const ::nvtx3::scoped_range PG_COMPAT_NVTX_JOIN(nvtx3_range_, __LINE__) { __func__ }
#define NVTX3_FUNC_RANGE_IN(DOMAIN) NVTX3_FUNC_RANGE()
namespace nvtx3 {
inline namespace v1 {
struct domain {
  struct global {};
};
class scoped_range {
 public:
  scoped_range() { pg_compat::nvtx_range_push(""); }
  // A message, and whatever else describes the range: colours, payloads and categories are dropped.
  template <class... Rest>
  explicit scoped_range(const char* message, const Rest&...) {
    pg_compat::nvtx_range_push(message);
  }
  template <class String, class... Rest>
  explicit scoped_range(const String& message, const Rest&...) {
    pg_compat::nvtx_range_push(message.c_str());
  }
  scoped_range(const scoped_range&) = delete;
  scoped_range& operator=(const scoped_range&) = delete;
  ~scoped_range() { pg_compat::nvtx_range_pop(); }
};
template <class Domain = domain::global>
using scoped_range_in = scoped_range;
using scoped_thread_range = scoped_range;
inline void mark(const char* message) { pg_compat::nvtx_mark(message); }
}  // namespace v1
}  // namespace nvtx3

#endif
