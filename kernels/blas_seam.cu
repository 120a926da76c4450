// Matrix products by cuBLAS or rocBLAS. Row-major products are column-major ones with the operands swapped.
#include "support/memory.cuh"
#include "support/seam.cuh"
#include "support/types.cuh"
#include "support/vendor_api.h"

#include <mutex>

namespace pgops {
namespace {

using vendor::blas_none;
using vendor::blas_transpose;

#if PG_TARGET_ROCM
const char* const library_names[] = {"librocblas.so", "librocblas.so.5", "librocblas.so.4", "librocblas.so.0", nullptr};
const char* const function_names[] = {"rocblas_create_handle", "rocblas_set_stream", "rocblas_set_workspace",
                                      "rocblas_gemm_strided_batched_ex", "rocblas_sgemv", "rocblas_dgemv"};
#else
// The CPU target has no library of its own; one that PORTGPU_BLAS names must have cuBLAS's functions.
const char* const library_names[] = {
#if PG_TARGET_CUDA
    "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so",
#endif
    nullptr};
const char* const function_names[] = {"cublasCreate_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2",
                                      "cublasGemmStridedBatchedEx", "cublasSgemv_v2", "cublasDgemv_v2"};
#endif

int blas_type(int dtype) {
  return dtype == PG_F16 ? vendor::blas_f16 : dtype == PG_F32 ? vendor::blas_f32
         : dtype == PG_F64 ? vendor::blas_f64 : vendor::blas_bf16;
}

constexpr size_t kWorkspace = size_t(32) << 20;  // what cuBLAS asks for on Hopper
constexpr int kDevices = 64;
constexpr int64_t kManyRows = 2048;

struct blas {
  seam library;
  vendor::blas_create create = nullptr;
  vendor::blas_set_stream set_stream = nullptr;
  vendor::blas_set_workspace set_workspace = nullptr;
  vendor::blas_gemm gemm = nullptr;
  vendor::blas_gemv<float> sgemv = nullptr;
  vendor::blas_gemv<double> dgemv = nullptr;
#if !PG_TARGET_ROCM
  vendor::blas_set_math set_math = nullptr;
#endif
  void* handles[kDevices] = {};
  std::mutex lock;  // a handle serves one call at a time

