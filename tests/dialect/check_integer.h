// Integer intrinsics, SIMD within a word, and random numbers with Random123's known answers.
#pragma once

constexpr int integer_results = 32;
__global__ void integer_kernel(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const uint32_t x = a[i], y = b[i], z = c[i];
  const uint64_t wide = uint64_t(x) << 32 | y;
  uint32_t* const o = out + i * integer_results;
  o[0] = static_cast<uint32_t>(pg::popc(x));
  o[1] = static_cast<uint32_t>(pg::popc(wide));
  o[2] = static_cast<uint32_t>(pg::clz(x));
  o[3] = static_cast<uint32_t>(pg::clz(wide));
  o[4] = static_cast<uint32_t>(pg::ffs(x));
  o[5] = static_cast<uint32_t>(pg::ffs(wide));
  o[6] = pg::brev(x);
  o[7] = static_cast<uint32_t>(pg::brev(wide) >> 32);
  o[8] = pg::byte_perm(x, y, z);
  o[9] = static_cast<uint32_t>(pg::dp4a(static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)));
  o[10] = pg::dp4a(x, y, z);
  o[11] = pg::mulhi(x, y);
  o[12] = pg::funnel_shift_left(x, y, z);
  o[13] = pg::funnel_shift_right(x, y, z);
  o[14] = pg::vadd4(x, y);
  o[15] = pg::vsub4(x, y);
  o[16] = pg::vadd2(x, y);
  o[17] = pg::vsub2(x, y);
  o[18] = pg::vaddss4(x, y);
  o[19] = pg::vsubss4(x, y);
  o[20] = pg::vmins4(x, y);
  o[21] = pg::vmaxs4(x, y);
  o[22] = pg::vminu4(x, y);
  o[23] = pg::vmaxu4(x, y);
  o[24] = pg::vabsdiffu4(x, y);
  o[25] = pg::vcmpeq4(x, y);
  o[26] = pg::vcmpne4(x, y);
  o[27] = pg::vcmpgts4(x, y);
  o[28] = pg::vcmpgtu4(x, y);
  o[29] = pg::vcmpeq2(x, y);
  o[30] = static_cast<uint32_t>(pg::popc(static_cast<int64_t>(wide)));
  o[31] = static_cast<uint32_t>(pg::clz(static_cast<int32_t>(x)));
}

template <class B, class F>
uint32_t by_lanes(uint32_t x, uint32_t y, int bits, F f) {
  uint32_t r = 0;
  const uint64_t mask = (1ull << bits) - 1;
  for (int s = 0; s < 32; s += bits) {
    const long long v = f(static_cast<long long>(static_cast<B>((x >> s) & mask)), static_cast<long long>(static_cast<B>((y >> s) & mask)));
    r |= static_cast<uint32_t>((static_cast<uint64_t>(v) & mask) << s);
  }
  return r;
}

