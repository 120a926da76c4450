// Transforms of our own: powers of two by Stockham's passes, in shared memory while a row fits, any other
// length n as a convolution with a chirp (Bluestein) in a power of two from 2 n - 1 on.
// Inverse ones are the conjugate of the transform of the conjugate, so that every table is a forward one.
#pragma once

#include "elementwise.cuh"
#include "math.cuh"

namespace pgops {

constexpr int kFftBlock = 256;
constexpr int64_t kFftMost = int64_t(1) << 27;   // longest convolution, or power of two
constexpr int64_t kFftTogether = int64_t(1) << 21;  // elements of the rows that go through global memory side by side

enum fft_kind : int { kComplex = 0, kFromReal = 1, kToReal = 2 };

struct fft_args {
  int64_t rows, n, in_n, out_n;                // transforms, their length, elements of a row in memory
  int64_t x_step, x_part, out_step, out_part;  // strides along the axis, and to the imaginary part
  int kind, inverse;
};

template <class C>
struct pair { C re, im; };
template <class C>
__device__ __forceinline__ pair<C> operator+(pair<C> a, pair<C> b) { return {a.re + b.re, a.im + b.im}; }
template <class C>
__device__ __forceinline__ pair<C> operator-(pair<C> a, pair<C> b) { return {a.re - b.re, a.im - b.im}; }
template <class C>
__device__ __forceinline__ pair<C> operator*(pair<C> a, pair<C> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class C>
__device__ __forceinline__ pair<C> conjugate(pair<C> a) { return {a.re, -a.im}; }

// Elements of a block's shared memory: 32 KiB in two buffers.
template <class T>
constexpr int fft_shared = 16384 / int(sizeof(pair<T>));
constexpr int kFftRows = 64;  // most rows of a block
template <class T>
__host__ __device__ constexpr int fft_rows(int64_t n) {
  const int64_t rows = 1024 / n;
  return rows < 1 ? 1 : rows > kFftRows ? kFftRows : int(rows);
}

// exp(-2 pi i j / n)
template <class C>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock) fft_roots(pair<C>* table, int64_t n) {
  const int64_t j = int64_t(blockIdx.x) * kFftBlock + threadIdx.x;
  if (j >= n) return;
  const double angle = -6.283185307179586476925286766559 * (double(j) / double(n));
  table[j] = {C(m::cos(angle)), C(m::sin(angle))};
}

// chirp[j] = exp(-pi i j j / n), and around it what rows are convolved with: its conjugate at j and -j, over `size`.
template <class C>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock) fft_chirp(pair<C>* chirp, pair<C>* around, int64_t n, int64_t size) {
  const int64_t j = int64_t(blockIdx.x) * kFftBlock + threadIdx.x;
  if (j >= size) return;
  const int64_t distance = j < n ? j : size - j;
  if (distance >= n) {
    around[j] = {C(0), C(0)};
    return;
  }
  const double angle = -3.1415926535897932384626433832795 * (double(distance * distance % (2 * n)) / double(n));
  const double re = m::cos(angle), im = m::sin(angle);
  if (j < n) chirp[j] = {C(re), C(im)};
  around[j] = {C(re / double(size)), C(-im / double(size))};
}

// Element j of the transform's input, 0 <= j < n, conjugated for an inverse.
template <class T>
__device__ __forceinline__ pair<T> fft_element(const T* x, int64_t j, const fft_args& args) {
  if (args.kind == kFromReal) return {x[j * args.x_step], T(0)};
  const bool mirrored = args.kind == kToReal && j >= args.in_n;  // the other half is conjugate
  const T* at = x + (mirrored ? args.n - j : j) * args.x_step;
  const bool real = args.kind == kToReal && (2 * j == args.n || j == 0);
  const T im = real ? T(0) : at[args.x_part];
  return {at[0], mirrored != (args.inverse != 0) ? -im : im};
}

