// Thrust's vectors of the device and the host. Included by thrust.h.
#pragma once

namespace thrust {

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

}  // namespace thrust
