// Depthwise convolutions (one channel in and out a group) whose channels lie next to each other. They move bytes and
// compute little: a thread makes 16 bytes of channels at a strip of places along the last axis, so that a row's elements
// are loaded once for all taps of the row.
#pragma once

#include "conv.cuh"

namespace pgops {

constexpr int kDepthwiseThreads = 256, kDepthwiseLanes = 32, kStrip = 4, kMostTaps = 49;

template <class T>
constexpr int kDepthwiseVector = kVectorBytes / int(sizeof(T));

// y[o] = bias + the sum over k of w[k] x[source(o, k)], for each channel.
template <class T>
struct depthwise {
  const T *x, *w, *bias;
  T* y;
  int64_t bias_stride;
  int32_t step[kSpatial], pad[kSpatial], dilation[kSpatial], from[kSpatial], to[kSpatial], kernel[kSpatial];
  int64_t xs[kSpatial + 2], ys[kSpatial + 2], ws[kSpatial + 2];
  fast_div step_of[kSpatial], kernel_size[kSpatial];
  fast_div planes, row_tiles, strip_tiles;  // of a batch; of a plane; of a row
  uint32_t channels;
  int lanes, tile_rows;  // of a block: threads along the channels; rows of places
  bool back;             // the source is where a convolution with this step would have come from

