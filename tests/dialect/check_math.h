// Mathematics: accurate functions within a few units in the last place of the float64 (or long double)
// result, fast ones within a relative error. Written out, one line a function.
#pragma once

inline long double inverse_erf(long double y) {
  long double low = -7, high = 7;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (std::erf(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}

template <class T>
__global__ void math_kernel(const T* x, const T* y, T* out, int function, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const T a = x[i], b = y[i];
  T r = a;
  switch (function) {
    case 0: r = pg::exp(a); break;
    case 1: r = pg::exp2(a); break;
    case 2: r = pg::expm1(a); break;
    case 3: r = pg::log(a); break;
    case 4: r = pg::log2(a); break;
    case 5: r = pg::log10(a); break;
    case 6: r = pg::log1p(a); break;
    case 7: r = pg::sqrt(a); break;
    case 8: r = pg::rsqrt(a); break;
    case 9: r = pg::cbrt(a); break;
    case 10: r = pg::sin(a); break;
    case 11: r = pg::cos(a); break;
    case 12: r = pg::tan(a); break;
    case 13: r = pg::asin(a); break;
    case 14: r = pg::acos(a); break;
    case 15: r = pg::atan(a); break;
    case 16: r = pg::sinh(a); break;
    case 17: r = pg::cosh(a); break;
    case 18: r = pg::tanh(a); break;
    case 19: r = pg::asinh(a); break;
    case 20: r = pg::acosh(a); break;
    case 21: r = pg::atanh(a); break;
    case 22: r = pg::erf(a); break;
    case 23: r = pg::erfc(a); break;
    case 24: r = pg::erfinv(a); break;
    case 25: r = pg::lgamma(a); break;
    case 26: r = pg::tgamma(a); break;
    case 27: r = pg::floor(a); break;
    case 28: r = pg::ceil(a); break;
    case 29: r = pg::trunc(a); break;
    case 30: r = pg::round(a); break;
    case 31: r = pg::rint(a); break;
    case 32: r = pg::fabs(a); break;
    case 100: r = pg::atan2(a, b); break;
    case 101: r = pg::pow(a, b); break;
    case 102: r = pg::fmod(a, b); break;
    case 103: r = pg::remainder(a, b); break;
    case 104: r = pg::hypot(a, b); break;
    case 105: r = pg::copysign(a, b); break;
    case 106: r = pg::fmin(a, b); break;
    case 107: r = pg::fmax(a, b); break;
    case 200: r = pg::fma(a, b, static_cast<T>(0.25)); break;
    case 201: r = pg::abs(a); break;
    default: r = static_cast<T>((pg::isnan(a) ? 1 : 0) + (pg::isinf(a) ? 2 : 0) + (pg::isfinite(a) ? 4 : 0) + (pg::signbit(a) ? 8 : 0)); break;
  }
  out[i] = r;
}

template <class T>
double ulps(T got, long double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  const T rounded = static_cast<T>(want);
  if (got == rounded) return 0;
  if (std::isinf(got) || std::isinf(rounded) || std::isnan(got) || std::isnan(rounded)) return 1e9;
  const T size = std::fabs(rounded) < std::numeric_limits<T>::min() ? std::numeric_limits<T>::min() : std::fabs(rounded);
  int exponent;
  std::frexp(size, &exponent);
  const long double unit = std::ldexp(static_cast<long double>(1), exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

template <class T, class F>
void check_function(const char* name, int number, double low, double high, double bound, F reference) {
  generator g(static_cast<uint64_t>(number) + 11);
  const int n = 1024;
  std::vector<T> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<T>(low + (high - low) * (g.next() / 4294967296.0));
    y[i] = static_cast<T>(-6 + 12 * (g.next() / 4294967296.0));
  }
  device_array<T> dx(x), dy(y), out(n);
  REQUIRE(PG_LAUNCH((math_kernel<T>), n / 128, 128, 0, nullptr, dx.p, dy.p, out.p, number, n));
  const std::vector<T> got = out.read();
  for (int i = 0; i < n; ++i) {
    const double error = ulps(got[i], reference(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
    check(std::string(name) + " " + type_name<T>(), error <= bound, std::to_string(x[i]) + ", " + std::to_string(y[i]) + ": " + std::to_string(got[i]) + " is " + std::to_string(error) + " ulp off");
  }
}

template <class T>
void check_math_type() {
  using L = long double;
  check_function<T>("exp", 0, -80.0, 80.0, 3, [](L x, L) { return std::exp(x); });
  check_function<T>("exp2", 1, -100.0, 100.0, 3, [](L x, L) { return std::exp2(x); });
  check_function<T>("expm1", 2, -20.0, 20.0, 3, [](L x, L) { return std::expm1(x); });
  check_function<T>("log", 3, 1e-06, 1000000.0, 2, [](L x, L) { return std::log(x); });
  check_function<T>("log2", 4, 1e-06, 1000000.0, 2, [](L x, L) { return std::log2(x); });
  check_function<T>("log10", 5, 1e-06, 1000000.0, 3, [](L x, L) { return std::log10(x); });
  check_function<T>("log1p", 6, -0.99, 1000.0, 3, [](L x, L) { return std::log1p(x); });
  check_function<T>("sqrt", 7, 0.0, 1000000.0, 1, [](L x, L) { return std::sqrt(x); });
  check_function<T>("rsqrt", 8, 1e-06, 1000000.0, 3, [](L x, L) { return 1 / std::sqrt(x); });
  check_function<T>("cbrt", 9, -1000000.0, 1000000.0, 3, [](L x, L) { return std::cbrt(x); });
  check_function<T>("sin", 10, -100.0, 100.0, 3, [](L x, L) { return std::sin(x); });
  check_function<T>("cos", 11, -100.0, 100.0, 3, [](L x, L) { return std::cos(x); });
  check_function<T>("tan", 12, -1.5, 1.5, 5, [](L x, L) { return std::tan(x); });
  check_function<T>("asin", 13, -1.0, 1.0, 3, [](L x, L) { return std::asin(x); });
  check_function<T>("acos", 14, -1.0, 1.0, 3, [](L x, L) { return std::acos(x); });
  check_function<T>("atan", 15, -50.0, 50.0, 3, [](L x, L) { return std::atan(x); });
  check_function<T>("sinh", 16, -80.0, 80.0, 4, [](L x, L) { return std::sinh(x); });
  check_function<T>("cosh", 17, -80.0, 80.0, 4, [](L x, L) { return std::cosh(x); });
  check_function<T>("tanh", 18, -10.0, 10.0, 3, [](L x, L) { return std::tanh(x); });
  check_function<T>("asinh", 19, -10000.0, 10000.0, 4, [](L x, L) { return std::asinh(x); });
  check_function<T>("acosh", 20, 1.0, 10000.0, 5, [](L x, L) { return std::acosh(x); });
  check_function<T>("atanh", 21, -0.999, 0.999, 4, [](L x, L) { return std::atanh(x); });
  check_function<T>("erf", 22, -4.0, 4.0, 3, [](L x, L) { return std::erf(x); });
  check_function<T>("erfc", 23, -4.0, 9.0, 6, [](L x, L) { return std::erfc(x); });
  check_function<T>("erfinv", 24, -0.999, 0.999, 5, [](L x, L) { return inverse_erf(x); });
  check_function<T>("lgamma", 25, 0.5, 60.0, 8, [](L x, L) { return std::lgamma(x); });
  check_function<T>("tgamma", 26, 0.5, 30.0, 12, [](L x, L) { return std::tgamma(x); });
  check_function<T>("floor", 27, -1000.0, 1000.0, 0, [](L x, L) { return std::floor(x); });
  check_function<T>("ceil", 28, -1000.0, 1000.0, 0, [](L x, L) { return std::ceil(x); });
  check_function<T>("trunc", 29, -1000.0, 1000.0, 0, [](L x, L) { return std::trunc(x); });
  check_function<T>("round", 30, -1000.0, 1000.0, 0, [](L x, L) { return std::round(x); });
  check_function<T>("rint", 31, -1000.0, 1000.0, 0, [](L x, L) { return std::nearbyint(x); });
  check_function<T>("fabs", 32, -1000.0, 1000.0, 0, [](L x, L) { return std::fabs(x); });
  check_function<T>("atan2", 100, -50.0, 50.0, 4, [](L x, L y) { return std::atan2(x, y); });
  check_function<T>("pow", 101, 0.1, 50.0, 9, [](L x, L y) { return std::pow(x, y); });
  check_function<T>("fmod", 102, -50.0, 50.0, 0, [](L x, L y) { return std::fmod(x, y); });
  check_function<T>("remainder", 103, -50.0, 50.0, 0, [](L x, L y) { return std::remainder(x, y); });
  check_function<T>("hypot", 104, -50.0, 50.0, 3, [](L x, L y) { return std::hypot(x, y); });
  check_function<T>("copysign", 105, -50.0, 50.0, 0, [](L x, L y) { return std::copysign(x, y); });
  check_function<T>("fmin", 106, -50.0, 50.0, 0, [](L x, L y) { return std::fmin(x, y); });
  check_function<T>("fmax", 107, -50.0, 50.0, 0, [](L x, L y) { return std::fmax(x, y); });
  check_function<T>("fma", 200, -5.0, 5.0, 1, [](L x, L y) { return std::fma(x, y, 0.25L); });
  check_function<T>("abs", 201, -5.0, 5.0, 0, [](L x, L) { return std::fabs(x); });
  const std::vector<T> special = {0, static_cast<T>(-0.0), 1, -1, INFINITY, -INFINITY, static_cast<T>(NAN), std::numeric_limits<T>::denorm_min()};
  device_array<T> in(special), out(special.size());
  REQUIRE(PG_LAUNCH((math_kernel<T>), 1, 32, 0, nullptr, in.p, in.p, out.p, 999, static_cast<int>(special.size())));
  const std::vector<T> got = out.read();
  for (size_t i = 0; i < special.size(); ++i) {
    const T v = special[i];
    const int want = (std::isnan(v) ? 1 : 0) + (std::isinf(v) ? 2 : 0) + (std::isfinite(v) ? 4 : 0);
    const int sign = std::isnan(v) ? static_cast<int>(got[i]) & 8 : (std::signbit(v) ? 8 : 0);
    check("isnan, isinf, isfinite, signbit " + type_name<T>(), static_cast<int>(got[i]) == want + sign, std::to_string(i));
  }
}

__global__ void math16(const float* x, uint16_t* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const pg::half h = pg::from_float<pg::half>(x[i]);
  const pg::bfloat16 b = pg::from_float<pg::bfloat16>(x[i]);
  out[4 * i] = pg::half_bits(pg::floor(h));
  out[4 * i + 1] = pg::bfloat16_bits(pg::sqrt(pg::abs(b)));
  out[4 * i + 2] = pg::half_bits(pg::plus()(h, pg::half_from_bits(0x3c01)));
  out[4 * i + 3] = pg::bfloat16_bits(pg::multiplies()(b, pg::bfloat16_from_bits(0x3f81)));
}

__global__ void fast_kernel(const float* x, float* out) {
  const int i = static_cast<int>(threadIdx.x);
  const float a = x[i], p = pg::fabs(a) + 0.01f;
  float* const o = out + 15 * i;
  o[0] = pg::fast::exp(a), o[1] = pg::fast::exp2(a), o[2] = pg::fast::exp10(a), o[3] = pg::fast::log(p), o[4] = pg::fast::log2(p);
  o[5] = pg::fast::log10(p), o[6] = pg::fast::sin(a), o[7] = pg::fast::cos(a), o[8] = pg::fast::pow(p, 1.5f), o[9] = pg::fast::div(a, p);
  o[10] = pg::fast::rcp(p), o[11] = pg::fast::sqrt(p), o[12] = pg::fast::rsqrt(p), o[13] = pg::fast::tanh(a), o[14] = pg::fast::saturate(a);
}

inline void check_math() {
  check_math_type<float>();
  check_math_type<double>();
  generator g(5);
  std::vector<float> x(256);
  for (float& v : x) v = static_cast<float>(-3 + 6 * (g.next() / 4294967296.0));
  device_array<float> dx(x), fast(256 * 15);
  REQUIRE(PG_LAUNCH(fast_kernel, 1, 256, 0, nullptr, dx.p, fast.p));
  const std::vector<float> f = fast.read();
  const char* names[15] = {"exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "pow", "div", "rcp", "sqrt", "rsqrt", "tanh", "saturate"};
  for (int i = 0; i < 256; ++i) {
    const double a = x[i], p = static_cast<double>(std::fabs(x[i]) + 0.01f);
    const double want[15] = {std::exp(a), std::exp2(a), std::pow(10.0, a), std::log(p), std::log2(p), std::log10(p), std::sin(a), std::cos(a), std::pow(p, 1.5), a / p, 1 / p, std::sqrt(p), 1 / std::sqrt(p), std::tanh(a), a < 0 ? 0 : a > 1 ? 1 : a};
    for (int k = 0; k < 15; ++k) {
      const double scale = std::fabs(want[k]) > 1 ? std::fabs(want[k]) : 1;
      check(std::string("fast::") + names[k], std::fabs(f[15 * i + k] - want[k]) <= (k == 13 ? 1.5e-3 : 4e-6) * scale, std::to_string(a));
    }
  }
  device_array<uint16_t> out(4 * 256);
  REQUIRE(PG_LAUNCH(math16, 1, 256, 0, nullptr, dx.p, out.p, 256));
  const std::vector<uint16_t> o = out.read();
  for (int i = 0; i < 256; ++i) {
    const double h = field_value(nearest16(x[i], 10, 15), 10, 15), b = field_value(nearest16(x[i], 7, 127), 7, 127);
    check("16-bit floor, sqrt, plus, multiplies", o[4 * i] == nearest16(std::floor(h), 10, 15) && o[4 * i + 1] == nearest16(std::sqrt(std::fabs(b)), 7, 127) &&
          o[4 * i + 2] == nearest16(h + 1.0009765625, 10, 15) && o[4 * i + 3] == nearest16(b * 1.0078125, 7, 127), std::to_string(x[i]));
  }
}
