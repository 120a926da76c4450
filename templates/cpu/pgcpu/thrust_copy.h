// Thrust's copies, fills, selections, partitions and gathers, in sequence. Included by thrust_algorithms.h.
#pragma once

namespace thrust::impl {

template <class I, class O>
O copy(I a, I b, O out) {
  for (; a != b; ++a, ++out) *out = *a;
  return out;
}
template <class I, class N, class O>
O copy_n(I a, N n, O out) { return copy(a, a + std::ptrdiff_t(n), out); }
template <class I, class S, class O, class P>
O copy_if(I a, I b, S s, O out, P p) {
  for (; a != b; ++a, ++s)
    if (p(*s)) *out = *a, ++out;
  return out;
}
template <class I, class O, class P>
O copy_if(I a, I b, O out, P p) { return copy_if(a, b, a, out, p); }
template <class I, class T>
void fill(I a, I b, const T& v) {
  for (; a != b; ++a) *a = v;
}
template <class I, class N, class T>
I fill_n(I a, N n, const T& v) {
  fill(a, a + std::ptrdiff_t(n), v);
  return a + std::ptrdiff_t(n);
}
template <class I, class T>
void uninitialized_fill(I a, I b, const T& v) { fill(a, b, v); }
template <class I, class O>
O uninitialized_copy(I a, I b, O out) { return copy(a, b, out); }
template <class I, class G>
void generate(I a, I b, G g) {
  for (; a != b; ++a) *a = g();
}
template <class I, class N, class G>
I generate_n(I a, N n, G g) {
  generate(a, a + std::ptrdiff_t(n), g);
  return a + std::ptrdiff_t(n);
}
template <class I, class T>
void sequence(I a, I b, T v, T step) {
  for (; a != b; ++a, v = T(v + step)) *a = value_of<I>(v);
}
template <class I, class T>
void sequence(I a, I b, T v) { sequence(a, b, v, T(1)); }
template <class I>
void sequence(I a, I b) { sequence(a, b, value_of<I>(0)); }
template <class I, class F>
void tabulate(I a, I b, F f) {
  for (std::ptrdiff_t i = 0; a != b; ++a, ++i) *a = f(i);
}

template <class I, class O, class E = equal_to<>>
O unique_copy(I a, I b, O out, E same = {}) {
  if (a == b) return out;
  value_of<I> last = *a;
  *out = last;
  for (++a, ++out; a != b; ++a) {
    const value_of<I> v = *a;
    if (!same(last, v)) *out = v, ++out;
    last = v;
  }
  return out;
}
template <class I, class E = equal_to<>>
I unique(I a, I b, E same = {}) { return unique_copy(a, b, a, same); }
template <class K, class V, class KO, class VO, class E = equal_to<>>
std::pair<KO, VO> unique_by_key_copy(K a, K b, V v, KO k, VO w, E same = {}) {
  if (a == b) return {k, w};
  value_of<K> last = *a;
  *k = last, *w = *v;
  for (++a, ++v, ++k, ++w; a != b; ++a, ++v) {
    const value_of<K> x = *a;
    if (!same(last, x)) *k = x, *w = *v, ++k, ++w;
    last = x;
  }
  return {k, w};
}
template <class K, class V, class E = equal_to<>>
std::pair<K, V> unique_by_key(K a, K b, V v, E same = {}) { return unique_by_key_copy(a, b, v, a, v, same); }
template <class K, class V, class KO, class VO, class E = equal_to<>, class F = plus<>>
std::pair<KO, VO> reduce_by_key(K a, K b, V v, KO k, VO w, E same = {}, F f = {}) {
  while (a != b) {
    const value_of<K> key = *a;
    value_of<V> sum = *v;
    for (++a, ++v; a != b && same(key, *a); ++a, ++v) sum = f(sum, *v);
    *k = key, *w = sum;
    ++k, ++w;
  }
  return {k, w};
}
template <class I, class S, class O, class P>
O remove_copy_if(I a, I b, S s, O out, P p) {
  for (; a != b; ++a, ++s)
    if (!p(*s)) *out = value_of<I>(*a), ++out;
  return out;
}
template <class I, class O, class P>
O remove_copy_if(I a, I b, O out, P p) { return remove_copy_if(a, b, a, out, p); }
template <class I, class P>
I remove_if(I a, I b, P p) { return remove_copy_if(a, b, a, a, p); }
template <class I, class S, class P>
I remove_if(I a, I b, S s, P p) { return remove_copy_if(a, b, s, a, p); }
template <class I, class T>
I remove(I a, I b, const T& v) {
  return remove_if(a, b, [&v](const auto& x) { return x == v; });
}
template <class I, class P, class T>
void replace_if(I a, I b, P p, const T& v) {
  for (; a != b; ++a)
    if (p(*a)) *a = v;
}
template <class I, class S, class P, class T>
void replace_if(I a, I b, S s, P p, const T& v) {
  for (; a != b; ++a, ++s)
    if (p(*s)) *a = v;
}
template <class I, class T>
void replace(I a, I b, const T& old, const T& v) {
  replace_if(a, b, [&old](const auto& x) { return x == old; }, v);
}
template <class I, class S, class P>
I stable_partition(I a, I b, S s, P p) {
  std::vector<value_of<I>> yes, no;
  for (I i = a; i != b; ++i, ++s) (p(*s) ? yes : no).push_back(*i);
  for (const auto& x : yes) *a = x, ++a;
  I middle = a;
  for (const auto& x : no) *a = x, ++a;
  return middle;
}
template <class I, class P>
I stable_partition(I a, I b, P p) { return stable_partition(a, b, a, p); }
template <class I, class P>
I partition(I a, I b, P p) { return stable_partition(a, b, a, p); }
template <class I, class S, class P>
I partition(I a, I b, S s, P p) { return stable_partition(a, b, s, p); }
template <class I, class O, class Q, class P>
std::pair<O, Q> partition_copy(I a, I b, O yes, Q no, P p) {
  for (; a != b; ++a) {
    if (p(*a)) *yes = *a, ++yes;
    else *no = *a, ++no;
  }
  return {yes, no};
}
template <class M, class I, class O>
O gather(M a, M b, I in, O out) {
  for (; a != b; ++a, ++out) *out = in[std::ptrdiff_t(*a)];
  return out;
}
template <class I, class M, class O>
void scatter(I a, I b, M m, O out) {
  for (; a != b; ++a, ++m) out[std::ptrdiff_t(*m)] = *a;
}
template <class I, class M, class S, class O, class P = identity<>>
void scatter_if(I a, I b, M m, S s, O out, P p = {}) {
  for (; a != b; ++a, ++m, ++s)
    if (p(*s)) out[std::ptrdiff_t(*m)] = *a;
}
template <class M, class S, class I, class O, class P = identity<>>
O gather_if(M a, M b, S s, I in, O out, P p = {}) {
  for (; a != b; ++a, ++s, ++out)
    if (p(*s)) *out = in[std::ptrdiff_t(*a)];
  return out;
}
template <class I, class O, class F = minus<>>
O adjacent_difference(I a, I b, O out, F f = {}) {
  if (a == b) return out;
  value_of<I> last = *a;
  *out = last;
  for (++a, ++out; a != b; ++a, ++out) {
    const value_of<I> v = *a;
    *out = f(v, last);
    last = v;
  }
  return out;
}
template <class I>
void reverse(I a, I b) {
  std::vector<value_of<I>> v(a, b);
  for (auto i = v.rbegin(); i != v.rend(); ++i, ++a) *a = *i;
}
template <class I, class O>
O reverse_copy(I a, I b, O out) {
  while (b != a) *out = *--b, ++out;
  return out;
}
template <class I, class J>
J swap_ranges(I a, I b, J c) {
  for (; a != b; ++a, ++c) {
    const value_of<I> v = *a;
    *a = *c, *c = v;
  }
  return c;
}

}  // namespace thrust::impl
