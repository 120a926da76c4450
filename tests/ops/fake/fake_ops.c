/* A tiny op library in plain C for tests of the test runner: add and sum for f32, and copies of
 * `add` that each break one promise. Compiled with -DFAKE_... to break library-wide ones. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pg_ops_abi.h"

#ifndef FAKE_TARGET
#define FAKE_TARGET "cpu"
#endif
#ifndef FAKE_ARCHS
#define FAKE_ARCHS "cpu"
#endif
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 1
#endif
#ifndef FAKE_DEVICE_ARCH
#define FAKE_DEVICE_ARCH "cpu"
#endif
#ifndef FAKE_ABI
#define FAKE_ABI PG_ABI_VERSION
#endif

static char message[512];

static int fail(int status, const char* text) {
  snprintf(message, sizeof message, "%s", text);
  return status;
}

const char* pg_last_error(void) { return message; }
int pg_abi_version(void) { return FAKE_ABI; }
const char* pg_version(void) { return "0.0"; }
const char* pg_target(void) { return FAKE_TARGET; }
const char* pg_built_archs(void) { return FAKE_ARCHS; }
const char* pg_built_types(void) { return "core"; }
int pg_device_count(int* count) { *count = FAKE_DEVICES; return 0; }

/* Several devices: work on memory of pg_alloc must be done with its device as the current one. */
static _Thread_local int current;
static struct { char* data; size_t bytes; int device; } owned[256];
int pg_set_device(int device) {
  if (device < 0 || device >= FAKE_DEVICES) return fail(PG_ERR_DEVICE, "fake: there is no such device");
  current = device;
  return 0;
}
int pg_get_device(int* device) { *device = current; return 0; }
static int elsewhere(const void* data) {
  for (int i = 0; i < 256; ++i)
    if (owned[i].data && (const char*)data >= owned[i].data && (const char*)data < owned[i].data + owned[i].bytes)
      return owned[i].device != current;
  return 0;
}
int pg_device_info(int device, pg_device_props* p) {
  (void)device;
  memset(p, 0, sizeof *p);
  strcpy(p->name, "fake device");
  strcpy(p->arch, FAKE_DEVICE_ARCH);
  const char* width = getenv("PORTGPU_WARP_SIZE");
  p->warp_size = width ? atoi(width) : 32;
  return 0;
}
int pg_malloc(void** data, size_t bytes) {
  *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *data ? 0 : fail(PG_ERR_DEVICE, "out of memory on the fake device");
}
int pg_free(void* data) { free(data); return 0; }
int pg_memcpy(void* dst, const void* src, size_t n, int kind, void* stream) {
  (void)stream;
  if (elsewhere(kind == PG_COPY_D2H ? src : dst)) return fail(PG_ERR_DEVICE, "fake: a copy beside another device's work");
  memcpy(dst, src, n);
  return 0;
}
int pg_memset(void* dst, int byte, size_t n, void* stream) {
  (void)stream;
  memset(dst, byte, n);
  return 0;
}
int pg_alloc(void** data, size_t bytes, int kind, void* stream) {
  (void)kind; (void)stream;
  const int status = pg_malloc(data, bytes ? bytes : 1);
  for (int i = 0; !status && i < 256; ++i)
    if (!owned[i].data) {
      owned[i].data = *data, owned[i].bytes = bytes ? bytes : 1, owned[i].device = current;
      break;
    }
  return status;
}
int pg_release(void* data, void* stream) {
  (void)stream;
  for (int i = 0; i < 256; ++i)
    if (owned[i].data == data) owned[i].data = NULL;
  free(data);
  return 0;
}
int pg_memory_info(pg_memory_stats* stats) { memset(stats, 0, sizeof *stats); return 0; }
int pg_memory_trim(size_t keep) { (void)keep; return 0; }
int pg_memory_limit(size_t bytes) { (void)bytes; return 0; }
int pg_prefetch(const void* data, size_t bytes, int device, void* stream) {
  (void)data; (void)bytes; (void)device; (void)stream;
  return 0;
}
int pg_stream_wait_event(void* stream, void* event) { (void)stream; (void)event; return 0; }
int pg_stream_capturing(void* stream, int* yes) { (void)stream; *yes = 0; return 0; }
int pg_stream_host_call(void* stream, void (*f)(void*), void* data) { (void)stream; f(data); return 0; }
int pg_set_library(const char* kind, const char* path) { (void)kind; (void)path; return 0; }
int pg_event_create(void** event) { *event = malloc(1); return 0; }
int pg_event_destroy(void* event) { free(event); return 0; }
int pg_event_record(void* event, void* stream) { (void)event; (void)stream; return 0; }
int pg_event_synchronize(void* event) { (void)event; return 0; }
int pg_event_query(void* event, int* done) { (void)event; *done = 1; return 0; }
int pg_event_elapsed_ms(void* a, void* b, float* ms) { (void)a; (void)b; *ms = 0; return 0; }
int pg_graph_begin(void* stream, void** graph) {
  (void)stream;
  *graph = NULL;
  return fail(PG_ERR_UNSUPPORTED, "fake: no graphs");
}
int pg_graph_end(void* graph) { (void)graph; return 0; }
int pg_graph_launch(void* graph, void* stream) { (void)graph; (void)stream; return 0; }
int pg_graph_destroy(void* graph) { (void)graph; return 0; }
int pg_stream_create(void** stream) { *stream = malloc(1); return 0; }
int pg_stream_destroy(void* stream) { free(stream); return 0; }
int pg_stream_synchronize(void* stream) { (void)stream; return 0; }