template <class T>
__device__ __forceinline__ void fft_write(T* out, int64_t k, pair<T> value, const fft_args& args) {
  const T scale = args.inverse ? T(1) / T(args.n) : T(1);
  out[k * args.out_step] = value.re * scale;
  if (args.kind == kToReal) return;
  if (args.kind == kFromReal && (k == 0 || 2 * k == args.n)) value.im = T(0);
  out[k * args.out_step + args.out_part] = value.im * (args.inverse ? -scale : scale);
}

template <class T>
__device__ __forceinline__ void fft_few(pair<T> (&v)[2]) {
  const pair<T> a = v[0], b = v[1];
  v[0] = a + b;
  v[1] = a - b;
}
template <class T>
__device__ __forceinline__ void fft_few(pair<T> (&v)[4]) {
  const pair<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
  v[0] = a + c;
  v[1] = {b.re + d.im, b.im - d.re};
  v[2] = a - c;
  v[3] = {b.re - d.im, b.im + d.re};
}
template <class T>
__device__ __forceinline__ void fft_few(pair<T> (&v)[8]) {
  pair<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  fft_few(even);
  fft_few(odd);
  const T h = T(0.70710678118654752440);
  odd[1] = {h * (odd[1].re + odd[1].im), h * (odd[1].im - odd[1].re)};
  odd[2] = {odd[2].im, -odd[2].re};
  odd[3] = {h * (odd[3].im - odd[3].re), -h * (odd[3].re + odd[3].im)};
  PG_UNROLL
  for (int k = 0; k < 4; ++k) {
    v[k] = even[k] + odd[k];
    v[k + 4] = even[k] - odd[k];
  }
}

// Butterfly t of a pass over a row of n that joins transforms of length `done` in groups of R.
template <int R, class T>
__device__ __forceinline__ void fft_join(const pair<T>* from, pair<T>* to, const pair<T>* roots, uint32_t n,
                                         uint32_t done, uint32_t t) {
  const uint32_t k = t & (done - 1), step = n / (R * done);
  pair<T> v[R];
  PG_UNROLL
  for (int r = 0; r < R; ++r) {
    v[r] = from[t + uint32_t(r) * (n / R)];
    if (r > 0 && k > 0) v[r] = v[r] * roots[uint32_t(r) * k * step];
  }
  fft_few(v);
  PG_UNROLL
  for (int r = 0; r < R; ++r) to[(t - k) * R + k + uint32_t(r) * done] = v[r];
}

// Transforms rows of n side by side; returns the buffer with the result. All threads of a block call it.
template <class T>
__device__ __forceinline__ int fft_rows_in(pair<T> (&buffer)[2][fft_shared<T>], int from, const pair<T>* roots,
                                           uint32_t n, uint32_t rows) {
  __syncthreads();
  for (uint32_t done = 1; done < n; from ^= 1) {
    const uint32_t radix = n / done >= 4 ? 4 : 2, joins = n / radix;
    for (uint32_t i = threadIdx.x; i < rows * joins; i += kFftBlock) {
      const uint32_t t = i & (joins - 1), row = (i - t) * radix;
      if (radix == 4) fft_join<4>(buffer[from] + row, buffer[from ^ 1] + row, roots, n, done, t);
      else fft_join<2>(buffer[from] + row, buffer[from ^ 1] + row, roots, n, done, t);
    }
    done *= radix;
    __syncthreads();
  }
  return from;
}

// Rows that fit into shared memory. 2^bits is args.n, or with a chirp the length of the convolution.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_short(const T* x, T* out, const pair<T>* roots, const pair<T>* chirp, const pair<T>* around, int bits,
              const PG_GRID_CONSTANT fft_args args, const PG_GRID_CONSTANT strided<2> map) {
  __shared__ pair<T> buffer[2][fft_shared<T>];
  const uint32_t size = uint32_t(1) << bits;
  const uint32_t together = uint32_t(fft_rows<T>(size)), first = blockIdx.x * together;
  const uint32_t rows = args.rows - first < together ? uint32_t(args.rows - first) : together;
  int64_t at[2];
  for (uint32_t i = threadIdx.x; i < rows * size; i += kFftBlock) {
    const uint32_t j = i & (size - 1);
    pair<T> value = {T(0), T(0)};
    if (j < args.n) {
      map.offsets(first + (i >> bits), at);
      value = fft_element(x + at[1], j, args);
      if (chirp != nullptr) value = value * chirp[j];
    }
    buffer[0][i] = value;
  }
  int from = fft_rows_in(buffer, 0, roots, size, rows);
  if (chirp != nullptr) {
    for (uint32_t i = threadIdx.x; i < rows * size; i += kFftBlock)
      buffer[from][i] = conjugate(buffer[from][i] * around[i & (size - 1)]);
    from = fft_rows_in(buffer, from, roots, size, rows);
  }
  for (uint32_t i = threadIdx.x; i < rows * size; i += kFftBlock) {
    const uint32_t k = i & (size - 1);
    if (k >= args.out_n) continue;
    map.offsets(first + (i >> bits), at);
    const pair<T> value = buffer[from][i];
    fft_write(out + at[0], k, chirp == nullptr ? value : conjugate(value) * chirp[k], args);
  }
}

