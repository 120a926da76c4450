// Block functions: many block sizes, also ones that are no multiple of a warp, called repeatedly.
#pragma once

template <class T, int BX, int BY, int BZ>
__global__ void block_values(const T* in, T* out) {
  const int threads = BX * BY * BZ;
  const int i = static_cast<int>(blockIdx.x) * threads + pg::linear_thread_id();
  T v = in[i];
  for (int round = 0; round < 2; ++round) {
    T* const o = out + static_cast<size_t>(i) * 7;
    o[0] = pg::block_sum<BX, BY, BZ>(v);
    o[1] = pg::block_min<BX, BY, BZ>(v);
    o[2] = pg::block_max<BX, BY, BZ>(v);
    T total;
    o[3] = pg::block_inclusive_scan<BX, BY, BZ>(v, pg::plus(), pg::convert<T>(0), &total);
    o[4] = total;
    o[5] = pg::block_exclusive_scan<BX, BY, BZ>(v, pg::plus(), pg::convert<T>(0));
    o[6] = pg::block_exclusive_scan<BX, BY, BZ>(v, pg::maximum(), pg::identity_of<T>(pg::maximum()));
  }
}

// Operation that is associative but not commutative: keeps the order of threads visible.
struct last_nonzero {
  template <class T>
  PG_HDFN T operator()(T a, T b) const { return b != T(0) ? b : a; }
};
template <int BX>
__global__ void block_order(const int* in, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[2 * i] = pg::block_inclusive_scan<BX>(in[i], last_nonzero(), 0);
  out[2 * i + 1] = pg::block_exclusive_scan<BX>(in[i], last_nonzero(), 0);
}

template <class T, int BX, int BY = 1, int BZ = 1>
void check_block_of(generator& g) {
  const int threads = BX * BY * BZ, blocks = 3, n = threads * blocks;
  std::vector<T> in(n);
  // Sums of 16-bit floats stay exact: few threads hold more than 0.
  const int sparse = sizeof(T) <= 2 ? (threads + 63) / 64 * 2 : 1;
  for (T& v : in) v = of_int<T>(g.below(sparse) == 0 ? g.below(4) : 0);
  device_array<T> din(in), dout(static_cast<size_t>(n) * 7);
  REQUIRE(PG_LAUNCH((block_values<T, BX, BY, BZ>), blocks, dim3(BX, BY, BZ), 0, nullptr, din.p, dout.p));
  const std::vector<T> got = dout.read();
  const std::string suffix = " " + type_name<T>() + " " + std::to_string(BX) + (BY * BZ > 1 ? "x" + std::to_string(BY) + "x" + std::to_string(BZ) : "");
  for (int b = 0; b < blocks; ++b) {
    const T* const x = &in[b * threads];
    long long total = 0;
    T least = x[0], most = x[0];
    for (int i = 0; i < threads; ++i) {
      total += static_cast<long long>(as_double(x[i]));
      if (as_double(x[i]) < as_double(least)) least = x[i];
      if (as_double(x[i]) > as_double(most)) most = x[i];
    }
    long long before = 0;
    T highest = pg::identity_of<T>(pg::maximum());
    for (int i = 0; i < threads; ++i) {
      const T* const o = &got[static_cast<size_t>(b * threads + i) * 7];
      const std::string where = "block " + std::to_string(b) + " thread " + std::to_string(i);
      check("block_sum" + suffix, same(o[0], of_int<T>(total)), where);
      check("block_min, block_max" + suffix, same(o[1], least) && same(o[2], most), where);
      check("block_exclusive_scan" + suffix, same(o[5], of_int<T>(before)), where);
      check("block_exclusive_scan maximum" + suffix, same(o[6], highest), where);
      before += static_cast<long long>(as_double(x[i]));
      if (as_double(x[i]) > as_double(highest)) highest = x[i];
      check("block_inclusive_scan" + suffix, same(o[3], of_int<T>(before)) && same(o[4], of_int<T>(total)), where);
    }
  }
}

template <int BX>
void check_order(generator& g) {
  std::vector<int> in(BX);
  for (int& v : in) v = g.below(5) == 0 ? 1 + g.below(1000) : 0;
  device_array<int> din(in), dout(2 * BX);
  REQUIRE(PG_LAUNCH((block_order<BX>), 1, BX, 0, nullptr, din.p, dout.p));
  const std::vector<int> got = dout.read();
  int last = 0;
  for (int i = 0; i < BX; ++i) {
    check("scan keeps the order", got[2 * i + 1] == last, std::to_string(BX));
    if (in[i]) last = in[i];
    check("scan keeps the order", got[2 * i] == last, std::to_string(BX));
  }
}

inline void check_block(unsigned seed) {
  generator g(seed + 1);
  check_block_of<int, 32>(g);
  check_block_of<int, 64>(g);
  check_block_of<int, 96>(g);
  check_block_of<int, 128>(g);
  check_block_of<int, 160>(g);
  check_block_of<int, 256>(g);
  check_block_of<int, 512>(g);
  check_block_of<int, 1024>(g);
  check_block_of<int, 1>(g);
  check_block_of<int, 7>(g);
  check_block_of<int, 48>(g);
  check_block_of<int, 100>(g);
  check_block_of<int, 1000>(g);
  check_block_of<int, 16, 8, 2>(g);
  check_block_of<float, 32, 8>(g);
  check_block_of<float, 96>(g);
  check_block_of<float, 256>(g);
  check_block_of<float, 1024>(g);
  check_block_of<double, 192>(g);
  check_block_of<double, 1024>(g);
  check_block_of<pg::half, 256>(g);
  check_block_of<pg::bfloat16, 128>(g);
  check_block_of<uint8_t, 256>(g);
  check_block_of<int64_t, 320>(g);
  check_block_of<uint64_t, 256>(g);
  check_order<32>(g);
  check_order<96>(g);
  check_order<256>(g);
  check_order<1000>(g);
  check_order<1024>(g);
}
