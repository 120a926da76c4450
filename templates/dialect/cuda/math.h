// Target CUDA: mathematics.
#ifndef PG_DETAIL_MATH_H
#define PG_DETAIL_MATH_H

#include "math_names.h"

namespace pg {
namespace detail {

PG_FN float fast_exp2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_rcp(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_sqrt(float x) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_rsqrt(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
#if PG_CUDA_ARCH >= 75
PG_FN float fast_tanh(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
#else
PG_FN float fast_tanh(float x) { return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f); }
#endif
PG_FN float fast_saturate(float x) { return __saturatef(x); }

}  // namespace detail
}  // namespace pg

#endif
