// The older type, whose bits are a public member.
#pragma once
#include "hip_runtime.h"

struct hip_bfloat16 {
  unsigned short data;
  hip_bfloat16() = default;
  explicit hip_bfloat16(float f) : data(::pgcpu::detail::bfloat16_from_float(f)) {}
  static hip_bfloat16 round_to_bfloat16(float f) { return hip_bfloat16(f); }
  operator float() const { return ::pgcpu::detail::bfloat16_to_float(data); }
  explicit operator bool() const { return float(*this) != 0; }
};
#define PGCPU_OLD_BF16(OP)                                                       \
  inline hip_bfloat16 operator OP(hip_bfloat16 a, hip_bfloat16 b) {              \
    return hip_bfloat16(float(a) OP float(b));                                   \
  }                                                                              \
  inline hip_bfloat16& operator OP##=(hip_bfloat16& a, hip_bfloat16 b) { return a = a OP b; }
PGCPU_OLD_BF16(+)
PGCPU_OLD_BF16(-)
PGCPU_OLD_BF16(*)
PGCPU_OLD_BF16(/)
#undef PGCPU_OLD_BF16
inline hip_bfloat16 operator-(hip_bfloat16 a) {
  a.data ^= 0x8000;
  return a;
}
