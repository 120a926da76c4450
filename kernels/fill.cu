// fill and arange.
#include "support/word.cuh"

namespace pgops {
namespace {

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock) fill_contiguous(W* out, W value, int64_t n, bool aligned) {
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  constexpr int kUnroll = 4, kTile = kMapBlock * kVec * kUnroll;
  const int64_t start = int64_t(blockIdx.x) * kTile;
  if (aligned && start + kTile <= n) {
    pg::vec<W, kVec> v;
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) v[i] = value;
    PG_UNROLL
    for (int u = 0; u < kUnroll; ++u) pg::store_vec<kVec>(out + start + (u * kMapBlock + int(threadIdx.x)) * kVec, v);
  } else {
    const int64_t end = start + kTile < n ? start + kTile : n;
    for (int64_t i = start + threadIdx.x; i < end; i += kMapBlock) out[i] = value;
  }
}

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    fill_strided(W* out, W value, uint32_t n, const PG_GRID_CONSTANT strided<1> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[1];
  map.offsets(i, at);
  out[at[0]] = value;
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    arange_strided(T* out, double start, double step, int64_t first, uint32_t n,
                   const PG_GRID_CONSTANT strided<1> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[1];
  map.offsets(i, at);
  out[at[0]] = convert<T>(start + double(first + i) * step);
}

int plan_output(const char* op, const pg_tensor* t, view& out, layout<1>& plan) {
  PG_TRY(parse(t, op, "out", out));
  PG_TRY(check_dtype<movable_types>(op, out.dtype));
  PG_TRY(check_output(op, out));
  for (int d = 0; d < out.ndim; ++d) {
    const int64_t s[1] = {out.stride[d]};
    plan.push(out.shape[d], s);
  }
  return PG_OK;
}

template <class W>
int launch_fill(const view& out, const layout<1>& plan, const void* bits, void* stream) {
  W value;
  std::memcpy(&value, bits, sizeof value);
  W* data = reinterpret_cast<W*>(out.data);
  const int64_t n = plan.numel();
  if (plan.contiguous(0)) {
    constexpr int kVec = kVectorBytes / int(sizeof(W));
    constexpr int64_t kTile = kMapBlock * kVec * 4;
    data += plan.start[0];
    const bool aligned = aligned_for<W>(data, kVec);
    return for_grids(n, kTile, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((fill_contiguous<W>), blocks_for(count, kTile), kMapBlock, 0, stream, data + first,
                                value, count, aligned), "fill");
    });
  }
  return for_chunks(plan, [&](const layout<1>& piece, const int64_t (&start)[1]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((fill_strided<W>), blocks_for(count, kMapBlock), kMapBlock, 0, stream, data + start[0],
                              value, uint32_t(count), piece.device()), "fill");
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_fill(const pg_tensor* tout, double value, void* stream) {
  view out;
  layout<1> plan;
  PG_TRY(plan_output("fill", tout, out, plan));
  if (plan.numel() == 0) return PG_OK;
  plan.normalize();
  PG_TRY(check_rank("fill", plan.ndim));
  return dispatch("fill", out.dtype, movable_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    const T converted = convert<T>(value);
    return dispatch_word(out.item(), [&](auto w) {
      using W = typename decltype(w)::type;
      if constexpr (sizeof(W) == sizeof(T)) return launch_fill<W>(out, plan, &converted, stream);
      else return int(PG_ERR_DTYPE);
    });
  });
}

using arange_types = built_types<types<float, half, bfloat16, int32_t, int64_t>,
                                 types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

extern "C" PG_API int pg_arange(const pg_tensor* tout, double start, double step, void* stream) {
  view out;
  layout<1> plan;
  PG_TRY(plan_output("arange", tout, out, plan));
  if (plan.numel() == 0) return PG_OK;
  plan.merge();  // keeps C order, which numbers the elements
  PG_TRY(check_rank("arange", plan.ndim));
  return dispatch("arange", out.dtype, arange_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    int64_t first = 0;
    return for_chunks(plan, [&](const layout<1>& piece, const int64_t (&at)[1]) {
      const int64_t count = piece.numel();
      const int status = launched(
          PG_LAUNCH((arange_strided<T>), blocks_for(count, kMapBlock), kMapBlock, 0, stream,
                    reinterpret_cast<T*>(out.data) + at[0], start, step, first, uint32_t(count), piece.device()),
          "arange");
      first += count;
      return status;
    });
  });
}
