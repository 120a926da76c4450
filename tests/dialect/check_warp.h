// Warp functions alone: every type at every logical width, against loops over lanes.
#pragma once

// Whether width W can be used in this compiler pass.
template <int W>
struct usable {
#if PG_TARGET_CPU
  static constexpr bool value = true;
#elif defined(PG_AMD_WAVE64) && PG_AMD_WAVE64
  static constexpr bool value = true;
#else
  static constexpr bool value = W <= 32;
#endif
};

enum warp_op { op_shfl, op_up, op_down, op_xor, op_sum, op_prod, op_min, op_max, op_inclusive, op_exclusive, op_tile };

template <class T>
struct counts_as_number { static constexpr bool value = !std::is_same<T, mixed>::value; };

template <class T, int W>
__global__ void warp_values(const T* in, T* out, int op, int x) {
  if constexpr (usable<W>::value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const T v = in[i];
    T r = v;
    if (op == op_shfl) r = pg::shfl<W>(v, (pg::lane_id<W>() + x) & (W - 1));
    if (op == op_up) r = pg::shfl_up<W>(v, x);
    if (op == op_down) r = pg::shfl_down<W>(v, x);
    if (op == op_xor) r = pg::shfl_xor<W>(v, x & (W - 1));
    if constexpr (counts_as_number<T>::value) {
      if (op == op_sum) r = pg::warp_sum<W>(v);
      if (op == op_prod) r = pg::warp_prod<W>(v);
      if (op == op_min) r = pg::warp_min<W>(v);
      if (op == op_max) r = pg::warp_max<W>(v);
      if (op == op_inclusive) r = pg::warp_inclusive_scan<W>(v, pg::plus());
      if (op == op_exclusive) r = pg::warp_exclusive_scan<W>(v, pg::plus());
      if (op == op_tile) r = pg::tile<W>().reduce(v, pg::plus());
    }
    out[i] = r;
  }
}

template <class T, int W>
__global__ void warp_masks(const T* in, unsigned long long* out) {
  if constexpr (usable<W>::value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const T v = in[i];
    unsigned char first;
    memcpy(&first, &v, 1);
    const bool p = (first & 1) != 0;
    const pg::lane_mask b = pg::ballot<W>(p), m = pg::match_any<W>(v);
    out[4 * i] = b.bits;
    out[4 * i + 1] = m.bits;
    out[4 * i + 2] = static_cast<unsigned long long>(pg::any<W>(p)) | static_cast<unsigned long long>(pg::all<W>(p)) << 1 |
                     static_cast<unsigned long long>(pg::any<W>(false)) << 2 | static_cast<unsigned long long>(pg::all<W>(true)) << 3;
    const int lane = pg::lane_id<W>();
    out[4 * i + 3] = static_cast<unsigned long long>(pg::popcount(b)) | static_cast<unsigned long long>(pg::first_lane(b) + 1) << 8 |
                     static_cast<unsigned long long>(pg::popcount(pg::lanes_below(m, lane))) << 16 |
                     static_cast<unsigned long long>(pg::contains(b, lane)) << 24 |
                     static_cast<unsigned long long>(lane) << 32 | static_cast<unsigned long long>(pg::warp_id<W>()) << 40;
  }
}

template <class T>
T random_value(generator& g) {
  if constexpr (std::is_same<T, mixed>::value) {
    mixed m;
    memset(&m, 0, sizeof(m));
    m.a = static_cast<float>(g.below(4));
    m.b = g.below(2);
    m.c = static_cast<short>(g.below(2));
    return m;
  } else {
    return of_int<T>(g.below(4));
  }
}

