// Target ROCm: mathematics.
#ifndef PG_DETAIL_MATH_H
#define PG_DETAIL_MATH_H

#include "math_names.h"

namespace pg {
namespace detail {

#if defined(__AMDGCN__)
PG_FN float fast_exp2(float x) { return ::exp2f(x); }
PG_FN float fast_rcp(float x) { return __builtin_amdgcn_rcpf(x); }
PG_FN float fast_sqrt(float x) { return __builtin_amdgcn_sqrtf(x); }
PG_FN float fast_rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
#else
PG_FN float fast_exp2(float x) { return ::exp2f(x); }
PG_FN float fast_rcp(float x) { return 1.0f / x; }
PG_FN float fast_sqrt(float x) { return ::sqrtf(x); }
PG_FN float fast_rsqrt(float x) { return ::rsqrtf(x); }
#endif
PG_FN float fast_tanh(float x) { return 1.0f - fast_div(2.0f, fast_exp(2.0f * x) + 1.0f); }
PG_FN float fast_saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

}  // namespace detail
}  // namespace pg

#endif
