// Products x w^T with a quantised matrix w: codes become numbers when a tile of them is loaded. By matrix fragments,
// codes are exact in T, and sums over a group are scaled in f32.
#include "support/gather_fragments.cuh"

namespace pgops {
namespace {

// rows: those of x; columns: rows of w; depth: their length.
template <class T, int kBits>
struct quantized_problem {
  using element = T;
  using compute = float;
  static constexpr bool kDepthFastA = true, kDepthFastB = true;
  const T* x;
  const uint8_t* codes;
  const float* scale;
  T* out;
  uint32_t count, filters, length;
  fast_div group, inner;  // inner: rows of the last leading axis
  int64_t x_stride, code_row, code_stride, scale_row, scale_stride, out_stride;
  int64_t x_rows[2], out_rows[2];  // strides of the leading axes: the one before, the last

  struct line {
    const uint8_t* codes;
    const float* scale;
  };

  __host__ __device__ uint32_t rows() const { return count; }
  __host__ __device__ uint32_t columns() const { return filters; }
  __device__ uint32_t depth() const { return length; }
  __device__ uint32_t share() const { return length; }
  __device__ __forceinline__ const T* row(uint32_t m, int) const {
    const uint32_t outer = inner.div(m);
    return x + outer * x_rows[0] + int64_t(m - outer * inner.divisor) * x_rows[1];
  }
  __device__ __forceinline__ line column(uint32_t n, int) const {
    return {codes + int64_t(n) * code_row, scale + int64_t(n) * scale_row};
  }
  __device__ __forceinline__ uint32_t depth_at(uint32_t k) const { return k; }
  __device__ __forceinline__ const T* a_at(const T* from, uint32_t k, bool&) const { return from + int64_t(k) * x_stride; }
  __device__ __forceinline__ float a(const T* from, uint32_t k) const { return widen(from[int64_t(k) * x_stride]); }
  __device__ __forceinline__ float b(const line& w, uint32_t k) const {
    float code;
    if constexpr (kBits == 8) {
      code = float(int8_t(w.codes[int64_t(k) * code_stride]));
    } else {
      const uint32_t both = w.codes[int64_t(k / 2) * code_stride];
      code = float(int(k % 2 == 0 ? both & 15u : both >> 4) - 8);
    }
    return code * w.scale[int64_t(group.div(k)) * scale_stride];
  }
  __device__ __forceinline__ T* target(uint32_t m, uint32_t n) const {
    const uint32_t outer = inner.div(m);
    return out + outer * out_rows[0] + int64_t(m - outer * inner.divisor) * out_rows[1] + int64_t(n) * out_stride;
  }
  __device__ __forceinline__ void put(uint32_t m, uint32_t n, int, int, float value) const {
    *target(m, n) = narrow<T>(value);
  }
  bool vector() const {
    constexpr int kBytes = kBits;  // of eight codes
    return x_stride == 1 && aligned_for<T>(x, 8) && x_rows[0] % 8 == 0 && x_rows[1] % 8 == 0 && code_stride == 1 &&
           code_row % kBytes == 0 && aligned_for<uint8_t>(codes, kBytes);
  }
  bool vector_out() const {
    return out_stride == 1 && filters % 8 == 0 && out_rows[0] % 8 == 0 && out_rows[1] % 8 == 0 && aligned_for<T>(out, 8);
  }
};

// Panels of codes, in memory along k. Each thread has room of its own for codes on their way, and unpacks them when the
// panel is needed.
template <class T, int kBits, bool kVector, class Tile>
struct code_copier {
  using shape = panel_shape<true, Tile::kTileN>;
  using pieces = panel_pieces<true, Tile::kTileN, Tile::kThreads>;
  static constexpr bool kAlongK = true;
  static constexpr int kRoom = pieces::kCopies * Tile::kThreads * kBits;  // bytes of a panel's codes
  const uint8_t* from;
  int64_t row, stride;
  int line, first, inside;
  uint8_t *coming, *arrived, *room;  // the thread's own, of the next panel and of the one to unpack