static int64_t count(const pg_tensor* t) {
  int64_t n = 1;
  for (int d = 0; d < t->ndim; ++d) n *= t->shape[d];
  return n;
}

/* Element offset of the i-th element in C order of `shape`, in tensor t that broadcasts to it. */
static int64_t offset(const pg_tensor* t, const pg_tensor* like, int64_t i) {
  int64_t at = 0, step = 1;
  for (int d = like->ndim - 1, own = t->ndim - 1; d >= 0; --d, --own) {
    const int64_t place = i % like->shape[d];
    i /= like->shape[d];
    if (own < 0) continue;
    const int64_t stride = t->strides ? t->strides[own] : step;
    if (t->shape[own] != 1) at += place * stride;
    step *= t->shape[own];
  }
  return at;
}

static int check(const pg_tensor* t, int output) {
  if (!t) return fail(PG_ERR_NULL, "fake: a tensor is NULL");
  if (t->ndim < 0 || t->ndim > PG_MAX_NDIM) return fail(PG_ERR_SHAPE, "fake: bad rank of a tensor");
  if (t->ndim && !t->shape) return fail(PG_ERR_NULL, "fake: a shape is NULL");
  if (t->dtype != PG_F32) return fail(PG_ERR_DTYPE, "fake: only f32 is supported");
  int64_t n = 1;
  for (int d = 0; d < t->ndim; ++d) {
    if (t->shape[d] < 0) return fail(PG_ERR_SHAPE, "fake: an extent is negative");
    if (t->shape[d] > 1 && n > INT64_MAX / 16 / t->shape[d])
      return fail(PG_ERR_SIZE, "fake: too many elements in a tensor");
    n *= t->shape[d];
    if (output && t->shape[d] > 1 && t->strides && t->strides[d] == 0)
      return fail(PG_ERR_STRIDE, "fake: the output overlaps itself");
  }
  if (n && elsewhere(t->data)) return fail(PG_ERR_DEVICE, "fake: memory of a device that is not the current one");
  if (n && !t->data) return fail(PG_ERR_NULL, "fake: a data pointer is NULL");
  if ((uintptr_t)t->data % 4) return fail(PG_ERR_STRIDE, "fake: data is not aligned");
  return 0;
}

static int fits(const pg_tensor* t, const pg_tensor* out) {
  if (t->ndim > out->ndim) return 0;
  for (int d = 1; d <= t->ndim; ++d)
    if (t->shape[t->ndim - d] != 1 && t->shape[t->ndim - d] != out->shape[out->ndim - d]) return 0;
  return 1;
}

static int check_add(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out) {
  int status = check(a, 0);
  if (!status) status = check(b, 0);
  if (!status) status = check(out, 1);
  if (!status && (!fits(a, out) || !fits(b, out)))
    status = fail(PG_ERR_SHAPE, "fake: shapes do not broadcast");
  if (!status && count(out) && a->data != out->data && a->ndim == 2) {
    const char* lo = a->data;
    const char* at = out->data;
    if (at > lo && at < lo + 4) status = PG_OK;
    if (at == lo + 4) status = fail(PG_ERR_ALIAS, "fake: the output overlaps an input");
  }
  return status;
}

static void add(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out) {
  const int64_t n = count(out);
  for (int64_t i = 0; i < n; ++i)
    ((float*)out->data)[offset(out, out, i)] =
        ((const float*)a->data)[offset(a, out, i)] + ((const float*)b->data)[offset(b, out, i)];
}

#define ADD(name) \
  int pg_##name(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out, void* stream)
