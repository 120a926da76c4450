// Concatenation of up to eight arrays: all parts in one launch, in 16-byte pieces where both sides allow.
#include "support/word.cuh"

extern "C" PG_API int pg_copy(const pg_tensor* x, const pg_tensor* out, void* stream);

namespace pgops {
namespace {

constexpr int kParts = 8;   // of one launch
constexpr int kUnits = 4;   // elements, or pieces of them, a thread moves
constexpr const char* kOp = "concatenate";

struct part {
  const char* x;
  char* out;
  uint32_t first_block, units;
  bool vector;
  strided<2> map;
};
struct part_list {
  int count = 0;
  part item[kParts];
};

template <class W, int kVec>
__device__ __forceinline__ void move_units(const part& p, uint32_t first) {
  const W* x = reinterpret_cast<const W*>(p.x);
  W* out = reinterpret_cast<W*>(p.out);
  pg::vec<W, kVec> v[kUnits];
  int64_t to[kUnits];
  PG_UNROLL
  for (int u = 0; u < kUnits; ++u) {
    const uint32_t unit = first + uint32_t(u) * kMapBlock;
    int64_t at[2] = {0, 0};
    if (unit < p.units) {
      p.map.offsets(unit * kVec, at);
      v[u] = pg::load_vec<kVec>(x + at[1]);
    }
    to[u] = at[0];
  }
  PG_UNROLL
  for (int u = 0; u < kUnits; ++u)
    if (first + uint32_t(u) * kMapBlock < p.units) pg::store_vec<kVec>(out + to[u], v[u]);
}

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock) concatenate_parts(const PG_GRID_CONSTANT part_list parts) {
  int k = 0;
  while (k + 1 < parts.count && blockIdx.x >= parts.item[k + 1].first_block) ++k;
  const part& p = parts.item[k];
  const uint32_t first = (blockIdx.x - p.first_block) * (kMapBlock * kUnits) + threadIdx.x;
  if (p.vector) move_units<W, kVectorBytes / int(sizeof(W))>(p, first);
  else move_units<W, 1>(p, first);
}

// Collects pieces, and launches them eight at a time.
template <class W>
struct launcher {
  void* stream;
  part_list parts;
  int64_t blocks = 0;

  int flush() {
    if (parts.count == 0) return PG_OK;
    PG_TRY(launched(PG_LAUNCH((concatenate_parts<W>), unsigned(blocks), kMapBlock, 0, stream, parts), kOp));
    parts.count = 0;
    blocks = 0;
    return PG_OK;
  }
  int add(const layout<2>& piece, const char* x, char* out) {
    constexpr int kVec = kVectorBytes / int(sizeof(W));
    const int last = piece.ndim - 1;
    bool vector = last >= 0 && piece.stride[last][0] == 1 && piece.stride[last][1] == 1 &&
                  piece.size[last] % kVec == 0 && aligned_for<W>(x, kVec) && aligned_for<W>(out, kVec);
    for (int d = 0; d < last; ++d)
      vector = vector && piece.stride[d][0] % kVec == 0 && piece.stride[d][1] % kVec == 0;
    const int64_t units = piece.numel() / (vector ? kVec : 1);
    const int64_t more = blocks_for(units, kMapBlock * kUnits);
    if (parts.count == kParts || blocks + more > INT32_MAX) PG_TRY(flush());
    parts.item[parts.count++] = {x, out, uint32_t(blocks), uint32_t(units), vector, piece.device()};
    blocks += more;
    return PG_OK;
  }
};

// A part that is contiguous along another axis than its place in `out`: `copy` turns it in shared memory.
bool turned(const layout<2>& plan) {
  const int last = plan.ndim - 1;
  return last >= 0 && plan.stride[last][0] == 1 && plan.stride[last][1] != 1 && plan.stride[last][1] != 0;
}

int check_parts(const view (&x)[kParts], int count, const view& out, int axis) {
  int64_t extent = 0;
  for (int k = 0; k < count; ++k) {
    PG_TRY(same_dtype(kOp, x[k], out));
    bool fits = x[k].ndim == out.ndim;
    for (int d = 0; fits && d < out.ndim; ++d) fits = d == axis || x[k].shape[d] == out.shape[d];
    if (!fits)
      return fail(PG_ERR_SHAPE, "%s: '%s' of shape %s does not fit 'out' of shape %s apart from axis %d", kOp,
                  x[k].name, shape_text(x[k]).text, shape_text(out).text, axis);
    extent += x[k].shape[axis];
    PG_TRY(check_alias(kOp, out, x[k], false));
  }
  if (extent == out.shape[axis]) return PG_OK;
  return fail(PG_ERR_SHAPE, "%s: the parts have %lld elements along axis %d, 'out' has %lld", kOp,
              static_cast<long long>(extent), axis, static_cast<long long>(out.shape[axis]));
}

int concatenate(const pg_tensor* const (&given)[kParts], const pg_tensor* tout, int32_t axis, void* stream) {
  static const char* const names[kParts] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  view x[kParts], out;
  int count = 0, a;
  for (int k = 0; k < kParts; ++k)
    if (given[k] != nullptr || k == 0) PG_TRY(parse(given[k], kOp, names[k], x[count++]));
  PG_TRY(parse(tout, kOp, "out", out));
  PG_TRY(normal_axis(kOp, out, axis, a));
  PG_TRY(check_dtype<movable_types>(kOp, out.dtype));
  PG_TRY(check_output(kOp, out));
  PG_TRY(check_parts(x, count, out, a));
  layout<2> plans[kParts];
  int64_t before = 0;
  for (int k = 0; k < count; ++k) {
    for (int d = 0; d < out.ndim; ++d) {
      const int64_t s[2] = {out.stride[d], x[k].stride[d]};
      plans[k].push(x[k].shape[d], s);
    }
    plans[k].start[0] = before * out.stride[a];
    before += x[k].shape[a];
    if (plans[k].numel() == 0) continue;
    plans[k].normalize();
    PG_TRY(check_rank(kOp, plans[k].ndim));
  }
  return dispatch_word(out.item(), [&](auto w) {
    using W = typename decltype(w)::type;
    launcher<W> go{stream, {}};
    for (int k = 0; k < count; ++k) {
      if (plans[k].numel() == 0) continue;
      if (turned(plans[k])) {
        char* at = out.data;
        for (int j = 0; j < k; ++j) at += x[j].shape[a] * out.stride[a] * out.item();
        const pg_tensor from{x[k].data, x[k].dtype, x[k].ndim, x[k].shape, x[k].stride};
        const pg_tensor to{at, out.dtype, out.ndim, x[k].shape, out.stride};
        PG_TRY(pg_copy(&from, &to, stream));
        continue;
      }
      PG_TRY(for_chunks(plans[k], [&](const layout<2>& piece, const int64_t (&start)[2]) {
        return go.add(piece, x[k].data + start[1] * out.item(), out.data + start[0] * out.item());
      }));
    }
    return go.flush();
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_concatenate(const pg_tensor* a, const pg_tensor* b, const pg_tensor* c, const pg_tensor* d,
                                     const pg_tensor* e, const pg_tensor* f, const pg_tensor* g, const pg_tensor* h,
                                     const pg_tensor* out, int32_t axis, void* stream) {
  return pgops::concatenate({a, b, c, d, e, f, g, h}, out, axis, stream);
}