  __device__ __forceinline__ code_copier(const quantized_problem<T, kBits>& p, uint32_t n0, uint8_t* all)
      : row(p.code_row), stride(p.code_stride), line(int(threadIdx.x) / pieces::kPieces),
        first(int(threadIdx.x) % pieces::kPieces * 8),
        inside(p.filters - n0 < uint32_t(Tile::kTileN) ? int(p.filters - n0) : Tile::kTileN),
        room(all + int(threadIdx.x) * kBits) {
    from = p.codes + int64_t(n0 + uint32_t(line)) * row + int64_t(first * kBits / 8) * stride;
    coming = arrived = room;
  }
  __device__ __forceinline__ uint8_t* behind(uint8_t* slot) const {
    return slot == room + (Tile::kStages - 1) * kRoom ? room : slot + kRoom;
  }
  template <int kParts>
  __device__ __forceinline__ void copy(T*, int k, int part) const {
    PG_UNROLL
    for (int i = 0; i < pieces::kCopies; ++i) {
      if (i % kParts != part) continue;
      const bool there = line + i * pieces::kStep < inside && first < k;
      const uint8_t* const at = from + i * pieces::kStep * row;
      uint8_t* const to = coming + i * (Tile::kThreads * kBits);
      if constexpr (kVector) {
        pg::async_copy_if<kBits>(there, to, at);
      } else {
        for (int b = 0; b < kBits; ++b) to[b] = there ? at[b * stride] : uint8_t(0);
      }
    }
  }
  __device__ __forceinline__ void advance() {
    from += int64_t(kFragmentK * kBits / 8) * stride;
    coming = behind(coming);
  }
  __device__ __forceinline__ void finish(T* panel) {
    PG_UNROLL
    for (int i = 0; i < pieces::kCopies; ++i) {
      const auto codes = pg::load_vec<kBits>(arrived + i * (Tile::kThreads * kBits));
      pg::vec<T, 8> numbers;
      PG_UNROLL
      for (int j = 0; j < 8; ++j) {
        // The code above zero stands at the end of the mantissa of 2^23.
        uint32_t above;
        if constexpr (kBits == 8) above = uint32_t(codes[j]) ^ 128u;
        else above = j % 2 == 0 ? codes[j / 2] & 15u : uint32_t(codes[j / 2]) >> 4;
        constexpr float kZero = kBits == 8 ? 8388608.0f + 128.0f : 8388608.0f + 8.0f;
        numbers[j] = narrow<T>(pg::bit_cast<float>(0x4b000000u | above) - kZero);
      }
      pg::store_vec<8>(panel + (line + i * pieces::kStep) * shape::kLine + first, numbers);
    }
    arrived = behind(arrived);
  }
};

// Of panels, which the codes' room follows.
template <class T, class Tile>
constexpr size_t panel_bytes = Tile::template bytes<T, true, true>();
template <class T, int kBits, class Tile>
constexpr size_t quantized_bytes = panel_bytes<T, Tile> + size_t(Tile::kStages) * Tile::kTileN * (kFragmentK / 8) * kBits;

// Sums of a group, scaled, are added to those of all.
template <class T, int kBits, class Tile>
struct group_sums {
  const quantized_problem<T, kBits>& p;
  typename Tile::sums& all;
  const float* scale[Tile::kColumns];
  float now[Tile::kColumns][pg::mma::count];
  int inside, group, left, groups;

  __device__ __forceinline__ group_sums(const quantized_problem<T, kBits>& problem, typename Tile::sums& sums, uint32_t n0,
                                        int columns)
      : p(problem), all(sums), inside(columns), group(int(p.group.divisor)), left(group),
        groups(int(p.group.div(p.length))) {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) scale[j] = p.scale + int64_t(n0 + uint32_t(column(j))) * p.scale_row;
    load();
  }
  static __device__ __forceinline__ int column(int j) { return Tile::warp_column() + 16 * j; }
  __device__ __forceinline__ void load() {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) {
      PG_UNROLL
      for (int e = 0; e < pg::mma::count; ++e) {
        const int c = pg::mma::column(e);
        now[j][e] = column(j) + c < inside ? scale[j][c * p.scale_row] : 0.0f;
      }
      scale[j] += p.scale_stride;
    }
  }
  __device__ __forceinline__ void operator()(typename Tile::sums& part, int64_t) {
    left -= 16;
    if (left != 0 || groups == 0) return;
    left = group;
    --groups;
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) {
      PG_UNROLL
      for (int i = 0; i < Tile::kRows; ++i) {
        PG_UNROLL
        for (int e = 0; e < pg::mma::count; ++e) {
          all[i][j][e] += part[i][j][e] * now[j][e];
          part[i][j][e] = 0.0f;
        }
      }
    }
    if (groups != 0) load();
  }
};

