// Thrust's algorithms: `impl` does the work in sequence; the functions above it choose where it runs.
#pragma once

namespace thrust {
namespace impl {

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

}  // namespace impl

namespace detail {
template <class T>
struct on_device : std::false_type {};
template <class T>
struct on_device<device_ptr<T>> : std::true_type {};
template <class F, class I>
struct on_device<transform_iterator<F, I>> : on_device<I> {};
template <class V, class I>
struct on_device<permutation_iterator<V, I>> : std::bool_constant<on_device<V>::value || on_device<I>::value> {};
template <class... I>
struct on_device<zip_iterator<std::tuple<I...>>> : std::bool_constant<(on_device<I>::value || ...)> {};
template <class I>
struct on_device<std::reverse_iterator<I>> : on_device<I> {};

template <class T>
inline constexpr bool is_policy = std::is_base_of_v<host_tag, std::decay_t<T>> ||
                                  std::is_base_of_v<device_tag, std::decay_t<T>>;

template <class F>
auto run(bool device, const void* stream, const char* name, F f) {
  using R = decltype(f());
  if (!device || ::pgcpu::in_kernel()) return f();
  if constexpr (std::is_void_v<R>) {
    ::pgcpu::run_single(stream, name, [&f] { f(); });
  } else {
    std::optional<R> out;
    ::pgcpu::run_single(stream, name, [&out, &f] { out.emplace(f()); });
    return R(std::move(*out));
  }
}
}  // namespace detail

#define PGCPU_THRUST(NAME)                                                                         \
  template <class First, class... A>                                                               \
  auto NAME(First&& first, A&&... a) {                                                             \
    if constexpr (detail::is_policy<First>)                                                        \
      return detail::run(std::decay_t<First>::on_device, first.stream(), "thrust::" #NAME,         \
                         [&] { return impl::NAME(a...); });                                        \
    else                                                                                           \
      return detail::run(detail::on_device<std::decay_t<First>>::value ||                          \
                             (detail::on_device<std::decay_t<A>>::value || ...),                   \
                         nullptr, "thrust::" #NAME, [&] { return impl::NAME(first, a...); });      \
  }
// clang-format off
PGCPU_THRUST(for_each) PGCPU_THRUST(for_each_n) PGCPU_THRUST(transform) PGCPU_THRUST(transform_if)
PGCPU_THRUST(reduce) PGCPU_THRUST(transform_reduce) PGCPU_THRUST(inner_product) PGCPU_THRUST(count)
PGCPU_THRUST(count_if) PGCPU_THRUST(inclusive_scan) PGCPU_THRUST(exclusive_scan)
PGCPU_THRUST(transform_inclusive_scan) PGCPU_THRUST(transform_exclusive_scan)
PGCPU_THRUST(inclusive_scan_by_key) PGCPU_THRUST(exclusive_scan_by_key) PGCPU_THRUST(sort)
PGCPU_THRUST(stable_sort) PGCPU_THRUST(sort_by_key) PGCPU_THRUST(stable_sort_by_key)
PGCPU_THRUST(is_sorted) PGCPU_THRUST(copy_if) PGCPU_THRUST(fill) PGCPU_THRUST(fill_n)
PGCPU_THRUST(uninitialized_fill) PGCPU_THRUST(generate) PGCPU_THRUST(generate_n)
PGCPU_THRUST(sequence) PGCPU_THRUST(tabulate) PGCPU_THRUST(unique) PGCPU_THRUST(unique_copy)
PGCPU_THRUST(unique_by_key) PGCPU_THRUST(unique_by_key_copy) PGCPU_THRUST(reduce_by_key)
PGCPU_THRUST(remove) PGCPU_THRUST(remove_if) PGCPU_THRUST(remove_copy_if) PGCPU_THRUST(replace)
PGCPU_THRUST(replace_if) PGCPU_THRUST(partition) PGCPU_THRUST(stable_partition)
PGCPU_THRUST(partition_copy) PGCPU_THRUST(gather) PGCPU_THRUST(gather_if) PGCPU_THRUST(scatter)
PGCPU_THRUST(scatter_if) PGCPU_THRUST(min_element) PGCPU_THRUST(max_element)
PGCPU_THRUST(minmax_element) PGCPU_THRUST(find) PGCPU_THRUST(find_if) PGCPU_THRUST(all_of)
PGCPU_THRUST(any_of) PGCPU_THRUST(none_of) PGCPU_THRUST(equal) PGCPU_THRUST(mismatch)
PGCPU_THRUST(lower_bound) PGCPU_THRUST(upper_bound) PGCPU_THRUST(binary_search) PGCPU_THRUST(merge)
PGCPU_THRUST(set_union) PGCPU_THRUST(set_intersection) PGCPU_THRUST(set_difference)
PGCPU_THRUST(set_symmetric_difference) PGCPU_THRUST(adjacent_difference) PGCPU_THRUST(reverse)
PGCPU_THRUST(reverse_copy) PGCPU_THRUST(swap_ranges)
// clang-format on
#undef PGCPU_THRUST

// Between host and device, so it is a copy of the runtime, not a kernel.
template <class I, class J, class O>
O copy(I a, J b, O out) {
  if constexpr (detail::on_device<O>::value && std::is_same_v<O, device_ptr<impl::value_of<O>>> &&
                std::is_trivially_copyable_v<impl::value_of<O>>) {
    if (!::pgcpu::in_kernel()) {
      std::vector<std::conditional_t<std::is_same_v<impl::value_of<O>, bool>, char, impl::value_of<O>>> v(a, b);
      ::pgcpu::host::copy(raw_pointer_cast(out), v.data(), v.size() * sizeof v[0], nullptr);
      return out + std::ptrdiff_t(v.size());
    }
  }
  return impl::copy(a, I(b), out);
}
template <class P, class I, class J, class O, class = std::enable_if_t<detail::is_policy<P>>>
O copy(const P& p, I a, J b, O out) {
  if constexpr (P::on_device && std::is_pointer_v<O>)
    return detail::run(true, p.stream(), "thrust::copy", [&] { return impl::copy(a, I(b), out); });
  else
    return thrust::copy(a, b, out);
}
template <class I, class N, class O, class = std::enable_if_t<!detail::is_policy<I>>>
O copy_n(I a, N n, O out) { return thrust::copy(a, a + std::ptrdiff_t(n), out); }
template <class P, class I, class N, class O, class = std::enable_if_t<detail::is_policy<P>>>
O copy_n(const P& p, I a, N n, O out) { return thrust::copy(p, a, a + std::ptrdiff_t(n), out); }
template <class I, class J, class O>
O uninitialized_copy(I a, J b, O out) { return thrust::copy(a, b, out); }

}  // namespace thrust
