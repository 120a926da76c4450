// Thrust's sorting, searching and sets, in sequence. Included by thrust_algorithms.h.
#pragma once

namespace thrust::impl {

// All sorts are stable, and work on copies: iterators may give values or tuples of references.
template <class I, class C>
void stable_sort(I a, I b, C c) {
  std::vector<value_of<I>> v(a, b);
  std::stable_sort(v.begin(), v.end(), c);
  for (const auto& x : v) *a = x, ++a;
}
template <class I>
void stable_sort(I a, I b) { stable_sort(a, b, less<>()); }
template <class I, class C>
void sort(I a, I b, C c) { stable_sort(a, b, c); }
template <class I>
void sort(I a, I b) { stable_sort(a, b, less<>()); }
template <class K, class V, class C>
void stable_sort_by_key(K a, K b, V v, C c) {
  std::vector<std::pair<value_of<K>, value_of<V>>> all;
  V w = v;
  for (K k = a; k != b; ++k, ++w) all.emplace_back(*k, *w);
  std::stable_sort(all.begin(), all.end(), [&c](const auto& x, const auto& y) { return c(x.first, y.first); });
  for (const auto& x : all) *a = x.first, *v = x.second, ++a, ++v;
}
template <class K, class V>
void stable_sort_by_key(K a, K b, V v) { stable_sort_by_key(a, b, v, less<>()); }
template <class K, class V, class C>
void sort_by_key(K a, K b, V v, C c) { stable_sort_by_key(a, b, v, c); }
template <class K, class V>
void sort_by_key(K a, K b, V v) { stable_sort_by_key(a, b, v, less<>()); }
template <class I, class C = less<>>
bool is_sorted(I a, I b, C c = {}) {
  if (a == b) return true;
  for (I n = a + 1; n != b; ++a, ++n)
    if (c(*n, *a)) return false;
  return true;
}
template <class I, class C = less<>>
I min_element(I a, I b, C c = {}) {
  I best = a;
  for (; a != b; ++a)
    if (c(*a, *best)) best = a;
  return best;
}
template <class I, class C = less<>>
I max_element(I a, I b, C c = {}) {
  I best = a;
  for (; a != b; ++a)
    if (c(*best, *a)) best = a;
  return best;
}
template <class I, class C = less<>>
std::pair<I, I> minmax_element(I a, I b, C c = {}) { return {min_element(a, b, c), max_element(a, b, c)}; }
template <class I, class P>
I find_if(I a, I b, P p) {
  while (a != b && !p(*a)) ++a;
  return a;
}
template <class I, class T>
I find(I a, I b, const T& v) {
  return find_if(a, b, [&v](const auto& x) { return x == v; });
}
template <class I, class P>
bool all_of(I a, I b, P p) {
  return find_if(a, b, [&p](const auto& x) { return !p(x); }) == b;
}
template <class I, class P>
bool any_of(I a, I b, P p) { return find_if(a, b, p) != b; }
template <class I, class P>
bool none_of(I a, I b, P p) { return !any_of(a, b, p); }
template <class I, class J, class E = equal_to<>>
bool equal(I a, I b, J c, E same = {}) {
  for (; a != b; ++a, ++c)
    if (!same(*a, *c)) return false;
  return true;
}
template <class I, class J>
std::pair<I, J> mismatch(I a, I b, J c) {
  while (a != b && *a == *c) ++a, ++c;
  return {a, c};
}
template <class I, class T, class C = less<>>
I lower_bound(I a, I b, const T& v, C c = {}) { return std::lower_bound(a, b, v, c); }
template <class I, class T, class C = less<>>
I upper_bound(I a, I b, const T& v, C c = {}) { return std::upper_bound(a, b, v, c); }
template <class I, class T, class C = less<>>
bool binary_search(I a, I b, const T& v, C c = {}) { return std::binary_search(a, b, v, c); }
// Many values at once: positions of [x, y) in the sorted [a, b).
template <class I, class J, class O, class = std::void_t<value_of<J>>>
O lower_bound(I a, I b, J x, J y, O out) {
  for (; x != y; ++x, ++out) *out = value_of<O>(std::lower_bound(a, b, value_of<J>(*x)) - a);
  return out;
}
template <class I, class J, class O, class = std::void_t<value_of<J>>>
O upper_bound(I a, I b, J x, J y, O out) {
  for (; x != y; ++x, ++out) *out = value_of<O>(std::upper_bound(a, b, value_of<J>(*x)) - a);
  return out;
}
template <class I, class J, class O, class = std::void_t<value_of<J>>>
O binary_search(I a, I b, J x, J y, O out) {
  for (; x != y; ++x, ++out) *out = std::binary_search(a, b, value_of<J>(*x));
  return out;
}
#define PGCPU_SET(NAME)                                           \
  template <class I, class J, class O, class C = less<>>          \
  O NAME(I a, I b, J c, J d, O out, C less_ = {}) {               \
    std::vector<value_of<I>> x(a, b), y(c, d), r;                 \
    std::NAME(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(r), less_); \
    return copy(r.begin(), r.end(), out);                         \
  }
PGCPU_SET(merge)
PGCPU_SET(set_union)
PGCPU_SET(set_intersection)
PGCPU_SET(set_difference)
PGCPU_SET(set_symmetric_difference)
#undef PGCPU_SET

}  // namespace thrust::impl
