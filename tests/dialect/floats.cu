// Conversions of the dialect as plain functions, for tests from Python.
#include "portgpu.h"

template <class T>
static void narrow(const float* in, uint8_t* out, float* back, int n) {
  for (int i = 0; i < n; ++i) {
    const T v = pg::fp8_from_float<T>(in[i]);
    out[i] = v.bits;
    back[i] = pg::fp8_to_float(v);
  }
}
extern "C" void e4m3(const float* in, uint8_t* out, float* back, int n) { narrow<pg::fp8_e4m3>(in, out, back, n); }
extern "C" void e5m2(const float* in, uint8_t* out, float* back, int n) { narrow<pg::fp8_e5m2>(in, out, back, n); }
extern "C" void e4m3_fnuz(const float* in, uint8_t* out, float* back, int n) { narrow<pg::fp8_e4m3_fnuz>(in, out, back, n); }
extern "C" void e5m2_fnuz(const float* in, uint8_t* out, float* back, int n) { narrow<pg::fp8_e5m2_fnuz>(in, out, back, n); }
extern "C" void half(const float* in, uint16_t* out, float* back, int n) {
  for (int i = 0; i < n; ++i) out[i] = pg::detail::float_to_half_bits(in[i]), back[i] = pg::detail::half_bits_to_float(out[i]);
}
extern "C" void bfloat16(const float* in, uint16_t* out, float* back, int n) {
  for (int i = 0; i < n; ++i) out[i] = pg::detail::float_to_bfloat16_bits(in[i]), back[i] = pg::detail::bfloat16_bits_to_float(out[i]);
}