  // The place along axis d that tap k of place o reads; -1: none.
  __device__ __forceinline__ int32_t source(int d, int32_t o, int32_t k) const {
    int32_t i = back ? o + pad[d] - k * dilation[d] : o * step[d] - pad[d] + k * dilation[d];
    if (back) {
      if (i < 0) return -1;
      const int32_t whole = int32_t(step_of[d].div(uint32_t(i)));
      if (whole * step[d] != i) return -1;
      i = whole;
    }
    return uint32_t(i) < uint32_t(from[d]) ? i : -1;
  }
};

template <int N, class T>
__device__ __forceinline__ pg::vec<T, N> load_or_zero(const T* p, bool inside) {
  if (inside) return pg::load_vec<N>(p);
  pg::vec<T, N> none;
  PG_UNROLL
  for (int i = 0; i < N; ++i) none[i] = narrow<T>(compute_t<T>(0));
  return none;
}

// kTaps: the kernel's extent along the last axis, whose step is kStep there and whose dilation is 1; 0: any.
template <class T, int kTaps, int kStep>
__global__ void PG_LAUNCH_BOUNDS(kDepthwiseThreads) depthwise_rows(const PG_GRID_CONSTANT depthwise<T> p) {
  using C = compute_t<T>;
  constexpr int V = kDepthwiseVector<T>, kRoom = (kTaps == 3 ? 9 : kMostTaps) * kDepthwiseLanes * V;
  alignas(16) __shared__ T kept[kRoom];
  const int across = p.lanes * V, taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  const uint32_t first = blockIdx.y * uint32_t(across);
  for (int i = int(threadIdx.x); i < taps * across; i += kDepthwiseThreads) {
    const int tap = i / across, channel = i - tap * across;
    if (first + uint32_t(channel) >= p.channels) continue;
    const place k = split_place(uint32_t(tap), p.kernel_size);
    int64_t at = int64_t(first + uint32_t(channel)) * p.ws[0];
    PG_UNROLL
    for (int d = 0; d < kSpatial; ++d) at += int64_t(k.at[d]) * p.ws[d + 1];
    kept[i] = p.w[at];
  }
  __syncthreads();
  const int lane = int(threadIdx.x) % p.lanes, spot = int(threadIdx.x) / p.lanes;
  const uint32_t channel = first + uint32_t(lane * V);
  const uint32_t row_tile = p.strip_tiles.div(blockIdx.x), plane = p.row_tiles.div(row_tile), image = p.planes.div(plane);
  const int tile_strips = kDepthwiseThreads / p.lanes / p.tile_rows;
  const int32_t at0 = int32_t(plane - image * p.planes.divisor);
  const int32_t at1 = int32_t(row_tile - plane * p.row_tiles.divisor) * p.tile_rows + spot / tile_strips;
  const int32_t at2 = (int32_t(blockIdx.x - row_tile * p.strip_tiles.divisor) * tile_strips + spot % tile_strips) * kStrip;
  if (channel >= p.channels || at1 >= p.to[1] || at2 >= p.to[2]) return;
  C sum[kStrip][V];
  PG_UNROLL
  for (int v = 0; v < V; ++v) {
    const C start = p.bias == nullptr ? C(0) : widen(p.bias[int64_t(channel + v) * p.bias_stride]);
    PG_UNROLL
    for (int r = 0; r < kStrip; ++r) sum[r][v] = start;
  }
  const T* const x = p.x + int64_t(image) * p.xs[0] + channel;
  const T* weight = kept + lane * V;
  for (int k0 = 0; k0 < p.kernel[0]; ++k0) {
    const int32_t i0 = p.source(0, at0, k0);
    for (int k1 = 0; k1 < p.kernel[1]; ++k1, weight += p.kernel[2] * across) {
      const int32_t i1 = p.source(1, at1, k1);
      if (i0 < 0 || i1 < 0) continue;
      const T* const row = x + int64_t(i0) * p.xs[1] + int64_t(i1) * p.xs[2];
      if constexpr (kTaps > 0) {
        constexpr int kIn = (kStrip - 1) * kStep + kTaps;
        const int32_t begin = at2 * kStep - p.pad[2];
        pg::vec<T, V> in[kIn];
        PG_UNROLL
        for (int i = 0; i < kIn; ++i)
          in[i] = load_or_zero<V>(row + int64_t(begin + i) * p.xs[3], uint32_t(begin + i) < uint32_t(p.from[2]));
        PG_UNROLL
        for (int k = 0; k < kTaps; ++k) {
          const auto w = pg::load_vec<V>(weight + k * across);
          PG_UNROLL
          for (int r = 0; r < kStrip; ++r) {
            PG_UNROLL
            for (int v = 0; v < V; ++v) sum[r][v] += widen(in[r * kStep + k][v]) * widen(w[v]);
          }
        }
      } else {
        for (int k = 0; k < p.kernel[2]; ++k) {
          const auto w = pg::load_vec<V>(weight + k * across);
          PG_UNROLL
          for (int r = 0; r < kStrip; ++r) {
            const int32_t i2 = p.source(2, at2 + r, k);
            if (i2 < 0) continue;
            const auto in = pg::load_vec<V>(row + int64_t(i2) * p.xs[3]);
            PG_UNROLL
            for (int v = 0; v < V; ++v) sum[r][v] += widen(in[v]) * widen(w[v]);
          }
        }
      }
    }
  }
  T* const y = p.y + int64_t(image) * p.ys[0] + int64_t(at0) * p.ys[1] + int64_t(at1) * p.ys[2] + channel;
  PG_UNROLL
  for (int r = 0; r < kStrip; ++r) {
    if (at2 + r < p.to[2]) {
      pg::vec<T, V> out;
      PG_UNROLL
      for (int v = 0; v < V; ++v) out[v] = narrow<T>(sum[r][v]);
      pg::store_vec(y + int64_t(at2 + r) * p.ys[3], out);
    }
  }
}

// The gradient by the weight: a block sums the products of one row of taps (kTaps of them) over its part of the strips.
template <class T>
struct depthwise_weight {
  const T *x, *dout;
  compute_t<T>* parts;  // [part][tap][channel]
  int32_t step[kSpatial], pad[kSpatial], dilation[kSpatial], in[kSpatial], out[kSpatial], kernel[kSpatial];
  int64_t xs[kSpatial + 2], ys[kSpatial + 2];
  fast_div strip_count, out_size[kSpatial], kernel_size[kSpatial], tap_rows;
  uint32_t channels, strips, share;
  int lanes;
};

template <class T, int kTaps, int kStep>
__global__ void PG_LAUNCH_BOUNDS(kDepthwiseThreads)
    depthwise_by_weight(const PG_GRID_CONSTANT depthwise_weight<T> p) {
  using C = compute_t<T>;
  constexpr int V = kDepthwiseVector<T>;
  __shared__ C room[kDepthwiseThreads * V];
  const int lane = int(threadIdx.x) % p.lanes, spot = int(threadIdx.x) / p.lanes, spots = kDepthwiseThreads / p.lanes;
  const int across = p.lanes * V;
  const uint32_t part = p.tap_rows.div(blockIdx.x), tap_row = blockIdx.x - part * p.tap_rows.divisor;
  // With kTaps of 1 a row is a single tap, at any step and dilation.
  const place tap = split_place(kTaps > 1 ? tap_row * kTaps : tap_row, p.kernel_size);
  const int32_t step = kTaps > 1 ? kStep : p.step[2];
  const uint32_t channel = blockIdx.y * uint32_t(across) + uint32_t(lane * V);
  C sum[kTaps][V];
  PG_UNROLL
  for (int k = 0; k < kTaps; ++k) {
    PG_UNROLL
    for (int v = 0; v < V; ++v) sum[k][v] = C(0);
  }
  const uint32_t begin = part * p.share, end = p.strips - begin < p.share ? p.strips : begin + p.share;
  for (uint32_t s = begin + uint32_t(spot); channel < p.channels && s < end; s += uint32_t(spots)) {
    const uint32_t line = p.strip_count.div(s), rest = p.out_size[1].div(line), image = p.out_size[0].div(rest);
    const int32_t o2 = int32_t(s - line * p.strip_count.divisor) * kStrip;
    const int32_t o1 = int32_t(line - rest * p.out_size[1].divisor), o0 = int32_t(rest - image * p.out_size[0].divisor);
    const int32_t i0 = o0 * p.step[0] - p.pad[0] + int32_t(tap.at[0]) * p.dilation[0];
    const int32_t i1 = o1 * p.step[1] - p.pad[1] + int32_t(tap.at[1]) * p.dilation[1];
    if (uint32_t(i0) >= uint32_t(p.in[0]) || uint32_t(i1) >= uint32_t(p.in[1])) continue;
    const T* const x = p.x + int64_t(image) * p.xs[0] + int64_t(i0) * p.xs[1] + int64_t(i1) * p.xs[2] + channel;
    const T* const dout = p.dout + int64_t(image) * p.ys[0] + int64_t(o0) * p.ys[1] + int64_t(o1) * p.ys[2] + channel;
    const int32_t i2 = o2 * step - p.pad[2] + (kTaps > 1 ? 0 : int32_t(tap.at[2]) * p.dilation[2]);
    pg::vec<T, V> gradient[kStrip];
    PG_UNROLL
    for (int r = 0; r < kStrip; ++r)
      gradient[r] = load_or_zero<V>(dout + int64_t(o2 + r) * p.ys[3], o2 + r < p.out[2]);
    if constexpr (kTaps > 1) {
      constexpr int kIn = (kStrip - 1) * kStep + kTaps;
      pg::vec<T, V> in[kIn];
      PG_UNROLL
      for (int i = 0; i < kIn; ++i)
        in[i] = load_or_zero<V>(x + int64_t(i2 + i) * p.xs[3], uint32_t(i2 + i) < uint32_t(p.in[2]));
      PG_UNROLL
      for (int r = 0; r < kStrip; ++r) {
        // Beyond the last place there is no product, whatever x holds there.
        if (o2 + r < p.out[2]) {
          PG_UNROLL
          for (int k = 0; k < kTaps; ++k) {
            PG_UNROLL
            for (int v = 0; v < V; ++v) sum[k][v] += widen(gradient[r][v]) * widen(in[r * kStep + k][v]);
          }
        }
      }
    } else {
      PG_UNROLL
      for (int r = 0; r < kStrip; ++r) {
        const int32_t i = i2 + r * step;
        if (o2 + r >= p.out[2] || uint32_t(i) >= uint32_t(p.in[2])) continue;
        const auto in = pg::load_vec<V>(x + int64_t(i) * p.xs[3]);
        PG_UNROLL
        for (int v = 0; v < V; ++v) sum[0][v] += widen(gradient[r][v]) * widen(in[v]);
      }
    }
  }
  const uint32_t taps = p.tap_rows.divisor * kTaps;
  PG_UNROLL
  for (int k = 0; k < kTaps; ++k) {
    PG_UNROLL
    for (int v = 0; v < V; ++v) room[spot * across + lane * V + v] = sum[k][v];
    __syncthreads();
    for (int c = int(threadIdx.x); c < across; c += kDepthwiseThreads) {
      const uint32_t at = blockIdx.y * uint32_t(across) + uint32_t(c);
      if (at >= p.channels) continue;
      C all = room[c];
      for (int i = 1; i < spots; ++i) all += room[i * across + c];
      p.parts[(int64_t(part) * taps + tap_row * kTaps + k) * p.channels + at] = all;
    }
    __syncthreads();
  }
}

// Adds the parts of an element: 32 elements a block, whose sums eight threads share.
constexpr int kJoinSlices = kDepthwiseThreads / 32;
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kDepthwiseThreads)
    join_depthwise(const PG_GRID_CONSTANT conv_args c, const compute_t<T>* parts, T* dweight, uint32_t channels,
                   int64_t elements, int count) {
  using C = compute_t<T>;
  __shared__ C room[kJoinSlices][32];
  const int own = int(threadIdx.x) % 32, slice = int(threadIdx.x) / 32;
  const int64_t i = int64_t(blockIdx.x) * 32 + own;
  C sum = C(0);
  if (i < elements) {
    PG_UNROLL_N(4)
    for (int s = slice; s < count; s += kJoinSlices) sum += parts[s * elements + i];
  }
  room[slice][own] = sum;
  __syncthreads();
  if (slice != 0 || i >= elements) return;
  for (int s = 1; s < kJoinSlices; ++s) sum += room[s][own];
  const uint32_t tap = uint32_t(i / channels), channel = uint32_t(i - int64_t(tap) * channels);
  const place k = split_place(tap, c.kernel_size);
  int64_t at = int64_t(channel) * c.w[0];
  PG_UNROLL
  for (int d = 0; d < kSpatial; ++d) at += int64_t(k.at[d]) * c.w[d + 1];
  dweight[at] = narrow<T>(sum);
}

