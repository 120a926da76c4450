// Binary operations for reductions and scans. 16-bit floats round once per operation.
#ifndef PG_OPS_H
#define PG_OPS_H

#include "types.h"

namespace pg {

namespace detail {
template <class T>
PG_HDFN auto widen(T x) {
  if constexpr (is_float16<T>::value) return to_float(x);
  else return x;
}
}  // namespace detail

struct plus {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
    if constexpr (detail::is_float16<T>::value) {
#if PG_DEVICE_PASS
      return detail::add16(a, b);
#else
      return from_float<T>(to_float(a) + to_float(b));
#endif
    } else {
      return static_cast<T>(a + b);
    }
  }
};

struct multiplies {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
    if constexpr (detail::is_float16<T>::value) {
#if PG_DEVICE_PASS
      return detail::mul16(a, b);
#else
      return from_float<T>(to_float(a) * to_float(b));
#endif
    } else {
      return static_cast<T>(a * b);
    }
  }
};

// NaN wins, as in IEEE 754-2019 minimum and numpy.minimum. 0.0 and -0.0 count as equal.
struct minimum {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
#if PG_DEVICE_PASS && PG_TARGET_CUDA
    if constexpr (detail::is_same<T, float>::value) return detail::min_nan(a, b);
#endif
    return (detail::is_nan_value(a) || detail::widen(a) < detail::widen(b)) ? a : b;
  }
};
// NaN wins, as in IEEE 754-2019 maximum and numpy.maximum. 0.0 and -0.0 count as equal.
struct maximum {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
#if PG_DEVICE_PASS && PG_TARGET_CUDA
    if constexpr (detail::is_same<T, float>::value) return detail::max_nan(a, b);
#endif
    return (detail::is_nan_value(a) || detail::widen(b) < detail::widen(a)) ? a : b;
  }
};
// A number wins over NaN, as in IEEE 754-2019 minimumNumber and numpy.fmin.
struct minimum_number {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
    return (detail::is_nan_value(b) || detail::widen(a) < detail::widen(b)) ? a : b;
  }
};
// A number wins over NaN, as in IEEE 754-2019 maximumNumber and numpy.fmax.
struct maximum_number {
  template <class T>
  PG_HDFN T operator()(T a, T b) const {
    return (detail::is_nan_value(b) || detail::widen(b) < detail::widen(a)) ? a : b;
  }
};

struct bit_and {
  template <class T>
  PG_HDFN T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct bit_or {
  template <class T>
  PG_HDFN T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct bit_xor {
  template <class T>
  PG_HDFN T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

// Identities: reductions over nothing.
template <class T>
PG_HDFN T identity_of(plus) { return convert<T>(0); }
template <class T>
PG_HDFN T identity_of(multiplies) { return convert<T>(1); }
template <class T>
PG_HDFN T identity_of(minimum) {
  if constexpr (numeric_limits<T>::has_infinity) return numeric_limits<T>::infinity();
  else return numeric_limits<T>::max();
}
template <class T>
PG_HDFN T identity_of(maximum) {
  if constexpr (numeric_limits<T>::has_infinity) return convert<T>(-to_float(numeric_limits<T>::infinity()));
  else return numeric_limits<T>::lowest();
}
template <class T>
PG_HDFN T identity_of(bit_and) { return static_cast<T>(~T(0)); }
template <class T>
PG_HDFN T identity_of(bit_or) { return static_cast<T>(0); }
template <class T>
PG_HDFN T identity_of(bit_xor) { return static_cast<T>(0); }

}  // namespace pg

#endif
