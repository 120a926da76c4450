// Textures and surfaces: arrays, addressing, filtering. Used by the runtime API of both vendors.
#pragma once
#include "host.h"
#include "half.h"

#include <cmath>

namespace pgcpu {

// Channels of an element: bits of each (0: none), and how they are read.
struct channels {
  int bits[4];
  int kind;  // 0 signed, 1 unsigned, 2 float
  size_t bytes() const { return size_t(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
};

// Rows lie next to each other; layers after the depth.
struct image {
  char* data = nullptr;
  size_t width = 0, height = 0, depth = 0;  // in elements; 0: that dimension is not there
  size_t pitch = 0, slice = 0;              // bytes
  channels format{};
  unsigned flags = 0;
};

enum class addressing { wrap, clamp, mirror, border };

struct texture {
  image source;
  addressing address[3] = {addressing::clamp, addressing::clamp, addressing::clamp};
  bool linear = false, normalized_read = false, normalized_coordinates = false, one_row = false;
  float border[4] = {0, 0, 0, 0};
};

namespace detail {

struct texel {
  double c[4] = {0, 0, 0, 0};
};

inline double channel(const char* p, int bits, int kind, bool normalize) {
  auto load = [p](auto v) {
    memcpy(&v, p, sizeof v);
    return v;
  };
  if (kind == 2) return bits == 16 ? double(to_float(load(half{}))) : double(load(0.0f));
  if (kind == 1) {
    const double v = bits == 8 ? load(uint8_t()) : bits == 16 ? load(uint16_t()) : load(uint32_t());
    return normalize ? v / (bits == 8 ? 255.0 : 65535.0) : v;
  }
  const double v = bits == 8 ? load(int8_t()) : bits == 16 ? load(int16_t()) : load(int32_t());
  return normalize ? std::max(-1.0, v / (bits == 8 ? 127.0 : 32767.0)) : v;
}

// The index of a texel after addressing; -1: outside, the border colour.
inline long long place(long long i, size_t n, addressing a) {
  const long long size = (long long)(n);
  if (i >= 0 && i < size) return i;
  switch (a) {
    case addressing::clamp: return i < 0 ? 0 : size - 1;
    case addressing::wrap: return ((i % size) + size) % size;
    case addressing::mirror: {
      const long long m = ((i % (2 * size)) + 2 * size) % (2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    default: return -1;
  }
}

inline texel load(const texture& t, long long x, long long y, long long z) {
  texel out;
  if (x < 0 || y < 0 || z < 0) {
    for (int i = 0; i < 4; ++i) out.c[i] = t.border[i];
    return out;
  }
  const image& s = t.source;
  const char* p = s.data + size_t(z) * s.slice + size_t(y) * s.pitch + size_t(x) * s.format.bytes();
  for (int i = 0; i < 4; ++i) {
    const int bits = s.format.bits[i];
    if (!bits) continue;
    out.c[i] = channel(p, bits, s.format.kind, t.normalized_read);
    p += bits / 8;
  }
  return out;
}

// One coordinate as the texels it falls between; weights have 8 bits of fraction, as in hardware.
struct sample {
  long long at[2];
  double weight[2];
  int count;
};
inline sample between(const texture& t, float x, size_t n, int axis) {
  addressing a = t.address[axis];
  // Wrap and mirror exist for normalized coordinates only.
  if (!t.normalized_coordinates && a != addressing::border) a = addressing::clamp;
  float u = t.normalized_coordinates ? x * float(n) : x;
  if (!(std::fabs(u) < 1e9f)) u = u > 0 ? 1e9f : -1e9f;
  if (!t.linear) return {{place((long long)(std::floor(u)), n, a), 0}, {1, 0}, 1};
  u -= 0.5f;
  const float f = std::floor(u);
  const double w = std::floor((double(u) - f) * 256 + 0.5) / 256;
  const long long i = (long long)(f);
  return {{place(i, n, a), place(i + 1, n, a)}, {1 - w, w}, 2};
}

inline texel fetch(const texture& t, int dims, float x, float y, float z, long long layer) {
  const image& s = t.source;
  const sample one = {{0, 0}, {1, 0}, 1};
  const sample sx = between(t, x, s.width, 0);
  const sample sy = dims > 1 ? between(t, y, s.height ? s.height : 1, 1) : one;
  const sample sz = dims > 2 ? between(t, z, s.depth ? s.depth : 1, 2)
                             : sample{{layer, 0}, {1, 0}, 1};
  texel out;
  for (int k = 0; k < sz.count; ++k)
    for (int j = 0; j < sy.count; ++j)
      for (int i = 0; i < sx.count; ++i) {
        const double w = sx.weight[i] * sy.weight[j] * sz.weight[k];
        if (w == 0) continue;
        const texel v = load(t, sx.at[i], sy.at[j], sz.at[k]);
        for (int c = 0; c < 4; ++c) out.c[c] += w * v.c[c];
      }
  return out;
}

// How a value of type T is made of up to four channels.
template <class T>
struct pixel {
  static constexpr int count = 1;
  using scalar = T;
};
#define PGCPU_PIXEL(N, S)                                                      \
  template <> struct pixel<N##1> { static constexpr int count = 1; using scalar = S; }; \
  template <> struct pixel<N##2> { static constexpr int count = 2; using scalar = S; }; \
  template <> struct pixel<N##3> { static constexpr int count = 3; using scalar = S; }; \
  template <> struct pixel<N##4> { static constexpr int count = 4; using scalar = S; };
PGCPU_PIXEL(char, signed char)
PGCPU_PIXEL(uchar, unsigned char)
PGCPU_PIXEL(short, short)
PGCPU_PIXEL(ushort, unsigned short)
PGCPU_PIXEL(int, int)
PGCPU_PIXEL(uint, unsigned)
PGCPU_PIXEL(long, long)
PGCPU_PIXEL(ulong, unsigned long)
PGCPU_PIXEL(float, float)
#undef PGCPU_PIXEL

template <class T>
T as(const texel& v) {
  using S = typename pixel<T>::scalar;
  constexpr int n = pixel<T>::count;
  S parts[n];
  for (int i = 0; i < n; ++i) parts[i] = S(v.c[i]);
  T out;
  static_assert(sizeof(T) >= sizeof parts, "not a texture element type");
  memcpy(&out, parts, sizeof parts);
  return out;
}

template <class T>
channels channels_of() {
  using S = typename pixel<T>::scalar;
  channels c{};
  for (int i = 0; i < pixel<T>::count; ++i) c.bits[i] = int(sizeof(S)) * 8;
  c.kind = std::is_floating_point_v<S> || std::is_same_v<S, half> ? 2 : std::is_signed_v<S> ? 0 : 1;
  return c;
}

template <class H>
const texture& texture_of(H h) {
  return *reinterpret_cast<const texture*>(h);
}
template <class H>
const image& surface_of(H h) {
  return *reinterpret_cast<const image*>(h);
}

// Where an element of a surface lies; nullptr: outside. `mode`: 0 trap, 1 clamp, 2 zero.
inline char* surface_at(const image& s, size_t size, long long x, long long y, long long z, int mode,
                        site at) {
  const long long w = (long long)(s.width * s.format.bytes()), step = (long long)(size);
  const long long h = s.height ? (long long)(s.height) : 1, d = s.depth ? (long long)(s.depth) : 1;
  if (x < 0 || x + step > w || y < 0 || y >= h || z < 0 || z >= d) {
    if (mode == 2) return nullptr;
    if (mode == 0) trap(at);
    x = std::min(std::max(x, 0ll), w - step);
    y = std::min(std::max(y, 0ll), h - 1);
    z = std::min(std::max(z, 0ll), d - 1);
  }
  return s.data + size_t(z) * s.slice + size_t(y) * s.pitch + size_t(x);
}

inline int make_image(image** out, channels c, size_t w, size_t h, size_t d, unsigned flags) {
  const size_t e = c.bytes();
  if (!out || !e || !w) return host::fail(host::invalid_value);
  auto* a = new image;
  a->width = w, a->height = h, a->depth = d;
  a->pitch = w * e;
  a->slice = a->pitch * (h ? h : 1);
  a->format = c;
  a->flags = flags;
  void* p = nullptr;
  if (int bad = host::malloc_device(&p, a->slice * (d ? d : 1), true)) {
    delete a;
    return bad;
  }
  a->data = static_cast<char*>(p);
  *out = a;
  return 0;
}
inline int free_image(image* a) {
  if (!a) return 0;
  const int bad = host::free_device(a->data);
  delete a;
  return bad;
}

}  // namespace detail
}  // namespace pgcpu

#define PGCPU_TEX(NAME, PARAMETERS, DIMS, X, Y, Z, LAYER)                        \
  template <class T, class H>                                                    \
  inline T NAME PARAMETERS {                                                     \
    return ::pgcpu::detail::as<T>(                                               \
        ::pgcpu::detail::fetch(::pgcpu::detail::texture_of(h), DIMS, X, Y, Z, LAYER)); \
  }
PGCPU_TEX(tex1D, (H h, float x), 1, x, 0, 0, 0)
PGCPU_TEX(tex2D, (H h, float x, float y), 2, x, y, 0, 0)
PGCPU_TEX(tex3D, (H h, float x, float y, float z), 3, x, y, z, 0)
PGCPU_TEX(tex1DLod, (H h, float x, float), 1, x, 0, 0, 0)
PGCPU_TEX(tex2DLod, (H h, float x, float y, float), 2, x, y, 0, 0)
PGCPU_TEX(tex3DLod, (H h, float x, float y, float z, float), 3, x, y, z, 0)
PGCPU_TEX(tex1DLayered, (H h, float x, int layer), 1, x, 0, 0, layer)
PGCPU_TEX(tex2DLayered, (H h, float x, float y, int layer), 2, x, y, 0, layer)
#undef PGCPU_TEX
template <class T, class H>
inline T tex1Dfetch(H h, int i) {
  const ::pgcpu::texture& t = ::pgcpu::detail::texture_of(h);
  if (i < 0 || size_t(i) >= t.source.width) return T{};
  return ::pgcpu::detail::as<T>(::pgcpu::detail::load(t, i, 0, 0));
}
template <class T, class H>
inline void tex1Dfetch(T* out, H h, int i) { *out = tex1Dfetch<T>(h, i); }
template <class T, class H>
inline void tex1D(T* out, H h, float x) { *out = tex1D<T>(h, x); }
template <class T, class H>
inline void tex2D(T* out, H h, float x, float y) { *out = tex2D<T>(h, x, y); }
template <class T, class H>
inline void tex3D(T* out, H h, float x, float y, float z) { *out = tex3D<T>(h, x, y, z); }

// Surfaces: x counts bytes.
#define PGCPU_SURFACE(NAME, PARAMETERS, X, Y, Z)                                                  \
  template <class T, class H>                                                                     \
  inline void NAME##read(T* out, H h, PGCPU_SURFACE_LIST PARAMETERS, int mode = 0,                \
                         ::pgcpu::site at = ::pgcpu::site::current()) {                           \
    const char* p = ::pgcpu::detail::surface_at(::pgcpu::detail::surface_of(h), sizeof(T), X, Y, Z, mode, at); \
    if (p) memcpy(static_cast<void*>(out), p, sizeof(T));                                         \
    else *out = T{};                                                                              \
  }                                                                                               \
  template <class T, class H>                                                                     \
  inline T NAME##read(H h, PGCPU_SURFACE_LIST PARAMETERS, int mode = 0,                           \
                      ::pgcpu::site at = ::pgcpu::site::current()) {                              \
    const char* p = ::pgcpu::detail::surface_at(::pgcpu::detail::surface_of(h), sizeof(T), X, Y, Z, mode, at); \
    T out{};                                                                                      \
    if (p) memcpy(static_cast<void*>(&out), p, sizeof(T));                                        \
    return out;                                                                                   \
  }                                                                                               \
  template <class T, class H>                                                                     \
  inline void NAME##write(T v, H h, PGCPU_SURFACE_LIST PARAMETERS, int mode = 0,                  \
                          ::pgcpu::site at = ::pgcpu::site::current()) {                          \
    char* p = ::pgcpu::detail::surface_at(::pgcpu::detail::surface_of(h), sizeof(T), X, Y, Z, mode, at); \
    if (p) memcpy(p, &v, sizeof(T));                                                              \
  }
#define PGCPU_SURFACE_LIST(...) __VA_ARGS__
PGCPU_SURFACE(surf1D, (int x), x, 0, 0)
PGCPU_SURFACE(surf2D, (int x, int y), x, y, 0)
PGCPU_SURFACE(surf3D, (int x, int y, int z), x, y, z)
PGCPU_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
PGCPU_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
#undef PGCPU_SURFACE
#undef PGCPU_SURFACE_LIST
