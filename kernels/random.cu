// Counter-based random numbers. Threefry 2x32 (20 rounds; Salmon et al., 2011) gives the bits of
// jax.random with partitionable keys: element i is the two words for counter i, combined by xor.
// Philox 4x32 (10 rounds) costs about a quarter: its words 4i ... 4i + 3 belong to counter i.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

constexpr int kRandomItems = 4;   // neighbouring elements of a thread: one Philox block

struct random_args {
  uint32_t key0, key1;
  double a, b;  // low, high; or mean, standard deviation
  bool philox;
};

struct words4 {
  uint32_t high[4], low[4];  // `low` is for f64 only
};

__device__ __forceinline__ pg::random4 philox_block(const random_args& r, uint64_t block) {
  return pg::philox4x32({{r.key1, r.key0}}, {{uint32_t(block), uint32_t(block >> 32), 0u, 0u}});
}

// Words of the elements i ... i + 3; i is a multiple of 4.
template <bool kWide>
__device__ __forceinline__ words4 random_words(const random_args& r, uint64_t i) {
  words4 w;
  if (r.philox) {
    if constexpr (kWide) {
      const pg::random4 p = philox_block(r, i / 2), q = philox_block(r, i / 2 + 1);
      PG_UNROLL
      for (int j = 0; j < 2; ++j) {
        w.high[j] = p[2 * j];
        w.low[j] = p[2 * j + 1];
        w.high[j + 2] = q[2 * j];
        w.low[j + 2] = q[2 * j + 1];
      }
    } else {
      const pg::random4 p = philox_block(r, i / 4);
      PG_UNROLL
      for (int j = 0; j < 4; ++j) w.high[j] = p[j];
    }
  } else {
    PG_UNROLL
    for (int j = 0; j < 4; ++j) {
      const pg::random2 t = pg::threefry2x32({{r.key0, r.key1}}, {{uint32_t(i >> 32), uint32_t(i) + uint32_t(j)}});
      w.high[j] = kWide ? t[0] : t[0] ^ t[1];
      w.low[j] = t[1];
    }
  }
  return w;
}

// [0, 1): as many leading bits as T holds exactly.
template <class T>
__device__ __forceinline__ compute_t<T> unit_interval(uint32_t high, uint32_t low) {
  if constexpr (std::is_same_v<T, double>)
    return double((uint64_t(high) << 32 | low) >> 12) * 2.220446049250313e-16;  // 2^-52
  else if constexpr (std::is_same_v<T, float>) return pg::bit_cast<float>(high >> 9 | 0x3f800000u) - 1.0f;  // 23 bits
  else if constexpr (std::is_same_v<T, half>) return float(high >> 22) * 9.765625e-04f;            // 2^-10
  else return float(high >> 25) * 7.8125e-03f;                                                      // 2^-7
}

// Giles, "Approximating the erfinv function", GPU Computing Gems, 2012.
__device__ __forceinline__ float erf_inverse(float x) {
  // Only the absolute error of w counts, so a quick logarithm is enough.
  float w = -0.69314718f * pg::fast::log2(pg::fma(-x, x, 1.0f));
  if (w < 5.0f) {
    w -= 2.5f;
    float p = 2.81022636e-08f;
    p = 3.43273939e-07f + p * w;
    p = -3.5233877e-06f + p * w;
    p = -4.39150654e-06f + p * w;
    p = 0.00021858087f + p * w;
    p = -0.00125372503f + p * w;
    p = -0.00417768164f + p * w;
    p = 0.246640727f + p * w;
    p = 1.50140941f + p * w;
    return p * x;
  }
  w = pg::fast::sqrt(w) - 3.0f;
  float p = -0.000200214257f;
  p = 0.000100950558f + p * w;
  p = 0.00134934322f + p * w;
  p = -0.00367342844f + p * w;
  p = 0.00573950773f + p * w;
  p = -0.0076224613f + p * w;
  p = 0.00943887047f + p * w;
  p = 1.00167406f + p * w;
  p = 2.83297682f + p * w;
  return p * x;
}

struct bits_rule {
  template <class T>
  static __device__ __forceinline__ void make(const random_args& r, uint64_t i, T (&out)[4]) {
    const words4 w = random_words<false>(r, i);
    PG_UNROLL
    for (int j = 0; j < 4; ++j) out[j] = T(w.high[j]);
  }
};

struct uniform_rule {
  template <class T>
  static __device__ __forceinline__ void make(const random_args& r, uint64_t i, T (&out)[4]) {
    using C = compute_t<T>;
    const words4 w = random_words<std::is_same_v<T, double>>(r, i);
    const C low = C(r.a), span = C(r.b) - C(r.a);
    PG_UNROLL
    for (int j = 0; j < 4; ++j) {
      const C x = unit_interval<T>(w.high[j], w.low[j]) * span + low;
      out[j] = narrow<T>(x > low ? x : low);
    }
  }
};

