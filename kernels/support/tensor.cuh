// Host side of every op: checks on pg_tensor arguments, broadcasting, and the layout a kernel sees.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../pg_ops_abi.h"

namespace pgops {

constexpr int kMaxDims = 8;  // of a layout after merging; what kernels carry

// Records the sentence that pg_last_error() returns and gives `status` back. Defined in core.cu.
int fail(int status, const char* format, ...);
// PG_OK, or a failure naming the op when the device runtime returned a nonzero code.
int launched(int code, const char* op);

#define PG_TRY(expr)                          \
  do {                                        \
    const int pg_try_status = (expr);         \
    if (pg_try_status != 0) return pg_try_status; \
  } while (0)

inline int64_t dtype_size(int dtype) {
  switch (dtype) {
    case PG_BOOL: case PG_U8: case PG_I8: return 1;
    case PG_U16: case PG_I16: case PG_F16: case PG_BF16: return 2;
    case PG_U32: case PG_I32: case PG_F32: return 4;
    case PG_U64: case PG_I64: case PG_F64: return 8;
    default: return 0;
  }
}

inline const char* dtype_name(int dtype) {
  static const char* const names[] = {"bool", "u8", "i8", "u16", "i16", "u32", "i32",
                                      "u64", "i64", "f16", "bf16", "f32", "f64"};
  return dtype >= 0 && dtype <= PG_F64 ? names[dtype] : "unknown";
}

// A pg_tensor with strides filled in and every field checked.
struct view {
  char* data = nullptr;
  int dtype = 0;
  int ndim = 0;
  int64_t shape[PG_MAX_NDIM];  // the first ndim of each hold something: clearing all costs more than a check
  int64_t stride[PG_MAX_NDIM];
  const char* name = "";

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= shape[d];
    return n;
  }
  int64_t item() const { return dtype_size(dtype); }
};

inline int parse(const pg_tensor* t, const char* op, const char* name, view& v) {
  if (t == nullptr) return fail(PG_ERR_NULL, "%s: tensor '%s' is NULL", op, name);
  if (dtype_size(t->dtype) == 0)
    return fail(PG_ERR_DTYPE, "%s: tensor '%s' has unknown dtype code %d", op, name, int(t->dtype));
  if (t->ndim < 0 || t->ndim > PG_MAX_NDIM)
    return fail(PG_ERR_SHAPE, "%s: tensor '%s' has %d dimensions; 0 to %d are allowed", op, name, int(t->ndim),
                PG_MAX_NDIM);
  if (t->ndim > 0 && t->shape == nullptr)
    return fail(PG_ERR_NULL, "%s: tensor '%s' has no shape", op, name);
  v.dtype = t->dtype;
  v.ndim = t->ndim;
  v.name = name;
  v.data = static_cast<char*>(t->data);
  const int64_t limit = INT64_MAX / 16;
  int64_t n = 1;
  bool empty = false;
  for (int d = t->ndim - 1; d >= 0; --d) {
    const int64_t s = t->shape[d];
    if (s < 0)
      return fail(PG_ERR_SHAPE, "%s: tensor '%s' has negative extent %lld in dimension %d", op, name,
                  static_cast<long long>(s), d);
    v.shape[d] = s;
    v.stride[d] = t->strides ? t->strides[d] : n;
    if (s == 0) empty = true;
    if (s > 1) {
      if (n > limit / s) return fail(PG_ERR_SIZE, "%s: tensor '%s' has more than 2^59 elements", op, name);
      n *= s;
    }
  }
  if (!empty && t->data == nullptr)
    return fail(PG_ERR_NULL, "%s: tensor '%s' has no data pointer", op, name);
  if (reinterpret_cast<uintptr_t>(t->data) % uintptr_t(v.item()) != 0)
    return fail(PG_ERR_STRIDE, "%s: tensor '%s' is not aligned to its %d-byte elements", op, name, int(v.item()));
  return PG_OK;
}

// First and one-past-last byte that a tensor touches.
inline void byte_range(const view& v, const char*& lo, const char*& hi) {
  int64_t low = 0, high = 0;
  for (int d = 0; d < v.ndim; ++d) {
    if (v.shape[d] == 0) { lo = hi = v.data; return; }
    const int64_t span = (v.shape[d] - 1) * v.stride[d];
    (span < 0 ? low : high) += span;
  }
  lo = v.data + low * v.item();
  hi = v.data + (high + 1) * v.item();
}

inline bool ranges_overlap(const view& a, const view& b) {
  const char *alo, *ahi, *blo, *bhi;
  byte_range(a, alo, ahi);
  byte_range(b, blo, bhi);
  return alo < bhi && blo < ahi;
}

inline bool same_layout(const view& a, const view& b) {
  if (a.data != b.data || a.item() != b.item() || a.ndim != b.ndim) return false;
  for (int d = 0; d < a.ndim; ++d)
    if (a.shape[d] != b.shape[d] || (a.shape[d] > 1 && a.stride[d] != b.stride[d])) return false;
  return true;
}

// Outputs may be exactly the input (in-place) where `in_place`, else must not touch its memory.
inline int check_alias(const char* op, const view& out, const view& in, bool in_place) {
  if (!ranges_overlap(out, in) || (in_place && same_layout(out, in))) return PG_OK;
  return fail(PG_ERR_ALIAS, "%s: output '%s' overlaps input '%s'%s", op, out.name, in.name,
              in_place ? " without being the same array" : "");
}

