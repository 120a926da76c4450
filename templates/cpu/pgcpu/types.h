// Vector types and dim3, laid out as CUDA and HIP lay them out.
#pragma once
#include "config.h"

namespace pgcpu {

// Where a synchronising function was called; the default argument is evaluated at the caller.
struct site {
  const char* file;
  int line;
  static constexpr site current(const char* f = __builtin_FILE(), int l = __builtin_LINE()) {
    return {f, l};
  }
};

}  // namespace pgcpu

#define PGCPU_VECTOR(N, T, S)                                                                      \
  struct N##1 { T x; };                                                                            \
  struct alignas(2 * S) N##2 { T x, y; };                                                          \
  struct N##3 { T x, y, z; };                                                                      \
  struct alignas(4 * S > 16 ? 16 : 4 * S) N##4 { T x, y, z, w; };                                  \
  static inline constexpr N##1 make_##N##1(T x) { return N##1{x}; }                                \
  static inline constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                        \
  static inline constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }                \
  static inline constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }

PGCPU_VECTOR(char, signed char, sizeof(signed char))
PGCPU_VECTOR(uchar, unsigned char, sizeof(unsigned char))
PGCPU_VECTOR(short, short, sizeof(short))
PGCPU_VECTOR(ushort, unsigned short, sizeof(unsigned short))
PGCPU_VECTOR(int, int, sizeof(int))
PGCPU_VECTOR(uint, unsigned int, sizeof(unsigned int))
PGCPU_VECTOR(long, long, sizeof(long))
PGCPU_VECTOR(ulong, unsigned long, sizeof(unsigned long))
PGCPU_VECTOR(longlong, long long, sizeof(long long))
PGCPU_VECTOR(ulonglong, unsigned long long, sizeof(unsigned long long))
PGCPU_VECTOR(float, float, sizeof(float))
PGCPU_VECTOR(double, double, sizeof(double))

#undef PGCPU_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL uint3 threadIdx;
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL uint3 blockIdx;
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL dim3 blockDim;
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL dim3 gridDim;