template <class T, int kBits, class Tile, bool kVector>
__global__ void PG_LAUNCH_BOUNDS(Tile::kThreads)
    quantized_fragments(const PG_GRID_CONSTANT quantized_problem<T, kBits> given, uint32_t row_tiles, bool vector_out) {
  PG_DYN_SHARED(T, panels);
  __shared__ near_room<quantized_problem<T, kBits>> kept;
  const quantized_problem<T, kBits>& p = keep_near(given, kept);
  const uint32_t m0 = blockIdx.x % row_tiles * Tile::kTileM, n0 = blockIdx.x / row_tiles * Tile::kTileN;
  gather_copier<quantized_problem<T, kBits>, true, kVector, Tile::kTileM, Tile::kThreads> left(p, m0, p.count, 0, 0);
  code_copier<T, kBits, kVector, Tile> right(p, n0, reinterpret_cast<uint8_t*>(panels) + panel_bytes<T, Tile>);
  typename Tile::sums all, part;
  PG_UNROLL
  for (int i = 0; i < Tile::kRows; ++i) {
    PG_UNROLL
    for (int j = 0; j < Tile::kColumns; ++j) all[i][j] = part[i][j] = pg::mma::zero();
  }
  multiply_panels<Tile>(panels, left, right, p.length, part, group_sums<T, kBits, Tile>(p, all, n0, right.inside));
  store_tile<Tile>(panels, all, left.inside, right.inside, vector_out,
                   [&](int row, int column) { return p.target(m0 + uint32_t(row), n0 + uint32_t(column)); });
}

template <class Tile, bool kVector, class T, int kBits>
int launch_quantized(const char* op, const quantized_problem<T, kBits>& p, void* stream) {
  const int64_t row_tiles = (int64_t(p.count) + Tile::kTileM - 1) / Tile::kTileM;
  const int64_t tiles = row_tiles * ((int64_t(p.filters) + Tile::kTileN - 1) / Tile::kTileN);
  PG_TRY(check_gather_grid(op, tiles, 1));
  return launched(PG_LAUNCH((quantized_fragments<T, kBits, Tile, kVector>), unsigned(tiles), Tile::kThreads,
                            (quantized_bytes<T, kBits, Tile>), stream, p, uint32_t(row_tiles), p.vector_out()), op);
}

// Twice the sums: narrower than the tiles of other products.
using quantized_large = fragment_tile<128, 64, 256, PG_TARGET_CUDA ? 3 : 2>;

template <class T, int kBits>
int quantized_product(const char* op, const quantized_problem<T, kBits>& p, void* stream) {
  if constexpr (is_half<T>) {
    if (p.group.divisor % 16 == 0 && p.count > 1 && p.filters > kDirectColumns && pg::mma_supported()) {
      if (!p.vector()) return launch_quantized<gather_small, false>(op, p, stream);
      const auto tiles = [](int64_t n, int64_t side) { return (n + side - 1) / side; };
      const int64_t large = tiles(p.count, quantized_large::kTileM) * tiles(p.filters, quantized_large::kTileN);
      if (large >= kEnoughTiles && p.count > gather_small::kTileM &&
          pg::set_max_dynamic_shared((quantized_fragments<T, kBits, quantized_large, true>),
                                     (quantized_bytes<T, kBits, quantized_large>)) == 0)
        return launch_quantized<quantized_large, true>(op, p, stream);
      return launch_quantized<gather_small, true>(op, p, stream);
    }
  }
  return launch_gather(op, p, 1, 1, stream);
}

