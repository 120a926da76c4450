// Matrix products by a portable tiled kernel, accumulated in f32 (f64 for f64): any strides, batches
// that broadcast. Vectors take kernels of their own. For the last percent use the vendors' libraries.
#include "pg/mma.h"
#include "support/matmul_f32.cuh"
#include "support/matmul_seam.cuh"
#include "support/row.cuh"
#include "support/seam.cuh"

namespace pgops {
namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8, kMatmulBlock = 256;
constexpr int kPerThread = 8;  // rows and columns of a thread

// Operands of the batch: out, a, b.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMatmulBlock)
    matmul_tiles(const T* a, const T* b, T* out, matmul_args args, const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  __shared__ C left[2][kTileK][kTileM + 4];
  __shared__ C right[2][kTileK][kTileN + 4];
  uint32_t block = blockIdx.x;
  const uint32_t tile_n = block % args.tiles_n;
  block /= args.tiles_n;
  const uint32_t tile_m = block % args.tiles_m;
  int64_t at[3];
  batch.offsets(block / args.tiles_m, at);
  const int64_t m0 = int64_t(tile_m) * kTileM, n0 = int64_t(tile_n) * kTileN;
  const int t = int(threadIdx.x);
  const T* pa = a + at[1];
  const T* pb = b + at[2];
  // Neighbouring threads load along the operand's faster dimension.
  const bool a_along_k = args.a_k <= args.a_m, b_along_k = args.b_k < args.b_n;
  constexpr int kLoads = kTileM * kTileK / kMatmulBlock;
  C next_left[kLoads], next_right[kLoads];
  const auto fetch = [&](int64_t k0) {
    PG_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      const int e = t + i * kMatmulBlock;
      const int am = a_along_k ? e / kTileK : e % kTileM, ak = a_along_k ? e % kTileK : e / kTileM;
      const int bn = b_along_k ? e / kTileK : e % kTileN, bk = b_along_k ? e % kTileK : e / kTileN;
      next_left[i] = m0 + am < args.m && k0 + ak < args.k
                         ? widen(pa[(m0 + am) * args.a_m + (k0 + ak) * args.a_k]) : C(0);
      next_right[i] = n0 + bn < args.n && k0 + bk < args.k
                          ? widen(pb[(k0 + bk) * args.b_k + (n0 + bn) * args.b_n]) : C(0);
    }
  };
  const auto put = [&](int buffer) {
    PG_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      const int e = t + i * kMatmulBlock;
      const int am = a_along_k ? e / kTileK : e % kTileM, ak = a_along_k ? e % kTileK : e / kTileM;
      const int bn = b_along_k ? e / kTileK : e % kTileN, bk = b_along_k ? e % kTileK : e / kTileN;
      left[buffer][ak][am] = next_left[i];
      right[buffer][bk][bn] = next_right[i];
    }
  };
  // A thread's 8 rows and columns are two runs of 4, half a tile apart: no bank conflicts.
  const int tm = t / 16 * 4, tn = t % 16 * 4;
  C acc[kPerThread][kPerThread];
  PG_UNROLL
  for (int i = 0; i < kPerThread; ++i) {
    PG_UNROLL
    for (int j = 0; j < kPerThread; ++j) acc[i][j] = C(0);
  }
  fetch(0);
  put(0);
  __syncthreads();
  int buffer = 0;
  for (int64_t k0 = 0; k0 < args.k; k0 += kTileK) {
    const bool more = k0 + kTileK < args.k;
    if (more) fetch(k0 + kTileK);
    PG_UNROLL
    for (int k = 0; k < kTileK; ++k) {
      C x[kPerThread], y[kPerThread];
      PG_UNROLL
      for (int i = 0; i < 4; ++i) {
        x[i] = left[buffer][k][tm + i];
        x[i + 4] = left[buffer][k][tm + kTileM / 2 + i];
        y[i] = right[buffer][k][tn + i];
        y[i + 4] = right[buffer][k][tn + kTileN / 2 + i];
      }
      PG_UNROLL
      for (int i = 0; i < kPerThread; ++i) {
        PG_UNROLL
        for (int j = 0; j < kPerThread; ++j) acc[i][j] += x[i] * y[j];
      }
    }
    if (more) put(buffer ^ 1);
    __syncthreads();
    buffer ^= 1;
  }
  PG_UNROLL
  for (int i = 0; i < kPerThread; ++i) {
    const int64_t row = m0 + tm + i % 4 + i / 4 * (kTileM / 2);
    PG_UNROLL
    for (int j = 0; j < kPerThread; ++j) {
      const int64_t column = n0 + tn + j % 4 + j / 4 * (kTileN / 2);
      if (row < args.m && column < args.n)
        out[at[0] + row * args.out_m + column * args.out_n] = narrow<T>(acc[i][j]);
    }
  }
}

