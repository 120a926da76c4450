// Copies between any two layouts. Transposes pass through shared memory, so both sides stay coalesced.
#include "support/word.cuh"

namespace pgops {
namespace {

struct identity_op {
  static constexpr int unroll = 4;
  template <class C>
  static __device__ __forceinline__ C run(C x) { return x; }
};

constexpr int kTile = 64;
constexpr int64_t kLeastTransposed = 16;  // shorter sides go through the strided copy

struct transpose_shape {
  uint32_t rows, columns;       // rows: dimension contiguous in x; columns: contiguous in out
  int64_t row_stride, column_stride;  // of rows in out, of columns in x
};

// out[r * row_stride + c] = x[c * column_stride + r], one tile a block.
template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    copy_transposed(const W* x, W* out, transpose_shape shape, const PG_GRID_CONSTANT strided<2> batch) {
  __shared__ W tile[kTile][kTile + 1];
  const uint32_t column_tiles = (shape.columns + kTile - 1) / kTile, row_tiles = (shape.rows + kTile - 1) / kTile;
  uint32_t block = blockIdx.x;
  const uint32_t r0 = block % row_tiles * kTile;
  block /= row_tiles;
  const uint32_t c0 = block % column_tiles * kTile;
  int64_t at[2];
  batch.offsets(block / column_tiles, at);
  const uint32_t lane = threadIdx.x % kTile, y = threadIdx.x / kTile;
  constexpr int kRows = kMapBlock / kTile;
  if (r0 + lane < shape.rows) {
    const W* from = x + at[1] + int64_t(c0) * shape.column_stride + r0 + lane;
    PG_UNROLL
    for (int i = 0; i < kTile / kRows; ++i) {
      const uint32_t c = y + uint32_t(i) * kRows;
      if (c0 + c < shape.columns) tile[c][lane] = from[int64_t(c) * shape.column_stride];
    }
  }
  __syncthreads();
  if (c0 + lane < shape.columns) {
    W* to = out + at[0] + int64_t(r0) * shape.row_stride + c0 + lane;
    PG_UNROLL
    for (int i = 0; i < kTile / kRows; ++i) {
      const uint32_t r = y + uint32_t(i) * kRows;
      if (r0 + r < shape.rows) to[int64_t(r) * shape.row_stride] = tile[lane][r];
    }
  }
}

// As copy_transposed, where both sides allow vector accesses: a thread transposes kVec x kVec elements in
// its registers. Eight squares side by side read whole 128-byte lines; blocks next to each other write next
// to each other.
template <class W>
constexpr int kSquare = sizeof(W) == 1 ? 8 : kVectorBytes / int(sizeof(W));
constexpr int kSquaresAcross = 8, kSquaresDown = 8;  // of a block's tile, along rows and columns
constexpr int kSquareThreads = kSquaresAcross * kSquaresDown;

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kSquareThreads)
    copy_squares(const W* x, W* out, transpose_shape shape, const PG_GRID_CONSTANT strided<2> batch) {
  constexpr int kVec = kSquare<W>;
  constexpr uint32_t kAcross = kSquaresAcross * kVec, kDown = kSquaresDown * kVec;
  const uint32_t column_tiles = (shape.columns + kDown - 1) / kDown, row_tiles = (shape.rows + kAcross - 1) / kAcross;
  uint32_t block = blockIdx.x;
  const uint32_t c = block % column_tiles * kDown + threadIdx.x / kSquaresAcross * kVec;
  block /= column_tiles;
  const uint32_t r = block % row_tiles * kAcross + threadIdx.x % kSquaresAcross * kVec;
  if (r >= shape.rows || c >= shape.columns) return;
  int64_t at[2];
  batch.offsets(block / row_tiles, at);
  const W* from = x + at[1] + int64_t(c) * shape.column_stride + r;
  W* to = out + at[0] + int64_t(r) * shape.row_stride + c;
  pg::vec<W, kVec> in[kVec];
  PG_UNROLL
  for (int i = 0; i < kVec; ++i) in[i] = pg::load_vec<kVec>(from + i * shape.column_stride);
  PG_UNROLL
  for (int i = 0; i < kVec; ++i) {
    pg::vec<W, kVec> turned;
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) turned[j] = in[j][i];
    pg::store_vec<kVec>(to + i * shape.row_stride, turned);
  }
}

