// What nvcc has in the global namespace of host code: min and max of every type, and the functions of
// math.h for float. HIP has min(int, int) and max(int, int) alone there, which would take a float and
// drop its fraction.
#if !defined(PORTGPU_COMPAT_HOST_MATH_H) && defined(__HIP__) && !defined(PGCPU) && \
    !defined(PG_COMPAT_NVIDIA) && !defined(__HIPCC_RTC__)
#define PORTGPU_COMPAT_HOST_MATH_H

#include <math.h>

// A program that includes this late may have macros of these names.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#define PG_COMPAT_MIN_MAX(R, A, B)                                                                \
  __host__ static inline __attribute__((unused)) R min(A a, B b) {                                \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);         \
  }                                                                                               \
  __host__ static inline __attribute__((unused)) R max(A a, B b) {                                \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);         \
  }
#define PG_COMPAT_MIN_MAX_OF_FLOATS(R, A, B)                                                      \
  __host__ static inline __attribute__((unused)) R min(A a, B b) { return fmin(a, b); }           \
  __host__ static inline __attribute__((unused)) R max(A a, B b) { return fmax(a, b); }

PG_COMPAT_MIN_MAX(unsigned, unsigned, unsigned)
PG_COMPAT_MIN_MAX(unsigned, int, unsigned)
PG_COMPAT_MIN_MAX(unsigned, unsigned, int)
PG_COMPAT_MIN_MAX(long, long, long)
PG_COMPAT_MIN_MAX(unsigned long, unsigned long, unsigned long)
PG_COMPAT_MIN_MAX(unsigned long, long, unsigned long)
PG_COMPAT_MIN_MAX(unsigned long, unsigned long, long)
PG_COMPAT_MIN_MAX(long long, long long, long long)
PG_COMPAT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
PG_COMPAT_MIN_MAX(unsigned long long, long long, unsigned long long)
PG_COMPAT_MIN_MAX(unsigned long long, unsigned long long, long long)
PG_COMPAT_MIN_MAX_OF_FLOATS(float, float, float)
PG_COMPAT_MIN_MAX_OF_FLOATS(double, double, double)
PG_COMPAT_MIN_MAX_OF_FLOATS(double, float, double)
PG_COMPAT_MIN_MAX_OF_FLOATS(double, double, float)
#if defined(__CLANG_HIP_RUNTIME_WRAPPER_INCLUDED__)
// On devices numbers of two types are compared as doubles in HIP: min(unsigned, int) would have a sign,
// and 64 bits lose the last ones. Where blockDim.x is an object that converts to unsigned,
// `min(n, blockDim.x)` is ambiguous without the last pair.
#define PG_COMPAT_MIN_MAX_OF_TWO(R, A, B)                                                          \
  __device__ static inline __attribute__((unused)) R min(A a, B b) {                              \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);         \
  }                                                                                               \
  __device__ static inline __attribute__((unused)) R max(A a, B b) {                              \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a);         \
  }
PG_COMPAT_MIN_MAX_OF_TWO(unsigned, int, unsigned)
PG_COMPAT_MIN_MAX_OF_TWO(unsigned, unsigned, int)
PG_COMPAT_MIN_MAX_OF_TWO(unsigned long, long, unsigned long)
PG_COMPAT_MIN_MAX_OF_TWO(unsigned long, unsigned long, long)
PG_COMPAT_MIN_MAX_OF_TWO(unsigned long long, long long, unsigned long long)
PG_COMPAT_MIN_MAX_OF_TWO(unsigned long long, unsigned long long, long long)
#if HIP_VERSION < 70000000
PG_COMPAT_MIN_MAX_OF_TWO(unsigned, unsigned, unsigned)
#endif
#undef PG_COMPAT_MIN_MAX_OF_TWO
#endif
#undef PG_COMPAT_MIN_MAX
#undef PG_COMPAT_MIN_MAX_OF_FLOATS

#pragma pop_macro("max")
#pragma pop_macro("min")

#endif
