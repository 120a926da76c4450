// What the linter tells libclang about GPU sources, so that no SDK is needed: qualifiers as
// attributes that let any function call any other, and the names that CUDA and HIP share.
// Only names and types matter; nothing here is ever compiled to code.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((host)) __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __inline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define PG_ANY __device__ inline

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef long ssize_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
#define NULL 0
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define FLT_MAX 3.402823466e+38f
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_PI 3.14159265358979323846

#define PG_VECTOR(T, N)              \
  struct N##1 { T x; };              \
  struct N##2 { T x, y; };           \
  struct N##3 { T x, y, z; };        \
  struct N##4 { T x, y, z, w; };     \
  PG_ANY N##1 make_##N##1(T);        \
  PG_ANY N##2 make_##N##2(T, T);     \
  PG_ANY N##3 make_##N##3(T, T, T);  \
  PG_ANY N##4 make_##N##4(T, T, T, T);
PG_VECTOR(char, char)
PG_VECTOR(unsigned char, uchar)
PG_VECTOR(short, short)
PG_VECTOR(unsigned short, ushort)
PG_VECTOR(int, int)
PG_VECTOR(unsigned, uint)
PG_VECTOR(long long, longlong)
PG_VECTOR(unsigned long long, ulonglong)
PG_VECTOR(float, float)
PG_VECTOR(double, double)

struct dim3 {
  unsigned x, y, z;
  PG_ANY dim3(unsigned = 1, unsigned = 1, unsigned = 1);
  PG_ANY dim3(uint3);
};
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;

PG_ANY void __syncthreads();
PG_ANY int __syncthreads_count(int);
PG_ANY int __syncthreads_and(int);
PG_ANY int __syncthreads_or(int);
PG_ANY void __threadfence();
PG_ANY void __threadfence_block();
PG_ANY void __threadfence_system();
PG_ANY void __trap();
PG_ANY long long clock64();
PG_ANY int clock();
PG_ANY int __popc(unsigned);
PG_ANY int __popcll(unsigned long long);
PG_ANY int __clz(int);
PG_ANY int __clzll(long long);
PG_ANY int __ffs(int);
PG_ANY int __ffsll(long long);
PG_ANY unsigned __brev(unsigned);
PG_ANY unsigned long long __brevll(unsigned long long);
PG_ANY unsigned __byte_perm(unsigned, unsigned, unsigned);
PG_ANY int __mul24(int, int);
PG_ANY unsigned __umul24(unsigned, unsigned);
PG_ANY int __mulhi(int, int);
PG_ANY unsigned __umulhi(unsigned, unsigned);
PG_ANY unsigned long long __umul64hi(unsigned long long, unsigned long long);
PG_ANY int __dp4a(int, int, int);
PG_ANY int __float_as_int(float);
PG_ANY float __int_as_float(int);
PG_ANY unsigned __float_as_uint(float);
PG_ANY float __uint_as_float(unsigned);
PG_ANY long long __double_as_longlong(double);
PG_ANY double __longlong_as_double(long long);
PG_ANY int __float2int_rn(float);
PG_ANY int __float2int_rz(float);
PG_ANY int __float2int_rd(float);
PG_ANY int __float2int_ru(float);
PG_ANY float __int2float_rn(int);
PG_ANY float __fdividef(float, float);
PG_ANY float __expf(float);
PG_ANY float __logf(float);
PG_ANY float __powf(float, float);
PG_ANY float __sinf(float);
PG_ANY float __cosf(float);
PG_ANY float __saturatef(float);
PG_ANY float __frcp_rn(float);
PG_ANY float __fmaf_rn(float, float, float);
PG_ANY float rsqrtf(float);
template <class T> PG_ANY T __ldg(const T*);
template <class T> PG_ANY T __ldcs(const T*);
template <class T> PG_ANY T __ldcg(const T*);
template <class T> PG_ANY void __stcs(T*, T);

#define PG_ATOMIC(name)                                  \
  template <class T, class V> PG_ANY T name(T*, V);         \
  template <class T, class V> PG_ANY T name##_block(T*, V); \
  template <class T, class V> PG_ANY T name##_system(T*, V);
PG_ATOMIC(atomicAdd)
PG_ATOMIC(atomicSub)
PG_ATOMIC(atomicMin)
PG_ATOMIC(atomicMax)
PG_ATOMIC(atomicAnd)
PG_ATOMIC(atomicOr)
PG_ATOMIC(atomicXor)
PG_ATOMIC(atomicExch)
PG_ATOMIC(atomicInc)
PG_ATOMIC(atomicDec)
template <class T, class A, class B> PG_ANY T atomicCAS(T*, A, B);

#define PG_MATH1(name) \
  PG_ANY float name(float); \
  PG_ANY double name(double); \
  PG_ANY float name##f(float);
