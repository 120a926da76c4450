// Thrust's iterators. Included by thrust.h.
#pragma once

namespace thrust {

namespace detail {
// Random access from three things of `Self`: get(), step(n), distance(other).
template <class Self, class V, class R>
class facade {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = V;
  using difference_type = std::ptrdiff_t;
  using pointer = std::remove_reference_t<R>*;
  using reference = R;
  R operator*() const { return self().get(); }
  R operator[](difference_type n) const { return *(self() + n); }
  Self& operator++() { return self().step(1), self(); }
  Self& operator--() { return self().step(-1), self(); }
  Self operator++(int) { Self r = self(); self().step(1); return r; }
  Self operator--(int) { Self r = self(); self().step(-1); return r; }
  Self& operator+=(difference_type n) { return self().step(n), self(); }
  Self& operator-=(difference_type n) { return self().step(-n), self(); }
  Self operator+(difference_type n) const { Self r = self(); r.step(n); return r; }
  Self operator-(difference_type n) const { Self r = self(); r.step(-n); return r; }
  friend Self operator+(difference_type n, const Self& s) { return s + n; }
  difference_type operator-(const Self& o) const { return self().distance(o); }
  bool operator==(const Self& o) const { return self().distance(o) == 0; }
  bool operator!=(const Self& o) const { return self().distance(o) != 0; }
  bool operator<(const Self& o) const { return self().distance(o) < 0; }
  bool operator>(const Self& o) const { return self().distance(o) > 0; }
  bool operator<=(const Self& o) const { return self().distance(o) <= 0; }
  bool operator>=(const Self& o) const { return self().distance(o) >= 0; }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
};
}  // namespace detail

template <class T, class...>
class counting_iterator : public detail::facade<counting_iterator<T>, T, T> {
 public:
  counting_iterator() = default;
  explicit counting_iterator(T v) : v_(v) {}
  T get() const { return v_; }
  void step(std::ptrdiff_t n) { v_ = T(v_ + n); }
  std::ptrdiff_t distance(const counting_iterator& o) const { return std::ptrdiff_t(v_) - std::ptrdiff_t(o.v_); }

 private:
  T v_{};
};
template <class T>
counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }

template <class T, class...>
class constant_iterator : public detail::facade<constant_iterator<T>, T, T> {
 public:
  constant_iterator() = default;
  constant_iterator(T v, std::ptrdiff_t i = 0) : v_(v), i_(i) {}
  T get() const { return v_; }
  void step(std::ptrdiff_t n) { i_ += n; }
  std::ptrdiff_t distance(const constant_iterator& o) const { return i_ - o.i_; }

 private:
  T v_{};
  std::ptrdiff_t i_ = 0;
};
template <class T>
constant_iterator<T> make_constant_iterator(T v, std::ptrdiff_t i = 0) { return {v, i}; }

class discard_iterator {
  struct sink {
    template <class T>
    const sink& operator=(const T&) const { return *this; }
  };

 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = sink;
  discard_iterator(std::ptrdiff_t i = 0) : i_(i) {}
  sink operator*() const { return {}; }
  sink operator[](std::ptrdiff_t) const { return {}; }
  discard_iterator& operator++() { return ++i_, *this; }
  discard_iterator operator++(int) { return i_++; }
  discard_iterator operator+(std::ptrdiff_t n) const { return i_ + n; }
  discard_iterator& operator+=(std::ptrdiff_t n) { return i_ += n, *this; }
  std::ptrdiff_t operator-(const discard_iterator& o) const { return i_ - o.i_; }
  bool operator==(const discard_iterator& o) const { return i_ == o.i_; }
  bool operator!=(const discard_iterator& o) const { return i_ != o.i_; }

 private:
  std::ptrdiff_t i_;
};
inline discard_iterator make_discard_iterator(std::ptrdiff_t i = 0) { return i; }

