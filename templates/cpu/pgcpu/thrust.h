// Thrust's essentials: containers, iterators, functors, algorithms. Plain and sequential.
#pragma once
#include "single.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define THRUST_VERSION 200300
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 3
#define THRUST_SUBMINOR_VERSION 0

namespace thrust {

// ---- policies ----
struct host_tag {
  template <class A>
  host_tag operator()(const A&) const { return *this; }
  static constexpr bool on_device = false;
  const void* stream() const { return nullptr; }
};
struct device_tag {
  static constexpr bool on_device = true;
  const void* s = nullptr;
  template <class A>
  device_tag operator()(const A&) const { return *this; }
  device_tag on(const void* stream) const {
    device_tag t;
    t.s = stream;
    return t;
  }
  const void* stream() const { return s; }
};
using host_system_tag = host_tag;
using device_system_tag = device_tag;
static constexpr host_tag host{}, seq{};
static constexpr device_tag device{};
namespace cuda { static constexpr device_tag par{}, par_nosync{}; using tag = device_tag; }
namespace hip { static constexpr device_tag par{}, par_nosync{}; using tag = device_tag; }
namespace omp { static constexpr host_tag par{}; }

// ---- tuples and pairs ----
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::swap;
struct null_type {};

// ---- device pointers ----
template <class T>
class device_ptr {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = device_ptr;
  using reference = std::add_lvalue_reference_t<T>;
  device_ptr() = default;
  device_ptr(std::nullptr_t) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  explicit device_ptr(U* p) : p_(p) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  device_ptr(const device_ptr<U>& o) : p_(o.get()) {}
  T* get() const { return p_; }
  T* base() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  reference operator*() const { return *p_; }
  T* operator->() const { return p_; }
  template <class I>
  decltype(auto) operator[](I i) const { return p_[i]; }
  device_ptr& operator++() { return ++p_, *this; }
  device_ptr& operator--() { return --p_, *this; }
  device_ptr operator++(int) { device_ptr r = *this; ++p_; return r; }
  device_ptr operator--(int) { device_ptr r = *this; --p_; return r; }
  device_ptr& operator+=(difference_type n) { return p_ += n, *this; }
  device_ptr& operator-=(difference_type n) { return p_ -= n, *this; }
  device_ptr operator+(difference_type n) const { return device_ptr(p_ + n); }
  device_ptr operator-(difference_type n) const { return device_ptr(p_ - n); }
  friend device_ptr operator+(difference_type n, device_ptr p) { return p + n; }
  template <class U>
  difference_type operator-(const device_ptr<U>& o) const { return p_ - o.get(); }
#define PGCPU_COMPARE(OP) \
  template <class U>      \
  bool operator OP(const device_ptr<U>& o) const { return p_ OP o.get(); }
  PGCPU_COMPARE(==) PGCPU_COMPARE(!=) PGCPU_COMPARE(<) PGCPU_COMPARE(>) PGCPU_COMPARE(<=) PGCPU_COMPARE(>=)
#undef PGCPU_COMPARE

