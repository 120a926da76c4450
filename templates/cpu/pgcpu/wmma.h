// Matrix fragments of a warp (nvcuda::wmma). An element of a fragment belongs to one lane; which one is not
// specified by CUDA, and here is element e of the matrix, by rows, in lane e % 32, place e / 32.
#pragma once
#include "bf16.h"
#include "fp16.h"
#include "warp.h"

namespace pgcpu::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

// What memory and the fragment hold, what products are made of, and what sums are kept in.
template <class T>
struct element {
  using type = T;
  static float value(T v) { return static_cast<float>(v); }
};
template <>
struct element<precision::tf32> {
  using type = float;
  // The multipliers see 10 bits of the mantissa; programs round before, with __float_to_tf32.
  static float value(float v) {
    unsigned bits;
    __builtin_memcpy(&bits, &v, 4);
    bits &= 0xffffe000u;
    __builtin_memcpy(&v, &bits, 4);
    return v;
  }
};
template <>
struct element<double> {
  using type = double;
  static double value(double v) { return v; }
};
template <>
struct element<signed char> {
  using type = signed char;
  static int value(signed char v) { return v; }
};
template <>
struct element<unsigned char> {
  using type = unsigned char;
  static int value(unsigned char v) { return v; }
};
template <>
struct element<int> {
  using type = int;
  static int value(int v) { return v; }
};

template <class T, int M, int N, int K>
constexpr bool shape_fits() {
  if constexpr (std::is_same_v<T, double>) return M == 8 && N == 8 && K == 4;
  else if constexpr (std::is_same_v<T, precision::tf32>) return M == 16 && N == 16 && K == 8;
  else return K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
}

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static constexpr bool is_a = std::is_same_v<Use, matrix_a>, is_b = std::is_same_v<Use, matrix_b>;
  static constexpr int rows = is_b ? K : M, columns = is_a ? K : N;
  static_assert(!(is_a || is_b) || shape_fits<T, M, N, K>(), "wmma has no fragments of this shape and type");
  static_assert(!(is_a || is_b) || !std::is_void_v<Layout>, "matrix_a and matrix_b need a layout");
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;
  using element_type = typename element<T>::type;
  using storage_element_type = element_type;
  element_type x[num_elements];
};

inline mask_t warp_of_32() { return tile_mask(32); }
inline unsigned lane_of_32() { return lane_id() & 31; }

template <class F, class T>
void check_memory(const F&, const T* p, unsigned leading, bool by_rows, const char* what, site at) {
  group_sync(warp_of_32(), at);
  require_aligned(p, 32, what, at);  // 256 bits, says the programming guide
  const unsigned least = unsigned(by_rows ? F::columns : F::rows);
  if (leading < least || leading * sizeof(T) % 16)
    detail::bad_leading(what, leading, least, unsigned(16 / sizeof(T)), at);
}

template <class Use, int M, int N, int K, class T, class L>
void fill_fragment(fragment<Use, M, N, K, T, L>& f, const typename element<T>::type& v) {
  for (auto& each : f.x) each = v;
}

template <class F, class T>
void load(F& f, const T* p, unsigned leading, bool by_rows, site at) {
  check_memory(f, p, leading, by_rows, "load_matrix_sync", at);
  for (int i = 0; i < F::num_elements; ++i) {
    const unsigned e = unsigned(i) * 32 + lane_of_32(), r = e / F::columns, c = e % F::columns;
    f.x[i] = by_rows ? p[r * leading + c] : p[c * leading + r];
  }
  group_sync(warp_of_32(), at);
}
template <class Use, int M, int N, int K, class T, class L>
void load_matrix_sync(fragment<Use, M, N, K, T, L>& f, const typename element<T>::type* p, unsigned leading,
                      site at = site::current()) {
  static_assert(!std::is_void_v<L>, "an accumulator is loaded with its layout as the last argument");
  load(f, p, leading, std::is_same_v<L, row_major>, at);
}
template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const typename element<T>::type* p, unsigned leading,
                      layout_t layout, site at = site::current()) {
  load(f, p, leading, layout == mem_row_major, at);
}
template <int M, int N, int K, class T>
void store_matrix_sync(typename element<T>::type* p, const fragment<accumulator, M, N, K, T>& f, unsigned leading,
                       layout_t layout, site at = site::current()) {
  using F = fragment<accumulator, M, N, K, T>;
  check_memory(f, p, leading, layout == mem_row_major, "store_matrix_sync", at);
  for (int i = 0; i < F::num_elements; ++i) {
    const unsigned e = unsigned(i) * 32 + lane_of_32(), r = e / F::columns, c = e % F::columns;
    (layout == mem_row_major ? p[r * leading + c] : p[c * leading + r]) = f.x[i];
  }
  group_sync(warp_of_32(), at);
}

// d = a * b + c. Products are exact, sums in float (double, int), one rounding to the type of d.
template <int M, int N, int K, class T, class LA, class LB, class D, class C>
void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LA>& a,
              const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, C>& c,
              bool saturate = false, site at = site::current()) {
  using A = fragment<matrix_a, M, N, K, T, LA>;
  using B = fragment<matrix_b, M, N, K, T, LB>;
  struct both {
    A a;
    B b;
  };
  both all[64];
  const both mine{a, b};
  group_gather(warp_of_32(), mine, all, at);
  const both* lanes = all + (lane_id() & ~31u);
  using sum_t = std::conditional_t<std::is_same_v<D, double> || std::is_same_v<D, int>, D, float>;
  fragment<accumulator, M, N, K, D> result;
  for (int i = 0; i < result.num_elements; ++i) {
    const int e = i * 32 + int(lane_of_32()), row = e / N, column = e % N;
    sum_t sum = static_cast<sum_t>(c.x[i]);
    for (int k = 0; k < K; ++k) {
      const int ea = row * K + k, eb = k * N + column;
      sum += sum_t(element<T>::value(lanes[ea % 32].a.x[ea / 32])) *
             sum_t(element<T>::value(lanes[eb % 32].b.x[eb / 32]));
    }
    if (saturate && !std::is_same_v<D, int> && sizeof(D) == 2) {
      const sum_t most = 65504;  // satf: finite, and NaN becomes 0
      sum = sum != sum ? sum_t(0) : sum > most ? most : sum < -most ? -most : sum;
    }
    result.x[i] = static_cast<D>(sum);
  }
  d = result;
}

}  // namespace pgcpu::wmma

namespace nvcuda::wmma {
using ::pgcpu::wmma::accumulator;
using ::pgcpu::wmma::col_major;
using ::pgcpu::wmma::fill_fragment;
using ::pgcpu::wmma::fragment;
using ::pgcpu::wmma::layout_t;
using ::pgcpu::wmma::load_matrix_sync;
using ::pgcpu::wmma::matrix_a;
using ::pgcpu::wmma::matrix_b;
using ::pgcpu::wmma::mem_col_major;
using ::pgcpu::wmma::mem_row_major;
using ::pgcpu::wmma::mma_sync;
using ::pgcpu::wmma::row_major;
using ::pgcpu::wmma::store_matrix_sync;
namespace precision = ::pgcpu::wmma::precision;
// Nearest, ties away from zero: cvt.rna.tf32.f32.
inline float __float_to_tf32(float v) {
  unsigned bits;
  __builtin_memcpy(&bits, &v, 4);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;
  __builtin_memcpy(&v, &bits, 4);
  return v;
}
}  // namespace nvcuda::wmma
