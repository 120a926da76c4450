// Counter-based random numbers, bit-exact with Random123: a stream for each key, no state.
#ifndef PG_RANDOM_H
#define PG_RANDOM_H

#include "bits.h"

namespace pg {

struct random2 {
  uint32_t v[2];
  PG_HDFN uint32_t operator[](int i) const { return v[i]; }
};
struct random4 {
  uint32_t v[4];
  PG_HDFN uint32_t operator[](int i) const { return v[i]; }
};

namespace detail {
PG_HDFN uint32_t rotate_left(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }
template <int R0, int R1, int R2, int R3>
PG_HDFN void threefry_rounds(uint32_t& a, uint32_t& b) {
  a += b; b = rotate_left(b, R0) ^ a;
  a += b; b = rotate_left(b, R1) ^ a;
  a += b; b = rotate_left(b, R2) ^ a;
  a += b; b = rotate_left(b, R3) ^ a;
}
}  // namespace detail

// Threefry-2x32, 20 rounds (also jax.random's generator).
PG_HDFN random2 threefry2x32(random2 key, random2 counter) {
  const uint32_t k0 = key[0], k1 = key[1], k2 = 0x1bd11bdau ^ k0 ^ k1;
  uint32_t a = counter[0] + k0, b = counter[1] + k1;
  detail::threefry_rounds<13, 15, 26, 6>(a, b);
  a += k1; b += k2 + 1;
  detail::threefry_rounds<17, 29, 16, 24>(a, b);
  a += k2; b += k0 + 2;
  detail::threefry_rounds<13, 15, 26, 6>(a, b);
  a += k0; b += k1 + 3;
  detail::threefry_rounds<17, 29, 16, 24>(a, b);
  a += k1; b += k2 + 4;
  detail::threefry_rounds<13, 15, 26, 6>(a, b);
  a += k2; b += k0 + 5;
  return random2{{a, b}};
}

// Philox-4x32, 10 rounds.
PG_HDFN random4 philox4x32(random2 key, random4 counter) {
  uint32_t k0 = key[0], k1 = key[1];
  uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
  PG_UNROLL_N(10)
  for (int i = 0; i < 10; ++i) {
    const uint64_t p0 = uint64_t(0xd2511f53u) * a, p1 = uint64_t(0xcd9e8d57u) * c;
    a = static_cast<uint32_t>(p1 >> 32) ^ b ^ k0;
    c = static_cast<uint32_t>(p0 >> 32) ^ d ^ k1;
    b = static_cast<uint32_t>(p1);
    d = static_cast<uint32_t>(p0);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return random4{{a, b, c, d}};
}

// 24 random bits as a float in [0, 1): all values are multiples of 2^-24.
PG_HDFN float uniform_from_bits(uint32_t bits) {
  return static_cast<float>(bits >> 8) * 5.9604644775390625e-08f;
}
// 53 random bits as a double in [0, 1).
PG_HDFN double uniform_from_bits(uint32_t low, uint32_t high) {
  return static_cast<double>((uint64_t(high) << 32 | low) >> 11) * 1.1102230246251565404e-16;
}

}  // namespace pg

#endif
