// Gradients of convolutions. By the input (also the transposed convolution): a product gathered from dout. By the
// weight: a product over all places, cut into parts that are added in order.
#include "support/conv.cuh"
#include "support/depthwise.cuh"
#include "support/gather_fragments.cuh"

namespace pgops {
namespace {

// rows: places of x; columns: in channels of a group; depth: (kernel, out channel).
template <class T>
struct input_problem {
  using element = T;
  using compute = compute_t<T>;
  static constexpr bool kDepthFastA = true, kDepthFastB = false;
  static constexpr __host__ __device__ bool many_strides() { return true; }
  conv_args c;
  const T *dout, *weight;
  T* dx;

  struct line {
    int32_t first[kSpatial];
    const T* dout;
  };
  struct step {
    int32_t shift[kSpatial];
    int64_t dout, weight;  // how far
  };

  __host__ __device__ uint32_t rows() const { return c.batch * uint32_t(c.in[0]) * uint32_t(c.in[1]) * uint32_t(c.in[2]); }
  __host__ __device__ uint32_t columns() const { return c.in_channels; }
  __device__ uint32_t depth() const {
    return uint32_t(c.kernel[0]) * uint32_t(c.kernel[1]) * uint32_t(c.kernel[2]) * c.out_channels;
  }
  __device__ uint32_t share() const { return depth(); }
  __device__ __forceinline__ line row(uint32_t m, int group) const {
    const place p = split_place(m, c.in_size);
    line r;
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) r.first[d] = int32_t(p.at[d]) + c.pad[d];
    r.dout = dout + int64_t(p.rest) * c.y[0] + int64_t(group) * c.out_channels * c.y[kSpatial + 1];
    return r;
  }
  __device__ __forceinline__ const T* column(uint32_t n, int group) const {
    return weight + int64_t(group) * c.out_channels * c.w[0] + int64_t(n) * c.w[kSpatial + 1];
  }
  __device__ __forceinline__ step depth_at(uint32_t k) const {
    const uint32_t tap = c.out_channel.div(k), channel = k - tap * c.out_channel.divisor;
    const place kernel = split_place(tap, c.kernel_size);
    step s;
    s.dout = int64_t(channel) * c.y[kSpatial + 1];
    s.weight = int64_t(channel) * c.w[0];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      s.shift[d] = int32_t(kernel.at[d]) * c.dilation[d];
      s.weight += int64_t(kernel.at[d]) * c.w[d + 1];
    }
    return s;
  }
  __device__ __forceinline__ const T* a_at(const line& r, const step& s, bool& inside) const {
    int64_t at = s.dout;
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      const int32_t scaled = r.first[d] - s.shift[d], i = int32_t(c.step_of[d].div(uint32_t(scaled < 0 ? 0 : scaled)));
      inside = inside && scaled >= 0 && i * int32_t(c.step_of[d].divisor) == scaled && i < c.out[d];
      at += int64_t(i) * c.y[d + 1];
    }
    return r.dout + at;
  }
  __device__ __forceinline__ const T* b_at(const T* w, const step& s, bool&) const { return w + s.weight; }
  __device__ __forceinline__ compute a(const line& r, const step& s) const {
    bool inside = true;
    const T* const at = a_at(r, s, inside);
    return inside ? widen(*at) : compute(0);
  }
  __device__ __forceinline__ compute b(const T* w, const step& s) const { return widen(w[s.weight]); }
  __device__ compute start(uint32_t, int) const { return compute(0); }
  __device__ bool plain() const { return true; }
  __device__ __forceinline__ T* target(uint32_t m, uint32_t n, int group) const {
    const place p = split_place(m, c.in_size);
    int64_t at = int64_t(p.rest) * c.x[0] + (int64_t(group) * c.in_channels + n) * c.x[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) at += int64_t(p.at[d]) * c.x[d + 1];
    return dx + at;
  }
  __device__ __forceinline__ void put(uint32_t m, uint32_t n, int group, int, compute value) const {
    *target(m, n, group) = narrow<T>(value);
  }
  bool vector() const {
    return c.in_channels % 8 == 0 && c.out_channels % 8 == 0 && vector_places<T>(dout, c.y) &&
           vector_places<T>(weight, c.w);
  }
  bool vector_out() const { return c.in_channels % 8 == 0 && vector_places<T>(dx, c.x); }
};

// rows: out channels of a group; columns: (kernel, in channel); depth: places of y.
template <class T>
struct weight_problem {
  using element = T;
  using compute = compute_t<T>;
  static constexpr bool kDepthFastA = false, kDepthFastB = false;
  static constexpr __host__ __device__ bool many_strides() { return false; }
  conv_args c;
  const T *x, *dout;
  T* dweight;
  compute* parts;  // [split][out channel][column], or null: straight into dweight
  uint32_t part;   // places of a split
  int64_t groups;

  struct tap {
    int32_t first[kSpatial];
    const T* x;  // at `first`, which may be in the padding
  };
  struct step {
    int32_t shift[kSpatial];
    int64_t dout, x;  // how far
  };

