// Matrix fragments of both types, as they lie and transposed; match_bits; copies that may be outside.
#pragma once

#include "pg/mma.h"

// Bit 0 of `form`: A is stored transposed; bit 1: B is. A chain of `pieces` products, several per block.
template <class T>
__global__ void fragment_product(const T* a, const T* b, float* out, int form, int pieces) {
  constexpr int stride = 24;  // the lines' padding must not be read
  __shared__ __attribute__((aligned(16))) T shared[2][16 * stride];
  const int t = static_cast<int>(threadIdx.x), fragment = t / pg::mma::lanes;
  pg::mma::c sums = pg::mma::zero();
  for (int p = 0; p < pieces; ++p) {
    pg::syncblock();
    for (int i = t; i < 16 * 16; i += static_cast<int>(blockDim.x)) {
      shared[0][i / 16 * stride + i % 16] = a[p * 256 + i];
      shared[1][i / 16 * stride + i % 16] = b[p * 256 + i];
    }
    pg::syncblock();
    const pg::mma::a<T> left = form & 1 ? pg::mma::load_a_transposed(shared[0], stride) : pg::mma::load_a(shared[0], stride);
    const pg::mma::b<T> right = form & 2 ? pg::mma::load_b_transposed(shared[1], stride) : pg::mma::load_b(shared[1], stride);
    pg::mma::multiply_add(sums, left, right);
  }
  for (int i = 0; i < pg::mma::count; ++i)
    out[fragment * 256 + pg::mma::row(i) * 16 + pg::mma::column(i)] = sums[i];
}

// out = round(a * b) * b, and the sums of the rows of a * b by lanes that share them. Fragments have scratch of their own.
template <class T>
__global__ void fragment_chain(const T* a, const T* b, float* out, float* row_sums) {
  constexpr int stride = 24;
  __shared__ __attribute__((aligned(16))) T shared[2][16 * stride];
  __shared__ __attribute__((aligned(16))) T scratch[4][16 * stride];
  const int t = static_cast<int>(threadIdx.x), fragment = t / pg::mma::lanes;
  for (int i = t; i < 16 * 16; i += static_cast<int>(blockDim.x)) {
    shared[0][i / 16 * stride + i % 16] = a[i];
    shared[1][i / 16 * stride + i % 16] = b[i];
  }
  pg::syncblock();
  const pg::mma::b<T> right = pg::mma::load_b(shared[1], stride);
  pg::mma::c first = pg::mma::zero(), second = pg::mma::zero();
  pg::mma::multiply_add(first, pg::mma::load_a(shared[0], stride), right);
  float sums[pg::mma::own_rows] = {};
  for (int i = 0; i < pg::mma::count; ++i) sums[pg::mma::own(i)] += first[i];
  for (int o = 0; o < pg::mma::own_rows; ++o)
    row_sums[fragment * 16 + pg::mma::own_row(o)] = pg::warp_reduce<pg::mma::row_lanes>(sums[o], pg::plus());
  for (int turn = 0; turn < 2; ++turn)  // the second one finds the scratch in use
    pg::mma::multiply_add(second, pg::mma::to_a(first, scratch[fragment], stride), right);
  for (int i = 0; i < pg::mma::count; ++i)
    out[fragment * 256 + pg::mma::row(i) * 16 + pg::mma::column(i)] = second[i];
}

template <class T>
void check_fragment_chain(generator& g) {
  std::vector<T> a(256), b(256);
  for (T& v : a) v = pg::from_float<T>(static_cast<float>(g.below(41) - 20) / 8.0f);
  for (T& v : b) v = pg::from_float<T>(static_cast<float>(g.below(9) - 4) / 4.0f);
  device_array<T> da(a), db(b);
  device_array<float> out(256 * 4), row_sums(16 * 4);
  REQUIRE(PG_LAUNCH((fragment_chain<T>), 1, 128, 0, nullptr, da.p, db.p, out.p, row_sums.p));
  const std::vector<float> got = out.read(), got_sums = row_sums.read();
  for (int i = 0; i < 16; ++i) {
    double sum = 0, between[16];
    for (int j = 0; j < 16; ++j) {
      double exact = 0;
      for (int k = 0; k < 16; ++k) exact += static_cast<double>(pg::to_float(a[i * 16 + k])) * pg::to_float(b[k * 16 + j]);
      sum += exact;
      between[j] = pg::to_float(pg::from_float<T>(static_cast<float>(exact)));
    }
    for (int fragment = 0; fragment < 2; ++fragment) {
      check("mma row sums " + type_name<T>(), got_sums[fragment * 16 + i] == sum, std::to_string(i));
      for (int j = 0; j < 16; ++j) {
        double want = 0;
        for (int k = 0; k < 16; ++k) want += 2 * between[k] * pg::to_float(b[k * 16 + j]);
        check("mma to_a " + type_name<T>(), got[fragment * 256 + i * 16 + j] == want,
              std::to_string(i) + ", " + std::to_string(j) + ": " + std::to_string(got[fragment * 256 + i * 16 + j]) +
                  " for " + std::to_string(want));
      }
    }
  }
}

