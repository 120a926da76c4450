// Thrust's function objects and placeholders. Included by thrust.h.
#pragma once

namespace thrust {

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

using std::max;
using std::min;

}  // namespace thrust