struct normal_rule {
  template <class T>
  static __device__ __forceinline__ void make(const random_args& r, uint64_t i, T (&out)[4]) {
    using C = compute_t<T>;
    const C mean = C(r.a), deviation = C(r.b);
    C z[4];
    if constexpr (std::is_same_v<T, double>) {
      const words4 w = random_words<true>(r, i);
      PG_UNROLL
      for (int j = 0; j < 4; j += 2) {  // Box and Muller
        const double radius = m::sqrt(-2.0 * m::log(1.0 - unit_interval<double>(w.high[j], w.low[j])));
        const double angle = 6.283185307179586 * unit_interval<double>(w.high[j + 1], w.low[j + 1]);
        z[j] = radius * m::cos(angle);
        z[j + 1] = radius * m::sin(angle);
      }
    } else if (r.philox) {
      const words4 w = random_words<false>(r, i);
      PG_UNROLL
      for (int j = 0; j < 4; j += 2) {
        // (0, 1] from 32 bits, so that the tail reaches 6.6 deviations; the angle in [-pi, pi).
        const float u = float(w.high[j]) * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
        const float angle = float(int32_t(w.high[j + 1])) * 1.4629180792671596e-09f;
        const float radius = pg::fast::sqrt(-2.0f * m::log(u < 1.0f ? u : 1.0f));
        z[j] = radius * pg::fast::cos(angle);
        z[j + 1] = radius * pg::fast::sin(angle);
      }
    } else {
      const words4 w = random_words<false>(r, i);
      PG_UNROLL
      for (int j = 0; j < 4; ++j) {  // as jax.random.normal: uniform in (-1, 1), then erfinv
        z[j] = 1.41421356f * erf_inverse(pg::fma(float(w.high[j] >> 9), 2.384185791015625e-07f, -0.99999994f));
      }
    }
    PG_UNROLL
    for (int j = 0; j < 4; ++j) out[j] = narrow<T>(z[j] * deviation + mean);
  }
};

template <class Rule, class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    random_contiguous(T* out, int64_t first, int64_t n, random_args args, bool aligned) {
  const int64_t i = (int64_t(blockIdx.x) * kMapBlock + threadIdx.x) * kRandomItems;
  if (i >= n) return;
  T value[kRandomItems];
  Rule::make(args, uint64_t(first + i), value);
  if (aligned && i + kRandomItems <= n) {
    pg::vec<T, kRandomItems> v;
    PG_UNROLL
    for (int j = 0; j < kRandomItems; ++j) v[j] = value[j];
    pg::store_vec<kRandomItems>(out + i, v);
  } else {
    PG_UNROLL
    for (int j = 0; j < kRandomItems; ++j)
      if (i + j < n) out[i + j] = value[j];
  }
}

template <class Rule, class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    random_strided(T* out, int64_t first, uint32_t n, random_args args, const PG_GRID_CONSTANT strided<1> map) {
  const uint32_t i = (blockIdx.x * kMapBlock + threadIdx.x) * kRandomItems;
  if (i >= n) return;
  T value[kRandomItems];
  const int64_t number = first + i, whole = number / kRandomItems * kRandomItems;
  const int skip = int(number - whole);  // chunks of odd shapes can start inside a group
  Rule::make(args, uint64_t(whole), value);
  T next[kRandomItems];
  if (skip != 0) Rule::make(args, uint64_t(whole + kRandomItems), next);
  PG_UNROLL
  for (int j = 0; j < kRandomItems; ++j) {
    if (i + j >= n) continue;
    int64_t at[1];
    map.offsets(i + uint32_t(j), at);
    T v = value[0];
    PG_UNROLL
    for (int k = 0; k < kRandomItems; ++k) {
      if (j + skip == k) v = value[k];
      if (j + skip == k + kRandomItems) v = next[k];
    }
    out[at[0]] = v;
  }
}

template <class Rule, class Types>
int random(const char* op, const pg_tensor* tout, double a, double b, int64_t key, int32_t generator, void* stream) {
  view out;
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(check_output(op, out));
  if (generator != 0 && generator != 1)
    return fail(PG_ERR_VALUE, "%s: generator is %d; 0 is Threefry, 1 is Philox", op, int(generator));
  return dispatch(op, out.dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    layout<1> plan;
    for (int d = 0; d < out.ndim; ++d) {
      const int64_t s[1] = {out.stride[d]};
      plan.push(out.shape[d], s);
    }
    const int64_t n = plan.numel();
    if (n == 0) return int(PG_OK);
    plan.merge();  // keeps C order, which numbers the elements
    PG_TRY(check_rank(op, plan.ndim));
    const random_args args{uint32_t(uint64_t(key) >> 32), uint32_t(uint64_t(key)), a, b, generator == 1};
    T* data = reinterpret_cast<T*>(out.data);
    constexpr int64_t kPerBlock = kMapBlock * kRandomItems;
    if (plan.contiguous(0))
      return for_grids(n, kPerBlock, [&](int64_t first, int64_t count) {
        return launched(PG_LAUNCH((random_contiguous<Rule, T>), blocks_for(count, kPerBlock), kMapBlock, 0, stream,
                                  data + first, first, count, args, aligned_for<T>(data, kRandomItems)), op);
      });
    int64_t first = 0;
    return for_chunks(plan, [&](const layout<1>& piece, const int64_t (&start)[1]) {
      const int64_t count = piece.numel();
      const int status = launched(PG_LAUNCH((random_strided<Rule, T>), blocks_for(count, kPerBlock), kMapBlock, 0,
                                            stream, data + start[0], first, uint32_t(count), args, piece.device()),
                                  op);
      first += count;
      return status;
    });
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_random_bits(const pg_tensor* out, int64_t key, int32_t generator, void* stream) {
  return random<bits_rule, types<uint32_t, int32_t>>("random_bits", out, 0, 0, key, generator, stream);
}
extern "C" PG_API int pg_uniform(const pg_tensor* out, double low, double high, int64_t key, int32_t generator,
                                 void* stream) {
  return random<uniform_rule, float_types>("uniform", out, low, high, key, generator, stream);
}
extern "C" PG_API int pg_normal(const pg_tensor* out, double mean, double stddev, int64_t key, int32_t generator,
                                void* stream) {
  return random<normal_rule, float_types>("normal", out, mean, stddev, key, generator, stream);
}
