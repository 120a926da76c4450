// Vector access of every size, cache hints, read-only loads, asynchronous copies, dynamic shared memory.
#pragma once

template <class T, int N>
__global__ void move_vectors(const T* in, T* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  if (i + N > n) return;
  pg::vec<T, N> a = pg::load_vec<N>(in + i), b = pg::load_vec_streaming<N>(in + i), c;
  for (int k = 0; k < N; ++k) c[k] = k % 2 ? a[k] : b[k];
  pg::store_vec(out + i, c);
  pg::store_vec_streaming(out + n + i, c);
  for (int k = 0; k < N; ++k) pg::store_streaming(out + 2 * n + i + k, k % 2 ? pg::ldg(in + i + k) : pg::load_streaming(in + i + k));
}

template <class T, int N>
void check_vectors() {
  const int n = 1024;
  generator g(N);
  std::vector<T> in(n);
  for (T& v : in) {
    uint64_t bits = uint64_t(g.next()) << 32 | g.next();
    memcpy(&v, &bits, sizeof(T) < 8 ? sizeof(T) : 8);
  }
  device_array<T> din(in), out(3 * n);
  REQUIRE(PG_LAUNCH((move_vectors<T, N>), 8, n / N / 8 > 0 ? n / N / 8 : 1, 0, nullptr, din.p, out.p, n));
  const std::vector<T> got = out.read();
  const std::string suffix = " " + type_name<T>() + " x " + std::to_string(N);
  bool vectors = true, streaming = true, scalars = true;
  for (int i = 0; i < n; ++i) {
    vectors = vectors && same(got[i], in[i]);
    streaming = streaming && same(got[n + i], in[i]);
    scalars = scalars && same(got[2 * n + i], in[i]);
  }
  check("load_vec, store_vec" + suffix, vectors);
  check("load_vec_streaming, store_vec_streaming" + suffix, streaming);
  check("load_streaming, store_streaming, ldg" + suffix, scalars);
  static_assert(sizeof(pg::vec<T, N>) == sizeof(T) * N, "a vec has no padding");
}

// Two stages: the next tile is on its way while this one is summed.
__global__ void pipeline(const float* in, float* out, int tiles) {
  PG_DYN_SHARED(float, tile);
  const int t = static_cast<int>(threadIdx.x), width = static_cast<int>(blockDim.x);
  pg::async_copy<16>(tile + 4 * t, in + 4 * t);
  pg::async_commit();
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      float* const next = tile + ((i + 1) % 2) * 4 * width;
      pg::async_copy<8>(next + 4 * t, in + (i + 1) * 4 * width + 4 * t);
      pg::async_copy(next + 4 * t + 2, in + (i + 1) * 4 * width + 4 * t + 2);
      pg::async_copy(next + 4 * t + 3, in + (i + 1) * 4 * width + 4 * t + 3);
      pg::async_commit();
      pg::async_wait<1>();
    } else {
      pg::async_wait();
    }
    pg::syncblock();
    const float* const now = tile + (i % 2) * 4 * width;
    for (int k = 0; k < 4; ++k) sum += now[(t + k * width) % (4 * width)] * static_cast<float>(k + 1);
    pg::syncblock();
  }
  out[t] = sum;
}

inline void check_memory() {
  check_vectors<uint8_t, 1>();
  check_vectors<uint8_t, 4>();
  check_vectors<uint8_t, 16>();
  check_vectors<int16_t, 2>();
  check_vectors<pg::half, 2>();
  check_vectors<pg::half, 8>();
  check_vectors<pg::bfloat16, 8>();
  check_vectors<float, 1>();
  check_vectors<float, 2>();
  check_vectors<float, 4>();
  check_vectors<float, 8>();
  check_vectors<double, 1>();
  check_vectors<double, 2>();
  check_vectors<int64_t, 2>();
  check_vectors<mixed, 1>();
  for (size_t width : {size_t(64), size_t(256)}) {
    const int tiles = 5;
    std::vector<float> in(width * 4 * tiles);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 64);
    device_array<float> din(in), out(width);
    REQUIRE(PG_LAUNCH(pipeline, 1, width, 8 * width * sizeof(float), nullptr, din.p, out.p, tiles));
    const std::vector<float> got = out.read();
    for (size_t t = 0; t < width; ++t) {
      float want = 0;
      for (int i = 0; i < tiles; ++i)
        for (size_t k = 0; k < 4; ++k) want += in[i * 4 * width + t + k * width] * static_cast<float>(k + 1);
      check("async_copy, async_wait, PG_DYN_SHARED", got[t] == want, std::to_string(t));
    }
  }
  alignas(16) const float aligned[8] = {};
  check("is_vec_aligned", pg::is_vec_aligned<4>(aligned) && !pg::is_vec_aligned<4>(aligned + 1) && pg::is_vec_aligned<1>(aligned + 1) && pg::vec_width<float> == 4 && pg::vec_width<pg::half> == 8);
}