template <class T>
void check_fragments(generator& g) {
  const int pieces = 3, threads = 128;
  std::vector<T> a(256 * pieces), b(256 * pieces);
  for (T& v : a) v = pg::from_float<T>(static_cast<float>(g.below(41) - 20) / 8.0f);
  for (T& v : b) v = pg::from_float<T>(static_cast<float>(g.below(41) - 20) / 4.0f);
  device_array<T> da(a), db(b);
  for (int form = 0; form < 4; ++form) {
    device_array<float> out(256 * 4);
    REQUIRE(PG_LAUNCH((fragment_product<T>), 1, threads, 0, nullptr, da.p, db.p, out.p, form, pieces));
    const std::vector<float> got = out.read();
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 16; ++j) {
        double want = 0;  // exact: the terms are small multiples of 1/32
        for (int p = 0; p < pieces; ++p)
          for (int k = 0; k < 16; ++k)
            want += static_cast<double>(pg::to_float(a[p * 256 + (form & 1 ? k * 16 + i : i * 16 + k)])) *
                    pg::to_float(b[p * 256 + (form & 2 ? j * 16 + k : k * 16 + j)]);
        // Two groups of threads at least hold the same product, whatever the lanes of a fragment are.
        for (int fragment = 0; fragment < 2; ++fragment)
          check("mma, form " + std::to_string(form) + " " + type_name<T>(), got[fragment * 256 + i * 16 + j] == want,
                std::to_string(i) + ", " + std::to_string(j) + ": " + std::to_string(got[fragment * 256 + i * 16 + j]) +
                    " for " + std::to_string(want));
      }
    }
  }
}

template <int Bits, int W>
__global__ void matching(const unsigned* in, unsigned long long* out) {
  if constexpr (usable<W>::value) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = pg::match_bits<Bits, W>(in[i]).bits;
  }
}

template <int Bits, int W>
void check_matching(generator& g) {
  if (W > pg::host_warp_size(0)) return;
  const int n = 256;
  std::vector<unsigned> in(n);
  const unsigned mask = Bits == 32 ? ~0u : (1u << (Bits & 31)) - 1;
  for (unsigned& v : in) v = static_cast<unsigned>(g.below(3)) * 0x01010101u ^ (g.next() & ~mask);
  device_array<unsigned> din(in);
  device_array<unsigned long long> out(n);
  REQUIRE(PG_LAUNCH((matching<Bits, W>), 2, n / 2, 0, nullptr, din.p, out.p));
  const std::vector<unsigned long long> got = out.read();
  for (int i = 0; i < n; ++i) {
    unsigned long long want = 0;
    for (int l = 0; l < W; ++l)
      if (((in[i / W * W + l] ^ in[i]) & mask) == 0) want |= 1ull << l;
    check("match_bits<" + std::to_string(Bits) + ", " + std::to_string(W) + ">", got[i] == want, "thread " + std::to_string(i));
  }
}

__global__ void copy_inside(const float* in, float* out, int n) {
  __shared__ __attribute__((aligned(16))) float tile[3][4 * 64];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) tile[0][4 * t + i] = tile[1][4 * t + i] = tile[2][4 * t + i] = -1;
  pg::syncblock();
  pg::async_copy_if<16>(t < n, tile[0] + 4 * t, in + 4 * t);
  pg::async_copy_if<8>(t < n, tile[1] + 4 * t, in + 4 * t);
  pg::async_copy_if<4>(t < n, tile[2] + 4 * t, in + 4 * t);
  pg::async_wait();
  pg::syncblock();
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 4; ++i) out[k * 256 + 4 * t + i] = tile[k][4 * t + i];
}

inline void check_copies_inside() {
  const int n = 23;  // of 64 threads
  std::vector<float> in(4 * n);
  for (int i = 0; i < 4 * n; ++i) in[i] = static_cast<float>(i + 1);
  device_array<float> din(in), out(3 * 256);
  REQUIRE(PG_LAUNCH(copy_inside, 1, 64, 0, nullptr, din.p, out.p, n));
  const std::vector<float> got = out.read();
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 256; ++i) {
      const bool copied = i % 4 < 4 >> k;
      check("async_copy_if", got[k * 256 + i] == (!copied ? -1 : i < 4 * n ? in[i] : 0), std::to_string(i));
    }
}

inline void check_mma(unsigned seed) {
  generator g(seed);
  check_fragments<pg::half>(g);
  check_fragments<pg::bfloat16>(g);
  check_fragment_chain<pg::half>(g);
  check_fragment_chain<pg::bfloat16>(g);
  check_matching<1, 32>(g);
  check_matching<8, 32>(g);
  check_matching<8, 16>(g);
  check_matching<11, 2>(g);
  check_matching<32, 32>(g);
  check_matching<8, 64>(g);
  check_copies_inside();
}
