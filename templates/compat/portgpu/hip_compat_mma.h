// mma.h for AMD: nvcuda::wmma by plain code on 32 logical lanes, on every device and version of HIP.
// All 32 lanes of a warp must come here together, as on NVIDIA. Products are exact and sums are kept in
// float (double, int) before one rounding; matrix units are not used.
#ifndef PORTGPU_HIP_COMPAT_MMA_H
#define PORTGPU_HIP_COMPAT_MMA_H

#include "hip_compat_bf16.h"

#if defined(PG_COMPAT_NVIDIA)
#include <mma.h>
// Here too, bfloat16 is our type: its fragments are CUDA's.
namespace nvcuda {
namespace wmma {
template <class Use, int M, int N, int K, class Layout>
class fragment<Use, M, N, K, pg_compat::bfloat16, Layout>
    : public fragment<Use, M, N, K, __nv_bfloat16, Layout> {};
template <class Use, int M, int N, int K, class Layout>
__device__ __forceinline__ void load_matrix_sync(
    fragment<Use, M, N, K, pg_compat::bfloat16, Layout>& f, const pg_compat::bfloat16* from,
    unsigned stride) {
  load_matrix_sync(static_cast<fragment<Use, M, N, K, __nv_bfloat16, Layout>&>(f),
                   reinterpret_cast<const __nv_bfloat16*>(from), stride);
}
}  // namespace wmma
}  // namespace nvcuda
#else

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace detail {

// What a fragment holds, and what its products and their sum are made in.
template <class T>
struct element {
  using type = T;
  using sum = float;
  PG_COMPAT_DEVICE float value(const T& v) { return static_cast<float>(v); }
};
template <>
struct element<precision::tf32> {
  using type = float;
  using sum = float;
  // The multipliers of NVIDIA see 10 bits of the fraction.
  PG_COMPAT_DEVICE float value(float v) {
    return __uint_as_float(__float_as_uint(v) & 0xffffe000u);
  }
};
template <>
struct element<double> {
  using type = double;
  using sum = double;
  PG_COMPAT_DEVICE double value(double v) { return v; }
};
template <class T>
struct integer_element {
  using type = T;
  using sum = int;
  PG_COMPAT_DEVICE int value(T v) { return v; }
};
template <>
struct element<signed char> : integer_element<signed char> {};
template <>
struct element<char> : integer_element<char> {};
template <>
struct element<unsigned char> : integer_element<unsigned char> {};

template <class T>
struct shape {
  static constexpr bool fits(int m, int n, int k) {
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  }
};
template <>
struct shape<precision::tf32> {
  static constexpr bool fits(int m, int n, int k) { return m == 16 && n == 16 && k == 8; }
};
template <>
struct shape<double> {
  static constexpr bool fits(int m, int n, int k) { return m == 8 && n == 8 && k == 4; }
};

template <class A, class B>
struct same {
  static constexpr bool value = false;
};
template <class A>
struct same<A, A> {
  static constexpr bool value = true;
};

}  // namespace detail

// Element e of the matrix is element e / 32 of lane e % 32. Elements are counted by rows, and by columns
// in the fragments of 32 x 8 x 16. Which lane has which element is not specified by CUDA either.
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static constexpr bool is_a = detail::same<Use, matrix_a>::value;
  static constexpr bool is_b = detail::same<Use, matrix_b>::value;
  static_assert(!(is_a || is_b) || detail::shape<T>::fits(M, N, K),
                "wmma has no fragments of this shape and type");
  static constexpr int rows = is_b ? K : M, columns = is_a ? K : N;
  static constexpr bool by_columns = M == 32;
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;
  using element_type = typename detail::element<T>::type;
  using storage_element_type = element_type;
  element_type x[num_elements];

  // Place in memory of the lane's element i.
  __device__ static unsigned offset(int i, unsigned leading, bool row_major) {
    const unsigned e = static_cast<unsigned>(i) * 32u + ::pg_compat::lane_id();
    const unsigned row = by_columns ? e % rows : e / columns;
    const unsigned column = by_columns ? e / rows : e % columns;
    return row_major ? row * leading + column : column * leading + row;
  }
};

template <class Use, int M, int N, int K, class T, class L>
PG_COMPAT_DEVICE void fill_fragment(fragment<Use, M, N, K, T, L>& f,
                                    const typename detail::element<T>::type& v) {
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = v;
}
template <class Use, int M, int N, int K, class T, class L>
PG_COMPAT_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, L>& f,
                                       const typename detail::element<T>::type* p,
                                       unsigned leading) {
  static_assert(!detail::same<L, void>::value, "an accumulator is loaded with its layout");
  ::pg_compat::syncwarp();
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = p[f.offset(i, leading, detail::same<L, row_major>::value)];
  ::pg_compat::syncwarp();
}
template <int M, int N, int K, class T>
PG_COMPAT_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& f,
                                       const typename detail::element<T>::type* p, unsigned leading,
                                       layout_t layout) {
  ::pg_compat::syncwarp();
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = p[f.offset(i, leading, layout == mem_row_major)];
  ::pg_compat::syncwarp();
}
template <int M, int N, int K, class T>
PG_COMPAT_DEVICE void store_matrix_sync(typename detail::element<T>::type* p,
                                        const fragment<accumulator, M, N, K, T>& f, unsigned leading,
                                        layout_t layout) {
  ::pg_compat::syncwarp();
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) p[f.offset(i, leading, layout == mem_row_major)] = f.x[i];
  ::pg_compat::syncwarp();
}