 private:
  T* p_ = nullptr;
};
template <class T>
using device_reference = T&;
template <class T>
device_ptr<T> device_pointer_cast(T* p) { return device_ptr<T>(p); }
template <class T>
T* raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T>
T* raw_pointer_cast(T* p) { return p; }
template <class T>
T& raw_reference_cast(T& r) { return r; }
template <class T>
device_ptr<T> device_malloc(size_t n) {
  void* p = nullptr;
  ::pgcpu::host::malloc_device(&p, n * sizeof(T));
  return device_ptr<T>(static_cast<T*>(p));
}
template <class T>
void device_free(device_ptr<T> p) { ::pgcpu::host::free_device(const_cast<std::remove_cv_t<T>*>(p.get())); }
template <class T>
device_ptr<T> device_new(size_t n = 1) {
  device_ptr<T> p = device_malloc<T>(n);
  for (size_t i = 0; i < n; ++i) new (p.get() + i) T();
  return p;
}
template <class T>
void device_delete(device_ptr<T> p, size_t = 1) { device_free(p); }

// ---- iterators ----
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

// ---- functors ----
#define PGCPU_BINARY(NAME, EXPRESSION)                                    \
  template <class T = void>                                               \
  struct NAME {                                                           \
    using first_argument_type = T;                                        \
    using second_argument_type = T;                                       \
    constexpr auto operator()(const T& a, const T& b) const { return EXPRESSION; } \
  };                                                                      \
  template <>                                                             \
  struct NAME<void> {                                                     \
    template <class A, class B>                                           \
    constexpr auto operator()(const A& a, const B& b) const { return EXPRESSION; } \
  };
PGCPU_BINARY(plus, a + b)
PGCPU_BINARY(minus, a - b)
PGCPU_BINARY(multiplies, a * b)
PGCPU_BINARY(divides, a / b)
PGCPU_BINARY(modulus, a % b)
PGCPU_BINARY(equal_to, a == b)
PGCPU_BINARY(not_equal_to, a != b)
PGCPU_BINARY(greater, b < a)
PGCPU_BINARY(less, a < b)
PGCPU_BINARY(greater_equal, !(a < b))
PGCPU_BINARY(less_equal, !(b < a))
PGCPU_BINARY(logical_and, a && b)
PGCPU_BINARY(logical_or, a || b)
PGCPU_BINARY(bit_and, a & b)
PGCPU_BINARY(bit_or, a | b)
PGCPU_BINARY(bit_xor, a ^ b)
PGCPU_BINARY(maximum, a < b ? b : a)
PGCPU_BINARY(minimum, b < a ? b : a)
PGCPU_BINARY(project1st, ((void)b, a))
PGCPU_BINARY(project2nd, ((void)a, b))
#undef PGCPU_BINARY
#define PGCPU_UNARY(NAME, EXPRESSION)                                  \
  template <class T = void>                                            \
  struct NAME {                                                        \
    using argument_type = T;                                           \
    constexpr auto operator()(const T& a) const { return EXPRESSION; } \
  };                                                                   \
  template <>                                                          \
  struct NAME<void> {                                                  \
    template <class A>                                                 \
    constexpr auto operator()(const A& a) const { return EXPRESSION; } \
  };
PGCPU_UNARY(negate, -a)
PGCPU_UNARY(logical_not, !a)
PGCPU_UNARY(square, a * a)
PGCPU_UNARY(identity, a)
#undef PGCPU_UNARY
template <class A, class R>
struct unary_function { using argument_type = A; using result_type = R; };
template <class A, class B, class R>
struct binary_function { using first_argument_type = A; using second_argument_type = B; using result_type = R; };
template <class P>
struct unary_negate {
  P p;
  template <class T>
  bool operator()(const T& v) const { return !p(v); }
};
template <class P>
unary_negate<P> not1(P p) { return {p}; }

// Placeholders: _1 * 2 + _2
namespace placeholders {
template <class F>
struct expression {
  F f;
  template <class... A>
  constexpr auto operator()(const A&... a) const { return f(a...); }
};
template <class F>
constexpr expression<F> make(F f) { return {f}; }
template <class T>
struct is_expression : std::false_type {};
template <class F>
struct is_expression<expression<F>> : std::true_type {};
template <class T, class... A>
constexpr auto value(const T& t, const A&... a) {
  if constexpr (is_expression<T>::value) return t(a...);
  else return t;
}
struct first_argument {
  template <class A, class... R>
  constexpr A operator()(const A& a, const R&...) const { return a; }
};
struct second_argument {
  template <class A, class B, class... R>
  constexpr B operator()(const A&, const B& b, const R&...) const { return b; }
};
static constexpr expression<first_argument> _1{};
static constexpr expression<second_argument> _2{};
#define PGCPU_PLACEHOLDER(OP)                                                                     \
  template <class A, class B, class = std::enable_if_t<is_expression<A>::value || is_expression<B>::value>> \
  constexpr auto operator OP(const A& x, const B& y) {                                            \
    return make([x, y](const auto&... a) { return value(x, a...) OP value(y, a...); });           \
  }
PGCPU_PLACEHOLDER(+) PGCPU_PLACEHOLDER(-) PGCPU_PLACEHOLDER(*) PGCPU_PLACEHOLDER(/) PGCPU_PLACEHOLDER(%)
PGCPU_PLACEHOLDER(==) PGCPU_PLACEHOLDER(!=) PGCPU_PLACEHOLDER(<) PGCPU_PLACEHOLDER(>) PGCPU_PLACEHOLDER(<=)
PGCPU_PLACEHOLDER(>=) PGCPU_PLACEHOLDER(&&) PGCPU_PLACEHOLDER(||) PGCPU_PLACEHOLDER(&) PGCPU_PLACEHOLDER(|)
#undef PGCPU_PLACEHOLDER
}  // namespace placeholders

// ---- vectors ----
template <class T>
class device_allocator {
 public:
  using value_type = T;
};
namespace detail {
template <class T, bool Device>
struct store {
  static T* get(size_t n) {
    void* p = nullptr;
    if (n && (Device ? ::pgcpu::host::malloc_device(&p, n * sizeof(T)) != 0
                     : !(p = ::operator new(n * sizeof(T), std::align_val_t(256)))))
      throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  static void put(T* p) {
    if (!p) return;
    if (Device) ::pgcpu::host::free_device(p);
    else ::operator delete(p, std::align_val_t(256));
  }
};
template <class I>
using if_iterator = std::void_t<typename std::iterator_traits<I>::iterator_category>;
}  // namespace detail

template <class T, bool Device>
class vector_base {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = std::conditional_t<Device, device_ptr<T>, T*>;
  using const_pointer = std::conditional_t<Device, device_ptr<const T>, const T*>;
  using iterator = pointer;
  using const_iterator = const_pointer;
  using reverse_iterator = std::reverse_iterator<iterator>;

