// Conversions: all 16-bit patterns, and floats at and around every rounding boundary.
#pragma once

__global__ void widen_all(float* h, float* b) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  h[i] = pg::to_float(pg::half_from_bits(static_cast<uint16_t>(i)));
  b[i] = pg::to_float(pg::bfloat16_from_bits(static_cast<uint16_t>(i)));
}
__global__ void narrow_all(const float* in, uint16_t* h, uint16_t* b, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  h[i] = pg::half_bits(pg::from_float<pg::half>(in[i]));
  b[i] = pg::bfloat16_bits(pg::from_float<pg::bfloat16>(in[i]));
}
template <class T>
__global__ void integers(const float* in, T* out, const double* din, T* dout, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  out[i] = pg::from_float<T>(in[i]);
  dout[i] = pg::convert<T>(din[i]);
}
__global__ void doubles(const double* in, uint16_t* h, uint16_t* b, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  h[i] = pg::half_bits(pg::convert<pg::half>(in[i]));
  b[i] = pg::bfloat16_bits(pg::convert<pg::bfloat16>(in[i]));
}
template <class T>
__global__ void limits(T* out) {
  out[0] = pg::numeric_limits<T>::max();
  out[1] = pg::numeric_limits<T>::lowest();
  out[2] = pg::numeric_limits<T>::min();
  out[3] = pg::numeric_limits<T>::epsilon();
}

// Value of a 16-bit float by its fields.
inline double field_value(unsigned bits, int mantissa_bits, int bias) {
  const int exponent_bits = 15 - mantissa_bits;
  const int e = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int m = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const double sign = bits & 0x8000u ? -1.0 : 1.0;
  if (e == (1 << exponent_bits) - 1) return m ? NAN : sign * INFINITY;
  if (e == 0) return sign * std::ldexp(m, 1 - bias - mantissa_bits);
  return sign * std::ldexp(m + (1 << mantissa_bits), e - bias - mantissa_bits);
}
// Nearest 16-bit float, ties to even, by searching the ordered patterns.
inline uint16_t nearest16(double x, int mantissa_bits, int bias) {
  const unsigned sign = std::signbit(x) ? 0x8000u : 0u;
  const double a = std::fabs(x);
  const unsigned infinity = ((1u << (15 - mantissa_bits)) - 1) << mantissa_bits;
  unsigned low = 0, high = infinity;  // patterns of positive values are ordered
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    if (field_value(middle, mantissa_bits, bias) <= a) low = middle;
    else high = middle;
  }
  const double below = field_value(low, mantissa_bits, bias);
  // The step above the largest finite value is the one below it.
  const double above = high == infinity ? 2 * below - field_value(low - 1, mantissa_bits, bias) : field_value(high, mantissa_bits, bias);
  if (std::isinf(a)) return static_cast<uint16_t>(sign | infinity);
  const double down = a - below, up = above - a;
  return static_cast<uint16_t>(sign | (down < up || (down == up && low % 2 == 0) ? low : high));
}

template <class T>
void check_integers() {
  std::vector<float> in = {0.f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 3.49f, 1e10f, -1e10f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 127.5f, 128.4f, 255.5f, -128.6f, 32767.5f, 65535.5f};
  for (int e = 6; e < 66; ++e)
    for (float f : {1.0f, 0.99999994f}) in.push_back(std::ldexp(f, e)), in.push_back(-std::ldexp(f, e));
  std::vector<double> din(in.begin(), in.end());
  const int n = static_cast<int>(in.size());
  device_array<float> a(in);
  device_array<double> d(din);
  device_array<T> out(n), dout(n);
  REQUIRE(PG_LAUNCH((integers<T>), (n + 127) / 128, 128, 0, nullptr, a.p, out.p, d.p, dout.p, n));
  const std::vector<T> got = out.read(), dgot = dout.read();
  for (int i = 0; i < n; ++i) {
    const double r = std::nearbyint(din[i]);
    T want = 0;
    const double top = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (std::isnan(r)) want = 0;
    else if (r >= top) want = std::numeric_limits<T>::max();
    else if (r < static_cast<double>(std::numeric_limits<T>::lowest())) want = std::numeric_limits<T>::lowest();
    else want = static_cast<T>(r);
    check("from_float " + type_name<T>(), got[i] == want, std::to_string(in[i]));
    check("convert double to " + type_name<T>(), dgot[i] == want, std::to_string(in[i]));
  }
}