// Every element of an output must have its own place.
inline int check_output(const char* op, const view& v) {
  int order[PG_MAX_NDIM], n = 0;
  for (int d = 0; d < v.ndim; ++d) {
    if (v.shape[d] == 0) return PG_OK;
    if (v.shape[d] > 1) order[n++] = d;
  }
  const auto magnitude = [&](int d) { return v.stride[d] < 0 ? -v.stride[d] : v.stride[d]; };
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && magnitude(order[j]) < magnitude(order[j - 1]); --j) {
      const int t = order[j];
      order[j] = order[j - 1];
      order[j - 1] = t;
    }
  int64_t reach = 0;
  for (int i = 0; i < n; ++i) {
    if (magnitude(order[i]) <= reach)
      return fail(PG_ERR_STRIDE, "%s: the strides of output '%s' let its elements overlap", op, v.name);
    reach += (v.shape[order[i]] - 1) * magnitude(order[i]);
  }
  return PG_OK;
}

struct shape_text {
  char text[256];
  explicit shape_text(const view& v) {
    int at = std::snprintf(text, sizeof text, "(");
    for (int d = 0; d < v.ndim && at < 230; ++d)
      at += std::snprintf(text + at, sizeof text - size_t(at), d ? ", %lld" : "%lld", static_cast<long long>(v.shape[d]));
    std::snprintf(text + at, sizeof text - size_t(at), ")");
  }
};

// Gives `v` the shape of `out`: leading dimensions and extents of 1 repeat with stride 0 (NumPy's rule).
inline int broadcast_to(const char* op, view& v, const view& out) {
  const int lead = out.ndim - v.ndim;
  bool fits = lead >= 0;
  for (int d = 0; fits && d < v.ndim; ++d) fits = v.shape[d] == out.shape[d + lead] || v.shape[d] == 1;
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: '%s' of shape %s does not broadcast to '%s' of shape %s", op, v.name,
                shape_text(v).text, out.name, shape_text(out).text);
  for (int d = out.ndim - 1; d >= 0; --d) {  // from the end: places move up by `lead`
    const bool repeats = d < lead || v.shape[d - lead] != out.shape[d];
    v.stride[d] = repeats ? 0 : v.stride[d - lead];
    v.shape[d] = out.shape[d];
  }
  v.ndim = out.ndim;
  return PG_OK;
}

inline int same_shape(const char* op, const view& a, const view& b) {
  bool same = a.ndim == b.ndim;
  for (int d = 0; same && d < a.ndim; ++d) same = a.shape[d] == b.shape[d];
  if (same) return PG_OK;
  return fail(PG_ERR_SHAPE, "%s: '%s' has shape %s but '%s' has %s", op, a.name, shape_text(a).text, b.name,
              shape_text(b).text);
}

inline int same_dtype(const char* op, const view& a, const view& b) {
  if (a.dtype == b.dtype) return PG_OK;
  return fail(PG_ERR_DTYPE, "%s: '%s' is %s but '%s' is %s", op, a.name, dtype_name(a.dtype), b.name,
              dtype_name(b.dtype));
}

inline int want_dtype(const char* op, const view& v, int dtype) {
  if (v.dtype == dtype) return PG_OK;
  return fail(PG_ERR_DTYPE, "%s: '%s' must be %s, not %s", op, v.name, dtype_name(dtype), dtype_name(v.dtype));
}

inline int want_index(const char* op, const view& v) {
  if (v.dtype == PG_I64 || v.dtype == PG_I32) return PG_OK;
  return fail(PG_ERR_DTYPE, "%s: '%s' must be i32 or i64, not %s", op, v.name, dtype_name(v.dtype));
}

// axis in [-ndim, ndim) becomes [0, ndim).
inline int normal_axis(const char* op, const view& v, int32_t axis, int& out) {
  if (axis < -v.ndim || axis >= v.ndim)
    return fail(PG_ERR_AXIS, "%s: axis %d is out of range for '%s' with %d dimensions", op, int(axis), v.name, v.ndim);
  out = axis < 0 ? axis + v.ndim : axis;
  return PG_OK;
}

inline int check_workspace(const char* op, const void* workspace, size_t have, size_t need) {
  if (need == 0) return PG_OK;
  if (workspace == nullptr || have < need)
    return fail(PG_ERR_WORKSPACE, "%s: needs %zu bytes of workspace, got %zu (ask pg_%s_workspace)", op, need,
                workspace ? have : size_t(0), op);
  if (reinterpret_cast<uintptr_t>(workspace) % 16 != 0)
    return fail(PG_ERR_WORKSPACE, "%s: workspace must be aligned to 16 bytes", op);
  return PG_OK;
}

// Adds up a workspace from parts aligned to 256 bytes; with no base it only measures.
struct carver {
  char* base;
  size_t used = 0;
  explicit carver(void* workspace) : base(static_cast<char*>(workspace)) {}
  template <class T>
  T* take(int64_t count) {
    char* at = base ? base + used : nullptr;
    used += (size_t(count) * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(at);
  }
};

}  // namespace pgops
