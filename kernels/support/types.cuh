// Element types: what they compute in, conversions between them, and the switch from dtype code to type.
#pragma once

#include <cstdio>
#include <type_traits>

#include "portgpu.h"
#include "tensor.cuh"

#ifndef PG_TYPES_ALL
#define PG_TYPES_ALL 0
#endif

namespace pgops {

using pg::bfloat16;
using pg::half;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_float = is_half<T> || std::is_floating_point_v<T>;

// What arithmetic on T happens in.
template <class T>
using compute_t = std::conditional_t<is_half<T>, float, T>;
// What sums and products of T accumulate in: integers modulo 2^64.
template <class T>
using accumulate_t = std::conditional_t<
    is_float<T>, compute_t<T>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T>
__host__ __device__ __forceinline__ compute_t<T> widen(T x) {
  if constexpr (is_half<T>) return pg::to_float(x);
  else return x;
}
template <class T>
__host__ __device__ __forceinline__ T narrow(compute_t<T> x) {
  if constexpr (is_half<T>) return pg::from_float<T>(x);
  else return x;
}

// Conversion between any two element types, by the rule of `cast`.
template <class To, class From>
__host__ __device__ __forceinline__ To convert(From x) {
  if constexpr (std::is_same_v<To, From>) return x;
  else if constexpr (is_half<From>) return convert<To>(pg::to_float(x));
  else if constexpr (std::is_same_v<To, bool>) return x != From(0);
  else if constexpr (is_half<To>) return pg::convert<To>(x);  // from double without double rounding
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr bool is_signed = std::is_signed_v<To>;
    constexpr int bits = int(sizeof(To) * 8) - (is_signed ? 1 : 0);
    constexpr From limit = From(uint64_t(1) << (bits - 1)) * From(2);  // first value too large
    constexpr To top = To(~uint64_t(0) >> (64 - bits));
    if (!(x == x)) return To(0);
    if (x >= limit) return top;
    if (is_signed ? x < -limit : x <= From(-1)) return is_signed ? To(-1 - top) : To(0);
    return To(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class T> struct type_code;
template <> struct type_code<bool> { static constexpr int value = PG_BOOL; };
template <> struct type_code<uint8_t> { static constexpr int value = PG_U8; };
template <> struct type_code<int8_t> { static constexpr int value = PG_I8; };
template <> struct type_code<uint16_t> { static constexpr int value = PG_U16; };
template <> struct type_code<int16_t> { static constexpr int value = PG_I16; };
template <> struct type_code<uint32_t> { static constexpr int value = PG_U32; };
template <> struct type_code<int32_t> { static constexpr int value = PG_I32; };
template <> struct type_code<uint64_t> { static constexpr int value = PG_U64; };
template <> struct type_code<int64_t> { static constexpr int value = PG_I64; };
template <> struct type_code<half> { static constexpr int value = PG_F16; };
template <> struct type_code<bfloat16> { static constexpr int value = PG_BF16; };
template <> struct type_code<float> { static constexpr int value = PG_F32; };
template <> struct type_code<double> { static constexpr int value = PG_F64; };

template <class... T> struct types {};
template <class A, class B> struct join_types;
template <class... A, class... B>
struct join_types<types<A...>, types<B...>> { using type = types<A..., B...>; };
// The list of an op: `Core` always, `More` in builds with PG_TYPES_ALL.
template <class Core, class More = types<>>
struct built_types : std::conditional_t<PG_TYPES_ALL != 0, typename join_types<Core, More>::type, Core> {};

using float_types = built_types<types<float, half, bfloat16>, types<double>>;
using integer_types_all = types<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>;
template <class T> struct tag { using type = T; };

template <class... T>
constexpr bool holds_type(types<T...>, [[maybe_unused]] int dtype) {
  return ((dtype == type_code<T>::value) || ...);
}

struct dtype_list {
  char text[96];
};
template <class... T>
dtype_list list_dtypes(types<T...>) {
  dtype_list list;
  int at = 0;
  ((at += std::snprintf(list.text + at, sizeof list.text - size_t(at), at == 0 ? "%s" : ", %s",
                        dtype_name(type_code<T>::value))), ...);
  return list;
}

template <class Core, class More>
int unsupported_dtype(const char* op, int dtype, built_types<Core, More> built) {
  if (!holds_type(built, dtype) && holds_type(More{}, dtype))
    return fail(PG_ERR_UNSUPPORTED, "%s: dtype %s is not in this build of the core types, %s", op, dtype_name(dtype),
                list_dtypes(built).text);
  return fail(PG_ERR_DTYPE, "%s: dtype %s is not supported; %s are", op, dtype_name(dtype),
              list_dtypes(typename join_types<Core, More>::type{}).text);
}
template <class... T>
int unsupported_dtype(const char* op, int dtype, types<T...>) {
  return unsupported_dtype(op, dtype, built_types<types<T...>>{});
}

template <class... T, class Fn>
bool run_for(types<T...>, int dtype, Fn& fn, int& status) {
  return ((dtype == type_code<T>::value ? (status = fn(tag<T>{}), true) : false) || ...);
}
// Calls fn(tag<T>{}) for the type in the list whose code is `dtype`.
template <class Types, class Fn>
int dispatch(const char* op, int dtype, Types list, Fn&& fn) {
  int status = PG_OK;
  return run_for(list, dtype, fn, status) ? status : unsupported_dtype(op, dtype, list);
}

template <class T>
struct limits {  // least and greatest value; infinities for floating types
  static __host__ __device__ constexpr T lowest() {
    if constexpr (std::is_same_v<T, float>) return -__builtin_huge_valf();
    else if constexpr (std::is_same_v<T, double>) return -__builtin_huge_val();
    else if constexpr (std::is_signed_v<T>) return T(T(1) << (sizeof(T) * 8 - 1));
    else return T(0);
  }
  static __host__ __device__ constexpr T greatest() {
    if constexpr (std::is_same_v<T, float>) return __builtin_huge_valf();
    else if constexpr (std::is_same_v<T, double>) return __builtin_huge_val();
    else return T(~lowest());
  }
};

constexpr int kVectorBytes = 16;

// N elements from `p`: one vector load where `aligned`, else N single loads.
template <int N, class T>
__device__ __forceinline__ pg::vec<T, N> load_n(const T* p, bool aligned) {
  if (aligned) return pg::load_vec<N>(p);
  pg::vec<T, N> v;
  for (int i = 0; i < N; ++i) v[i] = p[i];
  return v;
}
template <int N, class T>
__device__ __forceinline__ void store_n(T* p, const pg::vec<T, N>& v, bool aligned) {
  if (aligned) {
    pg::store_vec<N>(p, v);
  } else {
    for (int i = 0; i < N; ++i) p[i] = v[i];
  }
}

template <class T>
bool aligned_for(const void* p, int n) {
  return reinterpret_cast<uintptr_t>(p) % (sizeof(T) * size_t(n)) == 0;
}

}  // namespace pgops
