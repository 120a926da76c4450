// Thrust's essentials: containers, iterators, functors, algorithms. Plain and sequential.
#pragma once
#include "single.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <initializer_list>
#include <iostream>  // programs lean on Thrust for it
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

}  // namespace thrust

#include "thrust_iterators.h"
#include "thrust_functors.h"
#include "thrust_vectors.h"
#include "thrust_random.h"
#include "thrust_algorithms.h"
