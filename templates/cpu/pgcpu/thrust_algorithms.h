// Thrust's algorithms: `impl` does the work in sequence; the functions here choose where it runs.
#pragma once

#include "thrust_scan.h"
#include "thrust_copy.h"
#include "thrust_sort.h"

namespace thrust {

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
