// The vendors' libraries as functions: one spelling, the same enumerators, the dialect's status. Included by
// libraries.h. What a library has beyond these is reached through the macros there; handles are the library's own.
#ifndef PG_LIBRARY_CALLS_H
#define PG_LIBRARY_CALLS_H

#include "host.h"

namespace pg {
namespace detail {
inline int library_status(int code, const char* what) {
  return code == 0 ? ok : fail(error_runtime, "%s: the library's status is %d", what, code);
}
// A stream as whatever pointer type the library takes.
struct any_stream {
  void* value;
  template <class T>
  operator T*() const { return static_cast<T*>(value); }
};
}  // namespace detail

#if PG_HAS_BLAS
// Column-major, as all BLAS.
namespace blas {
using handle = PG_BLAS(Handle_t);
enum class op { none, transpose, conjugate };
namespace detail {
inline PG_BLAS(Operation_t) native(op o) {
  return o == op::none ? PG_BLAS_ENUM(OP_N) : o == op::transpose ? PG_BLAS_ENUM(OP_T) : PG_BLAS_ENUM(OP_C);
}
}  // namespace detail
inline int create(handle* h) { return pg::detail::library_status(PG_BLAS(Create)(h), "blas::create"); }
inline int destroy(handle h) { return pg::detail::library_status(PG_BLAS(Destroy)(h), "blas::destroy"); }
inline int set_stream(handle h, stream s) {
  return pg::detail::library_status(PG_BLAS(SetStream)(h, pg::detail::any_stream{s.value}), "blas::set_stream");
}
#define PG_BLAS_OF_(P, T)                                                                                       \
  /* y += alpha x */                                                                                           \
  inline int axpy(handle h, int n, T alpha, const T* x, int dx, T* y, int dy) {                                \
    return pg::detail::library_status(PG_BLAS(P##axpy)(h, n, &alpha, x, dx, y, dy), "blas::axpy");             \
  }                                                                                                            \
  inline int scal(handle h, int n, T alpha, T* x, int dx) {                                                    \
    return pg::detail::library_status(PG_BLAS(P##scal)(h, n, &alpha, x, dx), "blas::scal");                    \
  }                                                                                                            \
  /* The result is on the host when the call returns. */                                                       \
  inline int dot(handle h, int n, const T* x, int dx, const T* y, int dy, T* result) {                         \
    return pg::detail::library_status(PG_BLAS(P##dot)(h, n, x, dx, y, dy, result), "blas::dot");               \
  }                                                                                                            \
  inline int nrm2(handle h, int n, const T* x, int dx, T* result) {                                            \
    return pg::detail::library_status(PG_BLAS(P##nrm2)(h, n, x, dx, result), "blas::nrm2");                    \
  }                                                                                                            \
  /* y = alpha op(A) x + beta y, A of m rows and n columns */                                                  \
  inline int gemv(handle h, op o, int m, int n, T alpha, const T* a, int lda, const T* x, int dx, T beta,      \
                  T* y, int dy) {                                                                              \
    return pg::detail::library_status(                                                                         \
        PG_BLAS(P##gemv)(h, detail::native(o), m, n, &alpha, a, lda, x, dx, &beta, y, dy), "blas::gemv");      \
  }                                                                                                            \
  /* C = alpha op(A) op(B) + beta C, C of m rows and n columns */                                              \
  inline int gemm(handle h, op oa, op ob, int m, int n, int k, T alpha, const T* a, int lda, const T* b,       \
                  int ldb, T beta, T* c, int ldc) {                                                            \
    return pg::detail::library_status(PG_BLAS(P##gemm)(h, detail::native(oa), detail::native(ob), m, n, k,     \
                                                       &alpha, a, lda, b, ldb, &beta, c, ldc),                 \
                                      "blas::gemm");                                                           \
  }                                                                                                            \
  inline int gemm_batched(handle h, op oa, op ob, int m, int n, int k, T alpha, const T* a, int lda,           \
                          long long sa, const T* b, int ldb, long long sb, T beta, T* c, int ldc,              \
                          long long sc, int count) {                                                           \
    return pg::detail::library_status(                                                                         \
        PG_BLAS(P##gemmStridedBatched)(h, detail::native(oa), detail::native(ob), m, n, k, &alpha, a, lda, sa, \
                                       b, ldb, sb, &beta, c, ldc, sc, count),                                  \
        "blas::gemm_batched");                                                                                 \
  }
PG_BLAS_OF_(S, float)
PG_BLAS_OF_(D, double)
#undef PG_BLAS_OF_
}  // namespace blas
#endif

#if PG_HAS_FFT
// Not normalised: forward and inverse together multiply by the length. Complex numbers are two numbers side by
// side; the complex side of a real transform has n/2+1 of them along the last axis.
namespace fft {
using plan = PG_FFT(Handle);
enum class kind { c2c, r2c, c2r, z2z, d2z, z2d };
enum class direction { forward, inverse };
namespace detail {
inline PG_FFT(Type) native(kind k) {
  switch (k) {
    case kind::r2c: return PG_FFT_ENUM(R2C);
    case kind::c2r: return PG_FFT_ENUM(C2R);
    case kind::z2z: return PG_FFT_ENUM(Z2Z);
    case kind::d2z: return PG_FFT_ENUM(D2Z);
    case kind::z2d: return PG_FFT_ENUM(Z2D);
    default: return PG_FFT_ENUM(C2C);
  }
}
}  // namespace detail
// `batch` transforms of n[0] x … x n[rank-1], one behind the other, last axis fastest.
inline int create(plan* p, int rank, const int* n, kind k, int batch) {
  int sizes[3] = {1, 1, 1};
  if (rank < 1 || rank > 3) return pg::detail::fail(error_invalid_value, "fft::create: a rank of 1, 2 or 3");
  for (int i = 0; i < rank; ++i) sizes[i] = n[i];
  return pg::detail::library_status(
      PG_FFT(PlanMany)(p, rank, sizes, nullptr, 1, 0, nullptr, 1, 0, detail::native(k), batch), "fft::create");
}
inline int destroy(plan p) { return pg::detail::library_status(PG_FFT(Destroy)(p), "fft::destroy"); }
inline int set_stream(plan p, stream s) {
  return pg::detail::library_status(PG_FFT(SetStream)(p, pg::detail::any_stream{s.value}), "fft::set_stream");
}
// in and out may be the same memory. The direction counts for c2c and z2z only.
inline int execute(plan p, kind k, void* in, void* out, direction d = direction::forward) {
  const int sign = d == direction::forward ? static_cast<int>(PG_FFT_ENUM(FORWARD)) : static_cast<int>(PG_FFT_INVERSE);
  int status = 0;
  switch (k) {
    case kind::c2c:
      status = PG_FFT(ExecC2C)(p, static_cast<PG_FFT(Complex)*>(in), static_cast<PG_FFT(Complex)*>(out), sign);
      break;
    case kind::r2c:
      status = PG_FFT(ExecR2C)(p, static_cast<PG_FFT(Real)*>(in), static_cast<PG_FFT(Complex)*>(out));
      break;
    case kind::c2r:
      status = PG_FFT(ExecC2R)(p, static_cast<PG_FFT(Complex)*>(in), static_cast<PG_FFT(Real)*>(out));
      break;
    case kind::z2z:
      status = PG_FFT(ExecZ2Z)(p, static_cast<PG_FFT(DoubleComplex)*>(in), static_cast<PG_FFT(DoubleComplex)*>(out), sign);
      break;
    case kind::d2z:
      status = PG_FFT(ExecD2Z)(p, static_cast<PG_FFT(DoubleReal)*>(in), static_cast<PG_FFT(DoubleComplex)*>(out));
      break;
    case kind::z2d:
      status = PG_FFT(ExecZ2D)(p, static_cast<PG_FFT(DoubleComplex)*>(in), static_cast<PG_FFT(DoubleReal)*>(out));
      break;
  }
  return pg::detail::library_status(status, "fft::execute");
}
}  // namespace fft
#endif

#if PG_HAS_RAND
// Numbers of the library's Philox generator, into device memory. Sequences differ between vendors.
namespace rand {
using generator = PG_RAND(Generator_t);
inline int create(generator* g, unsigned long long seed) {
  if (int bad = pg::detail::library_status(PG_RAND(CreateGenerator)(g, PG_RAND_ENUM(RNG_PSEUDO_PHILOX4_32_10)),
                                           "rand::create"))
    return bad;
  return pg::detail::library_status(PG_RAND(SetPseudoRandomGeneratorSeed)(*g, seed), "rand::create");
}
inline int destroy(generator g) { return pg::detail::library_status(PG_RAND(DestroyGenerator)(g), "rand::destroy"); }
inline int set_stream(generator g, stream s) {
  return pg::detail::library_status(PG_RAND(SetStream)(g, pg::detail::any_stream{s.value}), "rand::set_stream");
}
inline int bits(generator g, unsigned* out, size_t n) {
  return pg::detail::library_status(PG_RAND(Generate)(g, out, n), "rand::bits");
}
inline int uniform(generator g, float* out, size_t n) {
  return pg::detail::library_status(PG_RAND(GenerateUniform)(g, out, n), "rand::uniform");
}
inline int uniform(generator g, double* out, size_t n) {
  return pg::detail::library_status(PG_RAND(GenerateUniformDouble)(g, out, n), "rand::uniform");
}
// n must be even.
inline int normal(generator g, float* out, size_t n, float mean, float deviation) {
  return pg::detail::library_status(PG_RAND(GenerateNormal)(g, out, n, mean, deviation), "rand::normal");
}
inline int normal(generator g, double* out, size_t n, double mean, double deviation) {
  return pg::detail::library_status(PG_RAND(GenerateNormalDouble)(g, out, n, mean, deviation), "rand::normal");
}
}  // namespace rand
#endif

#if PG_HAS_SPARSE && defined(PG_LIBRARY_DATA)
// Matrices of compressed rows with 32-bit indices from 0.
namespace sparse {
using handle = PG_SPARSE(Handle_t);
inline int create(handle* h) { return pg::detail::library_status(PG_SPARSE(Create)(h), "sparse::create"); }
inline int destroy(handle h) { return pg::detail::library_status(PG_SPARSE(Destroy)(h), "sparse::destroy"); }
inline int set_stream(handle h, stream s) {
  return pg::detail::library_status(PG_SPARSE(SetStream)(h, pg::detail::any_stream{s.value}), "sparse::set_stream");
}
template <class T>
struct csr {
  int rows, columns, entries;
  int *offsets, *indices;  // rows + 1, entries
  T* values;
};
// y = alpha A x + beta y. Waits for the result, since the library's scratch memory is freed with the call.
template <class T>
int spmv(handle h, T alpha, const csr<T>& a, T* x, T beta, T* y) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "pg::sparse::spmv is for float and double");
  const auto type = sizeof(T) == 4 ? PG_LIBRARY_DATA(R_32F) : PG_LIBRARY_DATA(R_64F);
  PG_SPARSE(SpMatDescr_t) m = nullptr;
  PG_SPARSE(DnVecDescr_t) vx = nullptr;
  PG_SPARSE(DnVecDescr_t) vy = nullptr;
  size_t size = 0;
  void* scratch = nullptr;
  int bad = PG_SPARSE(CreateCsr)(&m, a.rows, a.columns, a.entries, a.offsets, a.indices, a.values,
                                 PG_SPARSE_ENUM(INDEX_32I), PG_SPARSE_ENUM(INDEX_32I), PG_SPARSE_ENUM(INDEX_BASE_ZERO),
                                 type);
  if (!bad) bad = PG_SPARSE(CreateDnVec)(&vx, a.columns, x, type);
  if (!bad) bad = PG_SPARSE(CreateDnVec)(&vy, a.rows, y, type);
  const auto op = PG_SPARSE_ENUM(OPERATION_NON_TRANSPOSE);
  if (!bad) bad = PG_SPARSE(SpMV_bufferSize)(h, op, &alpha, m, vx, &beta, vy, type, PG_SPARSE_ENUM(SPMV_ALG_DEFAULT), &size);
  int status = pg::detail::library_status(bad, "sparse::spmv");
  if (!status && size) status = malloc_device(&scratch, size);
  if (!status)
    status = pg::detail::library_status(PG_SPARSE(SpMV)(h, op, &alpha, m, vx, &beta, vy, type,
                                                        PG_SPARSE_ENUM(SPMV_ALG_DEFAULT), scratch),
                                        "sparse::spmv");
  if (!status) status = device_synchronize();
  if (scratch) free_device(scratch);
  if (vy) PG_SPARSE(DestroyDnVec)(vy);
  if (vx) PG_SPARSE(DestroyDnVec)(vx);
  if (m) PG_SPARSE(DestroySpMat)(m);
  return status;
}
}  // namespace sparse
#endif

}  // namespace pg

#endif