inline void check_integer() {
  generator g(7);
  std::vector<uint32_t> a, b, c;
  for (uint32_t special : {0u, 1u, 0x80000000u, 0xffffffffu, 0x7f80ff01u}) a.push_back(special), b.push_back(0x01807fffu ^ special), c.push_back(special);
  for (int i = 0; i < 507; ++i) {
    const uint32_t x = g.next() >> g.below(32);
    a.push_back(x), b.push_back(i % 3 ? g.next() : x ^ (0xffu << (8 * g.below(4)))), c.push_back(g.next());
  }
  const int n = static_cast<int>(a.size());
  device_array<uint32_t> da(a), db(b), dc(c), out(static_cast<size_t>(n) * integer_results);
  REQUIRE(PG_LAUNCH(integer_kernel, (n + 127) / 128, 128, 0, nullptr, da.p, db.p, dc.p, out.p, n));
  const std::vector<uint32_t> got = out.read();
  const char* names[integer_results] = {"popc", "popc 64", "clz", "clz 64", "ffs", "ffs 64", "brev", "brev 64", "byte_perm", "dp4a signed", "dp4a unsigned", "mulhi", "funnel_shift_left", "funnel_shift_right", "vadd4", "vsub4", "vadd2", "vsub2", "vaddss4", "vsubss4", "vmins4", "vmaxs4", "vminu4", "vmaxu4", "vabsdiffu4", "vcmpeq4", "vcmpne4", "vcmpgts4", "vcmpgtu4", "vcmpeq2", "popc i64", "clz i32"};
  using L = long long;
  for (int i = 0; i < n; ++i) {
    const uint32_t x = a[i], y = b[i], z = c[i];
    const uint64_t w = uint64_t(x) << 32 | y;
    uint32_t want[integer_results] = {};
    uint32_t reversed = 0;
    for (int k = 0; k < 64; ++k) {
      if ((w >> k) & 1) ++want[1];
      if (k < 32 && ((x >> k) & 1)) ++want[0], reversed |= 0x80000000u >> k;
    }
    for (want[2] = 0; want[2] < 32 && !((x >> (31 - want[2])) & 1); ++want[2]) {}
    for (want[3] = 0; want[3] < 64 && !((w >> (63 - want[3])) & 1); ++want[3]) {}
    for (int k = 31; k >= 0; --k) if ((x >> k) & 1) want[4] = static_cast<uint32_t>(k + 1);
    for (int k = 63; k >= 0; --k) if ((w >> k) & 1) want[5] = static_cast<uint32_t>(k + 1);
    want[6] = reversed;
    for (int k = 0; k < 32; ++k) if ((y >> k) & 1) want[7] |= 0x80000000u >> k;
    for (int k = 0; k < 4; ++k) {
      const uint32_t s = z >> (4 * k) & 15u;
      uint32_t byte = (s & 4u ? y : x) >> (8 * (s & 3u)) & 0xffu;
      if (s & 8u) byte = byte & 0x80u ? 0xffu : 0;
      want[8] |= byte << (8 * k);
    }
    L dot = static_cast<int32_t>(z);
    uint64_t udot = z;
    for (int k = 0; k < 32; k += 8) {
      dot += L(static_cast<int8_t>(x >> k)) * static_cast<int8_t>(y >> k);
      udot += uint64_t(x >> k & 0xffu) * (y >> k & 0xffu);
    }
    want[9] = static_cast<uint32_t>(dot);
    want[10] = static_cast<uint32_t>(udot);
    want[11] = static_cast<uint32_t>(uint64_t(x) * y >> 32);
    const uint64_t yx = uint64_t(y) << 32 | x;
    want[12] = static_cast<uint32_t>(yx << (z & 31u) >> 32);
    want[13] = static_cast<uint32_t>(yx >> (z & 31u));
    const auto saturate = [](L v) { return v < -128 ? L(-128) : v > 127 ? L(127) : v; };
    want[14] = by_lanes<int8_t>(x, y, 8, [](L p, L q) { return p + q; });
    want[15] = by_lanes<int8_t>(x, y, 8, [](L p, L q) { return p - q; });
    want[16] = by_lanes<int16_t>(x, y, 16, [](L p, L q) { return p + q; });
    want[17] = by_lanes<int16_t>(x, y, 16, [](L p, L q) { return p - q; });
    want[18] = by_lanes<int8_t>(x, y, 8, [&](L p, L q) { return saturate(p + q); });
    want[19] = by_lanes<int8_t>(x, y, 8, [&](L p, L q) { return saturate(p - q); });
    want[20] = by_lanes<int8_t>(x, y, 8, [](L p, L q) { return p < q ? p : q; });
    want[21] = by_lanes<int8_t>(x, y, 8, [](L p, L q) { return p < q ? q : p; });
    want[22] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p < q ? p : q; });
    want[23] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p < q ? q : p; });
    want[24] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p < q ? q - p : p - q; });
    want[25] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p == q ? L(255) : L(0); });
    want[26] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p != q ? L(255) : L(0); });
    want[27] = by_lanes<int8_t>(x, y, 8, [](L p, L q) { return p > q ? L(255) : L(0); });
    want[28] = by_lanes<uint8_t>(x, y, 8, [](L p, L q) { return p > q ? L(255) : L(0); });
    want[29] = by_lanes<uint16_t>(x, y, 16, [](L p, L q) { return p == q ? L(65535) : L(0); });
    want[30] = want[1];
    want[31] = want[2];
    for (int k = 0; k < integer_results; ++k)
      check(names[k], got[static_cast<size_t>(i) * integer_results + k] == want[k], "case " + std::to_string(i));
  }
}

__global__ void random_kernel(const uint32_t* in, uint32_t* out) {
  const int i = static_cast<int>(threadIdx.x);
  const uint32_t* const p = in + 10 * i;
  const pg::random2 t = pg::threefry2x32({{p[0], p[1]}}, {{p[2], p[3]}});
  const pg::random4 q = pg::philox4x32({{p[4], p[5]}}, {{p[6], p[7], p[8], p[9]}});
  for (int k = 0; k < 2; ++k) out[6 * i + k] = t[k];
  for (int k = 0; k < 4; ++k) out[6 * i + 2 + k] = q[k];
}

inline void check_random() {
  const uint32_t f = 0xffffffffu;
  // key and counter of threefry, key and counter of philox: Random123's kat_vectors.
  const std::vector<uint32_t> in = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      f, f, f, f, f, f, f, f, f, f,
      0x13198a2eu, 0x03707344u, 0x243f6a88u, 0x85a308d3u, 0xa4093822u, 0x299f31d0u, 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
  const std::vector<uint32_t> want = {
      0x6b200159u, 0x99ba4efeu, 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u,
      0x1cb996fcu, 0xbb002be7u, 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu,
      0xc4923a9cu, 0x483df7a0u, 0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u};
  device_array<uint32_t> din(in), out(want.size());
  REQUIRE(PG_LAUNCH(random_kernel, 1, 3, 0, nullptr, din.p, out.p));
  const std::vector<uint32_t> got = out.read();
  for (size_t i = 0; i < want.size(); ++i) check(i % 6 < 2 ? "threefry2x32" : "philox4x32", got[i] == want[i], std::to_string(i));
  check("uniform_from_bits", pg::uniform_from_bits(f) < 1.0f && pg::uniform_from_bits(f) > 0.9999999f && pg::uniform_from_bits(0u) == 0.0f && pg::uniform_from_bits(f, f) < 1.0);
}
