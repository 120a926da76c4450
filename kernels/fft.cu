// Fourier transforms along the last axis: cuFFT or hipFFT where the library is there, else own kernels.
// Complex numbers are pairs along a last axis of extent 2. Inverse transforms divide by n.
#include "support/fft_kernels.cuh"
#include "support/fft_library.cuh"

namespace pgops {
namespace {

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
    fft_library* library = nullptr;
    if (algorithm != kPortable && args.rows != 0) {
      fft_library& f = the_fft();
      if (!f.usable()) PG_TRY(without_library(op, algorithm, f.library.problem));
      else if (!contiguous(x) || !contiguous(out)) PG_TRY(without_library(op, algorithm, "the arrays are not contiguous"));
      else if (args.n > INT32_MAX / 2 || args.rows > INT32_MAX) PG_TRY(without_library(op, algorithm, "the size is too large"));
      else library = &f;
    }
    if (bytes != nullptr && (library != nullptr || args.rows == 0)) {
      *bytes = 0;
      return int(PG_OK);
    }
    const T* from = reinterpret_cast<const T*>(x.data);
    T* to = reinterpret_cast<T*>(out.data);
    if (library != nullptr) return fft_by_library<T>(op, *library, args, from, to, stream);
    const bool power = (args.n & (args.n - 1)) == 0;
    if (args.n > (power ? kFftMost : kFftMost / 2) || args.rows > INT32_MAX)
      return fail(PG_ERR_SIZE, "%s: transforms of %lld elements, %lld of them, are too large without a library", op,
                  static_cast<long long>(args.n), static_cast<long long>(args.rows));
    carver carved(workspace);
    const fft_space<T> space(carved, args);
    if (bytes != nullptr) {
      *bytes = carved.used;
      return int(PG_OK);
    }
    if (args.rows == 0) return int(PG_OK);
    PG_TRY(check_workspace(op, workspace, have, carved.used));
    plan.normalize();
    PG_TRY(check_rank(op, plan.ndim));
    return fft_portable<T>(op, args, plan, space, from + plan.start[1], to + plan.start[0], stream);
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
