// Device-wide CUB and hipCUB, each algorithm as one device thread on its stream. The first call, without
// temporary storage, says how much is needed, as with the real ones. Included by cub.h.
#include "single.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace PGCPU_CUB {

using status = PGCPU_CUB_STATUS;

namespace detail {
template <class I>
using value_of = typename std::iterator_traits<I>::value_type;

// `f` runs unless the call only asks for the size.
template <class F>
status device(void* temp, size_t& bytes, const void* stream, const char* name, F f) {
  if (!temp) {
    bytes = 256;
    return status(0);
  }
  return status(::pgcpu::run_single(stream, name, f));
}
// Sort keys are compared by the bits that take part, floats in their order, -0 before +0.
template <class T>
unsigned long long radix_bits(T v, int begin, int end) {
  unsigned long long b = 0;
  memcpy(&b, &v, sizeof v);
  const int n = int(sizeof(T)) * 8;
  const unsigned long long top = 1ull << (n - 1), all = n == 64 ? ~0ull : (1ull << n) - 1;
  constexpr bool integer = std::is_integral_v<T>;
  if (!integer) b = (b & top) ? ~b & all : b | top;
  else if (std::is_signed_v<T>) b ^= top;
  b >>= begin;
  return end - begin < 64 ? b & ((1ull << (end - begin)) - 1) : b;
}
template <class K, class V>
void radix_sort(const K* k, K* ko, const V* v, V* vo, long long n, int begin, int end, bool down) {
  std::vector<size_t> order(static_cast<size_t>(n));
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto x = radix_bits(k[a], begin, end), y = radix_bits(k[b], begin, end);
    return down ? y < x : x < y;
  });
  std::vector<K> keys(k, k + n);
  for (size_t i = 0; i < order.size(); ++i) ko[i] = keys[order[i]];
  if (v) {
    std::vector<V> values(v, v + n);
    for (size_t i = 0; i < order.size(); ++i) vo[i] = values[order[i]];
  }
}
}  // namespace detail

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  DoubleBuffer() : d_buffers{nullptr, nullptr} {}
  DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};
struct NullType {};
struct Inequality {
  template <class T>
  bool operator()(const T& a, const T& b) const { return !(a == b); }
};
struct Difference {
  template <class T>
  T operator()(const T& a, const T& b) const { return a - b; }
};

#define PGCPU_TEMP void *temp, size_t &bytes
#define PGCPU_RUN(NAME, ...) \
  detail::device(temp, bytes, stream, NAME, [=]() mutable { __VA_ARGS__ })

struct DeviceReduce {
  template <class I, class O, class N, class F, class T>
  static status Reduce(PGCPU_TEMP, I in, O out, N n, F f, T init, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::Reduce", {
      T r = init;
      for (N i = 0; i < n; ++i) r = f(r, in[i]);
      *out = r;
    });
  }
  template <class I, class O, class N>
  static status Sum(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::Sum", {
      using T = detail::value_of<O>;
      T r = T();
      for (N i = 0; i < n; ++i) r = r + in[i];
      *out = r;
    });
  }
  template <class I, class O, class N>
  static status Min(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::Min", {
      auto r = std::numeric_limits<detail::value_of<I>>::max();
      for (N i = 0; i < n; ++i)
        if (in[i] < r) r = in[i];
      *out = r;
    });
  }
  template <class I, class O, class N>
  static status Max(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::Max", {
      auto r = std::numeric_limits<detail::value_of<I>>::lowest();
      for (N i = 0; i < n; ++i)
        if (r < in[i]) r = in[i];
      *out = r;
    });
  }
  template <class I, class O, class N>
  static status ArgMin(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::ArgMin", {
      N best = 0;
      for (N i = 1; i < n; ++i)
        if (in[i] < in[best]) best = i;
      *out = {int(best), in[best]};
    });
  }
  template <class I, class O, class N>
  static status ArgMax(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::ArgMax", {
      N best = 0;
      for (N i = 1; i < n; ++i)
        if (in[best] < in[i]) best = i;
      *out = {int(best), in[best]};
    });
  }
  template <class I, class O, class N, class F, class U, class T>
  static status TransformReduce(PGCPU_TEMP, I in, O out, N n, F f, U u, T init, const void* stream = nullptr) {
    return PGCPU_RUN("DeviceReduce::TransformReduce", {
      T r = init;
      for (N i = 0; i < n; ++i) r = f(r, u(in[i]));
      *out = r;
    });
  }
  template <class K, class U, class V, class A, class C, class F, class N>
  static status ReduceByKey(PGCPU_TEMP, K keys, U unique, V values, A sums, C runs, F f, N n,
                            const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceReduce::ReduceByKey", {
      N r = 0;
      for (N i = 0; i < n; ++r) {
        const detail::value_of<K> key = keys[i];
        detail::value_of<A> sum = values[i];
        for (++i; i < n && keys[i] == key; ++i) sum = f(sum, values[i]);
        unique[r] = key, sums[r] = sum;
      }
      *runs = detail::value_of<C>(r);
    });
  }
};

