// What convolutions and their gradients share: shapes, checks, and how indices become places.
// x (batch, spatial..., channels), weight (out channels, kernel..., channels / groups), y (batch, spatial...,
// out channels), with one to three spatial axes; any strides.
#pragma once

#include "gather_gemm.cuh"

namespace pgops {

constexpr int kSpatial = 3;  // fewer ones are filled up with axes of one element
constexpr int64_t kMostConv = (int64_t(1) << 31) - 1;

struct conv_args {
  int32_t step[kSpatial], pad[kSpatial], dilation[kSpatial];
  int32_t in[kSpatial], out[kSpatial], kernel[kSpatial];  // extents
  uint32_t batch, in_channels, out_channels;              // channels of a group
  int64_t x[kSpatial + 2], y[kSpatial + 2], w[kSpatial + 2];  // strides: batch or out channel, spatial, channel
  fast_div out_size[kSpatial], in_size[kSpatial], kernel_size[kSpatial], step_of[kSpatial], in_channel, out_channel;
};

struct place {
  uint32_t at[kSpatial], rest;
};

// Coordinates of a number in C order of (rest, spatial).
__device__ __forceinline__ place split_place(uint32_t i, const fast_div (&size)[kSpatial]) {
  place p;
  PG_UNROLL
  for (int d = kSpatial - 1; d >= 0; --d) {
    const uint32_t next = size[d].div(i);
    p.at[d] = i - next * size[d].divisor;
    i = next;
  }
  p.rest = i;
  return p;
}

// Whether eight channels are 16 aligned bytes at each place, for channels and groups of multiples of eight.
template <class T>
bool vector_places(const T* data, const int64_t (&stride)[kSpatial + 2]) {
  bool fits = stride[kSpatial + 1] == 1 && aligned_for<T>(data, 8);
  for (int d = 0; d <= kSpatial; ++d) fits = fits && stride[d] % 8 == 0;
  return fits;
}

struct conv_call {
  const char* op;
  view x, weight, y;
  int64_t groups = 1;
  conv_args args{};