template <class T, int W>
void check_warp_width(generator& g) {
  const int threads = 128, blocks = 2, n = threads * blocks;
  std::vector<T> in(n);
  for (T& v : in) v = random_value<T>(g);
  device_array<T> din(in), dout(n);
  const std::string suffix = "<" + std::to_string(W) + "> ";
  const auto run = [&](int op, int x) {
    REQUIRE(PG_LAUNCH((warp_values<T, W>), blocks, threads, 0, nullptr, din.p, dout.p, op, x));
    return dout.read();
  };
  const auto compare = [&](const char* name, const std::vector<T>& got, const std::vector<T>& want) {
    bool good = true;
    int bad = 0;
    for (int i = n - 1; i >= 0; --i)
      if (!same(got[i], want[i])) good = false, bad = i;
    check(name + suffix + type_name<T>(), good, "thread " + std::to_string(bad));
  };
  std::vector<T> want(n);
  for (int x : {0, 1, 3, W / 2, W - 1, W}) {
    for (int i = 0; i < n; ++i) want[i] = in[i / W * W + (i % W + x) % W];
    compare("shfl", run(op_shfl, x), want);
    for (int i = 0; i < n; ++i) want[i] = i % W >= x ? in[i - x] : in[i];
    compare("shfl_up", run(op_up, x), want);
    for (int i = 0; i < n; ++i) want[i] = i % W + x < W ? in[i + x] : in[i];
    compare("shfl_down", run(op_down, x), want);
    for (int i = 0; i < n; ++i) want[i] = in[i ^ (x & (W - 1))];
    compare("shfl_xor", run(op_xor, x), want);
  }
  if constexpr (counts_as_number<T>::value) {
    for (int i = 0; i < n; ++i) {
      long long sum = 0;
      for (int l = 0; l < W; ++l) sum += static_cast<long long>(as_double(in[i / W * W + l]));
      want[i] = of_int<T>(sum);
    }
    compare("warp_sum", run(op_sum, 0), want);
    compare("tile.reduce", run(op_tile, 0), want);
    for (int i = 0; i < n; ++i) {
      T v = in[i / W * W];
      for (int l = 0; l < W; ++l)
        if (as_double(in[i / W * W + l]) < as_double(v)) v = in[i / W * W + l];
      want[i] = v;
    }
    compare("warp_min", run(op_min, 0), want);
    for (int i = 0; i < n; ++i) {
      T v = in[i / W * W];
      for (int l = 0; l < W; ++l)
        if (as_double(in[i / W * W + l]) > as_double(v)) v = in[i / W * W + l];
      want[i] = v;
    }
    compare("warp_max", run(op_max, 0), want);
    for (int i = 0; i < n; ++i) {
      long long sum = 0;
      for (int l = 0; l <= i % W; ++l) sum += static_cast<long long>(as_double(in[i / W * W + l]));
      want[i] = of_int<T>(sum);
    }
    compare("warp_inclusive_scan", run(op_inclusive, 0), want);
    for (int i = 0; i < n; ++i) {
      long long sum = 0;
      for (int l = 0; l < i % W; ++l) sum += static_cast<long long>(as_double(in[i / W * W + l]));
      want[i] = of_int<T>(sum);
    }
    compare("warp_exclusive_scan", run(op_exclusive, 0), want);
    // Products of 1 and 2, at most 2^7 so that every type holds them.
    std::vector<T> twos(n);
    for (int i = 0; i < n; ++i) twos[i] = of_int<T>(i % W < 6 && g.below(2) ? 2 : 1);
    din.write(twos);
    for (int i = 0; i < n; ++i) {
      long long product = 1;
      for (int l = 0; l < W; ++l) product *= static_cast<long long>(as_double(twos[i / W * W + l]));
      want[i] = of_int<T>(product);
    }
    compare("warp_prod", run(op_prod, 0), want);
    din.write(in);
  }
  device_array<unsigned long long> masks(4 * n);
  REQUIRE(PG_LAUNCH((warp_masks<T, W>), blocks, threads, 0, nullptr, din.p, masks.p));
  const std::vector<unsigned long long> got = masks.read();
  for (int i = 0; i < n; ++i) {
    unsigned long long ballot = 0, match = 0;
    for (int l = 0; l < W; ++l) {
      unsigned char byte;
      memcpy(&byte, &in[i / W * W + l], 1);
      if (byte & 1) ballot |= 1ull << l;
      if (same(in[i / W * W + l], in[i])) match |= 1ull << l;
    }
    const unsigned long long whole = W == 64 ? ~0ull : (1ull << W) - 1;
    check("ballot" + suffix + type_name<T>(), got[4 * i] == ballot, "thread " + std::to_string(i));
    check("match_any" + suffix + type_name<T>(), got[4 * i + 1] == match, "thread " + std::to_string(i));
    const unsigned long long votes = (ballot != 0) | (ballot == whole ? 2 : 0) | 8;
    check("any, all" + suffix + type_name<T>(), got[4 * i + 2] == votes, "thread " + std::to_string(i));
    const int lane = i % W;
    int low = 0;
    while (low < W && !((ballot >> low) & 1)) ++low;
    int popcount = 0, below = 0;
    for (int l = 0; l < W; ++l) {
      popcount += (ballot >> l) & 1;
      if (l < lane) below += (match >> l) & 1;
    }
    const unsigned long long helpers = static_cast<unsigned long long>(popcount) |
        static_cast<unsigned long long>(low < W ? low + 1 : 0) << 8 | static_cast<unsigned long long>(below) << 16 |
        ((ballot >> lane) & 1) << 24 | static_cast<unsigned long long>(lane) << 32 |
        static_cast<unsigned long long>(i % threads / W) << 40;
    check("lane_mask, lane_id, warp_id" + suffix, got[4 * i + 3] == helpers, "thread " + std::to_string(i));
  }
}

