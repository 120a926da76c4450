// scatter_add and scatter_set along an axis, in place and deterministic.
// set: the last position of each index wins, found by an atomic maximum. add: see support/scatter.cuh.
#include "support/scatter.cuh"

namespace pgops {
namespace {

template <class T>
struct add_op {
  using acc = std::conditional_t<is_float<T>, compute_t<T>, uint64_t>;
  static __device__ __forceinline__ acc lift(T x) { return acc(widen(x)); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return a + b; }
  static __device__ __forceinline__ T finish(acc a) {
    if constexpr (is_float<T>) return narrow<T>(a);
    else return T(a);
  }
};

// winners[index] becomes the last position that names it, plus 1.
__global__ void PG_LAUNCH_BOUNDS(kMapBlock) find_winners(const uint32_t* keys, uint32_t* winners, uint32_t count) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i < count) pg::atomic_max(winners + keys[i], i + 1);
}

template <class W, int kVec>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    scatter_slices(const uint32_t* keys, const uint32_t* winners, const W* updates, W* out, slice_args args,
                   const PG_GRID_CONSTANT strided<1> positions, const PG_GRID_CONSTANT strided<2> slice) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  const uint32_t local = args.units.div(i);
  if (local >= args.count) return;
  const uint32_t position = args.first + local, unit = i - local * args.units.divisor;
  const uint32_t key = keys[position];
  if (key >= args.extent || winners[key] != position + 1) return;
  int64_t from[1], at[2];
  positions.offsets(position, from);
  slice.offsets(unit * kVec, at);
  pg::store_vec<kVec>(out + at[0] + int64_t(key) * args.axis_stride, pg::load_vec<kVec>(updates + at[1] + from[0]));
}

int write_last(scatter_call& c, void* workspace, size_t have, size_t* bytes, void* stream) {
  carver space(workspace);
  uint32_t* keys = space.take<uint32_t>(c.count);
  uint32_t* winners = space.take<uint32_t>(c.extent + 1);
  if (bytes != nullptr) {
    *bytes = space.used;
    return PG_OK;
  }
  PG_TRY(check_workspace(c.op, workspace, have, space.used));
  PG_TRY(launched(pg::memset(winners, 0, size_t(c.extent + 1) * sizeof(uint32_t), stream), c.op));
  PG_TRY(launch_resolve(c, keys, stream));
  PG_TRY(launched(PG_LAUNCH(find_winners, blocks_for(c.count, kMapBlock), kMapBlock, 0, stream, keys, winners,
                            uint32_t(c.count)), c.op));
  return dispatch_word(c.out.item(), [&](auto w) {
    using W = typename decltype(w)::type;
    constexpr int kVec = kVectorBytes / int(sizeof(W));
    const bool vectors = by_vectors(c, kVec);
    return for_slices(c, vectors ? kVec : 1, [&](const slice_args& args, unsigned blocks, const strided<2>& slice,
                                                 int64_t out_at, int64_t updates_at) {
      const W* from = reinterpret_cast<const W*>(c.updates.data) + updates_at;
      W* to = reinterpret_cast<W*>(c.out.data) + out_at;
      const strided<1> positions = c.update_layout.device();
      return launched(vectors ? PG_LAUNCH((scatter_slices<W, kVec>), blocks, kMapBlock, 0, stream, keys, winners,
                                          from, to, args, positions, slice)
                              : PG_LAUNCH((scatter_slices<W, 1>), blocks, kMapBlock, 0, stream, keys, winners, from,
                                          to, args, positions, slice), c.op);
    });
  });
}

int scatter_set(const char* op, const pg_tensor* indices, const pg_tensor* updates, const pg_tensor* out, int32_t axis,
                void* workspace, size_t have, size_t* bytes, void* stream) {
  scatter_call c;
  c.op = op;
  PG_TRY(plan_scatter(c, indices, updates, out, axis));
  PG_TRY(check_dtype<movable_types>(op, c.out.dtype));
  if (bytes != nullptr) *bytes = 0;
  if (c.count == 0 || c.slice.numel() == 0 || c.extent == 0) return PG_OK;
  return write_last(c, workspace, have, bytes, stream);
}

}  // namespace
}  // namespace pgops

PG_SCATTER(scatter_add, pgops::scatter_op<pgops::add_op, pgops::combine_types>)
PG_SCATTER(scatter_set, pgops::scatter_set)
