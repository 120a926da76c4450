// Fourier transforms along the last axis: cuFFT or hipFFT where the library is there, else own kernels:
// powers of two to 1024 in shared memory (Stockham, radix 2), any other length term by term from a table of
// roots. Complex numbers are pairs along a last axis of extent 2. Inverse transforms divide by n.
#include "support/elementwise.cuh"
#include "support/math.cuh"
#include "support/memory.cuh"
#include "support/seam.cuh"

#include <mutex>
#include <unordered_map>

namespace pgops {
namespace {

constexpr int kFftBlock = 256;
constexpr int kFftShared = 1024;              // longest transform in shared memory
constexpr int64_t kFftMost = int64_t(1) << 24;  // longest term by term: an index times a term fits into 63 bits

enum fft_kind : int { kComplex = 0, kFromReal = 1, kToReal = 2 };

struct fft_args {
  int64_t rows, n, in_n, out_n;             // transforms, their length, elements of a row in memory
  int64_t x_step, x_part, out_step, out_part;  // strides along the axis, and to the imaginary part
  int kind;
  int inverse;
};

template <class C>
struct pair { C re, im; };

// exp(-2 pi i j / n)
template <class C>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock) fft_roots(pair<C>* table, int64_t n) {
  const int64_t j = int64_t(blockIdx.x) * kFftBlock + threadIdx.x;
  if (j >= n) return;
  const double angle = -6.283185307179586476925286766559 * (double(j) / double(n));
  table[j] = {C(m::cos(angle)), C(m::sin(angle))};
}

// Element j of the transform's input, 0 <= j < n.
template <class T>
__device__ __forceinline__ pair<T> fft_element(const T* x, int64_t j, const fft_args& args) {
  if (args.kind == kFromReal) return {x[j * args.x_step], T(0)};
  if (args.kind == kComplex) return {x[j * args.x_step], x[j * args.x_step + args.x_part]};
  const bool mirrored = j >= args.in_n;  // the other half is conjugate
  const int64_t at = (mirrored ? args.n - j : j) * args.x_step;
  const T im = 2 * j == args.n || j == 0 ? T(0) : x[at + args.x_part];
  return {x[at], mirrored ? -im : im};
}

template <class T>
__device__ __forceinline__ void fft_write(T* out, int64_t k, pair<T> value, const fft_args& args) {
  const T scale = args.inverse ? T(1) / T(args.n) : T(1);
  out[k * args.out_step] = value.re * scale;
  if (args.kind != kToReal) out[k * args.out_step + args.out_part] = value.im * scale;
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_short(const T* x, T* out, const pair<T>* roots, const PG_GRID_CONSTANT fft_args args,
              const PG_GRID_CONSTANT strided<2> map) {
  __shared__ pair<T> buffer[2][kFftShared];
  int64_t at[2];
  map.offsets(blockIdx.x, at);
  const int n = int(args.n);
  for (int j = int(threadIdx.x); j < n; j += kFftBlock) buffer[0][j] = fft_element(x + at[1], j, args);
  __syncthreads();
  int from = 0;
  for (int half = 1; half < n; half *= 2) {
    for (int t = int(threadIdx.x); t < n / 2; t += kFftBlock) {
      const int k = t & (half - 1);
      const pair<T> a = buffer[from][t], b = buffer[from][t + n / 2], w = roots[k * (n / (2 * half))];
      const T im = args.inverse ? -w.im : w.im;
      const pair<T> p = {w.re * b.re - im * b.im, w.re * b.im + im * b.re};
      const int to = 2 * (t - k) + k;
      buffer[from ^ 1][to] = {a.re + p.re, a.im + p.im};
      buffer[from ^ 1][to + half] = {a.re - p.re, a.im - p.im};
    }
    from ^= 1;
    __syncthreads();
  }
  for (int k = int(threadIdx.x); k < int(args.out_n); k += kFftBlock) fft_write(out + at[0], k, buffer[from][k], args);
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock)
    fft_terms(const T* x, T* out, const pair<T>* roots, const PG_GRID_CONSTANT fft_args args,
              const PG_GRID_CONSTANT strided<2> map, uint32_t row_blocks) {
  const int64_t k = int64_t(blockIdx.x % row_blocks) * kFftBlock + threadIdx.x;
  if (k >= args.out_n) return;
  int64_t at[2];
  map.offsets(blockIdx.x / row_blocks, at);
  pair<T> sum = {T(0), T(0)};
  int64_t root = 0;  // j * k modulo n
  for (int64_t j = 0; j < args.n; ++j) {
    const pair<T> v = fft_element(x + at[1], j, args), w = roots[root];
    const T im = args.inverse ? -w.im : w.im;
    sum.re += v.re * w.re - v.im * im;
    sum.im += v.re * im + v.im * w.re;
    root += k;
    if (root >= args.n) root -= args.n;
  }
  fft_write(out + at[0], k, sum, args);
}

// Divides what the library computed by n, in place.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock) fft_divide(T* out, int64_t count, T by) {
  const int64_t i = int64_t(blockIdx.x) * kFftBlock + threadIdx.x;
  if (i < count) out[i] = out[i] / by;
}

#if PG_TARGET_ROCM
const char* const fft_libraries[] = {"libhipfft.so", "libhipfft.so.0", nullptr};
#define PG_FFT_NAME(name) "hipfft" name
#else
const char* const fft_libraries[] = {
#if PG_TARGET_CUDA
    "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so",
#endif
    nullptr};
#define PG_FFT_NAME(name) "cufft" name
#endif
#if PG_TARGET_ROCM
using fft_plan = void*;  // hipfftHandle
#else
using fft_plan = int;  // cufftHandle
#endif

struct fft_library {
  seam library;
  int (*plan_many)(fft_plan*, int, int*, int*, int, int, int*, int, int, int, int) = nullptr;
  int (*set_stream)(fft_plan, void*) = nullptr;
  int (*complex32)(fft_plan, void*, void*, int) = nullptr;
  int (*complex64)(fft_plan, void*, void*, int) = nullptr;
  int (*real[4])(fft_plan, void*, void*) = {};  // R2C, C2R, D2Z, Z2D
  std::mutex lock;
  std::unordered_map<uint64_t, fft_plan> plans;

