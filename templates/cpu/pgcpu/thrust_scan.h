// Thrust's transforms, reductions and scans, in sequence. Included by thrust_algorithms.h.
#pragma once

namespace thrust::impl {

template <class I>
using value_of = typename std::iterator_traits<I>::value_type;
template <class I, class F>
I for_each(I a, I b, F f) {
  for (; a != b; ++a) f(*a);
  return a;
}
template <class I, class N, class F>
I for_each_n(I a, N n, F f) { return for_each(a, a + std::ptrdiff_t(n), f); }
template <class I, class O, class F>
O transform(I a, I b, O out, F f) {
  for (; a != b; ++a, ++out) *out = f(*a);
  return out;
}
template <class I, class J, class O, class F>
O transform(I a, I b, J c, O out, F f) {
  for (; a != b; ++a, ++c, ++out) *out = f(*a, *c);
  return out;
}
template <class I, class O, class F, class P>
O transform_if(I a, I b, O out, F f, P p) {
  for (; a != b; ++a, ++out)
    if (p(*a)) *out = f(*a);
  return out;
}
template <class I, class S, class O, class F, class P>
O transform_if(I a, I b, S s, O out, F f, P p) {
  for (; a != b; ++a, ++s, ++out)
    if (p(*s)) *out = f(*a);
  return out;
}
template <class I, class T, class F>
T reduce(I a, I b, T v, F f) {
  for (; a != b; ++a) v = f(v, *a);
  return v;
}
template <class I, class T>
T reduce(I a, I b, T v) { return reduce(a, b, v, plus<>()); }
template <class I>
value_of<I> reduce(I a, I b) { return reduce(a, b, value_of<I>()); }
template <class I, class U, class T, class F>
T transform_reduce(I a, I b, U u, T v, F f) {
  for (; a != b; ++a) v = f(v, u(*a));
  return v;
}
template <class I, class J, class T, class F, class G>
T inner_product(I a, I b, J c, T v, F f, G g) {
  for (; a != b; ++a, ++c) v = f(v, g(*a, *c));
  return v;
}
template <class I, class J, class T>
T inner_product(I a, I b, J c, T v) { return inner_product(a, b, c, v, plus<>(), multiplies<>()); }
template <class I, class P>
std::ptrdiff_t count_if(I a, I b, P p) {
  std::ptrdiff_t n = 0;
  for (; a != b; ++a) n += p(*a) ? 1 : 0;
  return n;
}
template <class I, class T>
std::ptrdiff_t count(I a, I b, const T& v) {
  return count_if(a, b, [&v](const auto& x) { return x == v; });
}

template <class I, class O, class F>
O inclusive_scan(I a, I b, O out, F f) {
  if (a == b) return out;
  value_of<I> v = *a;
  *out = v;
  for (++a, ++out; a != b; ++a, ++out) *out = v = f(v, *a);
  return out;
}
template <class I, class O>
O inclusive_scan(I a, I b, O out) { return inclusive_scan(a, b, out, plus<>()); }
template <class I, class O, class T, class F>
O exclusive_scan(I a, I b, O out, T v, F f) {
  for (; a != b; ++a, ++out) {
    const value_of<I> x = *a;
    *out = v;
    v = f(v, x);
  }
  return out;
}
template <class I, class O, class T>
O exclusive_scan(I a, I b, O out, T v) { return exclusive_scan(a, b, out, v, plus<>()); }
template <class I, class O>
O exclusive_scan(I a, I b, O out) { return exclusive_scan(a, b, out, value_of<I>()); }
template <class I, class O, class U, class F>
O transform_inclusive_scan(I a, I b, O out, U u, F f) {
  return inclusive_scan(transform_iterator<U, I>(a, u), transform_iterator<U, I>(b, u), out, f);
}
template <class I, class O, class U, class T, class F>
O transform_exclusive_scan(I a, I b, O out, U u, T v, F f) {
  return exclusive_scan(transform_iterator<U, I>(a, u), transform_iterator<U, I>(b, u), out, v, f);
}
template <class K, class V, class O, class E = equal_to<>, class F = plus<>>
O inclusive_scan_by_key(K a, K b, V v, O out, E same = {}, F f = {}) {
  if (a == b) return out;
  value_of<K> key = *a;
  value_of<V> sum = *v;
  *out = sum;
  for (++a, ++v, ++out; a != b; ++a, ++v, ++out) {
    sum = same(key, *a) ? value_of<V>(f(sum, *v)) : value_of<V>(*v);
    key = *a;
    *out = sum;
  }
  return out;
}
template <class K, class V, class O, class T, class E = equal_to<>, class F = plus<>>
O exclusive_scan_by_key(K a, K b, V v, O out, T first, E same = {}, F f = {}) {
  if (a == b) return out;
  value_of<K> key = *a;
  T sum = first;
  for (; a != b; ++a, ++v, ++out) {
    if (!same(key, *a)) sum = first;
    key = *a;
    const value_of<V> x = *v;
    *out = sum;
    sum = f(sum, x);
  }
  return out;
}
template <class K, class V, class O>
O exclusive_scan_by_key(K a, K b, V v, O out) { return exclusive_scan_by_key(a, b, v, out, value_of<V>()); }

}  // namespace thrust::impl