template <class W>
bool fits_squares(const W* x, const W* out, const transpose_shape& s, const layout<2>& batch) {
  constexpr int kVec = kSquare<W>;
  bool fits = aligned_for<W>(x, kVec) && aligned_for<W>(out, kVec) && s.rows % kVec == 0 && s.columns % kVec == 0 &&
              s.row_stride % kVec == 0 && s.column_stride % kVec == 0;
  for (int d = 0; d < batch.ndim; ++d)
    fits = fits && batch.stride[d][0] % kVec == 0 && batch.stride[d][1] % kVec == 0;
  return fits;
}

// The dimension in which x is contiguous, if a tiled transpose pays; else -1.
int transposed_dimension(const layout<2>& p) {
  const int last = p.ndim - 1;
  if (p.ndim < 2 || p.stride[last][0] != 1 || p.stride[last][1] == 1 || p.size[last] < kLeastTransposed) return -1;
  for (int d = 0; d < last; ++d)
    if (p.stride[d][1] == 1 && p.size[d] >= kLeastTransposed) return d;
  return -1;
}

template <class W>
int launch_copy(const char* op, const layout<2>& plan, const view& x, const view& out, void* stream) {
  if (plan.numel() == 0) return PG_OK;
  if (transposed_dimension(plan) < 0) return launch_unary<identity_op, W, W>(op, plan, x, out, stream);
  return for_chunks(plan, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    const W* from = reinterpret_cast<const W*>(x.data) + start[1];
    W* to = reinterpret_cast<W*>(out.data) + start[0];
    const int rows = transposed_dimension(piece), last = piece.ndim - 1;
    if (rows < 0) {
      const int64_t n = piece.numel();
      return launched(PG_LAUNCH((unary_strided<identity_op, W, W>), blocks_for(n, kMapBlock * map_strided<identity_op>), kMapBlock,
                                0, stream, from, to, uint32_t(n), piece.device()), op);
    }
    const transpose_shape shape{uint32_t(piece.size[rows]), uint32_t(piece.size[last]), piece.stride[rows][0],
                                piece.stride[last][1]};
    layout<2> batch;
    for (int d = 0; d < last; ++d)
      if (d != rows) batch.push(piece.size[d], piece.stride[d]);
    batch.merge();
    if (fits_squares(from, to, shape, batch)) {
      constexpr int kVec = kSquare<W>;
      const int64_t tiles = batch.numel() * blocks_for(shape.rows, kSquaresAcross * kVec) *
                            blocks_for(shape.columns, kSquaresDown * kVec);
      return launched(PG_LAUNCH((copy_squares<W>), unsigned(tiles), kSquareThreads, 0, stream, from, to, shape,
                                batch.device()), op);
    }
    const int64_t blocks = batch.numel() * blocks_for(shape.rows, kTile) * blocks_for(shape.columns, kTile);
    return launched(PG_LAUNCH((copy_transposed<W>), unsigned(blocks), kMapBlock, 0, stream, from, to, shape,
                              batch.device()), op);
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_copy(const pg_tensor* x, const pg_tensor* out, void* stream) {
  view to, in[1];
  PG_TRY(parse(x, "copy", "x", in[0]));
  PG_TRY(parse(out, "copy", "out", to));
  PG_TRY(same_dtype("copy", in[0], to));
  PG_TRY(check_dtype<movable_types>("copy", to.dtype));
  layout<2> plan;
  PG_TRY(plan_map<2>("copy", to, in, plan));
  return dispatch_word(to.item(), [&](auto w) {
    return launch_copy<typename decltype(w)::type>("copy", plan, in[0], to, stream);
  });
}
