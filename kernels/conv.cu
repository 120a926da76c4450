// Convolution in one, two or three dimensions, as a product whose left side is gathered from x.
#include "support/conv.cuh"
#include "support/depthwise.cuh"
#include "support/gather_fragments.cuh"

namespace pgops {
namespace {

// rows: places of y; columns: out channels of a group; depth: (kernel, in channel).
template <class T>
struct forward_problem {
  using element = T;
  using compute = compute_t<T>;
  static constexpr bool kDepthFastA = true, kDepthFastB = true;
  static constexpr __host__ __device__ bool many_strides() { return false; }
  conv_args c;
  const T *x, *weight, *bias;
  T* y;
  int64_t bias_stride;

  struct line {
    int32_t first[kSpatial];
    const T* x;  // at `first`, which may be in the padding
  };
  struct step {
    int32_t shift[kSpatial];
    int64_t x, weight;  // how far
  };

  __host__ __device__ uint32_t rows() const { return c.batch * uint32_t(c.out[0]) * uint32_t(c.out[1]) * uint32_t(c.out[2]); }
  __host__ __device__ uint32_t columns() const { return c.out_channels; }
  __device__ uint32_t depth() const {
    return uint32_t(c.kernel[0]) * uint32_t(c.kernel[1]) * uint32_t(c.kernel[2]) * c.in_channels;
  }
  __device__ uint32_t share() const { return depth(); }
  __device__ __forceinline__ line row(uint32_t m, int group) const {
    const place p = split_place(m, c.out_size);
    line r;
    r.x = x + int64_t(p.rest) * c.x[0] + int64_t(group) * c.in_channels * c.x[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      r.first[d] = int32_t(p.at[d]) * c.step[d] - c.pad[d];
      r.x += int64_t(r.first[d]) * c.x[d + 1];
    }
    return r;
  }
  __device__ __forceinline__ const T* column(uint32_t n, int group) const {
    return weight + (int64_t(group) * c.out_channels + n) * c.w[0];
  }
  __device__ __forceinline__ step depth_at(uint32_t k) const {
    const uint32_t tap = c.in_channel.div(k), channel = k - tap * c.in_channel.divisor;
    const place kernel = split_place(tap, c.kernel_size);
    step s;
    s.x = int64_t(channel) * c.x[kSpatial + 1];
    s.weight = int64_t(channel) * c.w[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      s.shift[d] = int32_t(kernel.at[d]) * c.dilation[d];
      s.x += int64_t(s.shift[d]) * c.x[d + 1];
      s.weight += int64_t(kernel.at[d]) * c.w[d + 1];
    }
    return s;
  }
  __device__ __forceinline__ const T* a_at(const line& r, const step& s, bool& inside) const {
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) inside = inside && uint32_t(r.first[d] + s.shift[d]) < uint32_t(c.in[d]);
    return r.x + s.x;
  }
  __device__ __forceinline__ const T* b_at(const T* w, const step& s, bool&) const { return w + s.weight; }
  __device__ __forceinline__ compute a(const line& r, const step& s) const {
    bool inside = true;
    const T* const at = a_at(r, s, inside);
    return inside ? widen(*at) : compute(0);
  }
  __device__ __forceinline__ compute b(const T* w, const step& s) const { return widen(w[s.weight]); }
  __device__ __forceinline__ compute start(uint32_t n, int group) const {
    return bias == nullptr ? compute(0) : widen(bias[(int64_t(group) * c.out_channels + n) * bias_stride]);
  }
  __device__ bool plain() const { return true; }
  __device__ __forceinline__ T* target(uint32_t m, uint32_t n, int group) const {
    const place p = split_place(m, c.out_size);
    int64_t at = int64_t(p.rest) * c.y[0] + (int64_t(group) * c.out_channels + n) * c.y[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) at += int64_t(p.at[d]) * c.y[d + 1];
    return y + at;
  }
  __device__ __forceinline__ void put(uint32_t m, uint32_t n, int group, int, compute value) const {
    *target(m, n, group) = narrow<T>(value + start(n, group));
  }
  bool vector() const {
    return c.in_channels % 8 == 0 && vector_places<T>(x, c.x) && vector_places<T>(weight, c.w);
  }
  bool vector_out() const { return c.out_channels % 8 == 0 && vector_places<T>(y, c.y); }
};

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_conv(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* tbias, const pg_tensor* out,
                              const int32_t* stride, int32_t nstride, const int32_t* padding, int32_t npadding,
                              const int32_t* dilation, int32_t ndilation, int32_t groups, void* stream) {
  conv_call c;
  c.op = "conv";
  view bias;
  PG_TRY(parse(x, c.op, "x", c.x));
  PG_TRY(parse(weight, c.op, "weight", c.weight));
  if (tbias != nullptr) PG_TRY(parse(tbias, c.op, "bias", bias));
  PG_TRY(parse(out, c.op, "out", c.y));
  PG_TRY(plan_conv(c, {stride, nstride}, {padding, npadding}, {dilation, ndilation}, groups));
  if (tbias != nullptr) {
    PG_TRY(same_dtype(c.op, c.x, bias));
    if (bias.ndim != 1 || bias.shape[0] != c.weight.shape[0])
      return fail(PG_ERR_SHAPE, "%s: 'bias' of shape %s must have one element for each of %lld out channels", c.op,
                  shape_text(bias).text, static_cast<long long>(c.weight.shape[0]));
    PG_TRY(check_alias(c.op, c.y, bias, false));
  }
  PG_TRY(check_output(c.op, c.y));
  PG_TRY(check_alias(c.op, c.y, c.x, false));
  PG_TRY(check_alias(c.op, c.y, c.weight, false));
  return dispatch(c.op, c.x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (c.y.numel() == 0) return int(PG_OK);
    if (is_depthwise<T>(c)) return launch_depthwise<T>(c, tbias != nullptr ? &bias : nullptr, false, stream);
    const forward_problem<T> p{c.args, reinterpret_cast<const T*>(c.x.data), reinterpret_cast<const T*>(c.weight.data),
                               reinterpret_cast<const T*>(bias.data), reinterpret_cast<T*>(c.y.data), bias.stride[0]};
    return launch_product(c.op, p, c.groups, 1, stream);
  });
}
