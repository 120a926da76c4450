// Rounding in a direction, for devices and the host.
#ifndef PORTGPU_COMPAT_ROUNDING_H
#define PORTGPU_COMPAT_ROUNDING_H

namespace pg_compat {
namespace detail {

// Directed rounding from the nearest result and the sign of what it misses: AMD's device library
// does not have these operations in every version. Mode: 1 up, -1 down, 0 towards zero.
template <class T, class Bits>
PG_COMPAT_BOTH T step(T v, int up) {
  Bits bits;
  __builtin_memcpy(&bits, &v, sizeof(T));
  constexpr Bits sign = static_cast<Bits>(1) << (sizeof(T) * 8 - 1);
  if ((bits & ~sign) == 0)
    bits = up > 0 ? 1 : sign | 1;
  else if ((up > 0) == ((bits & sign) == 0))
    ++bits;
  else
    --bits;
  __builtin_memcpy(&v, &bits, sizeof(T));
  return v;
}
template <int Mode, class T, class Bits>
PG_COMPAT_BOTH T direct(T nearest, T missing) {
  if (nearest != nearest || missing == T(0) || missing != missing) return nearest;
  if (Mode > 0) return missing > T(0) ? step<T, Bits>(nearest, 1) : nearest;
  if (Mode < 0) return missing < T(0) ? step<T, Bits>(nearest, -1) : nearest;
  if (nearest > T(0)) return missing < T(0) ? step<T, Bits>(nearest, -1) : nearest;
  return missing > T(0) && nearest < T(0) ? step<T, Bits>(nearest, 1) : nearest;
}
template <int Mode>
PG_COMPAT_BOTH double direct64(double nearest, double missing) {
  return direct<Mode, double, unsigned long long>(nearest, missing);
}
// `value` + something of the sign of `missing`, as a float.
template <int Mode>
PG_COMPAT_BOTH float direct32(double value, double missing) {
  const float nearest = static_cast<float>(value);
  const double off = value - static_cast<double>(nearest);
  const double sign = off != 0.0 ? off : missing;
  if (value != value || value - value != 0.0) return nearest;  // NaN and infinity are exact
  if (nearest - nearest != 0.0f)                                // overflow to infinity
    return direct<Mode, float, unsigned>(nearest, nearest > 0.0f ? -1.0f : 1.0f);
  return direct<Mode, float, unsigned>(nearest, sign > 0.0 ? 1.0f : sign < 0.0 ? -1.0f : 0.0f);
}
// An integer as the float or double on the wanted side of it.
template <int Mode, class F, class Bits, class I>
PG_COMPAT_BOTH F from_integer(I v) {
  constexpr bool is_signed = static_cast<I>(-1) < static_cast<I>(0);
  const F beyond = static_cast<F>(1ull << (sizeof(I) * 8 - 1)) * (is_signed ? F(1) : F(2));
  const F nearest = static_cast<F>(v);
  if (nearest >= beyond) return direct<Mode, F, Bits>(nearest, F(-1));
  const I back = static_cast<I>(nearest);
  return direct<Mode, F, Bits>(nearest, v > back ? F(1) : v < back ? F(-1) : F(0));
}
// A whole number as an integer: the nearest one that there is; NaN is 0, of 64 bits the first bit.
template <class I, class F>
PG_COMPAT_BOTH I saturated(F v) {
  constexpr bool is_signed = static_cast<I>(-1) < static_cast<I>(0);
  constexpr unsigned long long top = 1ull << (sizeof(I) * 8 - 1);
  const F beyond = static_cast<F>(top) * (is_signed ? F(1) : F(2));
  if (v != v) return static_cast<I>(sizeof(I) == 8 ? top : 0ull);
  if (v >= beyond) return static_cast<I>(is_signed ? top - 1 : top - 1 + top);
  if (v < (is_signed ? -beyond : F(0))) return static_cast<I>(is_signed ? top : 0ull);
  return static_cast<I>(v);
}

}  // namespace detail
}  // namespace pg_compat
#endif
