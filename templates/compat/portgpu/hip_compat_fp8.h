// cuda_fp8.h for AMD: e4m3 and e5m2 of the OCP standard, as on NVIDIA, in every version of HIP and
// on every device (gfx942's own 8-bit formats have another bias and are not used).
#ifndef PORTGPU_HIP_COMPAT_FP8_H
#define PORTGPU_HIP_COMPAT_FP8_H

#include "hip_compat_bf16.h"

namespace pg_compat {

using fp8_storage = unsigned char;
using fp8x2_storage = unsigned short;
using fp8x4_storage = unsigned;
enum fp8_interpretation { fp8_e4m3_kind, fp8_e5m2_kind };
enum fp8_saturation { fp8_no_saturation, fp8_saturate_finite };

namespace detail {

// One table of facts for both formats.
template <bool E5>
struct fp8 {
  static constexpr int mantissa = E5 ? 2 : 3;
  static constexpr int bias = E5 ? 15 : 7;
  static constexpr unsigned largest = E5 ? 0x7bu : 0x7eu;  // 57344 or 448
  static constexpr unsigned nan = 0x7fu;
};

template <bool E5>
PG_COMPAT_BOTH unsigned char to_fp8(float v, bool saturate) {
  using F = fp8<E5>;
  unsigned bits;
  __builtin_memcpy(&bits, &v, 4);
  const unsigned sign = (bits >> 24) & 0x80u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return static_cast<unsigned char>(sign | F::nan);
  const unsigned beyond = saturate ? F::largest : E5 ? 0x7cu : F::nan;
  if (bits == 0x7f800000u) return static_cast<unsigned char>(sign | beyond);
  const int exponent = static_cast<int>(bits >> 23) - 127 + F::bias;
  unsigned result;
  if (exponent > 0) {
    const int drop = 23 - F::mantissa;
    const unsigned rounded =
        (bits + ((1u << (drop - 1)) - 1u) + ((bits >> drop) & 1u)) >> drop;
    result = rounded - (static_cast<unsigned>(127 - F::bias) << F::mantissa);
  } else {
    // A subnormal number of the small format: count units of its last place, ties to even.
    const int drop = 23 - F::mantissa + 1 - exponent;
    if (drop > 25 || (bits >> 23) == 0) {
      result = 0;
    } else {
      const unsigned m = (bits & 0x7fffffu) | 0x800000u;
      const unsigned half = 1u << (drop - 1), rest = m & ((half << 1) - 1u);
      result = m >> drop;
      if (rest > half || (rest == half && (result & 1u))) ++result;
    }
  }
  if (result > F::largest) result = beyond;
  return static_cast<unsigned char>(sign | result);
}

template <bool E5>
PG_COMPAT_BOTH float from_fp8(unsigned char v) {
  using F = fp8<E5>;
  const unsigned magnitude = v & 0x7fu;
  const unsigned exponent = magnitude >> F::mantissa;
  const unsigned fraction = magnitude & ((1u << F::mantissa) - 1u);
  float result;
  if (E5 ? magnitude > 0x7cu : magnitude == 0x7fu) {
    result = __builtin_nanf("");
  } else if (E5 && magnitude == 0x7cu) {
    result = __builtin_inff();
  } else if (exponent == 0u) {
    result = static_cast<float>(fraction) * (E5 ? 1.0f / 65536.0f : 1.0f / 512.0f);
  } else {
    const unsigned bits = ((exponent + 127u - F::bias) << 23) | (fraction << (23 - F::mantissa));
    __builtin_memcpy(&result, &bits, 4);
  }
  return v & 0x80u ? -result : result;
}

PG_COMPAT_BOTH float2 both_halves(__half2 v) {
  __half of[2];
  __builtin_memcpy(of, &v, sizeof(v));
  return make_float2(__half2float(of[0]), __half2float(of[1]));
}

}  // namespace detail

template <bool E5>
struct fp8_number {
  fp8_storage __x;
  fp8_number() = default;
  template <class T>
  __host__ __device__ explicit fp8_number(T v)
      : __x(detail::to_fp8<E5>(static_cast<float>(v), true)) {}
  __host__ __device__ explicit fp8_number(double v)
      : __x(detail::to_fp8<E5>(detail::odd_float(v), true)) {}
  __host__ __device__ explicit operator float() const { return detail::from_fp8<E5>(__x); }
  __host__ __device__ explicit operator double() const { return detail::from_fp8<E5>(__x); }
  __host__ __device__ explicit operator __half() const {
    return __float2half(detail::from_fp8<E5>(__x));
  }
  __host__ __device__ explicit operator bfloat16() const {
    return bfloat16(detail::from_fp8<E5>(__x));
  }
  __host__ __device__ explicit operator int() const {
    return static_cast<int>(detail::from_fp8<E5>(__x));
  }
  __host__ __device__ explicit operator bool() const { return (__x & 0x7fu) != 0; }
};
using fp8_e4m3 = fp8_number<false>;
using fp8_e5m2 = fp8_number<true>;

template <bool E5>
struct fp8x2_number {
  fp8x2_storage __x;
  fp8x2_number() = default;
  __host__ __device__ explicit fp8x2_number(float2 v)
      : __x(static_cast<fp8x2_storage>(detail::to_fp8<E5>(v.x, true) |
                                       detail::to_fp8<E5>(v.y, true) << 8)) {}
  __host__ __device__ explicit fp8x2_number(double2 v)
      : fp8x2_number(make_float2(detail::odd_float(v.x), detail::odd_float(v.y))) {}
  __host__ __device__ explicit fp8x2_number(bfloat162 v) : fp8x2_number(bfloat1622float2(v)) {}
  __host__ __device__ explicit fp8x2_number(__half2 v) : fp8x2_number(detail::both_halves(v)) {}
  __host__ __device__ explicit operator float2() const {
    return make_float2(detail::from_fp8<E5>(__x & 0xff), detail::from_fp8<E5>(__x >> 8));
  }
};
using fp8x2_e4m3 = fp8x2_number<false>;
using fp8x2_e5m2 = fp8x2_number<true>;

template <bool E5>
struct fp8x4_number {
  fp8x4_storage __x;
  fp8x4_number() = default;
  __host__ __device__ explicit fp8x4_number(float4 v)
      : __x(detail::to_fp8<E5>(v.x, true) | detail::to_fp8<E5>(v.y, true) << 8 |
            detail::to_fp8<E5>(v.z, true) << 16 |
            static_cast<unsigned>(detail::to_fp8<E5>(v.w, true)) << 24) {}
  __host__ __device__ explicit fp8x4_number(double4 v)
      : fp8x4_number(make_float4(detail::odd_float(v.x), detail::odd_float(v.y),
                                 detail::odd_float(v.z), detail::odd_float(v.w))) {}
  __host__ __device__ explicit fp8x4_number(float2 first, float2 second)
      : fp8x4_number(make_float4(first.x, first.y, second.x, second.y)) {}
  __host__ __device__ explicit fp8x4_number(bfloat162 first, bfloat162 second)
      : fp8x4_number(bfloat1622float2(first), bfloat1622float2(second)) {}
  __host__ __device__ explicit fp8x4_number(__half2 first, __half2 second)
      : fp8x4_number(detail::both_halves(first), detail::both_halves(second)) {}
  __host__ __device__ explicit operator float4() const {
    return make_float4(detail::from_fp8<E5>(__x & 0xff), detail::from_fp8<E5>((__x >> 8) & 0xff),
                       detail::from_fp8<E5>((__x >> 16) & 0xff), detail::from_fp8<E5>(__x >> 24));
  }
};
using fp8x4_e4m3 = fp8x4_number<false>;
using fp8x4_e5m2 = fp8x4_number<true>;

PG_COMPAT_BOTH fp8_storage cvt_float_to_fp8(float v, fp8_saturation s, fp8_interpretation k) {
  const bool saturate = s == fp8_saturate_finite;
  return k == fp8_e5m2_kind ? detail::to_fp8<true>(v, saturate) : detail::to_fp8<false>(v, saturate);
}
PG_COMPAT_BOTH fp8_storage cvt_double_to_fp8(double v, fp8_saturation s, fp8_interpretation k) {
  return cvt_float_to_fp8(detail::odd_float(v), s, k);
}
PG_COMPAT_BOTH fp8x2_storage cvt_float2_to_fp8x2(float2 v, fp8_saturation s, fp8_interpretation k) {
  return static_cast<fp8x2_storage>(cvt_float_to_fp8(v.x, s, k) | cvt_float_to_fp8(v.y, s, k) << 8);
}
PG_COMPAT_BOTH fp8_storage cvt_halfraw_to_fp8(__half_raw v, fp8_saturation s, fp8_interpretation k) {
  return cvt_float_to_fp8(__half2float(__half(v)), s, k);
}
PG_COMPAT_BOTH fp8_storage cvt_bfloat16raw_to_fp8(bfloat16_raw v, fp8_saturation s,
                                                  fp8_interpretation k) {
  return cvt_float_to_fp8(static_cast<float>(bfloat16(v)), s, k);
}
PG_COMPAT_BOTH fp8x2_storage cvt_bfloat16raw2_to_fp8x2(bfloat162_raw v, fp8_saturation s,
                                                       fp8_interpretation k) {
  return static_cast<fp8x2_storage>(cvt_bfloat16raw_to_fp8(bfloat16_raw{v.x}, s, k) |
                                    cvt_bfloat16raw_to_fp8(bfloat16_raw{v.y}, s, k) << 8);
}
PG_COMPAT_BOTH __half_raw cvt_fp8_to_halfraw(fp8_storage v, fp8_interpretation k) {
  return __half_raw(
      __float2half(k == fp8_e5m2_kind ? detail::from_fp8<true>(v) : detail::from_fp8<false>(v)));
}
PG_COMPAT_BOTH fp8x2_storage cvt_double2_to_fp8x2(double2 v, fp8_saturation s,
                                                  fp8_interpretation k) {
  return static_cast<fp8x2_storage>(cvt_double_to_fp8(v.x, s, k) | cvt_double_to_fp8(v.y, s, k) << 8);
}
// The first of two is in the low half. The members are bits before HIP 6, and structures since.
PG_COMPAT_BOTH fp8x2_storage cvt_halfraw2_to_fp8x2(__half2_raw v, fp8_saturation s,
                                                   fp8_interpretation k) {
  __half_raw of[2];
  __builtin_memcpy(of, &v, sizeof(v));
  return static_cast<fp8x2_storage>(cvt_halfraw_to_fp8(of[0], s, k) |
                                    cvt_halfraw_to_fp8(of[1], s, k) << 8);
}
PG_COMPAT_BOTH __half2_raw cvt_fp8x2_to_halfraw2(fp8x2_storage v, fp8_interpretation k) {
  const __half_raw of[2] = {cvt_fp8_to_halfraw(static_cast<fp8_storage>(v & 0xffu), k),
                            cvt_fp8_to_halfraw(static_cast<fp8_storage>(v >> 8), k)};
  __half2_raw result;
  __builtin_memcpy(&result, of, sizeof(result));
  return result;
}

}  // namespace pg_compat
#endif