template <class T>
void check_limits() {
  device_array<T> out(4);
  REQUIRE(PG_LAUNCH((limits<T>), 1, 1, 0, nullptr, out.p));
  const std::vector<T> got = out.read();
  using L = std::numeric_limits<T>;
  check("numeric_limits " + type_name<T>(), got[0] == L::max() && got[1] == L::lowest() && got[2] == L::min() && got[3] == L::epsilon());
}

inline void check_types() {
  device_array<float> h(65536), b(65536);
  REQUIRE(PG_LAUNCH(widen_all, 256, 256, 0, nullptr, h.p, b.p));
  const std::vector<float> gh = h.read(), gb = b.read();
  for (unsigned i = 0; i < 65536; ++i) {
    const double wh = field_value(i, 10, 15), wb = field_value(i, 7, 127);
    check("to_float half", std::isnan(wh) ? std::isnan(gh[i]) : same(gh[i], static_cast<float>(wh)), std::to_string(i));
    check("to_float bfloat16", std::isnan(wb) ? std::isnan(gb[i]) : same(gb[i], static_cast<float>(wb)), std::to_string(i));
  }
  // Every value of both types, the middle to the next, and the floats beside these.
  std::vector<float> in;
  for (unsigned i = 0; i < 65536; i += 7)
    for (int kind = 0; kind < 2; ++kind) {
      const float v = kind ? gb[i] : gh[i], next = kind ? gb[(i + 1) & 0xffff] : gh[(i + 1) & 0xffff];
      const float middle = std::isfinite(v) && std::isfinite(next) ? v / 2 + next / 2 : v;
      for (float f : {v, middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY)}) in.push_back(f);
    }
  for (float f : {65504.f, 65519.99f, 65520.f, 65536.f, 3.3895314e38f, 3.3961776e38f, 3.4028235e38f, 2.9802322e-8f, 2.9802326e-8f, 1e-45f, -0.0f, -65520.f}) in.push_back(f);
  const int n = static_cast<int>(in.size());
  device_array<float> din(in);
  device_array<uint16_t> nh(n), nb(n);
  REQUIRE(PG_LAUNCH(narrow_all, (n + 255) / 256, 256, 0, nullptr, din.p, nh.p, nb.p, n));
  std::vector<uint16_t> oh = nh.read(), ob = nb.read();
  std::vector<double> exact;
  for (int i = 0; i < n; ++i) {
    const bool nan = std::isnan(in[i]);
    check("from_float half", nan ? std::isnan(field_value(oh[i], 10, 15)) : oh[i] == nearest16(in[i], 10, 15), std::to_string(in[i]));
    check("from_float bfloat16", nan ? std::isnan(field_value(ob[i], 7, 127)) : ob[i] == nearest16(in[i], 7, 127), std::to_string(in[i]));
    check("from_float on the host", nan || (pg::half_bits(pg::from_float<pg::half>(in[i])) == oh[i] && pg::bfloat16_bits(pg::from_float<pg::bfloat16>(in[i])) == ob[i]));
    if (i % 5 == 0 && std::isfinite(in[i]))
      for (double step : {0.0, 1e-12, -1e-12}) exact.push_back(in[i] * (1.0 + step));
  }
  const int m = static_cast<int>(exact.size());
  device_array<double> dd(exact);
  device_array<uint16_t> dh(m), db(m);
  REQUIRE(PG_LAUNCH(doubles, (m + 255) / 256, 256, 0, nullptr, dd.p, dh.p, db.p, m));
  oh = dh.read(), ob = db.read();
  for (int i = 0; i < m; ++i) {
    check("convert double to half", oh[i] == nearest16(exact[i], 10, 15), std::to_string(exact[i]));
    check("convert double to bfloat16", ob[i] == nearest16(exact[i], 7, 127), std::to_string(exact[i]));
  }
  check_integers<int8_t>();
  check_integers<uint8_t>();
  check_integers<int16_t>();
  check_integers<uint16_t>();
  check_integers<int32_t>();
  check_integers<uint32_t>();
  check_integers<int64_t>();
  check_integers<uint64_t>();
  check_limits<int8_t>();
  check_limits<uint8_t>();
  check_limits<int32_t>();
  check_limits<uint32_t>();
  check_limits<int64_t>();
  check_limits<uint64_t>();
  check_limits<float>();
  check_limits<double>();
}