  vector_base() = default;
  explicit vector_base(size_t n) { resize(n); }
  vector_base(size_t n, const T& v) { resize(n, v); }
  template <class I, class = detail::if_iterator<I>>
  vector_base(I a, I b) { assign(a, b); }
  vector_base(std::initializer_list<T> l) { assign(l.begin(), l.end()); }
  vector_base(const vector_base& o) { assign(o.p_, o.p_ + o.n_); }
  vector_base(vector_base&& o) noexcept { swap(o); }
  template <class U, bool D>
  vector_base(const vector_base<U, D>& o) { assign(o.begin(), o.end()); }
  template <class U, class A>
  vector_base(const std::vector<U, A>& o) { assign(o.begin(), o.end()); }
  ~vector_base() { clear(), detail::store<T, Device>::put(p_); }
  vector_base& operator=(const vector_base& o) {
    if (this != &o) assign(o.p_, o.p_ + o.n_);
    return *this;
  }
  vector_base& operator=(vector_base&& o) noexcept { return swap(o), *this; }
  template <class U, bool D>
  vector_base& operator=(const vector_base<U, D>& o) { return assign(o.begin(), o.end()), *this; }
  template <class U, class A>
  vector_base& operator=(const std::vector<U, A>& o) { return assign(o.begin(), o.end()), *this; }