  __host__ __device__ uint32_t rows() const { return c.out_channels; }
  __host__ __device__ uint32_t columns() const {
    return uint32_t(c.kernel[0]) * uint32_t(c.kernel[1]) * uint32_t(c.kernel[2]) * c.in_channels;
  }
  __device__ uint32_t depth() const { return c.batch * uint32_t(c.out[0]) * uint32_t(c.out[1]) * uint32_t(c.out[2]); }
  __device__ uint32_t share() const { return part; }
  __device__ __forceinline__ const T* row(uint32_t m, int group) const {
    return dout + (int64_t(group) * c.out_channels + m) * c.y[kSpatial + 1];
  }
  __device__ __forceinline__ tap column(uint32_t n, int group) const {
    const uint32_t number = c.in_channel.div(n), channel = n - number * c.in_channel.divisor;
    const place p = split_place(number, c.kernel_size);
    tap t;
    t.x = x + (int64_t(group) * c.in_channels + channel) * c.x[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      t.first[d] = int32_t(p.at[d]) * c.dilation[d] - c.pad[d];
      t.x += int64_t(t.first[d]) * c.x[d + 1];
    }
    return t;
  }
  __device__ __forceinline__ step depth_at(uint32_t k) const {
    const place p = split_place(k, c.out_size);
    step s;
    s.dout = int64_t(p.rest) * c.y[0];
    s.x = int64_t(p.rest) * c.x[0];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) {
      s.shift[d] = int32_t(p.at[d]) * c.step[d];
      s.dout += int64_t(p.at[d]) * c.y[d + 1];
      s.x += int64_t(s.shift[d]) * c.x[d + 1];
    }
    return s;
  }
  __device__ __forceinline__ const T* a_at(const T* from, const step& s, bool&) const { return from + s.dout; }
  __device__ __forceinline__ const T* b_at(const tap& t, const step& s, bool& inside) const {
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) inside = inside && uint32_t(t.first[d] + s.shift[d]) < uint32_t(c.in[d]);
    return t.x + s.x;
  }
  __device__ __forceinline__ compute a(const T* from, const step& s) const { return widen(from[s.dout]); }
  __device__ __forceinline__ compute b(const tap& t, const step& s) const {
    bool inside = true;
    const T* const at = b_at(t, s, inside);
    return inside ? widen(*at) : compute(0);
  }
  __device__ compute start(uint32_t, int) const { return compute(0); }
  __device__ bool plain() const { return parts == nullptr; }
  __device__ __forceinline__ T* target(uint32_t m, uint32_t n, int group) const {
    return target(uint32_t(group) * c.out_channels + m, n);
  }
  bool vector() const {
    return c.in_channels % 8 == 0 && c.out_channels % 8 == 0 && vector_places<T>(x, c.x) && vector_places<T>(dout, c.y);
  }
  bool vector_out() const { return c.in_channels % 8 == 0 && vector_places<T>(dweight, c.w); }
  __device__ __forceinline__ T* target(uint32_t filter, uint32_t n) const {
    const uint32_t number = c.in_channel.div(n), channel = n - number * c.in_channel.divisor;
    const place p = split_place(number, c.kernel_size);
    int64_t at = int64_t(filter) * c.w[0] + int64_t(channel) * c.w[kSpatial + 1];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) at += int64_t(p.at[d]) * c.w[d + 1];
    return dweight + at;
  }
  __device__ __forceinline__ void put(uint32_t m, uint32_t n, int group, int split, compute value) const {
    const uint32_t filter = uint32_t(group) * c.out_channels + m;
    if (parts == nullptr) *target(filter, n) = narrow<T>(value);
    else parts[(int64_t(split) * groups * c.out_channels + filter) * columns() + n] = value;
  }
};

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kGemmThreads)
    join_parts(const PG_GRID_CONSTANT weight_problem<T> p, int64_t elements, int splits) {
  const int64_t i = int64_t(blockIdx.x) * kGemmThreads + threadIdx.x;
  if (i >= elements) return;
  compute_t<T> sum = p.parts[i];
  for (int s = 1; s < splits; ++s) sum += p.parts[s * elements + i];
  *p.target(uint32_t(i / p.columns()), uint32_t(i % p.columns())) = narrow<T>(sum);
}

constexpr int64_t kWantedBlocks = 1024, kLeastPart = 512;