namespace detail {

// The elements of one lane as 32-bit words, which is what moves between lanes.
template <class T, int N>
struct words {
  static constexpr int bytes = sizeof(T) * N, count = (bytes + 3) / 4;
  static constexpr int per_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  static constexpr int words_per_element = sizeof(T) > 4 ? sizeof(T) / 4 : 1;
  int w[count];

  __device__ explicit words(const T* x) {
    w[count - 1] = 0;
    __builtin_memcpy(w, x, bytes);
  }
  // Lane `lane`'s words that hold its element i and the others in the same word.
  struct piece {
    int w[words_per_element];
    __device__ T get(int i) const {
      T v;
      const int word = sizeof(T) < 4
                           ? static_cast<int>(static_cast<unsigned>(w[0]) >>
                                              (i % per_word * 8 * static_cast<int>(sizeof(T)) & 31))
                           : w[0];
      if (sizeof(T) <= 4) __builtin_memcpy(&v, &word, sizeof(T) <= 4 ? sizeof(T) : 4);
      else __builtin_memcpy(&v, w, sizeof(T));
      return v;
    }
  };
  __device__ piece from(int i, int lane) const {
    piece found;
    const int first = sizeof(T) < 4 ? i / per_word : i * words_per_element;
#pragma unroll
    for (int j = 0; j < words_per_element; ++j)
      found.w[j] = ::pg_compat::shfl_sync(0xffffffffu, w[first + j], lane, 32);
    return found;
  }
};

// sums of A * B, with the elements of A, B and the sums counted by rows. An element of the sums needs a
// row of A that lies, for all lanes, in the same places of other lanes, and a column of B alike.
template <int M, int N, int K, class T, class S>
PG_COMPAT_DEVICE void products(const typename element<T>::type* a,
                               const typename element<T>::type* b, S* sums) {
  using type = typename element<T>::type;
  using left = words<type, M * K / 32>;
  using right = words<type, K * N / 32>;
  constexpr int period = N / K > 1 ? N / K : 1;  // sums after which A's lane is the same again
  const left all_a(a);
  const right all_b(b);
  const int lane = static_cast<int>(::pg_compat::lane_id());
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const S factor = element<T>::value(all_b.from(k * N / 32, (k * N + lane % N) % 32).get(k * N / 32));
#pragma unroll
    for (int s = 0; s < period; ++s) {
      const int from = ((s * 32 + lane) / N * K + k) % 32;
#pragma unroll
      for (int place = 0; place < M * K / 32; place += left::per_word) {
        const typename left::piece word = all_a.from(place, from);
#pragma unroll
        for (int p = place; p < place + left::per_word && p < M * K / 32; ++p)
          sums[p * period + s] += element<T>::value(word.get(p)) * factor;
      }
    }
  }
}

// By columns the product is that of the transposed matrices in the other order.
template <bool ByColumns>
struct ordered {
  template <int M, int N, int K, class T, class E, class S>
  PG_COMPAT_DEVICE void products(const E* a, const E* b, S* sums) {
    detail::products<N, M, K, T>(b, a, sums);
  }
};
template <>
struct ordered<false> {
  template <int M, int N, int K, class T, class E, class S>
  PG_COMPAT_DEVICE void products(const E* a, const E* b, S* sums) {
    detail::products<M, N, K, T>(a, b, sums);
  }
};

template <class D, class S>
struct result {
  PG_COMPAT_DEVICE D of(S sum, bool saturate) {
    if (saturate && sizeof(D) == 2) {
      const S most = static_cast<S>(65504);
      sum = sum != sum ? S(0) : sum > most ? most : sum < -most ? -most : sum;
    }
    return static_cast<D>(sum);
  }
};
template <class C>
PG_COMPAT_DEVICE C add(C c, C products, bool) {
  return c + products;
}
PG_COMPAT_DEVICE int add(int c, int products, bool saturate) {
  const long long sum = static_cast<long long>(c) + products;
  if (saturate && sum > 0x7fffffffll) return 0x7fffffff;
  if (saturate && sum < -0x7fffffffll - 1) return -0x7fffffff - 1;
  return static_cast<int>(static_cast<unsigned>(c) + static_cast<unsigned>(products));
}

}  // namespace detail

// d = a * b + c.
template <int M, int N, int K, class T, class LA, class LB, class D, class C>
PG_COMPAT_DEVICE void mma_sync(fragment<accumulator, M, N, K, D>& d,
                               const fragment<matrix_a, M, N, K, T, LA>& a,
                               const fragment<matrix_b, M, N, K, T, LB>& b,
                               const fragment<accumulator, M, N, K, C>& c, bool saturate = false) {
  using sum_t = typename detail::element<T>::sum;
  sum_t sums[M * N / 32];
#pragma unroll
  for (int i = 0; i < M * N / 32; ++i) sums[i] = sum_t(0);
  detail::ordered<M == 32>::template products<M, N, K, T>(a.x, b.x, sums);
#pragma unroll
  for (int i = 0; i < M * N / 32; ++i)
    d.x[i] = detail::result<D, sum_t>::of(
        detail::add(static_cast<sum_t>(c.x[i]), sums[i], saturate), saturate);
}

// Nearest, ties away from zero, to 10 bits of fraction: cvt.rna.tf32.f32.
PG_COMPAT_DEVICE float __float_to_tf32(float v) {
  const unsigned bits = __float_as_uint(v);
  if ((bits & 0x7f800000u) == 0x7f800000u) return v;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
#endif