template <int kBits>
int quantized_matmul(const char* op, const pg_tensor* tx, const pg_tensor* tq, const pg_tensor* tscale,
                     const pg_tensor* tout, void* stream) {
  view x, q, scale, out;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tscale, op, "scale", scale));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(want_dtype(op, q, kBits == 8 ? PG_I8 : PG_U8));
  PG_TRY(want_dtype(op, scale, PG_F32));
  PG_TRY(same_dtype(op, x, out));
  const int last = x.ndim - 1;
  bool fits = x.ndim >= 1 && out.ndim == x.ndim && q.ndim == 2 && scale.ndim == 2 && q.shape[0] == scale.shape[0];
  for (int d = 0; fits && d < last; ++d) fits = x.shape[d] == out.shape[d];
  fits = fits && out.shape[last] == q.shape[0] && q.shape[1] * (8 / kBits) == x.shape[last] && scale.shape[1] > 0 &&
         x.shape[last] % scale.shape[1] == 0;
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'x' %s, 'q' %s, 'scale' %s and 'out' %s do not fit together", op, shape_text(x).text,
                shape_text(q).text, shape_text(scale).text, shape_text(out).text);
  const int64_t length = x.shape[last], group = length / scale.shape[1];
  if (group % 8 != 0)
    return fail(PG_ERR_SHAPE, "%s: groups of %lld elements; a multiple of 8 is needed", op, static_cast<long long>(group));
  PG_TRY(check_output(op, out));
  for (const view* in : {&x, &q, &scale}) PG_TRY(check_alias(op, out, *in, false));
  layout<2> rows;
  for (int d = 0; d < last; ++d) {
    const int64_t s[2] = {out.stride[d], x.stride[d]};
    rows.push(x.shape[d], s);
  }
  return dispatch(op, x.dtype, types<float, half, bfloat16>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (out.numel() == 0) return int(PG_OK);
    const int64_t most = INT32_MAX - kGemmTile;
    if (rows.numel() > kChunk || length > most || q.shape[0] > most)
      return fail(PG_ERR_SIZE, "%s: more than 2^30 rows of 'x', or longer ones than 2^31 - 65", op);
    rows.normalize();
    PG_TRY(check_rank(op, rows.ndim));
    quantized_problem<T, kBits> p{
        nullptr, reinterpret_cast<const uint8_t*>(q.data), reinterpret_cast<const float*>(scale.data), nullptr, 0,
        uint32_t(q.shape[0]), uint32_t(length), fast_div(uint32_t(group > 0 ? group : 1)), fast_div(1), x.stride[last],
        q.stride[0], q.stride[1], scale.stride[0], scale.stride[1], out.stride[last], {0, 0}, {0, 0}};
    // Two leading axes go at once; more are rare, and taken one index at a time.
    layout<2> outer = rows;
    outer.ndim = rows.ndim > 2 ? rows.ndim - 2 : 0;
    p.count = 1;
    for (int d = outer.ndim; d < rows.ndim; ++d) {
      const int k = d - rows.ndim + 2;
      p.count *= uint32_t(rows.size[d]);
      p.out_rows[k] = rows.stride[d][0];
      p.x_rows[k] = rows.stride[d][1];
      if (k == 1) p.inner = fast_div(uint32_t(rows.size[d]));
    }
    for (int64_t i = 0; i < outer.numel(); ++i) {
      int64_t at[2] = {rows.start[0], rows.start[1]}, rest = i;
      for (int d = outer.ndim - 1; d >= 0; --d) {
        for (int k = 0; k < 2; ++k) at[k] += rest % outer.size[d] * outer.stride[d][k];
        rest /= outer.size[d];
      }
      p.out = reinterpret_cast<T*>(out.data) + at[0];
      p.x = reinterpret_cast<const T*>(x.data) + at[1];
      PG_TRY((quantized_product<T, kBits>(op, p, stream)));
    }
    return int(PG_OK);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_matmul_int8(const pg_tensor* x, const pg_tensor* q, const pg_tensor* scale,
                                     const pg_tensor* out, void* stream) {
  return pgops::quantized_matmul<8>("matmul_int8", x, q, scale, out, stream);
}
extern "C" PG_API int pg_matmul_int4(const pg_tensor* x, const pg_tensor* q, const pg_tensor* scale,
                                     const pg_tensor* out, void* stream) {
  return pgops::quantized_matmul<4>("matmul_int4", x, q, scale, out, stream);
}