struct DeviceSegmentedReduce {
  template <class I, class O, class B, class E, class F, class T>
  static status Reduce(PGCPU_TEMP, I in, O out, int segments, B begin, E end, F f, T init,
                       const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceSegmentedReduce", {
      for (int s = 0; s < segments; ++s) {
        T r = init;
        for (auto i = begin[s]; i < end[s]; ++i) r = f(r, in[i]);
        out[s] = r;
      }
    });
  }
  template <class I, class O, class B, class E>
  static status Sum(PGCPU_TEMP, I in, O out, int segments, B begin, E end, const void* stream = nullptr, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begin, end, PGCPU_CUB::Sum(), detail::value_of<O>(), stream);
  }
  template <class I, class O, class B, class E>
  static status Min(PGCPU_TEMP, I in, O out, int segments, B begin, E end, const void* stream = nullptr, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begin, end, PGCPU_CUB::Min(),
                  std::numeric_limits<detail::value_of<O>>::max(), stream);
  }
  template <class I, class O, class B, class E>
  static status Max(PGCPU_TEMP, I in, O out, int segments, B begin, E end, const void* stream = nullptr, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begin, end, PGCPU_CUB::Max(),
                  std::numeric_limits<detail::value_of<O>>::lowest(), stream);
  }
};

struct DeviceScan {
  template <class I, class O, class F, class N>
  static status InclusiveScan(PGCPU_TEMP, I in, O out, F f, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceScan::InclusiveScan", {
      if (n <= 0) return;
      detail::value_of<I> r = in[0];
      out[0] = r;
      for (N i = 1; i < n; ++i) out[i] = r = f(r, in[i]);
    });
  }
  template <class I, class O, class F, class T, class N>
  static status ExclusiveScan(PGCPU_TEMP, I in, O out, F f, T init, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceScan::ExclusiveScan", {
      T r = init;
      for (N i = 0; i < n; ++i) {
        const detail::value_of<I> v = in[i];
        out[i] = r;
        r = f(r, v);
      }
    });
  }
  template <class I, class O, class N>
  static status InclusiveSum(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return InclusiveScan(temp, bytes, in, out, Sum(), n, stream);
  }
  template <class I, class O, class N>
  static status ExclusiveSum(PGCPU_TEMP, I in, O out, N n, const void* stream = nullptr, bool = false) {
    return ExclusiveScan(temp, bytes, in, out, Sum(), detail::value_of<I>(), n, stream);
  }
};