// Longer rows: into the workspace, pass by pass there, and out of it. `first` is the first row of these.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_load(const T* x, pair<T>* to, const pair<T>* chirp, int bits, uint32_t count, uint32_t first,
             const PG_GRID_CONSTANT fft_args args, const PG_GRID_CONSTANT strided<2> map) {
  const uint32_t i = blockIdx.x * kFftBlock + threadIdx.x;
  if (i >= count) return;
  const uint32_t j = i & ((uint32_t(1) << bits) - 1);
  pair<T> value = {T(0), T(0)};
  if (j < args.n) {
    int64_t at[2];
    map.offsets(first + (i >> bits), at);
    value = fft_element(x + at[1], j, args);
    if (chirp != nullptr) value = value * chirp[j];
  }
  to[i] = value;
}
template <int R, class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_pass(const pair<T>* from, pair<T>* to, const pair<T>* roots, uint32_t size, uint32_t done, uint32_t count) {
  const uint32_t i = blockIdx.x * kFftBlock + threadIdx.x, joins = size / R;
  if (i >= count) return;
  const uint32_t t = i & (joins - 1), row = (i - t) * R;
  fft_join<R>(from + row, to + row, roots, size, done, t);
}
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_times(pair<T>* data, const pair<T>* around, uint32_t size, uint32_t count) {
  const uint32_t i = blockIdx.x * kFftBlock + threadIdx.x;
  if (i < count) data[i] = conjugate(data[i] * around[i & (size - 1)]);
}
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_store(const pair<T>* from, T* out, const pair<T>* chirp, int bits, uint32_t count, uint32_t first,
              const PG_GRID_CONSTANT fft_args args, const PG_GRID_CONSTANT strided<2> map) {
  const uint32_t i = blockIdx.x * kFftBlock + threadIdx.x;
  const uint32_t k = i & ((uint32_t(1) << bits) - 1);
  if (i >= count || k >= args.out_n) return;
  int64_t at[2];
  map.offsets(first + (i >> bits), at);
  fft_write(out + at[0], k, chirp == nullptr ? from[i] : conjugate(from[i]) * chirp[k], args);
}

// All tables and, for rows that do not fit into shared memory, two buffers of some of them.
template <class T>
struct fft_space {
  pair<T> *roots, *chirp = nullptr, *around = nullptr, *work[2] = {nullptr, nullptr};
  int bits = 0;
  int64_t size, together = 0;
  fft_space(carver& space, const fft_args& args) {
    const bool power = (args.n & (args.n - 1)) == 0;
    while ((int64_t(1) << bits) < (power ? args.n : 2 * args.n - 1)) ++bits;
    size = int64_t(1) << bits;
    roots = space.take<pair<T>>(size);
    if (!power) {
      chirp = space.take<pair<T>>(args.n);
      around = space.take<pair<T>>(size);
    }
    if (size <= fft_shared<T>) return;
    together = size < kFftTogether ? kFftTogether / size : 1;
    if (together > args.rows) together = args.rows;
    for (auto& part : work) part = space.take<pair<T>>((together < 1 ? 1 : together) * size);
  }
};