#define BEGIN                            \
  (void)stream;                          \
  const int bad = check_add(a, b, out);  \
  if (bad) return bad;                   \
  add(a, b, out);                        \
  const int64_t n = count(out);          \
  float* r = (float*)out->data;          \
  (void)n; (void)r

ADD(add) { BEGIN; return 0; }
ADD(add_wrong) { BEGIN; if (n == 33) r[32] += 1; return 0; }
ADD(add_rounding) { BEGIN; if (n == 33) r[7] = nextafterf(r[7], INFINITY); return 0; }
ADD(add_beyond) { BEGIN; if (n == 33) r[33] = 0; return 0; }
ADD(add_before) { BEGIN; if (n == 33) r[-1] = 0; return 0; }
ADD(add_input) { BEGIN; if (n == 33) ((float*)a->data)[3] = 9; return 0; }
ADD(add_crash) { BEGIN; if (n == 33) raise(SIGSEGV); return 0; }
ADD(add_abort) { BEGIN; if (n == 33) { fputs("the emulator gives up\n", stderr); abort(); } return 0; }
ADD(add_hang) { BEGIN; if (n == 33) sleep(600); return 0; }
ADD(add_lost) { BEGIN; if (n == 33) return fail(PG_ERR_DEVICE, "fake: illegal address"); return 0; }
ADD(add_refuses) { BEGIN; if (n == 33) return fail(PG_ERR_SIZE, "fake: 33 is too many"); return 0; }
ADD(add_lenient) { (void)stream; if (!a || !b || !out) return PG_ERR_NULL; return 0; }
ADD(add_writes) {
  const int bad = check_add(a, b, out);
  (void)stream;
  if (bad == PG_ERR_SHAPE && out && out->data && out->ndim == 2) *(float*)out->data = 1;
  if (bad) return bad;
  add(a, b, out);
  return 0;
}
ADD(add_flaky) {
  static int turn;
  BEGIN;
  if (n > 1000 && ++turn % 2) r[5] = nextafterf(r[5], INFINITY);
  return 0;
}

static int check_sum(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes,
                     char* gone) {
  int status = check(x, 0);
  if (!status) status = check(out, 1);
  if (status) return status;
  memset(gone, naxes == 0, PG_MAX_NDIM);
  for (int i = 0; i < naxes; ++i) {
    const int axis = axes[i] < 0 ? axes[i] + x->ndim : axes[i];
    if (axis < 0 || axis >= x->ndim) return fail(PG_ERR_AXIS, "fake: axis out of range");
    if (gone[axis]) return fail(PG_ERR_AXIS, "fake: axis given twice");
    gone[axis] = 1;
  }
  int kept = 0;
  for (int d = 0; d < x->ndim; ++d) kept += !gone[d];
  if (out->ndim != kept && out->ndim != x->ndim) return fail(PG_ERR_SHAPE, "fake: rank of the sum");
  for (int d = 0, o = 0; d < x->ndim; ++d) {
    const int64_t want = gone[d] ? 1 : x->shape[d];
    if (gone[d] && out->ndim != x->ndim) continue;
    if (out->shape[o++] != want) return fail(PG_ERR_SHAPE, "fake: shape of the sum");
  }
  if (out->data == (char*)x->data + 4) return fail(PG_ERR_ALIAS, "fake: the output overlaps an input");
  return 0;
}

int pg_sum_workspace(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes,
                     size_t* bytes) {
  char gone[PG_MAX_NDIM];
  const int bad = check_sum(x, out, axes, naxes, gone);
  if (bad) return bad;
  *bytes = 8;
  return 0;
}

int pg_sum(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes,
           void* workspace, size_t bytes, void* stream) {
  char gone[PG_MAX_NDIM];
  (void)stream;
  const int bad = check_sum(x, out, axes, naxes, gone);
  if (bad) return bad;
  if (!workspace || bytes < 8) return fail(PG_ERR_WORKSPACE, "fake: the workspace is too small");
  if ((uintptr_t)workspace % 16) return fail(PG_ERR_WORKSPACE, "fake: the workspace is misaligned");
  const int64_t n = count(out), m = count(x);
  double* sums = calloc((size_t)n + 1, sizeof(double));
  for (int64_t j = 0; j < m; ++j) {
    int64_t rest = j, at = 0, place = 1;
    for (int d = x->ndim - 1; d >= 0; --d) {
      if (!gone[d]) { at += rest % x->shape[d] * place; place *= x->shape[d]; }
      rest /= x->shape[d];
    }
    sums[at] += ((const float*)x->data)[offset(x, x, j)];
  }
  for (int64_t i = 0; i < n; ++i) ((float*)out->data)[offset(out, out, i)] = (float)sums[i];
  free(sums);
  return 0;
}