  int64_t inputs() const { return int64_t(args.batch) * args.in[0] * args.in[1] * args.in[2]; }
  int64_t outputs() const { return int64_t(args.batch) * args.out[0] * args.out[1] * args.out[2]; }
  int64_t kernels() const { return int64_t(args.kernel[0]) * args.kernel[1] * args.kernel[2]; }
};

struct int_list {
  const int32_t* value;
  int32_t count;
};

inline int conv_parameter(const char* op, const char* name, const int_list& list, int spatial, int32_t usual,
                          int32_t lowest, int32_t (&out)[kSpatial]) {
  const bool given = list.value != nullptr && list.count != 0;
  if (given && list.count != spatial)
    return fail(PG_ERR_VALUE, "%s: '%s' has %d entries for %d spatial axes", op, name, int(list.count), spatial);
  for (int d = 0; d < kSpatial; ++d) {
    const int own = d - (kSpatial - spatial);
    out[d] = own < 0 ? (usual > 0 ? 1 : 0) : given ? list.value[own] : usual;
    if (out[d] < lowest) return fail(PG_ERR_VALUE, "%s: '%s' is %d; the least is %d", op, name, int(out[d]), int(lowest));
  }
  return PG_OK;
}

// Checks the three arrays (parsed) and fills args.
inline int plan_conv(conv_call& c, const int_list& step, const int_list& pad, const int_list& dilation, int32_t groups) {
  PG_TRY(same_dtype(c.op, c.x, c.weight));
  PG_TRY(same_dtype(c.op, c.x, c.y));
  const int spatial = c.x.ndim - 2;
  if (spatial < 1 || spatial > kSpatial)
    return fail(PG_ERR_SHAPE, "%s: '%s' of shape %s must have a batch, one to three spatial axes, and channels", c.op,
                c.x.name, shape_text(c.x).text);
  if (c.weight.ndim != c.x.ndim || c.y.ndim != c.x.ndim)
    return fail(PG_ERR_SHAPE, "%s: '%s', '%s' and '%s' must have equally many dimensions", c.op, c.x.name, c.weight.name,
                c.y.name);
  if (groups < 1) return fail(PG_ERR_VALUE, "%s: groups is %d", c.op, int(groups));
  conv_args& a = c.args;
  c.groups = groups;
  PG_TRY(conv_parameter(c.op, "stride", step, spatial, 1, 1, a.step));
  PG_TRY(conv_parameter(c.op, "padding", pad, spatial, 0, 0, a.pad));
  PG_TRY(conv_parameter(c.op, "dilation", dilation, spatial, 1, 1, a.dilation));
  const int last = spatial + 1;
  const int64_t channels = c.x.shape[last], filters = c.weight.shape[0];
  if (channels % groups != 0 || filters % groups != 0 || c.weight.shape[last] != channels / groups ||
      c.y.shape[last] != filters || c.y.shape[0] != c.x.shape[0])
    return fail(PG_ERR_SHAPE, "%s: '%s' %s, '%s' %s and '%s' %s do not fit together with %d groups", c.op, c.x.name,
                shape_text(c.x).text, c.weight.name, shape_text(c.weight).text, c.y.name, shape_text(c.y).text, int(groups));
  for (const view* v : {&c.x, &c.weight, &c.y})
    for (int d = 0; d <= last; ++d)
      if (v->shape[d] > kMostConv)
        return fail(PG_ERR_SIZE, "%s: '%s' has an extent over 2^31 - 1", c.op, v->name);
  a.batch = uint32_t(c.x.shape[0]);
  a.in_channels = uint32_t(channels / groups);
  a.out_channels = uint32_t(filters / groups);
  const view* const all[3] = {&c.x, &c.y, &c.weight};
  int64_t* const strides[3] = {a.x, a.y, a.w};
  for (int k = 0; k < 3; ++k) {
    strides[k][0] = all[k]->stride[0];
    strides[k][kSpatial + 1] = all[k]->stride[last];
    for (int d = 0; d < kSpatial; ++d) {
      const int own = d - (kSpatial - spatial);
      strides[k][d + 1] = own < 0 ? 0 : all[k]->stride[own + 1];
    }
  }
  for (int d = 0; d < kSpatial; ++d) {
    const int own = d - (kSpatial - spatial);
    a.in[d] = own < 0 ? 1 : int32_t(c.x.shape[own + 1]);
    a.out[d] = own < 0 ? 1 : int32_t(c.y.shape[own + 1]);
    a.kernel[d] = own < 0 ? 1 : int32_t(c.weight.shape[own + 1]);
    const int64_t reach = int64_t(a.dilation[d]) * (a.kernel[d] - 1) + 1, room = a.in[d] + 2 * int64_t(a.pad[d]) - reach;
    if (a.kernel[d] < 1 || (a.in[d] > 0 && (room < 0 || room / a.step[d] + 1 != a.out[d])))
      return fail(PG_ERR_SHAPE, "%s: spatial axis %d: %d elements, a kernel of %d, stride %d, padding %d and dilation %d "
                  "do not give %d", c.op, own, int(a.in[d]), int(a.kernel[d]), int(a.step[d]), int(a.pad[d]),
                  int(a.dilation[d]), int(a.out[d]));
    a.in_size[d] = fast_div(uint32_t(a.in[d] > 0 ? a.in[d] : 1));
    a.out_size[d] = fast_div(uint32_t(a.out[d] > 0 ? a.out[d] : 1));
    a.kernel_size[d] = fast_div(uint32_t(a.kernel[d]));
    a.step_of[d] = fast_div(uint32_t(a.step[d]));
  }
  a.in_channel = fast_div(a.in_channels > 0 ? a.in_channels : 1);
  a.out_channel = fast_div(a.out_channels > 0 ? a.out_channels : 1);
  const int64_t most = kMostConv - kGemmTile;
  if (c.inputs() > most || c.outputs() > most || c.kernels() * a.in_channels > most || c.kernels() * a.out_channels > most ||
      groups * int64_t(a.in_channels) > most || groups * int64_t(a.out_channels) > most)
    return fail(PG_ERR_SIZE, "%s: more than 2^31 - 65 places, or elements of a filter, are not supported", c.op);
  return PG_OK;
}

}  // namespace pgops
