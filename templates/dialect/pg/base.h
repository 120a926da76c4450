// Macros that every other header needs: target, qualifiers, feature tests, assertions.
#ifndef PG_BASE_H
#define PG_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// 1 in NVRTC and hipRTC, which compile device code only.
#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define PG_RTC 1
#else
#define PG_RTC 0
#endif

#include "detail/base.h"

// 1 when this compiler pass produces code for a device (or for the CPU target's lanes).
#ifndef PG_DEVICE_PASS
#error "pg/detail/base.h does not belong to this portgpu.h: render the headers again"
#endif

// Physical warp widths that any supported device has.
#define PG_WARP_SIZE_MIN 32
#define PG_WARP_SIZE_MAX 64

// PG_FN: device function. PG_HDFN: host and device function.
#if PG_DEVICE_COMPILER
#define PG_FN __device__ __forceinline__
#define PG_HDFN __host__ __device__ __forceinline__
#else
#define PG_FN inline
#define PG_HDFN inline
#endif

// The place of a call, for the CPU target's diagnostics: the last parameter of every function in which
// threads meet. PG_SITE and PG_AT follow other arguments, PG_ONLY_SITE and PG_ONLY_AT stand alone.
#if !PG_TARGET_CPU
#define PG_SITE
#define PG_AT
#define PG_ONLY_SITE
#define PG_ONLY_AT
#endif

#define PG_RESTRICT __restrict__

#define PG_PRAGMA_(text) _Pragma(#text)
#if !defined(__clang__) && !defined(__CUDACC__)
#define PG_UNROLL
#define PG_UNROLL_N(n) PG_PRAGMA_(GCC unroll n)
#else
#define PG_UNROLL PG_PRAGMA_(unroll)
#define PG_UNROLL_N(n) PG_PRAGMA_(unroll n)
#endif

// PG_ASSERT is live on the CPU target, and on GPUs when PG_DEBUG is defined as 1.
#ifndef PG_DEBUG
#define PG_DEBUG PG_TARGET_CPU
#endif
#if PG_DEBUG
#define PG_ASSERT(condition)                                                               \
  ((condition) ? (void)0                                                                   \
               : (printf("%s:%d: PG_ASSERT failed: %s\n", __FILE__, __LINE__, #condition), \
                  ::pg::detail::trap()))
#else
#define PG_ASSERT(condition) ((void)sizeof(condition))
#endif
#define PG_PRINTF(...) printf(__VA_ARGS__)
#define PG_TRAP() ::pg::detail::trap()

namespace pg {

// Status of every host call of the dialect: 0 is success, the rest does not depend on the vendor.
enum status : int {
  ok = 0,
  error_invalid_value = 101,
  error_out_of_memory = 102,
  error_no_device = 103,
  error_unsupported = 104,
  error_launch_limits = 105,
  error_launch_failed = 106,
  error_not_ready = 107,
  error_no_kernel_image = 108,
  error_runtime = 109,
};

namespace detail {
template <bool B, class T, class F>
struct conditional { using type = T; };
template <class T, class F>
struct conditional<false, T, F> { using type = F; };
template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> { using type = T; };
template <class T, class U>
struct is_same { static constexpr bool value = false; };
template <class T>
struct is_same<T, T> { static constexpr bool value = true; };
template <class T>
struct identity { using type = T; };
PG_HDFN constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }
PG_HDFN constexpr int next_power_of_two(int n) { return n <= 1 ? 1 : 2 * next_power_of_two((n + 1) / 2); }
// Largest power of two that divides n.
PG_HDFN constexpr int power_of_two_divisor(int n) { return n & -n; }
}  // namespace detail
}  // namespace pg

#endif
