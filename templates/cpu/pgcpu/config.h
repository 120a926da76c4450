// Qualifiers of CUDA and HIP, and what differs between host compilers.
#pragma once
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "the CPU target needs C++17: compile with -std=c++17"
#endif

#define PGCPU 1

// libstdc++ spells an attribute __noinline__; let it do so before the macro exists.
#include <memory>
#include <string>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
namespace pgcpu::detail {
template <unsigned X, unsigned Y = 1, unsigned Z = 1>
struct cluster_of {
  static_assert(X * Y * Z == 1, "PG4024: the CPU target runs clusters of one block only");
};
}  // namespace pgcpu::detail
#define __cluster_dims__(...) __attribute__((aligned(16 * sizeof(::pgcpu::detail::cluster_of<__VA_ARGS__>))))
// One OS thread runs one block at a time, so a static thread-local is what a block shares.
#define __shared__ static thread_local
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __nv_pure__
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
// Warp functions leave no frame of their own: the depth of a call says which function of the program it
// stands in.
#define PGCPU_INLINE inline __attribute__((always_inline))
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __inline_hint__
#define __inline_hint__ inline
#endif

#define PGCPU_CAT_(a, b) a##b
#define PGCPU_CAT(a, b) PGCPU_CAT_(a, b)

// `(T)` or `T` -> T
#define PGCPU_BARE(...) PGCPU_BARE_CAT(PGCPU_BARE_DROP_, PGCPU_BARE_IN __VA_ARGS__)
#define PGCPU_BARE_IN(...) PGCPU_BARE_IN __VA_ARGS__
#define PGCPU_BARE_CAT(a, ...) PGCPU_BARE_CAT_(a, __VA_ARGS__)
#define PGCPU_BARE_CAT_(a, ...) a##__VA_ARGS__
#define PGCPU_BARE_DROP_PGCPU_BARE_IN

// Thread-local variables of the runtime: constant initial value, no wrapper call on access. In a
// shared library the static TLS block is small enough for dlopen on Linux.
#if defined(__clang__)
#define PGCPU_CONSTINIT [[clang::require_constant_initialization]]
#elif defined(__GNUC__) && __GNUC__ >= 10
#define PGCPU_CONSTINIT __constinit
#else
#define PGCPU_CONSTINIT
#endif
#if defined(__linux__) && defined(__ELF__)
#define PGCPU_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define PGCPU_TLS_MODEL
#endif

// Code of the runtime in headers must not be instrumented by the checker.
#if defined(__SANITIZE_THREAD__)
#define PGCPU_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PGCPU_CHECKED 1
#endif
#endif
#ifndef PGCPU_CHECKED
#define PGCPU_CHECKED 0
#endif
#if PGCPU_CHECKED
#define PGCPU_NO_CHECK __attribute__((no_sanitize("thread")))
#else
#define PGCPU_NO_CHECK
#endif