struct DeviceRadixSort {
#define PGCPU_SORT(NAME, DOWN)                                                                          \
  template <class K, class V, class N>                                                                  \
  static status SortPairs##NAME(PGCPU_TEMP, const K* k, K* ko, const V* v, V* vo, N n, int begin = 0,   \
                                int end = int(sizeof(K)) * 8, const void* stream = nullptr, bool = false) { \
    return PGCPU_RUN("DeviceRadixSort", { detail::radix_sort(k, ko, v, vo, n, begin, end, DOWN); });    \
  }                                                                                                     \
  template <class K, class V, class N>                                                                  \
  static status SortPairs##NAME(PGCPU_TEMP, DoubleBuffer<K>& k, DoubleBuffer<V>& v, N n, int begin = 0, \
                                int end = int(sizeof(K)) * 8, const void* stream = nullptr, bool = false) { \
    const auto bad = SortPairs##NAME(temp, bytes, k.Current(), k.Alternate(), v.Current(), v.Alternate(), n, begin, end, stream); \
    if (temp) k.selector ^= 1, v.selector ^= 1;                                                         \
    return bad;                                                                                         \
  }                                                                                                     \
  template <class K, class N>                                                                           \
  static status SortKeys##NAME(PGCPU_TEMP, const K* k, K* ko, N n, int begin = 0,                       \
                               int end = int(sizeof(K)) * 8, const void* stream = nullptr, bool = false) { \
    return PGCPU_RUN("DeviceRadixSort", {                                                               \
      detail::radix_sort<K, char>(k, ko, nullptr, nullptr, n, begin, end, DOWN); });                    \
  }                                                                                                     \
  template <class K, class N>                                                                           \
  static status SortKeys##NAME(PGCPU_TEMP, DoubleBuffer<K>& k, N n, int begin = 0,                      \
                               int end = int(sizeof(K)) * 8, const void* stream = nullptr, bool = false) { \
    const auto bad = SortKeys##NAME(temp, bytes, k.Current(), k.Alternate(), n, begin, end, stream);    \
    if (temp) k.selector ^= 1;                                                                          \
    return bad;                                                                                         \
  }
  PGCPU_SORT(, false)
  PGCPU_SORT(Descending, true)
#undef PGCPU_SORT
};
struct DeviceSegmentedRadixSort {
#define PGCPU_SORT(NAME, DOWN)                                                                         \
  template <class K, class V, class N, class B, class E>                                               \
  static status SortPairs##NAME(PGCPU_TEMP, const K* k, K* ko, const V* v, V* vo, N, int segments, B first, E last, \
                                int begin = 0, int end = int(sizeof(K)) * 8, const void* stream = nullptr) { \
    return PGCPU_RUN("DeviceSegmentedRadixSort", {                                                     \
      for (int s = 0; s < segments; ++s) {                                                             \
        const long long f = first[s];                                                                  \
        detail::radix_sort(k + f, ko + f, v + f, vo + f, last[s] - f, begin, end, DOWN);               \
      }                                                                                                \
    });                                                                                                \
  }                                                                                                    \
  template <class K, class N, class B, class E>                                                        \
  static status SortKeys##NAME(PGCPU_TEMP, const K* k, K* ko, N, int segments, B first, E last, int begin = 0, \
                               int end = int(sizeof(K)) * 8, const void* stream = nullptr) {           \
    return PGCPU_RUN("DeviceSegmentedRadixSort", {                                                     \
      for (int s = 0; s < segments; ++s) {                                                             \
        const long long f = first[s];                                                                  \
        detail::radix_sort<K, char>(k + f, ko + f, nullptr, nullptr, last[s] - f, begin, end, DOWN);   \
      }                                                                                                \
    });                                                                                                \
  }
  PGCPU_SORT(, false)
  PGCPU_SORT(Descending, true)