template <class T>
void check_warp_type(generator& g, int physical) {
  check_warp_width<T, 2>(g);
  check_warp_width<T, 4>(g);
  check_warp_width<T, 8>(g);
  check_warp_width<T, 16>(g);
  check_warp_width<T, 32>(g);
  if (physical == 64) check_warp_width<T, 64>(g);
}

// NaN wins in minimum and maximum, and loses in minimum_number and maximum_number.
template <class T>
__global__ void warp_nan(const T* in, T* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = pg::warp_min<32>(in[i]);
  out[32 + i] = pg::warp_max<32>(in[i]);
  out[64 + i] = pg::warp_reduce<32>(in[i], pg::minimum_number());
  out[96 + i] = pg::warp_reduce<32>(in[i], pg::maximum_number());
}
template <class T>
void check_nan() {
  for (int place : {0, 7, 31}) {
    std::vector<T> in(32);
    for (int i = 0; i < 32; ++i) in[i] = of_int<T>(i % 9 - 4);
    in[place] = pg::numeric_limits<T>::quiet_NaN();
    device_array<T> din(in), dout(128);
    REQUIRE(PG_LAUNCH((warp_nan<T>), 1, 32, 0, nullptr, din.p, dout.p));
    const std::vector<T> out = dout.read();
    for (int i = 0; i < 32; ++i) {
      check("minimum, maximum keep NaN " + type_name<T>(), std::isnan(as_double(out[i])) && std::isnan(as_double(out[32 + i])));
      check("minimum_number, maximum_number drop NaN " + type_name<T>(), as_double(out[64 + i]) == -4 && as_double(out[96 + i]) == 4);
    }
  }
}

// Physical width, no template argument; lane numbering in blocks of three dimensions; groups of one warp
// in different branches; exchange through shared memory with syncwarp.
__global__ void warp_physical(int* out) {
  const int i = pg::linear_thread_id();
  const int w = pg::warp_size();
  int branch;
  if ((i / 8) % 2 == 0) branch = pg::warp_sum<8>(i);
  else branch = 1000 + pg::warp_max<8>(i);
  __shared__ int exchange[256];
  exchange[i] = i;
  pg::syncwarp();
  const int other = exchange[i ^ 1];
  pg::syncwarp<2>();
  out[6 * i] = w;
  out[6 * i + 1] = pg::lane_id();
  out[6 * i + 2] = pg::warp_id();
  out[6 * i + 3] = pg::warp_sum(1) + 1000 * pg::shfl(i, 0);
  out[6 * i + 4] = branch;
  out[6 * i + 5] = other;
}

inline void check_warp(unsigned seed) {
  generator g(seed);
  const int physical = pg::host_warp_size(0);
  check("host_warp_size", physical == 32 || physical == 64);
  check_warp_type<int8_t>(g, physical);
  check_warp_type<uint8_t>(g, physical);
  check_warp_type<int16_t>(g, physical);
  check_warp_type<uint16_t>(g, physical);
  check_warp_type<int32_t>(g, physical);
  check_warp_type<uint32_t>(g, physical);
  check_warp_type<int64_t>(g, physical);
  check_warp_type<uint64_t>(g, physical);
  check_warp_type<pg::half>(g, physical);
  check_warp_type<pg::bfloat16>(g, physical);
  check_warp_type<float>(g, physical);
  check_warp_type<double>(g, physical);
  check_warp_type<mixed>(g, physical);
  check_nan<pg::half>();
  check_nan<pg::bfloat16>();
  check_nan<float>();
  check_nan<double>();
  device_array<int> out(6 * 256);
  REQUIRE(PG_LAUNCH(warp_physical, 1, dim3(16, 8, 2), 0, nullptr, out.p));
  const std::vector<int> got = out.read();
  for (int i = 0; i < 256; ++i) {
    const int group = i / 8 * 8, *r = &got[6 * i];
    check("warp_size, lane_id, warp_id (physical)", r[0] == physical && r[1] == i % physical && r[2] == i / physical);
    check("warp_sum, shfl (physical)", r[3] == physical + 1000 * (i / physical * physical));
    check("groups of a warp in different branches", r[4] == (i / 8 % 2 == 0 ? 8 * group + 28 : 1000 + group + 7));
    check("syncwarp", r[5] == (i ^ 1));
  }
}