struct vector_args {
  int64_t m, k;
  int64_t a_m, a_k, x_k, out_m;
  bool vector;
};

// out[i] = sum a[i, j] * x[j]: a group of lanes per row. Operands of the batch: out, a, x.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    matvec_rows(const T* a, const T* x, T* out, vector_args args, const PG_GRID_CONSTANT strided<3> batch,
                uint32_t row_blocks) {
  using C = compute_t<T>;
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  const int lane = int(threadIdx.x) % kRowGroup;
  const int64_t row = int64_t(blockIdx.x % row_blocks) * (kRowBlock / kRowGroup) + threadIdx.x / kRowGroup;
  if (row >= args.m) return;
  int64_t at[3];
  batch.offsets(blockIdx.x / row_blocks, at);
  const T* from = a + at[1] + row * args.a_m;
  const T* with = x + at[2];
  C sum = C(0);
  if (args.vector) {
    for (int64_t j = lane * kVec; j < args.k; j += kRowGroup * kVec) {
      const auto p = pg::load_vec<kVec>(from + j), q = pg::load_vec<kVec>(with + j);
      PG_UNROLL
      for (int i = 0; i < kVec; ++i) sum += widen(p[i]) * widen(q[i]);
    }
  } else {
    for (int64_t j = lane; j < args.k; j += kRowGroup) sum += widen(from[j * args.a_k]) * widen(with[j * args.x_k]);
  }
  sum = pg::warp_reduce<kRowGroup>(sum, pg::plus());
  if (lane == 0) out[at[0] + row * args.out_m] = narrow<T>(sum);
}

// The same for a matrix whose rows are neighbours in memory: a lane per row, groups share the sum.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    matvec_columns(const T* a, const T* x, T* out, vector_args args, const PG_GRID_CONSTANT strided<3> batch,
                   uint32_t row_blocks) {
  using C = compute_t<T>;
  constexpr int kGroups = kRowBlock / kRowGroup;
  __shared__ C shared[kGroups][kRowGroup];
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) / kRowGroup;
  const int64_t row = int64_t(blockIdx.x % row_blocks) * kRowGroup + lane;
  int64_t at[3];
  batch.offsets(blockIdx.x / row_blocks, at);
  C sum = C(0);
  if (row < args.m)
    for (int64_t j = group; j < args.k; j += kGroups)
      sum += widen(a[at[1] + row * args.a_m + j * args.a_k]) * widen(x[at[2] + j * args.x_k]);
  shared[group][lane] = sum;
  __syncthreads();
  if (group == 0 && row < args.m) {
    for (int g = 1; g < kGroups; ++g) sum += shared[g][lane];
    out[at[0] + row * args.out_m] = narrow<T>(sum);
  }
}

template <class T>
int launch_matvec(const char* op, const T* a, const T* x, T* out, vector_args args, const layout<3>& batch,
                  void* stream) {
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  args.vector = args.a_k == 1 && args.x_k == 1 && args.k % kVec == 0 && args.a_m % kVec == 0 &&
                aligned_for<T>(a, kVec) && aligned_for<T>(x, kVec);
  for (int d = 0; d < batch.ndim; ++d)
    args.vector = args.vector && batch.stride[d][1] % kVec == 0 && batch.stride[d][2] % kVec == 0;
  const bool columns = args.a_m == 1 && args.a_k != 1;
  const unsigned row_blocks = blocks_for(args.m, columns ? kRowGroup : kRowBlock / kRowGroup);
  const unsigned blocks = unsigned(row_blocks * batch.numel());
  return launched(columns ? PG_LAUNCH((matvec_columns<T>), blocks, kRowBlock, 0, stream, a, x, out, args,
                                      batch.device(), row_blocks)
                          : PG_LAUNCH((matvec_rows<T>), blocks, kRowBlock, 0, stream, a, x, out, args,
                                      batch.device(), row_blocks), op);
}