inline int fft_pass_count(int64_t size) {
  int count = 0;
  for (; size > 1; size /= size >= 8 ? 8 : size) ++count;
  return count;
}
// Transforms the rows in `data`; the two change places with every pass.
template <class T>
int fft_passes(const char* op, pair<T>*& data, pair<T>*& other, const pair<T>* roots, int64_t size, int64_t rows,
               void* stream) {
  for (int64_t done = 1; done < size;) {
    const int radix = size / done >= 8 ? 8 : int(size / done);
    const uint32_t count = uint32_t(rows * size / radix);
    const auto kernel = radix == 8 ? fft_pass<8, T> : radix == 4 ? fft_pass<4, T> : fft_pass<2, T>;
    PG_TRY(launched(PG_LAUNCH(kernel, blocks_for(count, kFftBlock), kFftBlock, 0, stream,
                              static_cast<const pair<T>*>(data), other, roots, uint32_t(size), uint32_t(done), count), op));
    pair<T>* const t = data;
    data = other;
    other = t;
    done *= radix;
  }
  return PG_OK;
}

template <class T>
int fft_portable(const char* op, const fft_args& args, const layout<2>& plan, fft_space<T> s, const T* x, T* out,
                 void* stream) {
  const auto blocks = [](int64_t n) { return blocks_for(n, kFftBlock); };
  const uint32_t size = uint32_t(s.size);
  const pair<T> *roots = s.roots, *chirp = s.chirp;
  PG_TRY(launched(PG_LAUNCH((fft_roots<T>), blocks(s.size), kFftBlock, 0, stream, s.roots, s.size), op));
  // Passes that end in `around` begin in the buffer that their number says.
  const bool odd = s.together != 0 && fft_pass_count(s.size) % 2 != 0;
  pair<T>*start = odd ? s.work[0] : s.around, *other = odd ? s.around : s.work[0];
  if (chirp != nullptr)
    PG_TRY(launched(PG_LAUNCH((fft_chirp<T>), blocks(s.size), kFftBlock, 0, stream, s.chirp, start, args.n, s.size), op));
  if (s.together == 0) {
    if (chirp != nullptr) {  // what rows are multiplied with is a row of its own
      const fft_args own = {1, s.size, s.size, s.size, 2, 1, 2, 1, kComplex, 0};
      T* const row = reinterpret_cast<T*>(s.around);
      PG_TRY(launched(PG_LAUNCH((fft_short<T>), 1, kFftBlock, 0, stream, row, row, roots, nullptr, nullptr, s.bits, own,
                                strided<2>{}), op));
    }
    return launched(PG_LAUNCH((fft_short<T>), blocks_for(args.rows, fft_rows<T>(s.size)), kFftBlock, 0, stream, x, out,
                              roots, chirp, static_cast<const pair<T>*>(s.around), s.bits, args, plan.device()), op);
  }
  if (chirp != nullptr) PG_TRY(fft_passes(op, start, other, roots, s.size, 1, stream));
  for (int64_t first = 0; first < args.rows; first += s.together) {
    const int64_t rows = args.rows - first < s.together ? args.rows - first : s.together;
    const uint32_t count = uint32_t(rows * s.size);
    PG_TRY(launched(PG_LAUNCH((fft_load<T>), blocks(count), kFftBlock, 0, stream, x, s.work[0], chirp, s.bits, count,
                              uint32_t(first), args, plan.device()), op));
    PG_TRY(fft_passes(op, s.work[0], s.work[1], roots, s.size, rows, stream));
    if (chirp != nullptr) {
      PG_TRY(launched(PG_LAUNCH((fft_times<T>), blocks(count), kFftBlock, 0, stream, s.work[0],
                                static_cast<const pair<T>*>(s.around), size, count), op));
      PG_TRY(fft_passes(op, s.work[0], s.work[1], roots, s.size, rows, stream));
    }
    PG_TRY(launched(PG_LAUNCH((fft_store<T>), blocks(count), kFftBlock, 0, stream,
                              static_cast<const pair<T>*>(s.work[0]), out, chirp, s.bits, count, uint32_t(first), args,
                              plan.device()), op));
  }
  return PG_OK;
}

}  // namespace pgops