template <class F, class It, class...>
class transform_iterator
    : public detail::facade<transform_iterator<F, It>,
                            std::decay_t<std::invoke_result_t<const F&, typename std::iterator_traits<It>::reference>>,
                            std::decay_t<std::invoke_result_t<const F&, typename std::iterator_traits<It>::reference>>> {
 public:
  transform_iterator() = default;
  transform_iterator(It i, F f) : i_(i), f_(f) {}
  explicit transform_iterator(It i) : i_(i), f_() {}
  auto get() const { return f_(*i_); }
  void step(std::ptrdiff_t n) { i_ += n; }
  std::ptrdiff_t distance(const transform_iterator& o) const { return i_ - o.i_; }
  It base() const { return i_; }
  // A functor with captures cannot be assigned; the iterator can.
  transform_iterator(const transform_iterator&) = default;
  transform_iterator& operator=(const transform_iterator& o) {
    if (this != &o) this->~transform_iterator(), new (this) transform_iterator(o);
    return *this;
  }

 private:
  It i_;
  F f_;
};
template <class F, class It>
transform_iterator<F, It> make_transform_iterator(It i, F f) { return {i, f}; }

template <class Values, class Indices>
class permutation_iterator
    : public detail::facade<permutation_iterator<Values, Indices>, typename std::iterator_traits<Values>::value_type,
                            typename std::iterator_traits<Values>::reference> {
 public:
  permutation_iterator() = default;
  permutation_iterator(Values v, Indices i) : v_(v), i_(i) {}
  typename std::iterator_traits<Values>::reference get() const { return v_[std::ptrdiff_t(*i_)]; }
  void step(std::ptrdiff_t n) { i_ += n; }
  std::ptrdiff_t distance(const permutation_iterator& o) const { return i_ - o.i_; }

 private:
  Values v_;
  Indices i_;
};
template <class V, class I>
permutation_iterator<V, I> make_permutation_iterator(V v, I i) { return {v, i}; }

template <class T>
class zip_iterator;
template <class... It>
class zip_iterator<std::tuple<It...>>
    : public detail::facade<zip_iterator<std::tuple<It...>>, std::tuple<typename std::iterator_traits<It>::value_type...>,
                            std::tuple<typename std::iterator_traits<It>::reference...>> {
 public:
  zip_iterator() = default;
  zip_iterator(std::tuple<It...> t) : t_(t) {}
  auto get() const {
    return std::apply([](const It&... i) { return std::tuple<typename std::iterator_traits<It>::reference...>(*i...); }, t_);
  }
  void step(std::ptrdiff_t n) {
    std::apply([n](It&... i) { ((i += n), ...); }, t_);
  }
  std::ptrdiff_t distance(const zip_iterator& o) const { return std::get<0>(t_) - std::get<0>(o.t_); }
  const std::tuple<It...>& get_iterator_tuple() const { return t_; }

 private:
  std::tuple<It...> t_;
};
template <class... It>
zip_iterator<std::tuple<It...>> make_zip_iterator(std::tuple<It...> t) { return t; }
template <class... It, class = std::enable_if_t<(sizeof...(It) > 1)>>
zip_iterator<std::tuple<It...>> make_zip_iterator(It... i) { return std::tuple<It...>(i...); }
template <class F>
struct zip_function {
  F f;
  zip_function(F g) : f(g) {}
  template <class T>
  decltype(auto) operator()(T&& t) const { return std::apply(f, std::forward<T>(t)); }
};
template <class F>
zip_function<F> make_zip_function(F f) { return f; }
template <class It>
using reverse_iterator = std::reverse_iterator<It>;
template <class It>
std::reverse_iterator<It> make_reverse_iterator(It i) { return std::reverse_iterator<It>(i); }
template <class It>
struct iterator_value { using type = typename std::iterator_traits<It>::value_type; };
template <class It>
struct iterator_difference { using type = std::ptrdiff_t; };
template <class It>
struct iterator_reference { using type = typename std::iterator_traits<It>::reference; };
template <class It>
using iterator_traits = std::iterator_traits<It>;
using std::advance;
using std::distance;
using std::next;
using std::prev;

}  // namespace thrust
