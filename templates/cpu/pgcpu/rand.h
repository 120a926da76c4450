// Device generators of cuRAND and rocRAND: XORWOW, Philox4x32-10 and MRG32k3a, with the sequences and the
// mappings to floating point that each vendor documents.
#pragma once
#include "math.h"
#include "types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace pgcpu::rand {

struct cuda_rules {
  static constexpr unsigned salt0 = 0xaad26b49u, salt1 = 0xf7dcefddu;
  static constexpr unsigned factor0 = 1099087573u, factor1 = 2591861531u;
  // (0, 1]: the middle of each of the 2^32 steps.
  static float uniform(unsigned x) { return float(x) * 2.3283064e-10f + 2.3283064e-10f / 2; }
  static double uniform_double(unsigned x, unsigned y) {
    const unsigned long long z = x ^ (unsigned long long)y << 21;
    return double(z) * 0x1p-53 + 0x1p-54;
  }
  static double uniform_double(unsigned x) { return x * 0x1p-32 + 0x1p-33; }
  static constexpr bool philox_double_from_one = true;
};
struct rocm_rules {
  static constexpr unsigned salt0 = 0x2c7f967fu, salt1 = 0xa03697cbu;
  static constexpr unsigned factor0 = 1228688033u, factor1 = 2073658381u;
  static float uniform(unsigned x) { return 2.3283064e-10f + float(x) * 2.3283064e-10f; }
  static double uniform_double(unsigned x, unsigned y) {
    const unsigned long long z = x | (unsigned long long)(y >> 11) << 32;
    return 0x1p-53 + double(z) * 0x1p-53;
  }
  static double uniform_double(unsigned x) { return 0x1p-32 + x * 0x1p-32; }
  static constexpr bool philox_double_from_one = false;
};

// The 160-bit linear part of XORWOW as a matrix over GF(2), by rows of images of single bits.
using vec160 = std::array<unsigned, 5>;
using mat160 = std::vector<vec160>;
inline vec160 step160(vec160 v) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  return {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}
inline vec160 image_of(const mat160& m, const vec160& v) {
  vec160 r{};
  for (int i = 0; i < 160; ++i)
    if (v[size_t(i / 32)] >> (i % 32) & 1)
      for (size_t k = 0; k < 5; ++k) r[k] ^= m[size_t(i)][k];
  return r;
}
// powers()[i] steps 2^i numbers ahead; 2^67 of them are a subsequence.
inline const std::vector<mat160>& powers() {
  static const std::vector<mat160>* all = [] {
    auto* p = new std::vector<mat160>;
    mat160 m(160);
    for (size_t i = 0; i < 160; ++i) {
      vec160 e{};
      e[i / 32] = 1u << (i % 32);
      m[i] = step160(e);
    }
    for (int n = 0; n < 67 + 64; ++n) {
      p->push_back(m);
      mat160 square(160);
      for (size_t i = 0; i < 160; ++i) square[i] = image_of(m, m[i]);
      m = square;
    }
    return p;
  }();
  return *all;
}

template <class Rules>
struct xorwow {
  unsigned d;
  vec160 v;
  float extra;
  double extra_double;
  bool has_extra, has_extra_double;

  void init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    const unsigned t0 = Rules::factor0 * (unsigned(seed) ^ Rules::salt0);
    const unsigned t1 = Rules::factor1 * (unsigned(seed >> 32) ^ Rules::salt1);
    d = 6615241u + t1 + t0;
    v = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
    has_extra = has_extra_double = false;
    skip(subsequence, 67);
    discard(offset);
  }
  void skip(unsigned long long n, size_t shift) {
    for (size_t i = 0; n; ++i, n >>= 1)
      if (n & 1) v = image_of(powers()[shift + i], v);
  }
  void discard(unsigned long long n) {
    skip(n, 0);
    d += unsigned(n) * 362437u;
  }
  void discard_subsequence(unsigned long long n) { skip(n, 67); }
  unsigned next() {
    v = step160(v);
    d += 362437u;
    return v[4] + d;
  }
  double uniform_double() {
    const unsigned x = next(), y = next();
    return Rules::uniform_double(x, y);
  }
};

