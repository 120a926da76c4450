// Lanes of one block as fibers; operations across lanes meet by their call's address.
#include "runtime.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>
#include <map>
typedef _Float16 half_t;
namespace {
enum Kind { NONE, BPERMUTE, BALLOT, FIRST, LANE, EXEC, BARRIER, DPP, SWIZZLE };
struct Lane { ucontext_t context; bool done; Kind kind; uintptr_t site; uint32_t a, b, c, d; int32_t ctrl; uint64_t result; };
std::vector<Lane> lanes; std::vector<char*> stacks; ucontext_t scheduler; Lane* now; unsigned index_;
unsigned bx_, by_, bz_, group_, grid_; const std::function<void()>* body;
struct Dispatch { uint16_t header, setup, wx, wy, wz, r; uint32_t gx, gy, gz, priv, group; uint64_t obj, args, res, sig; } packet;
struct Implicit { uint32_t bc[3]; uint16_t gs[3]; uint16_t rem[3]; char pad[400]; } implicit_;
void entry() { (*body)(); now->done = true; setcontext(&scheduler); }
uint64_t meet(Kind kind, uintptr_t site, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0, int32_t ctrl = 0) {
  Lane* me = now; me->kind = kind; me->site = site; me->a = a; me->b = b; me->c = c; me->d = d; me->ctrl = ctrl;
  swapcontext(&me->context, &scheduler); return me->result; }
int dpp_source(int ctrl, int l) {
  int row = l & ~15, in = l & 15;
  if (ctrl <= 0xff) return (l & ~3) | ((ctrl >> (2 * (l & 3))) & 3);
  if (ctrl >= 0x101 && ctrl <= 0x10f) return in + (ctrl & 15) < 16 ? l + (ctrl & 15) : -1;
  if (ctrl >= 0x111 && ctrl <= 0x11f) return in >= (ctrl & 15) ? l - (ctrl & 15) : -1;
  if (ctrl >= 0x121 && ctrl <= 0x12f) return row | ((in - (ctrl & 15)) & 15);
  if (ctrl == 0x130) return l + 1 < WAVE ? l + 1 : -1;
  if (ctrl == 0x138) return l > 0 ? l - 1 : -1;
  if (ctrl == 0x140) return row | (15 - in);
  if (ctrl == 0x141) return (l & ~7) | (7 - (l & 7));
  if (ctrl == 0x142) return l >= 16 ? (row - 1) : -1;
  if (ctrl == 0x143) return l >= 32 ? 31 : -1;
  fprintf(stderr, "dpp %x\n", ctrl); exit(3); }
void serve(std::vector<int>& group, int base) {
  uint64_t exec = 0; for (int l : group) exec |= 1ull << (l - base);
  auto at = [&](int lane) -> Lane& { return lanes[base + lane]; };
  std::vector<uint64_t> r;
  for (int l : group) { Lane& me = lanes[l]; int lane = l - base; uint64_t v = 0;
    switch (me.kind) {
      case BPERMUTE: { int s = (me.a >> 2) & (WAVE - 1); v = exec >> s & 1 ? at(s).b : 0; break; }
      case BALLOT: for (int k : group) v |= uint64_t(lanes[k].a & 1) << (k - base); break;
      case FIRST: v = lanes[group[0]].a; break;
      case LANE: v = at(me.b & (WAVE - 1)).a; break;
      case EXEC: v = exec; break;
      case DPP: { int s = dpp_source(me.ctrl, lane); bool on = (me.c >> ((lane / 16) & 3) & 1) && (me.d & 15) >> ((lane % 16) / 4) & 1;
        bool bound = me.d & 16; if (!on) v = me.a; else if (s < 0 || !(exec >> s & 1)) v = bound ? 0 : me.a; else v = at(s).b; break; }
      case SWIZZLE: { int off = me.ctrl, s; if (off & 0x8000) s = (lane & ~3) | ((off >> (2 * (lane & 3))) & 3);
        else { int k = lane & 31; s = (lane & 32) | ((((k & (off & 31)) | ((off >> 5) & 31)) ^ ((off >> 10) & 31))); } v = exec >> s & 1 ? at(s).a : 0; break; }
      default: break; }
    r.push_back(v); }
  for (size_t i = 0; i < group.size(); ++i) { lanes[group[i]].result = r[i]; lanes[group[i]].kind = NONE; } }
}
void run_grid(unsigned grid, unsigned bx, unsigned by, unsigned bz, const std::function<void()>& lane) {
  const size_t stack = 1 << 17; unsigned n = bx * by * bz; bx_ = bx; by_ = by; bz_ = bz; grid_ = grid; body = &lane;
  packet = {}; packet.wx = bx; packet.wy = by; packet.wz = bz; packet.gx = grid * bx; packet.gy = by; packet.gz = bz;
  implicit_ = {}; implicit_.bc[0] = grid; implicit_.bc[1] = implicit_.bc[2] = 1; implicit_.gs[0] = bx; implicit_.gs[1] = by; implicit_.gs[2] = bz; *(uint16_t*)((char*)&implicit_ + 64) = 1;
  while (stacks.size() < n) stacks.push_back((char*)mmap(nullptr, stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
  for (group_ = 0; group_ < grid; ++group_) {
    lanes.assign(n, {});
    for (unsigned i = 0; i < n; ++i) { Lane& l = lanes[i]; getcontext(&l.context); l.context.uc_stack = {stacks[i], 0, stack}; l.context.uc_link = nullptr; makecontext(&l.context, entry, 0); }
    for (;;) {
      bool any = false;
      for (unsigned i = 0; i < n; ++i) while (!lanes[i].done && lanes[i].kind == NONE) { now = &lanes[i]; index_ = i; swapcontext(&scheduler, &now->context); any = true; }
      bool served = false, left = false;
      for (unsigned base = 0; base < n; base += WAVE) {
        uintptr_t best = ~uintptr_t(0);
        for (unsigned i = base; i < n && i < base + WAVE; ++i) if (!lanes[i].done) { left = true; if (lanes[i].kind != BARRIER && lanes[i].site < best) best = lanes[i].site; }
        if (best == ~uintptr_t(0)) continue;
        std::vector<int> g; for (unsigned i = base; i < n && i < base + WAVE; ++i) if (!lanes[i].done && lanes[i].kind != BARRIER && lanes[i].site == best) g.push_back(i);
        serve(g, base); served = true; }
      if (!left) break;
      if (!served) for (auto& l : lanes) if (l.kind == BARRIER) l.kind = NONE;
    }
  }
}
#define SITE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define OP(ret, name, label, ...) extern "C" __attribute__((noinline)) ret name(__VA_ARGS__) asm("amdgcn." label); ret name(__VA_ARGS__)
static float f(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
OP(int, bperm, "ds.bpermute", int a, int v) { return (int)meet(BPERMUTE, SITE, a, v); }
OP(uint64_t, bal64, "ballot.i64", bool p) { return meet(BALLOT, SITE, p); }
OP(uint32_t, bal32, "ballot.i32", bool p) { return (uint32_t)meet(BALLOT, SITE, p); }
static bool compare(uint32_t a, uint32_t b, int p) { switch (p) { case 32: return a == b; case 33: return a != b; case 34: return a > b; case 35: return a >= b; case 36: return a < b; case 37: return a <= b; case 38: return (int)a > (int)b; case 39: return (int)a >= (int)b; case 40: return (int)a < (int)b; case 41: return (int)a <= (int)b; } abort(); }
OP(uint64_t, icmp64, "icmp.i64.i32", uint32_t a, uint32_t b, int p) { return meet(BALLOT, SITE, compare(a, b, p)); }
OP(uint32_t, icmp32, "icmp.i32.i32", uint32_t a, uint32_t b, int p) { return (uint32_t)meet(BALLOT, SITE, compare(a, b, p)); }
OP(uint64_t, icmp64q, "icmp.i64.i64", uint64_t a, uint64_t b, int p) { return meet(BALLOT, SITE, p == 32 ? a == b : p == 33 ? a != b : (abort(), false)); }
OP(uint64_t, icmp64b, "icmp.i64.i1", bool a, bool b, int p) { return meet(BALLOT, SITE, p == 32 ? a == b : a != b); }
OP(uint32_t, icmp32b, "icmp.i32.i1", bool a, bool b, int p) { return (uint32_t)meet(BALLOT, SITE, p == 32 ? a == b : a != b); }
OP(uint64_t, icmp64s, "icmp.i64.i16", uint16_t a, uint16_t b, int p) { return meet(BALLOT, SITE, p == 32 ? a == b : p == 33 ? a != b : (abort(), false)); }
OP(uint64_t, fcmp64, "fcmp.i64.f32", float a, float b, int p) { bool r; switch (p) { case 1: r = a == b; break; case 2: r = a > b; break; case 3: r = a >= b; break; case 4: r = a < b; break; case 5: r = a <= b; break; case 6: r = a < b || a > b; break; case 14: r = !(a == b); break; case 9: r = !(a < b || a > b); break; case 10: r = !(a <= b); break; case 11: r = !(a < b); break; case 12: r = !(a >= b); break; case 13: r = !(a > b); break; default: abort(); } return meet(BALLOT, SITE, r); }
OP(int, first, "readfirstlane", int v) { return (int)meet(FIRST, SITE, v); }
OP(int, first2, "readfirstlane.i32", int v) { return (int)meet(FIRST, SITE, v); }
OP(int, lane_, "readlane", int v, int l) { return (int)meet(LANE, SITE, v, l); }
OP(int, lane2_, "readlane.i32", int v, int l) { return (int)meet(LANE, SITE, v, l); }
OP(uint64_t, exec64, "exec64") { return meet(EXEC, SITE); }
OP(uint32_t, exec32, "exec32") { return (uint32_t)meet(EXEC, SITE); }
OP(int, dpp, "update.dpp.i32", int old, int src, int ctrl, int row, int bank, bool bound) { return (int)meet(DPP, SITE, old, src, row, bank | (bound ? 16 : 0), ctrl); }
OP(int, mdpp, "mov.dpp.i32", int src, int ctrl, int row, int bank, bool bound) { return (int)meet(DPP, SITE, 0, src, row, bank | (bound ? 16 : 0), ctrl); }
OP(int, swz, "ds.swizzle", int v, int off) { return (int)meet(SWIZZLE, SITE, v, 0, 0, 0, off); }
OP(void, barrier, "s.barrier") { meet(BARRIER, SITE); }
OP(void, wbar, "wave.barrier") {}
OP(int, tx, "workitem.id.x") { return index_ % bx_; }
OP(int, ty, "workitem.id.y") { return index_ / bx_ % by_; }
OP(int, tz, "workitem.id.z") { return index_ / bx_ / by_; }
OP(int, wx, "workgroup.id.x") { return group_; }
OP(int, wy, "workgroup.id.y") { return 0; }
OP(int, wz, "workgroup.id.z") { return 0; }
OP(void*, disp, "dispatch.ptr") { return &packet; }
OP(void*, imp, "implicitarg.ptr") { return &implicit_; }
OP(int, mlo, "mbcnt.lo", uint32_t m, int a) { unsigned l = index_ % WAVE; return a + __builtin_popcount(m & (l >= 32 ? ~0u : (1u << l) - 1)); }
OP(int, mhi, "mbcnt.hi", uint32_t m, int a) { unsigned l = index_ % WAVE; return a + (l > 32 ? __builtin_popcount(m & ((1u << (l - 32)) - 1)) : 0); }
OP(bool, shr, "is.shared", void*) { return false; }
OP(bool, prv, "is.private", void*) { return false; }
OP(float, ldx, "ldexp.f32", float x, int e) { return ldexpf(x, e); }
OP(double, ldxd, "ldexp.f64", double x, int e) { return ldexp(x, e); }
OP(float, frm, "frexp.mant.f32", float x) { int e; return std::isfinite(x) ? frexpf(x, &e) : x; }
OP(int, fre, "frexp.exp.i32.f32", float x) { int e = 0; if (std::isfinite(x)) frexpf(x, &e); return e; }
OP(double, frmd, "frexp.mant.f64", double x) { int e; return std::isfinite(x) ? frexp(x, &e) : x; }
OP(int, fred, "frexp.exp.i32.f64", double x) { int e = 0; if (std::isfinite(x)) frexp(x, &e); return e; }
OP(float, fra, "fract.f32", float x) { return fminf(x - floorf(x), 0x1.fffffep-1f); }
OP(double, frad, "fract.f64", double x) { return fmin(x - floor(x), 0x1.fffffffffffffp-1); }
OP(float, rcp, "rcp.f32", float x) { return 1.0f / x; }
OP(double, rcpd, "rcp.f64", double x) { return 1.0 / x; }
OP(float, rsq, "rsq.f32", float x) { return 1.0f / sqrtf(x); }
OP(double, rsqd, "rsq.f64", double x) { return 1.0 / sqrt(x); }
OP(float, sq, "sqrt.f32", float x) { return sqrtf(x); }
OP(float, lg, "log.f32", float x) { return log2f(x); }
OP(float, ex, "exp2.f32", float x) { return exp2f(x); }
OP(float, sn, "sin.f32", float x) { return (float)sin(x * 6.283185307179586); }
OP(float, cs, "cos.f32", float x) { return (float)cos(x * 6.283185307179586); }
OP(float, med, "fmed3.f32", float a, float b, float c) { return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c)); }
OP(int, sbfe, "sbfe.i32", int v, int o, int w) { return w == 0 ? 0 : (int)((unsigned)v << (32 - o - w)) >> (32 - w); }
OP(unsigned, ubfe, "ubfe.i32", unsigned v, int o, int w) { return w == 0 ? 0 : (v >> o) & ((1u << w) - 1); }
OP(unsigned, perm, "perm", unsigned a, unsigned b, unsigned s) { uint64_t all = (uint64_t)a << 32 | b; unsigned r = 0; for (int i = 0; i < 4; ++i) { unsigned k = s >> (8 * i) & 255, v; if (k < 8) v = all >> (8 * k) & 255; else if (k >= 13) v = 255; else if (k == 12) v = 0; else v = (all >> (16 * (k - 8) + 15) & 1) ? 255 : 0; r |= v << (8 * i); } return r; }
OP(unsigned, alb, "alignbit", unsigned a, unsigned b, unsigned s) { return (unsigned)(((uint64_t)a << 32 | b) >> (s & 31)); }
OP(unsigned, aly, "alignbyte", unsigned a, unsigned b, unsigned s) { return (unsigned)(((uint64_t)a << 32 | b) >> (8 * (s & 3))); }
OP(unsigned, sad8, "sad.u8", unsigned a, unsigned b, unsigned c) { for (int i = 0; i < 32; i += 8) c += abs((int)(a >> i & 255) - (int)(b >> i & 255)); return c; }
OP(unsigned, msad8, "msad.u8", unsigned a, unsigned b, unsigned c) { for (int i = 0; i < 32; i += 8) if (b >> i & 255) c += abs((int)(a >> i & 255) - (int)(b >> i & 255)); return c; }
OP(bool, cls, "class.f32", float x, int m) { int k; switch (std::fpclassify(x)) { case FP_NAN: { uint32_t u; memcpy(&u, &x, 4); k = u & 0x400000 ? 1 : 0; break; } case FP_INFINITE: k = x < 0 ? 2 : 9; break; case FP_NORMAL: k = x < 0 ? 3 : 8; break; case FP_SUBNORMAL: k = x < 0 ? 4 : 7; break; default: k = std::signbit(x) ? 5 : 6; } return m >> k & 1; }
OP(bool, clsd, "class.f64", double x, int m) { int k; switch (std::fpclassify(x)) { case FP_NAN: k = 1; break; case FP_INFINITE: k = x < 0 ? 2 : 9; break; case FP_NORMAL: k = x < 0 ? 3 : 8; break; case FP_SUBNORMAL: k = x < 0 ? 4 : 7; break; default: k = std::signbit(x) ? 5 : 6; } return m >> k & 1; }
OP(void, slp, "s.sleep", int) {}
OP(unsigned, getreg, "s.getreg", int) { return 0; }
OP(void, endp, "endpgm") { fprintf(stderr, "trap\n"); _exit(9); }
OP(int, udot4, "udot4", unsigned a, unsigned b, unsigned c, bool) { for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255); return c; }
OP(int, sdot4, "sdot4", int a, int b, int c, bool) { for (int i = 0; i < 32; i += 8) c += (int8_t)(a >> i) * (int8_t)(b >> i); return c; }
extern "C" { size_t __ockl_get_local_id(unsigned d) { return d == 0 ? index_ % bx_ : d == 1 ? index_ / bx_ % by_ : index_ / bx_ / by_; }
size_t __ockl_get_group_id(unsigned d) { return d ? 0 : group_; }
size_t __ockl_get_local_size(unsigned d) { return d == 0 ? bx_ : d == 1 ? by_ : bz_; }
size_t __ockl_get_num_groups(unsigned d) { return d ? 1 : grid_; } 
#define OCML1(T, s, n, e) T __ocml_##n##_##s(T x) { return e; }
#define BOTH1(n) OCML1(float, f32, n, (float)::n((double)x)) OCML1(double, f64, n, ::n(x))
BOTH1(exp) BOTH1(log) BOTH1(log2) BOTH1(log10) BOTH1(exp2) BOTH1(sin) BOTH1(cos) BOTH1(tan) BOTH1(tanh) BOTH1(rint) BOTH1(floor) BOTH1(ceil) BOTH1(trunc) BOTH1(fabs) BOTH1(sqrt) BOTH1(round)
OCML1(float, f32, rsqrt, 1 / sqrtf(x)) OCML1(double, f64, rsqrt, 1 / sqrt(x))
OCML1(float, f32, native_sin, sinf(x)) OCML1(float, f32, native_cos, cosf(x)) OCML1(float, f32, native_exp, expf(x)) OCML1(float, f32, native_log, logf(x)) OCML1(float, f32, native_log2, log2f(x)) OCML1(float, f32, native_log10, log10f(x)) OCML1(float, f32, native_exp2, exp2f(x)) OCML1(float, f32, native_sqrt, sqrtf(x)) OCML1(float, f32, native_rsqrt, 1 / sqrtf(x)) OCML1(float, f32, native_recip, 1 / x)
float __ocml_fmin_f32(float a, float b) { return fminf(a, b); } float __ocml_fmax_f32(float a, float b) { return fmaxf(a, b); }
double __ocml_fmin_f64(double a, double b) { return fmin(a, b); } double __ocml_fmax_f64(double a, double b) { return fmax(a, b); }
float __ocml_fma_f32(float a, float b, float c) { return fmaf(a, b, c); } double __ocml_fma_f64(double a, double b, double c) { return fma(a, b, c); }
float __ocml_pow_f32(float a, float b) { return powf(a, b); }
}
OP(int, wfs, "wavefrontsize") { return WAVE; }
extern "C" { int __ockl_clz_u32(unsigned x) { return x ? __builtin_clz(x) : 32; } uint64_t __ockl_clz_u64(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
int __ockl_mul_hi_i32(int a, int b) { return (int)((int64_t)a * b >> 32); } unsigned __ockl_mul_hi_u32(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
int __ockl_mul24_i32(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); } unsigned __ockl_mul24_u32(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
unsigned __ockl_sadd_u32(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; } 
#define H1(n, e) _Float16 __ocml_##n##_f16(_Float16 x) { return (_Float16)(e); }
H1(ceil, ceilf(x)) H1(floor, floorf(x)) H1(trunc, truncf(x)) H1(rint, rintf(x)) H1(fabs, fabsf(x)) H1(sqrt, sqrtf(x))
_Float16 __ocml_fma_f16(_Float16 a, _Float16 b, _Float16 c) { return (_Float16)fmaf(a, b, c); }
int __ocml_isnan_f16(_Float16 x) { return x != x; } int __ocml_isinf_f16(_Float16 x) { return std::isinf((float)x); } int __ocml_isnan_f32(float x) { return x != x; }
typedef _Float16 v2 __attribute__((ext_vector_type(2)));
#define H2(n, e) v2 __ocml_##n##_2f16(v2 p) { v2 r; for (int i = 0; i < 2; ++i) { float x = p[i]; r[i] = (_Float16)(e); } return r; }
H2(ceil, ceilf(x)) H2(floor, floorf(x)) H2(trunc, truncf(x)) H2(rint, rintf(x)) H2(fabs, fabsf(x))
v2 __ocml_fma_2f16(v2 a, v2 b, v2 c) { v2 r; for (int i = 0; i < 2; ++i) r[i] = (_Float16)fmaf(a[i], b[i], c[i]); return r; }
}
