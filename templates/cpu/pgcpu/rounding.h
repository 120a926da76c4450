// Operations in a direction: __fadd_ru, __dmul_rd, __fmaf_rz … by the processor's own rounding mode.
#pragma once
#include <cfenv>
#include <cmath>

namespace pgcpu::detail {
class rounding_mode {
 public:
  explicit rounding_mode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~rounding_mode() { std::fesetround(before_); }
  rounding_mode(const rounding_mode&) = delete;
  rounding_mode& operator=(const rounding_mode&) = delete;

 private:
  int before_;
};
}  // namespace pgcpu::detail

// Volatile keeps the operation between the two changes of the mode.
#define PGCPU_ROUNDED_2(NAME, TYPE, MODE, OP)                \
  PGCPU_FN TYPE NAME(TYPE x, TYPE y) {                       \
    const ::pgcpu::detail::rounding_mode mode(MODE);              \
    volatile TYPE a = x, b = y;                              \
    volatile TYPE r = a OP b;                                \
    return r;                                                \
  }
#define PGCPU_ROUNDED(D, FMA, TYPE, SUFFIX, MODE)                        \
  PGCPU_ROUNDED_2(__##D##add_##SUFFIX, TYPE, MODE, +)                       \
  PGCPU_ROUNDED_2(__##D##sub_##SUFFIX, TYPE, MODE, -)                       \
  PGCPU_ROUNDED_2(__##D##mul_##SUFFIX, TYPE, MODE, *)                       \
  PGCPU_ROUNDED_2(__##D##div_##SUFFIX, TYPE, MODE, /)                       \
  PGCPU_FN TYPE __##D##rcp_##SUFFIX(TYPE x) {                               \
    return __##D##div_##SUFFIX(TYPE(1), x);                                 \
  }                                                                         \
  PGCPU_FN TYPE __##D##sqrt_##SUFFIX(TYPE x) {                              \
    const ::pgcpu::detail::rounding_mode mode(MODE);                             \
    volatile TYPE a = x;                                                    \
    volatile TYPE r = std::sqrt(TYPE(a));                                   \
    return r;                                                               \
  }                                                                         \
  PGCPU_FN TYPE __##FMA##_##SUFFIX(TYPE x, TYPE y, TYPE z) {                \
    const ::pgcpu::detail::rounding_mode mode(MODE);                             \
    volatile TYPE a = x, b = y, c = z;                                      \
    volatile TYPE r = std::fma(TYPE(a), TYPE(b), TYPE(c));                  \
    return r;                                                               \
  }
PGCPU_ROUNDED(f, fmaf, float, rz, FE_TOWARDZERO)
PGCPU_ROUNDED(f, fmaf, float, ru, FE_UPWARD)
PGCPU_ROUNDED(f, fmaf, float, rd, FE_DOWNWARD)
PGCPU_ROUNDED(d, fma, double, rz, FE_TOWARDZERO)
PGCPU_ROUNDED(d, fma, double, ru, FE_UPWARD)
PGCPU_ROUNDED(d, fma, double, rd, FE_DOWNWARD)
#undef PGCPU_ROUNDED
#undef PGCPU_ROUNDED_2