// Whether V neighbouring channels are 16 aligned bytes at each place.
template <class T>
bool depthwise_places(const void* data, const int64_t (&stride)[kSpatial + 2]) {
  constexpr int V = kDepthwiseVector<T>;
  bool fits = stride[kSpatial + 1] == 1 && aligned_for<T>(static_cast<const T*>(data), V);
  for (int d = 0; d <= kSpatial; ++d) fits = fits && stride[d] % V == 0;
  return fits;
}
template <class T>
bool is_depthwise(const conv_call& c) {
  const conv_args& a = c.args;
  return a.in_channels == 1 && a.out_channels == 1 && c.groups >= 2 * kDepthwiseVector<T> &&
         c.groups % kDepthwiseVector<T> == 0 && c.kernels() <= kMostTaps && depthwise_places<T>(c.x.data, a.x) &&
         depthwise_places<T>(c.y.data, a.y);
}
// Threads of a block along the channels: a power of two, not more than there are.
inline int depthwise_lanes(int64_t vectors) {
  int lanes = kDepthwiseLanes;
  while (lanes > 1 && lanes / 2 >= vectors) lanes /= 2;
  return lanes;
}
inline int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

// y from x, or with `back` x from y. Needs is_depthwise.
template <class T>
int launch_depthwise(const conv_call& call, const view* bias, bool back, void* stream) {
  const conv_args& c = call.args;
  depthwise<T> p{};
  const view& from = back ? call.y : call.x;
  const view& to = back ? call.x : call.y;
  p.x = reinterpret_cast<const T*>(from.data);
  p.y = reinterpret_cast<T*>(to.data);
  p.w = reinterpret_cast<const T*>(call.weight.data);
  p.bias = bias == nullptr ? nullptr : reinterpret_cast<const T*>(bias->data);
  p.bias_stride = bias == nullptr ? 0 : bias->stride[0];
  p.back = back;
  bool turned = back;  // with steps of one, the gradient is a convolution with the filter turned around
  for (int d = 0; d < kSpatial; ++d) turned = turned && c.step[d] == 1;
  for (int d = 0; d < kSpatial + 2; ++d) {
    p.xs[d] = back ? c.y[d] : c.x[d];
    p.ys[d] = back ? c.x[d] : c.y[d];
    p.ws[d] = c.w[d];
  }
  for (int d = 0; d < kSpatial; ++d) {
    p.step[d] = c.step[d];
    p.dilation[d] = c.dilation[d];
    p.kernel[d] = c.kernel[d];
    p.from[d] = back ? c.out[d] : c.in[d];
    p.to[d] = back ? c.in[d] : c.out[d];
    p.pad[d] = c.pad[d];
    p.step_of[d] = c.step_of[d];
    p.kernel_size[d] = c.kernel_size[d];
    if (turned) {
      p.pad[d] = c.dilation[d] * (c.kernel[d] - 1) - c.pad[d];
      p.w += int64_t(c.kernel[d] - 1) * c.w[d + 1];
      p.ws[d + 1] = -c.w[d + 1];
    }
  }
  if (turned) p.back = false;
  p.channels = uint32_t(call.groups);
  const int64_t vectors = call.groups / kDepthwiseVector<T>;
  p.lanes = depthwise_lanes(vectors);
  const int places = kDepthwiseThreads / p.lanes;
  // Blocks that are about square read the fewest elements of their neighbours.
  p.tile_rows = 1;
  while (p.tile_rows * 2 <= p.to[1] && p.tile_rows * p.tile_rows * 2 <= places * kStrip && p.tile_rows * 2 <= places)
    p.tile_rows *= 2;
  const int64_t row_tiles = pieces(p.to[1], p.tile_rows), strip_tiles = pieces(p.to[2], kStrip * (places / p.tile_rows));
  p.planes = fast_div(uint32_t(p.to[0]));
  p.row_tiles = fast_div(uint32_t(row_tiles));
  p.strip_tiles = fast_div(uint32_t(strip_tiles));
  const dim3 grid(unsigned(int64_t(c.batch) * p.to[0] * row_tiles * strip_tiles), unsigned(pieces(vectors, p.lanes)));
  const auto launch = [&](auto taps, auto step) {
    return launched(PG_LAUNCH((depthwise_rows<T, decltype(taps)::value, decltype(step)::value>), grid, kDepthwiseThreads, 0,
                              stream, p), call.op);
  };
  using one = std::integral_constant<int, 1>;
  using two = std::integral_constant<int, 2>;
  using three = std::integral_constant<int, 3>;
  if (p.dilation[2] == 1 && !p.back && p.step[2] <= 2) {
    if (p.kernel[2] == 3 && call.kernels() <= 9)
      return p.step[2] == 1 ? launch(three{}, one{}) : launch(three{}, two{});
    if (p.kernel[2] == 5 && p.step[2] == 1) return launch(std::integral_constant<int, 5>{}, one{});
    if (p.kernel[2] == 7 && p.step[2] == 1) return launch(std::integral_constant<int, 7>{}, one{});
    if constexpr (sizeof(T) < 8)  // too many registers
      if (p.kernel[2] == 5) return launch(std::integral_constant<int, 5>{}, two{});
  }
  return launch(std::integral_constant<int, 0>{}, one{});
}