template <class Rules>
struct philox {
  uint4 counter, output;
  uint2 key;
  unsigned place;
  float extra;
  double extra_double;
  bool has_extra, has_extra_double;

  void init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    counter = make_uint4(0, 0, 0, 0);
    key = make_uint2(unsigned(seed), unsigned(seed >> 32));
    place = 0;
    has_extra = has_extra_double = false;
    discard_subsequence(subsequence);
    discard(offset);
  }
  void advance(unsigned long long n) {
    unsigned long long low = counter.x | (unsigned long long)counter.y << 32;
    const bool carry = low + n < low;
    low += n;
    counter.x = unsigned(low), counter.y = unsigned(low >> 32);
    if (carry && ++counter.z == 0) ++counter.w;
  }
  void discard_subsequence(unsigned long long n) {
    const unsigned long long high = (counter.z | (unsigned long long)counter.w << 32) + n;
    counter.z = unsigned(high), counter.w = unsigned(high >> 32);
    output = rounds();
  }
  void discard(unsigned long long n) {
    place += unsigned(n & 3);
    advance(n / 4 + (place > 3));
    place &= 3;
    output = rounds();
  }
  uint4 rounds() const {
    uint4 c = counter;
    uint2 k = key;
    for (int i = 0; i < 10; ++i) {
      const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
      c = make_uint4(unsigned(b >> 32) ^ c.y ^ k.x, unsigned(b), unsigned(a >> 32) ^ c.w ^ k.y, unsigned(a));
      k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
    }
    return c;
  }
  unsigned next() {
    const unsigned r = place == 0 ? output.x : place == 1 ? output.y : place == 2 ? output.z : output.w;
    if (++place == 4) {
      advance(1);
      output = rounds();
      place = 0;
    }
    return r;
  }
  uint4 next4() {
    const unsigned a = next(), b = next(), c = next(), d = next();
    return make_uint4(a, b, c, d);
  }
  double uniform_double() {
    const unsigned x = next();
    return Rules::philox_double_from_one ? Rules::uniform_double(x) : Rules::uniform_double(x, next());
  }
};

// L'Ecuyer's MRG32k3a, with cuRAND's seeds: subsequences are 2^76 numbers apart, sequences 2^127.
struct mrg32k3a {
  using matrix = std::array<std::array<unsigned, 3>, 3>;
  static constexpr unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned s1[3], s2[3];
  float extra;
  double extra_double;
  bool has_extra, has_extra_double;