int matmul(const pg_tensor* ta, const pg_tensor* tb, const pg_tensor* tout, void* stream) {
  const char* op = "matmul";
  view a, b, out;
  PG_TRY(parse(ta, op, "a", a));
  PG_TRY(parse(tb, op, "b", b));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, a, b));
  PG_TRY(same_dtype(op, a, out));
  const int n = out.ndim;
  if (a.ndim < 2 || b.ndim < 2 || n < 2 || a.shape[a.ndim - 1] != b.shape[b.ndim - 2] ||
      out.shape[n - 2] != a.shape[a.ndim - 2] || out.shape[n - 1] != b.shape[b.ndim - 1])
    return fail(PG_ERR_SHAPE, "%s: shapes %s and %s do not multiply to %s", op, shape_text(a).text, shape_text(b).text,
                shape_text(out).text);
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, a, false));
  PG_TRY(check_alias(op, out, b, false));
  matmul_args args{out.shape[n - 2], out.shape[n - 1], a.shape[a.ndim - 1],
                   a.stride[a.ndim - 2], a.stride[a.ndim - 1], b.stride[b.ndim - 2], b.stride[b.ndim - 1],
                   out.stride[n - 2], out.stride[n - 1], 0, 0};
  view batch_of[3] = {out, a, b};
  for (view& v : batch_of) v.ndim -= 2;
  PG_TRY(broadcast_to(op, batch_of[1], batch_of[0]));
  PG_TRY(broadcast_to(op, batch_of[2], batch_of[0]));
  layout<3> batch;
  for (int d = 0; d < n - 2; ++d) {
    const int64_t s[3] = {batch_of[0].stride[d], batch_of[1].stride[d], batch_of[2].stride[d]};
    batch.push(out.shape[d], s);
  }
  return dispatch(op, a.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (out.numel() == 0) return int(PG_OK);
    batch.normalize();
    PG_TRY(check_rank(op, batch.ndim));
    const T* pa = reinterpret_cast<const T*>(a.data) + batch.start[1];
    const T* pb = reinterpret_cast<const T*>(b.data) + batch.start[2];
    T* to = reinterpret_cast<T*>(out.data) + batch.start[0];
    args.tiles_m = blocks_for(args.m, kTileM);
    args.tiles_n = blocks_for(args.n, kTileN);
    const int64_t most = args.m > args.n ? args.m : args.n;
    if (batch.numel() * args.tiles_m * args.tiles_n > INT32_MAX || batch.numel() * (most / 8 + 1) > INT32_MAX)
      return fail(PG_ERR_SIZE, "%s: the batch is too large for one call", op);
    if (args.n == 1)
      return launch_matvec<T>(op, pa, pb, to, {args.m, args.k, args.a_m, args.a_k, args.b_k, args.out_m, false},
                              batch, stream);
    if (args.m == 1) {  // the matrix is b, transposed; operands trade places
      layout<3> swapped = batch;
      for (int d = 0; d < swapped.ndim; ++d) {
        swapped.stride[d][1] = batch.stride[d][2];
        swapped.stride[d][2] = batch.stride[d][1];
      }
      return launch_matvec<T>(op, pb, pa, to, {args.n, args.k, args.b_n, args.b_k, args.a_k, args.out_n, false},
                              swapped, stream);
    }
    if constexpr (std::is_same_v<T, half>) {
      if (pg::mma_supported()) return matmul_f16(op, pa, pb, to, args, batch, stream);
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      if (pg::mma_supported()) return matmul_bf16(op, pa, pb, to, args, batch, stream);
    } else if constexpr (std::is_same_v<T, float>) {
      int status;
      if (launch_panels(op, pa, pb, to, args, batch, stream, status)) return status;
    }
    const unsigned blocks = unsigned(batch.numel() * args.tiles_m * args.tiles_n);
    return launched(PG_LAUNCH((matmul_tiles<T>), blocks, kMatmulBlock, 0, stream, pa, pb, to, args, batch.device()),
                    op);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_matmul(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out, int32_t algorithm,
                                void* stream) {
  bool done = false;
  PG_TRY(pgops::library_matmul("matmul", a, b, out, algorithm, stream, &done));
  return done ? int(PG_OK) : pgops::matmul(a, b, out, stream);
}