#undef PGCPU_SORT
};
struct DeviceMergeSort {
  template <class K, class N, class C>
  static status SortKeys(PGCPU_TEMP, K k, N n, C less, const void* stream = nullptr) {
    return PGCPU_RUN("DeviceMergeSort", {
      std::vector<detail::value_of<K>> v(k, k + n);
      std::stable_sort(v.begin(), v.end(), less);
      std::copy(v.begin(), v.end(), k);
    });
  }
  template <class K, class V, class N, class C>
  static status SortPairs(PGCPU_TEMP, K k, V v, N n, C less, const void* stream = nullptr) {
    return PGCPU_RUN("DeviceMergeSort", {
      std::vector<std::pair<detail::value_of<K>, detail::value_of<V>>> all;
      for (N i = 0; i < n; ++i) all.emplace_back(k[i], v[i]);
      std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return less(a.first, b.first); });
      for (N i = 0; i < n; ++i) k[i] = all[size_t(i)].first, v[i] = all[size_t(i)].second;
    });
  }
};

struct DeviceSelect {
  template <class I, class G, class O, class C, class N>
  static status Flagged(PGCPU_TEMP, I in, G flags, O out, C count, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceSelect::Flagged", {
      N r = 0;
      for (N i = 0; i < n; ++i)
        if (flags[i]) out[r++] = in[i];
      *count = detail::value_of<C>(r);
    });
  }
  template <class I, class O, class C, class N, class P>
  static status If(PGCPU_TEMP, I in, O out, C count, N n, P p, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceSelect::If", {
      N r = 0;
      for (N i = 0; i < n; ++i)
        if (p(in[i])) out[r++] = in[i];
      *count = detail::value_of<C>(r);
    });
  }
  template <class I, class O, class C, class N>
  static status Unique(PGCPU_TEMP, I in, O out, C count, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceSelect::Unique", {
      N r = 0;
      for (N i = 0; i < n; ++i)
        if (i == 0 || !(in[i] == in[i - 1])) out[r++] = in[i];
      *count = detail::value_of<C>(r);
    });
  }
};
struct DevicePartition {
  template <class I, class O, class C, class N, class P>
  static status If(PGCPU_TEMP, I in, O out, C count, N n, P p, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DevicePartition::If", {
      N r = 0, s = n;
      for (N i = 0; i < n; ++i)
        if (p(in[i])) out[r++] = in[i];
        else out[--s] = in[i];
      *count = detail::value_of<C>(r);
    });
  }
  template <class I, class G, class O, class C, class N>
  static status Flagged(PGCPU_TEMP, I in, G flags, O out, C count, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DevicePartition::Flagged", {
      N r = 0, s = n;
      for (N i = 0; i < n; ++i)
        if (flags[i]) out[r++] = in[i];
        else out[--s] = in[i];
      *count = detail::value_of<C>(r);
    });
  }
};
struct DeviceRunLengthEncode {
  template <class I, class U, class L, class C, class N>
  static status Encode(PGCPU_TEMP, I in, U unique, L lengths, C runs, N n, const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceRunLengthEncode::Encode", {
      N r = 0;
      for (N i = 0; i < n; ++r) {
        const N first = i;
        while (i < n && in[i] == in[first]) ++i;
        unique[r] = in[first], lengths[r] = detail::value_of<L>(i - first);
      }
      *runs = detail::value_of<C>(r);
    });
  }
};
struct DeviceHistogram {
  template <class I, class C, class L, class N>
  static status HistogramEven(PGCPU_TEMP, I in, C* counts, int levels, L lower, L upper, N n,
                              const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceHistogram::HistogramEven", {
      const int bins = levels - 1;
      for (int b = 0; b < bins; ++b) counts[b] = 0;
      for (N i = 0; i < n; ++i) {
        const auto v = L(in[i]);
        if (v < lower || !(v < upper)) continue;
        const int b = std::is_integral_v<L> ? int((long long)(v - lower) * bins / (long long)(upper - lower))
                                            : int(double(v - lower) * bins / double(upper - lower));
        ++counts[b < bins ? b : bins - 1];
      }
    });
  }
  template <class I, class C, class L, class N>
  static status HistogramRange(PGCPU_TEMP, I in, C* counts, int levels, const L* bounds, N n,
                               const void* stream = nullptr, bool = false) {
    return PGCPU_RUN("DeviceHistogram::HistogramRange", {
      for (int b = 0; b < levels - 1; ++b) counts[b] = 0;
      for (N i = 0; i < n; ++i) {
        const int b = int(std::upper_bound(bounds, bounds + levels, L(in[i])) - bounds) - 1;
        if (b >= 0 && b < levels - 1) ++counts[b];
      }
    });
  }
};
struct DeviceFor {
  template <class N, class F>
  static status Bulk(PGCPU_TEMP, N n, F f, const void* stream = nullptr) {
    return PGCPU_RUN("DeviceFor::Bulk", {
      for (N i = 0; i < n; ++i) f(i);
    });
  }
};
#undef PGCPU_TEMP
#undef PGCPU_RUN