  fft_library() {
    open_seam(library, "fft", fft_libraries);
    plan_many = reinterpret_cast<decltype(plan_many)>(library.find(PG_FFT_NAME("PlanMany")));
    set_stream = reinterpret_cast<decltype(set_stream)>(library.find(PG_FFT_NAME("SetStream")));
    complex32 = reinterpret_cast<decltype(complex32)>(library.find(PG_FFT_NAME("ExecC2C")));
    complex64 = reinterpret_cast<decltype(complex64)>(library.find(PG_FFT_NAME("ExecZ2Z")));
    const char* const names[4] = {PG_FFT_NAME("ExecR2C"), PG_FFT_NAME("ExecC2R"), PG_FFT_NAME("ExecD2Z"),
                                  PG_FFT_NAME("ExecZ2D")};
    for (int i = 0; i < 4; ++i) real[i] = reinterpret_cast<int (*)(fft_plan, void*, void*)>(library.find(names[i]));
  }
  bool usable() const { return library.handle != nullptr && library.problem[0] == 0; }
};
fft_library& the_fft() {
  static fft_library* f = new fft_library;
  return *f;
}

int fft_called(const char* op, const char* function, int status) {
  return status == 0 ? int(PG_OK) : fail(PG_ERR_DEVICE, "%s: %s failed with status %d", op, function, status);
}

// Both arrays are contiguous; a real result's input is destroyed by the library, so it gets a copy.
template <class T>
int fft_by_library(const char* op, fft_library& f, const fft_args& args, const T* x, T* out, int device, void* stream) {
  constexpr bool wide = sizeof(T) == 8;
  static constexpr int types[2][3] = {{0x29, 0x2a, 0x2c}, {0x69, 0x6a, 0x6c}};  // C2C R2C C2R, Z2Z D2Z Z2D
  const int type = types[wide][args.kind];
  void* copy = nullptr;
  const T* from = x;
  if (args.kind == kToReal) {
    const size_t bytes = size_t(args.rows * args.in_n * 2) * sizeof(T);
    PG_TRY(pg_alloc(&copy, bytes, PG_MEMORY_DEVICE, stream));
    from = static_cast<const T*>(copy);
    if (const int code = pg::memcpy_d2d(copy, x, bytes, stream)) {
      (void)pg_release(copy, stream);
      return launched(code, op);
    }
  }
  int status = PG_OK;
  {
    std::lock_guard<std::mutex> hold(f.lock);
    const uint64_t key = ((uint64_t(args.n) * 0x9E3779B97F4A7C15ull + uint64_t(args.rows)) * 0x9E3779B97F4A7C15ull + uint64_t(type)) * 64 + uint64_t(device);
    auto found = f.plans.find(key);
    if (found == f.plans.end()) {
      pg::capture_pause pause;
      int n[1] = {int(args.n)};
      fft_plan made{};
      status = fft_called(op, PG_FFT_NAME("PlanMany"),
                          f.plan_many(&made, 1, n, nullptr, 1, int(args.in_n), nullptr, 1, int(args.out_n), type, int(args.rows)));
      if (status == PG_OK) found = f.plans.emplace(key, made).first;
    }
    if (status == PG_OK) status = fft_called(op, PG_FFT_NAME("SetStream"), f.set_stream(found->second, stream));
    void* in = const_cast<T*>(from);
    if (status == PG_OK && args.kind == kComplex)
      status = fft_called(op, wide ? PG_FFT_NAME("ExecZ2Z") : PG_FFT_NAME("ExecC2C"),
                          (wide ? f.complex64 : f.complex32)(found->second, in, out, args.inverse ? 1 : -1));
    else if (status == PG_OK)
      status = fft_called(op, "the transform", f.real[2 * wide + (args.kind == kToReal)](found->second, in, out));
  }
  if (copy != nullptr) {
    const int released = pg_release(copy, stream);
    if (status == PG_OK) status = released;
  }
  if (status != PG_OK || !args.inverse) return status;
  const int64_t count = args.rows * args.out_n * (args.kind == kToReal ? 1 : 2);
  return launched(PG_LAUNCH((fft_divide<T>), blocks_for(count, kFftBlock), kFftBlock, 0, stream, out, count, T(args.n)), op);
}

bool contiguous(const view& v) {
  int64_t step = 1;
  for (int d = v.ndim - 1; d >= 0; --d) {
    if (v.shape[d] > 1 && v.stride[d] != step) return false;
    step *= v.shape[d];
  }
  return true;
}

int transform(const char* op, fft_kind kind, const pg_tensor* tx, const pg_tensor* tout, bool inverse, int32_t algorithm,
              void* workspace, size_t have, size_t* bytes, void* stream) {
  view x, out;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, x, out));
  PG_TRY(check_algorithm(op, algorithm));
  const int x_pair = kind == kFromReal ? 0 : 1, out_pair = kind == kToReal ? 0 : 1;
  const int lead = x.ndim - 1 - x_pair;
  bool fits = lead >= 0 && out.ndim - 1 - out_pair == lead && (!x_pair || x.shape[x.ndim - 1] == 2) &&
              (!out_pair || out.shape[out.ndim - 1] == 2);
  for (int d = 0; fits && d < lead; ++d) fits = x.shape[d] == out.shape[d];
  fft_args args{};
  if (fits) {
    args.in_n = x.shape[lead], args.out_n = out.shape[lead];
    args.n = kind == kToReal ? args.out_n : args.in_n;
    fits = args.n >= 1 && (kind == kComplex ? args.in_n == args.out_n
                                            : (kind == kFromReal ? args.out_n : args.in_n) == args.n / 2 + 1);
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: '%s' of shape %s does not transform to '%s' of shape %s", op, x.name,
                shape_text(x).text, out.name, shape_text(out).text);
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, x, false));
  args.x_step = x.stride[lead], args.x_part = x_pair ? x.stride[lead + 1] : 0;
  args.out_step = out.stride[lead], args.out_part = out_pair ? out.stride[lead + 1] : 0;
  args.kind = kind;
  args.inverse = inverse;
  layout<2> plan;
  for (int d = 0; d < lead; ++d) {
    const int64_t s[2] = {out.stride[d], x.stride[d]};
    plan.push(out.shape[d], s);
  }
  args.rows = plan.numel();
  return dispatch(op, x.dtype, built_types<types<float>, types<double>>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    carver space(workspace);
    pair<T>* roots = space.take<pair<T>>(args.n);
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, space.used));
    if (args.rows == 0) return int(PG_OK);
    plan.normalize();
    PG_TRY(check_rank(op, plan.ndim));
    const T* from = reinterpret_cast<const T*>(x.data);
    T* to = reinterpret_cast<T*>(out.data);
    if (algorithm != kPortable) {
      fft_library& f = the_fft();
      int device = 0;
      PG_TRY(launched(pg::get_device(&device), op));
      if (!f.usable()) PG_TRY(without_library(op, algorithm, f.library.problem));
      else if (!contiguous(x) || !contiguous(out)) PG_TRY(without_library(op, algorithm, "the arrays are not contiguous"));
      else if (args.n > INT32_MAX / 2 || args.rows > INT32_MAX) PG_TRY(without_library(op, algorithm, "the size is too large"));
      else return fft_by_library<T>(op, f, args, from, to, device, stream);
    }
    if (args.n > kFftMost || args.rows * ((args.out_n + kFftBlock - 1) / kFftBlock) > INT32_MAX)
      return fail(PG_ERR_SIZE, "%s: transforms of %lld elements, %lld of them, are too large without a library", op,
                  static_cast<long long>(args.n), static_cast<long long>(args.rows));
    PG_TRY(launched(PG_LAUNCH((fft_roots<T>), blocks_for(args.n, kFftBlock), kFftBlock, 0, stream, roots, args.n), op));
    from += plan.start[1];
    to += plan.start[0];
    const pair<T>* table = roots;
    if (args.n <= kFftShared && (args.n & (args.n - 1)) == 0)
      return launched(PG_LAUNCH((fft_short<T>), unsigned(args.rows), kFftBlock, 0, stream, from, to, table, args,
                                plan.device()), op);
    const unsigned row_blocks = blocks_for(args.out_n, kFftBlock);
    return launched(PG_LAUNCH((fft_terms<T>), unsigned(args.rows) * row_blocks, kFftBlock, 0, stream, from, to, table,
                              args, plan.device(), row_blocks), op);
  });
}

}  // namespace
}  // namespace pgops