// How the gradient by the weight is shared out. Needs is_depthwise.
struct depthwise_split {
  int taps = 1;  // of a thread
  int64_t tap_rows = 0, strips = 0, share = 0, parts = 0;
};
template <class T>
depthwise_split split_depthwise(const conv_call& call) {
  const conv_args& c = call.args;
  depthwise_split s;
  const bool plain = c.dilation[2] == 1 && c.step[2] <= 2;
  if (plain && (c.kernel[2] == 3 || c.kernel[2] == 5 || c.kernel[2] == 7)) s.taps = c.kernel[2];
  s.tap_rows = call.kernels() / s.taps;
  s.strips = call.outputs() / (c.out[2] > 0 ? c.out[2] : 1) * pieces(c.out[2], kStrip);
  const int64_t vectors = pieces(call.groups, kDepthwiseVector<T>);
  const int lanes = depthwise_lanes(vectors), spots = kDepthwiseThreads / lanes;
  constexpr int64_t kBlocks = PG_TARGET_CPU ? 64 : 2048;
  int64_t parts = kBlocks / (s.tap_rows * pieces(vectors, lanes));
  if (parts > s.strips / (4 * spots)) parts = s.strips / (4 * spots);
  if (parts < 1) parts = 1;
  s.share = pieces(s.strips, parts);
  s.parts = s.share > 0 ? pieces(s.strips, s.share) : 1;
  return s;
}
template <class T>
int launch_depthwise_weight(const conv_call& call, const depthwise_split& split, compute_t<T>* parts, void* stream) {
  const conv_args& c = call.args;
  depthwise_weight<T> p{};
  p.x = reinterpret_cast<const T*>(call.x.data);
  p.dout = reinterpret_cast<const T*>(call.y.data);
  p.parts = parts;
  for (int d = 0; d < kSpatial + 2; ++d) {
    p.xs[d] = c.x[d];
    p.ys[d] = c.y[d];
  }
  for (int d = 0; d < kSpatial; ++d) {
    p.step[d] = c.step[d];
    p.pad[d] = c.pad[d];
    p.dilation[d] = c.dilation[d];
    p.in[d] = c.in[d];
    p.out[d] = c.out[d];
    p.kernel[d] = c.kernel[d];
    p.out_size[d] = c.out_size[d];
    p.kernel_size[d] = c.kernel_size[d];
  }
  p.strip_count = fast_div(uint32_t(pieces(c.out[2], kStrip)));
  p.tap_rows = fast_div(uint32_t(split.tap_rows));
  p.channels = uint32_t(call.groups);
  p.strips = uint32_t(split.strips);
  p.share = uint32_t(split.share);
  const int64_t vectors = call.groups / kDepthwiseVector<T>;
  p.lanes = depthwise_lanes(vectors);
  const dim3 grid(unsigned(split.parts * split.tap_rows), unsigned(pieces(vectors, p.lanes)));
  const auto launch = [&](auto taps, auto step) {
    return launched(PG_LAUNCH((depthwise_by_weight<T, decltype(taps)::value, decltype(step)::value>), grid,
                              kDepthwiseThreads, 0, stream, p), call.op);
  };
  using one = std::integral_constant<int, 1>;
  using two = std::integral_constant<int, 2>;
  const auto of_taps = [&](auto taps) { return c.step[2] == 1 ? launch(taps, one{}) : launch(taps, two{}); };
  PG_TRY(split.taps == 3   ? of_taps(std::integral_constant<int, 3>{})
         : split.taps == 5 ? of_taps(std::integral_constant<int, 5>{})
         : split.taps == 7 ? of_taps(std::integral_constant<int, 7>{})
                           : launch(one{}, one{}));
  const int64_t elements = call.kernels() * call.groups;
  return launched(PG_LAUNCH((join_depthwise<T>), unsigned(pieces(elements, 32)), kDepthwiseThreads, 0, stream, c, parts,
                            reinterpret_cast<T*>(call.weight.data), p.channels, elements, int(split.parts)), call.op);
}

}  // namespace pgops