// ---- iterators ----
namespace detail {
template <class Self, class V>
struct reader {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = V;
  using difference_type = std::ptrdiff_t;
  using pointer = const V*;
  using reference = V;
  std::ptrdiff_t at = 0;
  V operator*() const { return self()[0]; }
  Self& operator++() { return ++at, self(); }
  Self operator++(int) { Self r = self(); ++at; return r; }
  Self& operator+=(std::ptrdiff_t n) { return at += n, self(); }
  Self operator+(std::ptrdiff_t n) const { Self r = self(); r.at += n; return r; }
  Self operator-(std::ptrdiff_t n) const { Self r = self(); r.at -= n; return r; }
  std::ptrdiff_t operator-(const Self& o) const { return at - o.at; }
  bool operator==(const Self& o) const { return at == o.at; }
  bool operator!=(const Self& o) const { return at != o.at; }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
};
}  // namespace detail
template <class T, class Offset = std::ptrdiff_t>
struct CountingInputIterator : detail::reader<CountingInputIterator<T, Offset>, T> {
  T v;
  explicit CountingInputIterator(T first) : v(first) {}
  T operator[](std::ptrdiff_t i) const { return T(v + T(this->at + i)); }
};
template <class T, class Offset = std::ptrdiff_t>
struct ConstantInputIterator : detail::reader<ConstantInputIterator<T, Offset>, T> {
  T v;
  explicit ConstantInputIterator(T value, Offset = 0) : v(value) {}
  T operator[](std::ptrdiff_t) const { return v; }
};
template <class T, class F, class I, class Offset = std::ptrdiff_t>
struct TransformInputIterator : detail::reader<TransformInputIterator<T, F, I, Offset>, T> {
  I in;
  F f;
  TransformInputIterator(I i, F g) : in(i), f(g) {}
  T operator[](std::ptrdiff_t i) const { return f(in[this->at + i]); }
};
template <class I, class Offset = std::ptrdiff_t, class V = detail::value_of<I>>
struct ArgIndexInputIterator : detail::reader<ArgIndexInputIterator<I, Offset, V>, KeyValuePair<Offset, V>> {
  I in;
  explicit ArgIndexInputIterator(I i, Offset = 0) : in(i) {}
  KeyValuePair<Offset, V> operator[](std::ptrdiff_t i) const { return {Offset(this->at + i), in[this->at + i]}; }
};

// A caching allocator's interface over the runtime's.
struct CachingDeviceAllocator {
  template <class... A>
  explicit CachingDeviceAllocator(A...) {}
  status DeviceAllocate(void** p, size_t n, const void* = nullptr) { return status(::pgcpu::host::malloc_device(p, n)); }
  status DeviceAllocate(int, void** p, size_t n, const void* = nullptr) { return DeviceAllocate(p, n); }
  status DeviceFree(void* p) { return status(::pgcpu::host::free_device(p)); }
  status DeviceFree(int, void* p) { return DeviceFree(p); }
  status FreeAllCached() { return status(0); }
};
inline status Debug(status e, const char* file, int line) {
  if (int(e)) fprintf(stderr, "error %d [%s, %d]: %s\n", int(e), file, line, ::pgcpu::host::error_text(int(e)));
  return e;
}

}  // namespace PGCPU_CUB