extern "C" {

PG_API int pg_fft(const pg_tensor* x, const pg_tensor* out, int32_t inverse, int32_t algorithm, void* workspace,
                  size_t workspace_bytes, void* stream) {
  return pgops::transform("fft", pgops::kComplex, x, out, inverse != 0, algorithm, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_fft_workspace(const pg_tensor* x, const pg_tensor* out, int32_t inverse, int32_t algorithm, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "fft_workspace: bytes is NULL");
  return pgops::transform("fft", pgops::kComplex, x, out, inverse != 0, algorithm, nullptr, 0, bytes, nullptr);
}
PG_API int pg_rfft(const pg_tensor* x, const pg_tensor* out, int32_t algorithm, void* workspace, size_t workspace_bytes,
                   void* stream) {
  return pgops::transform("rfft", pgops::kFromReal, x, out, false, algorithm, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_rfft_workspace(const pg_tensor* x, const pg_tensor* out, int32_t algorithm, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "rfft_workspace: bytes is NULL");
  return pgops::transform("rfft", pgops::kFromReal, x, out, false, algorithm, nullptr, 0, bytes, nullptr);
}
PG_API int pg_irfft(const pg_tensor* x, const pg_tensor* out, int32_t algorithm, void* workspace, size_t workspace_bytes,
                    void* stream) {
  return pgops::transform("irfft", pgops::kToReal, x, out, true, algorithm, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_irfft_workspace(const pg_tensor* x, const pg_tensor* out, int32_t algorithm, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "irfft_workspace: bytes is NULL");
  return pgops::transform("irfft", pgops::kToReal, x, out, true, algorithm, nullptr, 0, bytes, nullptr);
}

}  // extern "C"