  size_t size() const { return n_; }
  size_t capacity() const { return room_; }
  size_t max_size() const { return size_t(-1) / sizeof(T); }
  bool empty() const { return !n_; }
  iterator begin() { return iterator(p_); }
  iterator end() { return iterator(p_ + n_); }
  const_iterator begin() const { return const_iterator(p_); }
  const_iterator end() const { return const_iterator(p_ + n_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  pointer data() { return pointer(p_); }
  const_pointer data() const { return const_pointer(p_); }
  T& operator[](size_t i) { return p_[i]; }
  const T& operator[](size_t i) const { return p_[i]; }
  T& front() { return p_[0]; }
  T& back() { return p_[n_ - 1]; }
  const T& front() const { return p_[0]; }
  const T& back() const { return p_[n_ - 1]; }

  void reserve(size_t n) {
    if (n <= room_) return;
    T* p = detail::store<T, Device>::get(n);
    for (size_t i = 0; i < n_; ++i) new (p + i) T(std::move(p_[i])), p_[i].~T();
    detail::store<T, Device>::put(p_);
    p_ = p, room_ = n;
  }
  void resize(size_t n) { resize(n, T()); }
  void resize(size_t n, const T& v) {
    reserve(n);
    for (; n_ < n; ++n_) new (p_ + n_) T(v);
    for (; n_ > n; --n_) p_[n_ - 1].~T();
  }
  void shrink_to_fit() {}
  void clear() { resize_down(0); }
  void push_back(const T& v) {
    const T copy = v;
    if (n_ == room_) reserve(n_ ? 2 * n_ : 8);
    new (p_ + n_++) T(copy);
  }
  template <class... A>
  void emplace_back(A&&... a) { push_back(T(std::forward<A>(a)...)); }
  void pop_back() { resize_down(n_ - 1); }
  template <class I, class = detail::if_iterator<I>>
  void assign(I a, I b) {
    std::vector<T> copy(a, b);
    clear();
    reserve(copy.size());
    for (const auto& v : copy) new (p_ + n_++) T(v);
  }
  void assign(size_t n, const T& v) { clear(), resize(n, v); }
  iterator insert(iterator at, const T& v) { return insert(at, &v, &v + 1); }
  template <class I, class = detail::if_iterator<I>>
  iterator insert(iterator at, I a, I b) {
    const size_t i = size_t(at - begin());
    std::vector<T> all(p_, p_ + n_);
    all.insert(all.begin() + std::ptrdiff_t(i), a, b);
    assign(all.begin(), all.end());
    return begin() + std::ptrdiff_t(i);
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  iterator erase(iterator a, iterator b) {
    const size_t i = size_t(a - begin()), j = size_t(b - begin());
    for (size_t k = j; k < n_; ++k) p_[i + k - j] = std::move(p_[k]);
    resize_down(n_ - (j - i));
    return begin() + std::ptrdiff_t(i);
  }
  void swap(vector_base& o) noexcept { std::swap(p_, o.p_), std::swap(n_, o.n_), std::swap(room_, o.room_); }
  template <bool D>
  bool operator==(const vector_base<T, D>& o) const {
    return n_ == o.size() && std::equal(begin(), end(), o.begin());
  }
  template <bool D>
  bool operator!=(const vector_base<T, D>& o) const { return !(*this == o); }

 private:
  void resize_down(size_t n) {
    for (; n_ > n; --n_) p_[n_ - 1].~T();
  }
  T* p_ = nullptr;
  size_t n_ = 0, room_ = 0;
};
template <class T, class A = void>
class device_vector : public vector_base<T, true> {
 public:
  using vector_base<T, true>::vector_base;
  using vector_base<T, true>::operator=;
  device_vector() = default;
  device_vector(const vector_base<T, false>& o) : vector_base<T, true>(o.begin(), o.end()) {}
};
template <class T, class A = void>
class host_vector : public vector_base<T, false> {
 public:
  using vector_base<T, false>::vector_base;
  using vector_base<T, false>::operator=;
  host_vector() = default;
  host_vector(const vector_base<T, true>& o) : vector_base<T, false>(o.begin(), o.end()) {}
};
template <class T>
using universal_vector = device_vector<T>;
template <class T>
using universal_host_pinned_vector = host_vector<T>;

// ---- random ----
namespace random {
using minstd_rand = std::minstd_rand;
using minstd_rand0 = std::minstd_rand0;
using default_random_engine = std::minstd_rand;
using ranlux24 = std::ranlux24;
using ranlux48 = std::ranlux48;
using taus88 = std::mt19937;
template <class R = double>
class uniform_real_distribution {
 public:
  explicit uniform_real_distribution(R a = 0, R b = 1) : a_(a), b_(b) {}
  template <class G>
  R operator()(G& g) const {
    const R r = R(g() - G::min()) / (R(1) + R(G::max() - G::min()));
    return r * (b_ - a_) + a_;
  }

 private:
  R a_, b_;
};
template <class I = int>
class uniform_int_distribution {
 public:
  explicit uniform_int_distribution(I a = 0, I b = std::numeric_limits<I>::max()) : a_(a), b_(b) {}
  template <class G>
  I operator()(G& g) const {
    return I(uniform_real_distribution<double>(double(a_), double(b_) + 1)(g));
  }

 private:
  I a_, b_;
};
template <class R = double>
using normal_distribution = std::normal_distribution<R>;
}  // namespace random
using namespace random;

// ---- complex ----
template <class T>
using complex = std::complex<T>;
using std::abs;
using std::arg;
using std::conj;
using std::exp;
using std::log;
using std::norm;
using std::polar;
using std::pow;
using std::sqrt;

}  // namespace thrust

#include "thrust_algorithms.h"