PG_MATH1(sqrt)
PG_MATH1(rsqrt)
PG_MATH1(exp)
PG_MATH1(exp2)
PG_MATH1(expm1)
PG_MATH1(log)
PG_MATH1(log2)
PG_MATH1(log10)
PG_MATH1(log1p)
PG_MATH1(sin)
PG_MATH1(cos)
PG_MATH1(tan)
PG_MATH1(asin)
PG_MATH1(acos)
PG_MATH1(atan)
PG_MATH1(sinh)
PG_MATH1(cosh)
PG_MATH1(tanh)
PG_MATH1(erf)
PG_MATH1(erfc)
PG_MATH1(fabs)
PG_MATH1(floor)
PG_MATH1(ceil)
PG_MATH1(round)
PG_MATH1(rint)
PG_MATH1(trunc)
PG_MATH1(cbrt)
PG_MATH1(lgamma)
PG_MATH1(tgamma)
#define PG_MATH2(name)                \
  PG_ANY float name(float, float);       \
  PG_ANY double name(double, double);    \
  PG_ANY float name##f(float, float);
PG_MATH2(pow)
PG_MATH2(fmod)
PG_MATH2(fmin)
PG_MATH2(fmax)
PG_MATH2(atan2)
PG_MATH2(hypot)
PG_MATH2(copysign)
PG_ANY int abs(int);
PG_ANY long long abs(long long);
PG_ANY float abs(float);
PG_ANY double abs(double);
PG_ANY float fma(float, float, float);
PG_ANY double fma(double, double, double);
PG_ANY float fmaf(float, float, float);
PG_ANY bool isnan(float);
PG_ANY bool isnan(double);
PG_ANY bool isinf(float);
PG_ANY bool isfinite(float);
template <class A, class B> PG_ANY auto min(A a, B b) -> decltype(true ? a : b);
template <class A, class B> PG_ANY auto max(A a, B b) -> decltype(true ? a : b);

extern "C" {
int printf(const char*, ...);
int fprintf(void*, const char*, ...);
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
void* memcpy(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
size_t strlen(const char*);
void exit(int);
void abort();
}
#define assert(x) ((void)(x))
#define stderr ((void*)0)
#define stdout ((void*)0)

struct PgHalf {
  PG_ANY PgHalf();
  template <class T> PG_ANY PgHalf(T);
  PG_ANY operator float() const;
};
typedef PgHalf half, __half, __nv_bfloat16, nv_bfloat16, __hip_bfloat16, hip_bfloat16;
struct __half2 { half x, y; };
typedef __half2 half2, __nv_bfloat162, nv_bfloat162;
PG_ANY float __half2float(half);
PG_ANY half __float2half(float);
PG_ANY half __float2half_rn(float);
PG_ANY half2 __floats2half2_rn(float, float);
PG_ANY float2 __half22float2(half2);
PG_ANY float __bfloat162float(half);
PG_ANY half __float2bfloat16(float);
PG_ANY half2 __hadd2(half2, half2);
PG_ANY half2 __hmul2(half2, half2);
PG_ANY half2 __hfma2(half2, half2, half2);
PG_ANY float __low2float(half2);
PG_ANY float __high2float(half2);

namespace std {
using ::size_t;
using ::int32_t;
using ::int64_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::int8_t;
using ::uint16_t;
using ::int16_t;
using ::ptrdiff_t;
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class U> constexpr bool pg_same = false;
template <class T> constexpr bool pg_same<T, T> = true;
template <class T, T V> struct integral_constant { static constexpr T value = V; };
template <class T, class U> struct is_same : integral_constant<bool, pg_same<T, U>> {};
template <class T, class U> constexpr bool is_same_v = pg_same<T, U>;
template <bool C, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool C, class T, class F> using conditional_t = typename conditional<C, T, F>::type;
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <class T> struct numeric_limits {
  static constexpr T min();
  static constexpr T max();
  static constexpr T lowest();
  static constexpr T infinity();
  static constexpr T epsilon();
};
template <class T> T abs(T);
template <class T> T sqrt(T);
template <class T> T exp(T);
template <class T> T log(T);
template <class T, class U> T pow(T, U);
template <class T> T ceil(T);
template <class T> T floor(T);
template <class T> struct vector {
  vector(size_t = 0);
  template <class U> vector(size_t, U);
  size_t size() const;
  T* data();
  const T* data() const;
  T& operator[](size_t);
  const T& operator[](size_t) const;
  T* begin();
  T* end();
  const T* begin() const;
  const T* end() const;
  T& back();
  T& front();
  bool empty() const;
  void resize(size_t);
  void reserve(size_t);
  void clear();
  template <class U> void push_back(U);
  template <class... U> void emplace_back(U...);
};
template <class T, size_t N> struct array {
  T pg_data[N];
  PG_ANY T& operator[](size_t);
  PG_ANY const T& operator[](size_t) const;
  PG_ANY constexpr size_t size() const { return N; }
};
struct string {
  string(const char* = "");
  const char* c_str() const;
  size_t size() const;
  size_t length() const;
  bool empty() const;
  string operator+(const string&) const;
  string& operator+=(const string&);
  bool operator==(const string&) const;
};
string to_string(long long);
template <class A, class B> struct pair { A first; B second; };
template <class T> struct unique_ptr { T* get() const; T* operator->() const; T& operator*() const; };
template <class T> struct shared_ptr { T* get() const; T* operator->() const; T& operator*() const; };
template <class T> T&& move(T&);
}
