// Elementwise choice between two operands.
#include "support/word.cuh"

namespace pgops {
namespace {

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    where_contiguous(const bool* cond, const W* a, const W* b, W* out, int64_t n, bool a_constant, bool b_constant,
                     bool aligned) {
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  constexpr int kTile = kMapBlock * kVec;
  const int64_t start = int64_t(blockIdx.x) * kTile;
  if (aligned && start + kTile <= n) {
    const int64_t at = start + int(threadIdx.x) * kVec;
    const auto c = pg::load_vec<kVec>(cond + at);
    pg::vec<W, kVec> left, right;
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) {
      if (a_constant) left[i] = *a;
      if (b_constant) right[i] = *b;
    }
    if (!a_constant) left = pg::load_vec<kVec>(a + at);
    if (!b_constant) right = pg::load_vec<kVec>(b + at);
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) left[i] = c[i] ? left[i] : right[i];
    pg::store_vec<kVec>(out + at, left);
  } else {
    const int64_t end = start + kTile < n ? start + kTile : n;
    for (int64_t i = start + threadIdx.x; i < end; i += kMapBlock)
      out[i] = cond[i] ? a[a_constant ? 0 : i] : b[b_constant ? 0 : i];
  }
}

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    where_strided(const bool* cond, const W* a, const W* b, W* out, uint32_t n,
                  const PG_GRID_CONSTANT strided<4> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[4];
  map.offsets(i, at);
  out[at[0]] = cond[at[1]] ? a[at[2]] : b[at[3]];
}

template <class W>
int launch_where(const layout<4>& plan, const view (&in)[3], const view& out, void* stream) {
  const int64_t n = plan.numel();
  if (n == 0) return PG_OK;
  const bool* cond = reinterpret_cast<const bool*>(in[0].data);
  const W* a = reinterpret_cast<const W*>(in[1].data);
  const W* b = reinterpret_cast<const W*>(in[2].data);
  W* to = reinterpret_cast<W*>(out.data);
  const bool ac = plan.constant(2), bc = plan.constant(3);
  if (plan.contiguous(0) && plan.contiguous(1) && (ac || plan.contiguous(2)) && (bc || plan.contiguous(3))) {
    constexpr int kVec = kVectorBytes / int(sizeof(W));
    constexpr int64_t kTile = kMapBlock * kVec;
    cond += plan.start[1];
    a += plan.start[2];
    b += plan.start[3];
    to += plan.start[0];
    const bool aligned = aligned_for<bool>(cond, kVec) && (ac || aligned_for<W>(a, kVec)) &&
                         (bc || aligned_for<W>(b, kVec)) && aligned_for<W>(to, kVec);
    return for_grids(n, kTile, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((where_contiguous<W>), blocks_for(count, kTile), kMapBlock, 0, stream, cond + first,
                                a + (ac ? 0 : first), b + (bc ? 0 : first), to + first, count, ac, bc, aligned),
                      "where");
    });
  }
  return for_chunks(plan, [&](const layout<4>& piece, const int64_t (&start)[4]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((where_strided<W>), blocks_for(count, kMapBlock), kMapBlock, 0, stream, cond + start[1],
                              a + start[2], b + start[3], to + start[0], uint32_t(count), piece.device()), "where");
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_where(const pg_tensor* cond, const pg_tensor* a, const pg_tensor* b, const pg_tensor* out,
                               void* stream) {
  view to, in[3];
  PG_TRY(parse(cond, "where", "cond", in[0]));
  PG_TRY(parse(a, "where", "a", in[1]));
  PG_TRY(parse(b, "where", "b", in[2]));
  PG_TRY(parse(out, "where", "out", to));
  PG_TRY(want_dtype("where", in[0], PG_BOOL));
  PG_TRY(same_dtype("where", in[1], in[2]));
  PG_TRY(same_dtype("where", in[1], to));
  PG_TRY(check_dtype<movable_types>("where", to.dtype));
  layout<4> plan;
  PG_TRY(plan_map<4>("where", to, in, plan));
  return dispatch_word(to.item(), [&](auto w) {
    return launch_where<typename decltype(w)::type>(plan, in, to, stream);
  });
}