int backward_weight(const pg_tensor* x, const pg_tensor* dout, const pg_tensor* dweight, const int_list& stride,
                    const int_list& padding, const int_list& dilation, int32_t groups, void* workspace, size_t have,
                    size_t* bytes, void* stream) {
  conv_call c;
  c.op = "conv_backward_weight";
  PG_TRY(parse(x, c.op, "x", c.x));
  PG_TRY(parse(dout, c.op, "dout", c.y));
  PG_TRY(parse(dweight, c.op, "dweight", c.weight));
  PG_TRY(plan_conv(c, stride, padding, dilation, groups));
  PG_TRY(check_output(c.op, c.weight));
  PG_TRY(check_alias(c.op, c.weight, c.x, false));
  PG_TRY(check_alias(c.op, c.weight, c.y, false));
  const int64_t columns = c.kernels() * c.args.in_channels, filters = c.weight.shape[0], places = c.outputs();
  const auto tiles = [](int64_t n) { return (n + kGemmTile - 1) / kGemmTile; };
  const bool lanes = by_lanes(c.args.out_channels, columns, c.groups);
  const int64_t blocks = lanes ? c.args.out_channels * lane_chunks(columns) * ((c.groups + kLaneGroups - 1) / kLaneGroups)
                               : tiles(c.args.out_channels) * tiles(columns) * c.groups;
  int64_t splits = blocks > 0 ? kWantedBlocks / blocks : 1;
  if (splits > places / kLeastPart) splits = places / kLeastPart;
  if (splits < 1) splits = 1;
  const int64_t part = (places + splits - 1) / splits;
  if (part > 0) splits = (places + part - 1) / part;
  return dispatch(c.op, c.x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    carver space(workspace);
    // Enough for both ways: which one is taken depends on where the arrays lie, too.
    const bool single = c.args.in_channels == 1 && c.args.out_channels == 1;
    const depthwise_split shared = single ? split_depthwise<T>(c) : depthwise_split{};
    const int64_t usual = splits > 1 ? splits : 0, most = shared.parts > usual ? shared.parts : usual;
    compute_t<T>* const room = most > 0 ? space.take<compute_t<T>>(most * filters * columns) : nullptr;
    compute_t<T>* const parts = splits > 1 ? room : nullptr;
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(c.op, workspace, have, space.used));
    if (c.weight.numel() == 0) return int(PG_OK);
    if (is_depthwise<T>(c) && places > 0) return launch_depthwise_weight<T>(c, shared, room, stream);
    const weight_problem<T> p{c.args, reinterpret_cast<const T*>(c.x.data), reinterpret_cast<const T*>(c.y.data),
                              reinterpret_cast<T*>(c.weight.data), parts, uint32_t(part), c.groups};
    PG_TRY(launch_product(c.op, p, c.groups, unsigned(splits < 1 ? 1 : splits), stream));
    if (splits <= 1) return int(PG_OK);
    const int64_t elements = filters * columns;
    return launched(PG_LAUNCH((join_parts<T>), unsigned((elements + kGemmThreads - 1) / kGemmThreads), kGemmThreads, 0,
                              stream, p, elements, int(splits)), c.op);
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_conv_backward_input(const pg_tensor* dout, const pg_tensor* weight, const pg_tensor* dx,
                                             const int32_t* stride, int32_t nstride, const int32_t* padding,
                                             int32_t npadding, const int32_t* dilation, int32_t ndilation,
                                             int32_t groups, void* stream) {
  conv_call c;
  c.op = "conv_backward_input";
  PG_TRY(parse(dout, c.op, "dout", c.y));
  PG_TRY(parse(weight, c.op, "weight", c.weight));
  PG_TRY(parse(dx, c.op, "dx", c.x));
  PG_TRY(plan_conv(c, {stride, nstride}, {padding, npadding}, {dilation, ndilation}, groups));
  PG_TRY(check_output(c.op, c.x));
  PG_TRY(check_alias(c.op, c.x, c.y, false));
  PG_TRY(check_alias(c.op, c.x, c.weight, false));
  return dispatch(c.op, c.x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (c.x.numel() == 0) return int(PG_OK);
    if (is_depthwise<T>(c)) return launch_depthwise<T>(c, nullptr, true, stream);
    const input_problem<T> p{c.args, reinterpret_cast<const T*>(c.y.data), reinterpret_cast<const T*>(c.weight.data),
                             reinterpret_cast<T*>(c.x.data)};
    return launch_product(c.op, p, c.groups, 1, stream);
  });
}

extern "C" PG_API int pg_conv_backward_weight(const pg_tensor* x, const pg_tensor* dout, const pg_tensor* dweight,
                                              const int32_t* stride, int32_t nstride, const int32_t* padding,
                                              int32_t npadding, const int32_t* dilation, int32_t ndilation,
                                              int32_t groups, void* workspace, size_t workspace_bytes, void* stream) {
  return backward_weight(x, dout, dweight, {stride, nstride}, {padding, npadding}, {dilation, ndilation}, groups,
                         workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_conv_backward_weight_workspace(const pg_tensor* x, const pg_tensor* dout,
                                                        const pg_tensor* dweight, const int32_t* stride,
                                                        int32_t nstride, const int32_t* padding, int32_t npadding,
                                                        const int32_t* dilation, int32_t ndilation, int32_t groups,
                                                        size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "conv_backward_weight_workspace: bytes is NULL");
  return backward_weight(x, dout, dweight, {stride, nstride}, {padding, npadding}, {dilation, ndilation}, groups,
                         nullptr, 0, bytes, nullptr);
}