  static matrix product(const matrix& a, const matrix& b, unsigned long long m) {
    matrix r{};
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j) {
        unsigned long long sum = 0;
        for (size_t k = 0; k < 3; ++k) sum = (sum + 1ull * a[i][k] * b[k][j] % m) % m;
        r[i][j] = unsigned(sum);
      }
    return r;
  }
  static void apply(matrix a, unsigned* v, unsigned long long m, unsigned long long n, int doublings) {
    for (int i = 0; i < doublings; ++i) a = product(a, a, m);
    for (; n; n >>= 1, a = product(a, a, m)) {
      if (!(n & 1)) continue;
      unsigned r[3];
      for (size_t i = 0; i < 3; ++i) {
        unsigned long long sum = 0;
        for (size_t k = 0; k < 3; ++k) sum = (sum + 1ull * a[i][k] * v[k] % m) % m;
        r[i] = unsigned(sum);
      }
      std::copy_n(r, 3, v);
    }
  }
  void skip(unsigned long long n, int doublings) {
    if (!n) return;
    apply({{{0, 1, 0}, {0, 0, 1}, {unsigned(m1 - 810728), 1403580, 0}}}, s1, m1, n, doublings);
    apply({{{0, 1, 0}, {0, 0, 1}, {unsigned(m2 - 1370589), 0, 527612}}}, s2, m2, n, doublings);
  }
  void init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    const unsigned long long x1 = seed ? unsigned(seed) ^ 0x55555555u : 1,
                             x2 = seed ? unsigned(seed >> 32) ^ 0xAAAAAAAAu : 1;
    for (int i = 0; i < 3; ++i) {
      s1[i] = unsigned((i == 1 ? x2 : x1) * 12345 % m1);
      s2[i] = unsigned((i == 1 ? x1 : x2) * 12345 % m2);
    }
    has_extra = has_extra_double = false;
    discard_subsequence(subsequence);
    discard(offset);
  }
  void discard(unsigned long long n) { skip(n, 0); }
  void discard_subsequence(unsigned long long n) { skip(n, 76); }
  void discard_sequence(unsigned long long n) { skip(n, 127); }
  // 1 … m1
  double step() {
    const unsigned long long p = (1403580ull * s1[1] + 810728ull * (m1 - s1[0])) % m1;
    const unsigned long long q = (527612ull * s2[2] + 1370589ull * (m2 - s2[0])) % m2;
    s1[0] = s1[1], s1[1] = s1[2], s1[2] = unsigned(p);
    s2[0] = s2[1], s2[1] = s2[2], s2[2] = unsigned(q);
    return double(p > q ? p - q : p + m1 - q);
  }
  unsigned next() { return unsigned(step() * 1.000000048662); }
  double uniform_double() { return step() * 2.3283065498378288e-10; }
  float uniform() { return float(uniform_double()); }
  float2 normal2() {
    const float u = uniform(), v = uniform() * 6.2831855f, s = std::sqrt(-2.0f * std::log(u));
    return make_float2(std::sin(v) * s, std::cos(v) * s);
  }
  double2 normal2_double() {
    const double u = uniform_double(), v = uniform_double() * 2 * M_PI, s = std::sqrt(-2.0 * std::log(u));
    return make_double2(std::sin(v) * s, std::cos(v) * s);
  }
  float normal() {
    if (has_extra) {
      has_extra = false;
      return extra;
    }
    const float2 r = normal2();
    extra = r.y;
    has_extra = true;
    return r.x;
  }
  double normal_double() {
    if (has_extra_double) {
      has_extra_double = false;
      return extra_double;
    }
    const double2 r = normal2_double();
    extra_double = r.y;
    has_extra_double = true;
    return r.x;
  }
};

// Box-Muller: sine first, cosine second.
template <class Rules>
inline float2 box_muller(unsigned x, unsigned y) {
  const float u = Rules::uniform(x), v = Rules::uniform(y) * 6.2831855f;
  const float s = std::sqrt(-2.0f * std::log(u));
  return make_float2(std::sin(v) * s, std::cos(v) * s);
}
template <class Rules>
inline double2 box_muller_double(uint4 x) {
  const double u = Rules::uniform_double(x.x, x.y), v = Rules::uniform_double(x.z, x.w) * 2;
  const double s = std::sqrt(-2.0 * std::log(u));
  return make_double2(std::sin(v * M_PI) * s, std::cos(v * M_PI) * s);
}
template <class Rules, class S>
inline float normal(S* s) {
  if (s->has_extra) {
    s->has_extra = false;
    return s->extra;
  }
  const unsigned x = s->next(), y = s->next();
  const float2 r = box_muller<Rules>(x, y);
  s->extra = r.y;
  s->has_extra = true;
  return r.x;
}
template <class Rules, class S>
inline double normal_double(S* s) {
  if (s->has_extra_double) {
    s->has_extra_double = false;
    return s->extra_double;
  }
  const unsigned a = s->next(), b = s->next(), c = s->next(), d = s->next();
  const double2 r = box_muller_double<Rules>(make_uint4(a, b, c, d));
  s->extra_double = r.y;
  s->has_extra_double = true;
  return r.x;
}

}  // namespace pgcpu::rand

