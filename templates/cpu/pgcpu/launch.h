// Launching a kernel: PGCPU_LAUNCH((k), grid, block, shared, stream)(args...)
#pragma once
#include "shared.h"

#include <tuple>
#include <utility>

struct pgcpu_stream;

namespace pgcpu {

struct config {
  dim3 grid, block;
  size_t shared;
  pgcpu_stream* stream;
  bool cooperative = false;
  const char* kernel = "kernel";
  site at{};
  size_t argument_bytes = 0;

  config(dim3 g, dim3 b, size_t s = 0, const volatile void* st = nullptr)
      : grid(g), block(b), shared(s),
        stream(static_cast<pgcpu_stream*>(const_cast<void*>(st))) {}
  config& named(const char* k, bool coop, site where) {
    kernel = k;
    cooperative = coop;
    at = where;
    return *this;
  }
};

namespace detail {
// Runs `invoke(data)` once a thread of the grid. 0, or a status of the runtime API.
int launch(const config& c, void (*invoke)(void*), void* data, const void* function);
// Keeps a kernel whose stream is being captured; `drop` frees the copy of its arguments.
bool capturing(pgcpu_stream* s);
int capture(const config& c, void (*invoke)(void*), void* data, void (*drop)(void*),
            const void* function);

template <class Call>
int submit(config c, Call call, const void* function) {
  c.argument_bytes = sizeof call;
  auto invoke = [](void* p) { (*static_cast<Call*>(p))(); };
  if (capturing(c.stream))
    return capture(c, invoke, new Call(std::move(call)),
                   [](void* p) { delete static_cast<Call*>(p); }, function);
  return launch(c, invoke, &call, function);
}

// Parameters of a kernel are copied to the device as bits: neither copy constructors nor destructors run
// for its threads. Such types are passed by address (Itanium C++ ABI), so a thread gets a copy of the bits.
template <class T>
inline constexpr bool by_address = std::is_class_v<T> &&
                                   !(std::is_trivially_copy_constructible_v<T> &&
                                     std::is_trivially_destructible_v<T>);
template <class T>
using passed = std::conditional_t<by_address<T>, T&, T>;
template <class T>
struct bits_of {
  alignas(T) unsigned char raw[sizeof(T)];
  explicit bits_of(const T& v) { memcpy(raw, reinterpret_cast<const void*>(&v), sizeof(T)); }
  operator T&() { return *reinterpret_cast<T*>(raw); }
};
template <class T>
using argument = std::conditional_t<by_address<T>, bits_of<T>, const T&>;
template <class... P, size_t... I>
void call_kernel(void (*k)(P...), const std::tuple<std::decay_t<P>...>& t, std::index_sequence<I...>) {
  if constexpr ((by_address<P> || ...))
    reinterpret_cast<void (*)(passed<P>...)>(k)(argument<P>(std::get<I>(t))...);
  else
    std::apply(k, t);
}

// A kernel that is one function: arguments convert to its parameter types at the launch.
template <class... P>
struct exact {
  config c;
  void (*kernel)(P...);

  template <class... A>
  int run(A&&... a) const {
    std::tuple<std::decay_t<P>...> args(std::forward<A>(a)...);
    auto* k = kernel;
    return submit(
        c, [k, args]() { call_kernel(k, args, std::index_sequence_for<P...>{}); },
        reinterpret_cast<const void*>(k));
  }
};

struct binder {
  template <class... P>
  std::tuple<P...>* operator()(void (*)(P...)) const;
};

template <class Fn, class List>
struct bound;
// `Fn` calls the kernel by name, which keeps template argument deduction and default arguments.
template <class Fn, class... P>
struct bound<Fn, std::tuple<P...>*> : exact<P...> {
  Fn by_name;
  int operator()(P... p) const { return this->run(static_cast<P&&>(p)...); }
  template <class... A, class = std::enable_if_t<(sizeof...(A) < sizeof...(P))>>
  int operator()(A... a) const {
    auto fn = by_name;
    return submit(this->c, [fn, a...]() { fn(a...); }, reinterpret_cast<const void*>(this->kernel));
  }
};

template <class Fn>
struct by_name {
  config c;
  Fn fn;
  template <class... A>
  int operator()(A... a) const {
    auto f = fn;
    return submit(c, [f, a...]() { f(a...); }, nullptr);
  }
};

// Of several functions of one name, the kernel: what a host function returns is no void.
struct make_exact {
  const config& c;
  template <class... P>
  exact<P...> operator()(void (*k)(P...)) const {
    return {c, k};
  }
};

// `pick` hands the kernel to its argument if its name stands for one function.
template <class Pick, class Fn>
auto make_launcher(const config& c, Pick pick, Fn fn) {
  if constexpr (std::is_invocable_v<Pick, binder>) {
    using List = decltype(pick(binder{}));
    auto e = pick(make_exact{c});
    return bound<Fn, List>{{e.c, e.kernel}, fn};
  } else {
    return by_name<Fn>{c, fn};
  }
}
}  // namespace detail
}  // namespace pgcpu

#define PGCPU_LAUNCH_AS(COOP, K, ...)                                                            \
  ::pgcpu::detail::make_launcher(                                                                \
      ::pgcpu::config(__VA_ARGS__).named(#K, COOP, ::pgcpu::site{__FILE__, __LINE__}),           \
      [=](auto pgcpu_use) -> decltype(pgcpu_use(K)) { return pgcpu_use(K); },                    \
      [=](auto... pgcpu_a) { (PGCPU_BARE(K))(pgcpu_a...); })
#define PGCPU_LAUNCH(K, ...) PGCPU_LAUNCH_AS(false, K, __VA_ARGS__)
#define PGCPU_LAUNCH_COOPERATIVE(K, ...) PGCPU_LAUNCH_AS(true, K, __VA_ARGS__)