  blas() {
    open_seam(library, "blas", library_names);
    get(create, function_names[0]);
    get(set_stream, function_names[1]);
    get(set_workspace, function_names[2]);
    get(gemm, function_names[3]);
    get(sgemv, function_names[4]);
    get(dgemv, function_names[5]);
#if !PG_TARGET_ROCM
    get(set_math, "cublasSetMathMode");
#endif
  }
  template <class F>
  void get(F& f, const char* name) { f = reinterpret_cast<F>(library.find(name)); }
  bool usable() const { return library.handle != nullptr && library.problem[0] == 0; }
};
blas& the_blas() {
  static blas* b = new blas;  // outlives the device runtime's own exit
  return *b;
}

int called(const char* op, const char* function, int status) {
  return status == 0 ? int(PG_OK) : fail(PG_ERR_DEVICE, "%s: %s failed with status %d", op, function, status);
}

bool small(int64_t n) { return n >= 0 && n <= INT32_MAX; }

// How a matrix looks to a column-major library that sees it transposed: leading dimension, operation.
bool seen_as(int64_t rows, int64_t columns, int64_t row, int64_t column, int& lead, int& operation) {
  if (columns <= 1) column = 1;
  if (rows <= 1) row = columns > 1 && column != 1 ? 1 : columns;
  if (column == 1 && row >= columns && small(row)) {
    lead = int(row > 1 ? row : 1);
    operation = blas_none;
    return true;
  }
  if (row == 1 && column >= rows && small(column)) {
    lead = int(column > 1 ? column : 1);
    operation = blas_transpose;
    return true;
  }
  return false;
}

struct gemm_call {
  int64_t m, n, k;  // of the row-major product
  int a_lead, a_operation, b_lead, b_operation, out_lead;
  const char *a, *b;
  char* out;
  int64_t a_batch, b_batch, out_batch, count;
};

int run_gemm(const char* op, blas& library, void* handle, int dtype, const gemm_call& c) {
  const double one64 = 1, zero64 = 0;
  const float one32 = 1, zero32 = 0;
  const bool wide = dtype == PG_F64;
  const void* one = wide ? static_cast<const void*>(&one64) : &one32;
  const void* zero = wide ? static_cast<const void*>(&zero64) : &zero32;
  const int type = blas_type(dtype);
#if PG_TARGET_ROCM
  return called(op, function_names[3],
                library.gemm(handle, c.b_operation, c.a_operation, int(c.n), int(c.m), int(c.k), one, c.b, type,
                             c.b_lead, c.b_batch, c.a, type, c.a_lead, c.a_batch, zero, c.out, type, c.out_lead,
                             c.out_batch, c.out, type, c.out_lead, c.out_batch, int(c.count),
                             wide ? vendor::blas_sum_f64 : vendor::blas_sum_f32, vendor::blas_default_algorithm, 0, 0));
#else
  return called(op, function_names[3],
                library.gemm(handle, c.b_operation, c.a_operation, int(c.n), int(c.m), int(c.k), one, c.b, type,
                             c.b_lead, c.b_batch, c.a, type, c.a_lead, c.a_batch, zero, c.out, type, c.out_lead,
                             c.out_batch, int(c.count),
                             wide ? vendor::blas_sum_f64 : vendor::blas_sum_f32, vendor::blas_default_algorithm));
#endif
}

// out = matrix x: `row`, `column` are the matrix's strides.
template <class T, class Fn>
int run_gemv(const char* op, Fn gemv, void* handle, int64_t m, int64_t k, const void* matrix, int lead, int operation,
             const void* x, int64_t x_step, void* out, int64_t out_step) {
  const T one = 1, zero = 0;
  // The library sees the transpose: k x m for a row-major matrix, which it then transposes.
  const bool rows = operation == blas_none;
  return called(op, function_names[sizeof(T) == 4 ? 4 : 5],
                gemv(handle, rows ? blas_transpose : blas_none, int(rows ? k : m), int(rows ? m : k), &one,
                     static_cast<const T*>(matrix), lead, static_cast<const T*>(x), int(x_step), &zero,
                     static_cast<T*>(out), int(out_step)));
}

int handle_of(const char* op, blas& library, int device, void** handle) {
  void*& h = library.handles[device];
  if (h == nullptr) {
    pg::capture_pause pause;
    PG_TRY(called(op, function_names[0], library.create(&h)));
#if !PG_TARGET_ROCM
    PG_TRY(called(op, "cublasSetMathMode", library.set_math(h, vendor::blas_no_reduced_sums)));
#endif
  }
  *handle = h;
  return PG_OK;
}

}  // namespace

int library_matmul(const char* op, const pg_tensor* ta, const pg_tensor* tb, const pg_tensor* tout, int32_t algorithm,
                   void* stream, bool* done) {
  *done = false;
  PG_TRY(check_algorithm(op, algorithm));
  if (algorithm == kPortable) return PG_OK;
  view a, b, out;
  PG_TRY(parse(ta, op, "a", a));
  PG_TRY(parse(tb, op, "b", b));
  PG_TRY(parse(tout, op, "out", out));
  const int nd = out.ndim;
  // What is wrong with the arguments is for the portable kernel's checks to say.
  if (a.dtype != b.dtype || a.dtype != out.dtype || a.ndim < 2 || b.ndim < 2 || nd < 2 || a.ndim > nd || b.ndim > nd ||
      a.shape[a.ndim - 1] != b.shape[b.ndim - 2] || out.shape[nd - 2] != a.shape[a.ndim - 2] ||
      out.shape[nd - 1] != b.shape[b.ndim - 1])
    return PG_OK;
  if (a.dtype != PG_F32 && a.dtype != PG_F16 && a.dtype != PG_BF16 && !(a.dtype == PG_F64 && PG_TYPES_ALL)) return PG_OK;
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, a, false));
  PG_TRY(check_alias(op, out, b, false));
  product p{a.dtype, out.shape[nd - 2], out.shape[nd - 1], a.shape[a.ndim - 1], a.data, b.data, out.data,
            a.stride[a.ndim - 2], a.stride[a.ndim - 1], b.stride[b.ndim - 2], b.stride[b.ndim - 1],
            out.stride[nd - 2], out.stride[nd - 1]};
  if (p.m == 0 || p.n == 0 || p.k == 0) return PG_OK;  // nothing, or zeros
  view batch_of[3] = {out, a, b};
  for (view& v : batch_of) v.ndim -= 2;
  if (broadcast_to(op, batch_of[1], batch_of[0]) != PG_OK || broadcast_to(op, batch_of[2], batch_of[0]) != PG_OK)
    return PG_OK;
  layout<3> batch;
  for (int d = 0; d < nd - 2; ++d) {
    const int64_t s[3] = {batch_of[0].stride[d], batch_of[1].stride[d], batch_of[2].stride[d]};
    batch.push(out.shape[d], s);
  }
  if (batch.numel() == 0) return PG_OK;
  batch.normalize();
  blas& library = the_blas();
  if (!library.usable()) return without_library(op, algorithm, library.library.problem);
  if (p.n > 1 && (out.stride[nd - 1] != 1 || p.m == 1)) {  // column-major, or a row: the product of the transposes
    product t = p;
    t.m = p.n, t.n = p.m;
    t.a = p.b, t.a_m = p.b_n, t.a_k = p.b_k;
    t.b = p.a, t.b_k = p.a_k, t.b_n = p.a_m;
    t.out_m = p.out_n, t.out_n = p.out_m;
    p = t;
    for (int d = 0; d < batch.ndim; ++d) {
      const int64_t s = batch.stride[d][1];
      batch.stride[d][1] = batch.stride[d][2];
      batch.stride[d][2] = s;
    }
    const int64_t s = batch.start[1];
    batch.start[1] = batch.start[2];
    batch.start[2] = s;
  }
  gemm_call c{};
  c.m = p.m, c.n = p.n, c.k = p.k;
  int out_operation = 0;
  if (!seen_as(p.m, p.k, p.a_m, p.a_k, c.a_lead, c.a_operation) ||
      !seen_as(p.k, p.n, p.b_k, p.b_n, c.b_lead, c.b_operation) ||
      !seen_as(p.m, p.n, p.out_m, p.out_n, c.out_lead, out_operation) || (out_operation != blas_none && p.n > 1) ||
      !small(p.m) || !small(p.n) || !small(p.k))
    return without_library(op, algorithm, "the strides are not those of a row-major or column-major matrix");
  const bool vector = p.n == 1 && batch.ndim == 0 && (p.dtype == PG_F32 || p.dtype == PG_F64) && p.b_k > 0 &&
                      p.out_m > 0 && small(p.b_k) && small(p.out_m);
  // Our own kernels know such products better, and those with enough rows to fill a device: 73 against 92 us for
  // 8192 x 8192 in f32 on an H200.
  if (p.n == 1 && (!vector || (p.a_k == 1 && p.m >= kManyRows)) && algorithm == kAuto) return PG_OK;
  if (p.n == 1 && !vector && out_operation != blas_none)
    return without_library(op, algorithm, "the strides are not those of a row-major matrix");
  const int64_t item = dtype_size(p.dtype);
  const int inner = batch.ndim > 0 ? batch.ndim - 1 : 0;  // the dimension that one call covers
  c.count = batch.ndim > 0 ? batch.size[inner] : 1;
  if (batch.ndim > 0)
    c.out_batch = batch.stride[inner][0], c.a_batch = batch.stride[inner][1], c.b_batch = batch.stride[inner][2];
  if (!small(c.count)) return without_library(op, algorithm, "the batch is too large");

  int device = 0;
  PG_TRY(launched(pg::get_device(&device), op));
  if (device < 0 || device >= kDevices) return without_library(op, algorithm, "too many devices");
  void* workspace = nullptr;
  if (!PG_TARGET_CPU) PG_TRY(pg_alloc(&workspace, kWorkspace, PG_MEMORY_DEVICE, stream));
  int status = PG_OK;
  {
    std::lock_guard<std::mutex> hold(library.lock);
    void* handle = nullptr;
    status = handle_of(op, library, device, &handle);
    if (status == PG_OK) status = called(op, function_names[1], library.set_stream(handle, stream));
    if (status == PG_OK && workspace != nullptr)
      status = called(op, function_names[2], library.set_workspace(handle, workspace, kWorkspace));
    if (status == PG_OK && vector) {
      status = p.dtype == PG_F32
                   ? run_gemv<float>(op, library.sgemv, handle, p.m, p.k, p.a, c.a_lead, c.a_operation, p.b, p.b_k,
                                     p.out, p.out_m)
                   : run_gemv<double>(op, library.dgemv, handle, p.m, p.k, p.a, c.a_lead, c.a_operation, p.b, p.b_k,
                                      p.out, p.out_m);
    }
    int64_t at[PG_MAX_NDIM] = {};
    for (bool more = !vector; status == PG_OK && more;) {  // the outer dimensions of the batch, one call each
      int64_t offset[3] = {batch.start[0], batch.start[1], batch.start[2]};
      for (int d = 0; d < inner; ++d)
        for (int k = 0; k < 3; ++k) offset[k] += at[d] * batch.stride[d][k];
      c.out = static_cast<char*>(p.out) + offset[0] * item;
      c.a = static_cast<const char*>(p.a) + offset[1] * item;
      c.b = static_cast<const char*>(p.b) + offset[2] * item;
      status = run_gemm(op, library, handle, p.dtype, c);
      more = false;
      for (int d = inner - 1; d >= 0 && !more; --d) {
        if (++at[d] < batch.size[d]) more = true;
        else at[d] = 0;
      }
    }
  }
  if (workspace != nullptr) {
    const int released = pg_release(workspace, stream);
    if (status == PG_OK) status = released;
  }
  *done = status == PG_OK;
  return status;
}

}  // namespace pgops