// The functions of one vendor: P is curand or hiprand, RULES its rules.
#define PGCPU_RAND_STATE(P, RULES, S)                                                               \
  inline void P##_init(unsigned long long seed, unsigned long long sub, unsigned long long off, S* s) { \
    s->init(seed, sub, off);                                                                        \
  }                                                                                                 \
  inline unsigned P(S* s) { return s->next(); }                                                     \
  inline float P##_uniform(S* s) { return RULES::uniform(s->next()); }                              \
  inline double P##_uniform_double(S* s) { return s->uniform_double(); }                            \
  inline float P##_normal(S* s) { return ::pgcpu::rand::normal<RULES>(s); }                         \
  inline double P##_normal_double(S* s) { return ::pgcpu::rand::normal_double<RULES>(s); }          \
  inline float2 P##_normal2(S* s) {                                                                 \
    const unsigned x = s->next(), y = s->next();                                                    \
    return ::pgcpu::rand::box_muller<RULES>(x, y);                                                  \
  }                                                                                                 \
  inline double2 P##_normal2_double(S* s) {                                                         \
    const unsigned a = s->next(), b = s->next(), c = s->next(), d = s->next();                      \
    return ::pgcpu::rand::box_muller_double<RULES>(make_uint4(a, b, c, d));                         \
  }                                                                                                 \
  inline float P##_log_normal(S* s, float mean, float dev) {                                        \
    return std::exp(mean + dev * P##_normal(s));                                                    \
  }                                                                                                 \
  inline double P##_log_normal_double(S* s, double mean, double dev) {                              \
    return std::exp(mean + dev * P##_normal_double(s));                                             \
  }                                                                                                 \
  inline void skipahead(unsigned long long n, S* s) { s->discard(n); }                              \
  inline void skipahead_sequence(unsigned long long n, S* s) { s->discard_subsequence(n); }         \
  inline void skipahead_subsequence(unsigned long long n, S* s) { s->discard_subsequence(n); }
#define PGCPU_RAND(P, RULES, XORWOW, PHILOX)                                                       \
  PGCPU_RAND_STATE(P, RULES, XORWOW)                                                               \
  PGCPU_RAND_STATE(P, RULES, PHILOX)                                                               \
  inline uint4 P##4(PHILOX* s) { return s->next4(); }                                              \
  inline float4 P##_uniform4(PHILOX* s) {                                                          \
    const uint4 x = s->next4();                                                                    \
    return make_float4(RULES::uniform(x.x), RULES::uniform(x.y), RULES::uniform(x.z),              \
                       RULES::uniform(x.w));                                                       \
  }                                                                                                \
  inline double2 P##_uniform2_double(PHILOX* s) {                                                  \
    const uint4 x = s->next4();                                                                    \
    return make_double2(RULES::uniform_double(x.x, x.y), RULES::uniform_double(x.z, x.w));         \
  }                                                                                                \
  inline float4 P##_normal4(PHILOX* s) {                                                           \
    const uint4 x = s->next4();                                                                    \
    const float2 a = ::pgcpu::rand::box_muller<RULES>(x.x, x.y);                                   \
    const float2 b = ::pgcpu::rand::box_muller<RULES>(x.z, x.w);                                   \
    return make_float4(a.x, a.y, b.x, b.y);                                                        \
  }
#define PGCPU_RAND_MRG(P, S)                                                                            \
  inline void P##_init(unsigned long long seed, unsigned long long sub, unsigned long long off, S* s) { \
    s->init(seed, sub, off);                                                                            \
  }                                                                                                     \
  inline unsigned P(S* s) { return s->next(); }                                                         \
  inline float P##_uniform(S* s) { return s->uniform(); }                                               \
  inline double P##_uniform_double(S* s) { return s->uniform_double(); }                                \
  inline float P##_normal(S* s) { return s->normal(); }                                                 \
  inline double P##_normal_double(S* s) { return s->normal_double(); }                                  \
  inline float2 P##_normal2(S* s) { return s->normal2(); }                                              \
  inline double2 P##_normal2_double(S* s) { return s->normal2_double(); }                               \
  inline float P##_log_normal(S* s, float mean, float dev) { return std::exp(mean + dev * s->normal()); } \
  inline double P##_log_normal_double(S* s, double mean, double dev) {                                  \
    return std::exp(mean + dev * s->normal_double());                                                   \
  }                                                                                                     \
  inline void skipahead(unsigned long long n, S* s) { s->discard(n); }                                  \
  inline void skipahead_subsequence(unsigned long long n, S* s) { s->discard_subsequence(n); }          \
  inline void skipahead_sequence(unsigned long long n, S* s) { s->discard_sequence(n); }
