/* cuFFT's functions that the seam calls, in plain C by their documentation: one dimension, term by term, inverse
 * ones not divided. Plans are counted; a plan without the work area that it asked for refuses to run. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, OK = 0, INVALID_PLAN = 1, INVALID_VALUE = 4 };
static struct { int live, type, n, rows, in_step, out_step; void* area; } plans[MOST];
static int made, live, runs;
int fake_plans(void) { return live; }
int fake_made(void) { return made; }
int fake_runs(void) { return runs; }

static int known(int plan) { return plan > 0 && plan < MOST && plans[plan].live; }

int cufftCreate(int* plan) {
  if (made + 1 == MOST) return 2;
  *plan = ++made;
  plans[*plan].live = 1;
  ++live;
  return OK;
}
int cufftDestroy(int plan) {
  if (!known(plan)) return INVALID_PLAN;
  plans[plan].live = 0;
  --live;
  return OK;
}
int cufftSetAutoAllocation(int plan, int automatic) { return !known(plan) ? INVALID_PLAN : automatic ? INVALID_VALUE : OK; }
int cufftMakePlanMany(int plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, int type, int batch, size_t* area) {
  (void)istride;
  (void)ostride;
  if (!known(plan)) return INVALID_PLAN;
  if (rank != 1 || inembed != NULL || onembed != NULL || n[0] < 1 || batch < 1) return INVALID_VALUE;
  const int half = n[0] / 2 + 1, from_real = type == 0x2a || type == 0x6a, to_real = type == 0x2c || type == 0x6c;
  if (idist != (to_real ? half : n[0]) || odist != (from_real ? half : n[0])) return INVALID_VALUE;
  plans[plan].type = type, plans[plan].n = n[0], plans[plan].rows = batch;
  plans[plan].in_step = idist, plans[plan].out_step = odist;
  *area = 64;
  return OK;
}
int cufftSetWorkArea(int plan, void* area) {
  if (!known(plan) || area == NULL) return INVALID_PLAN;
  plans[plan].area = area;
  return OK;
}
int cufftSetStream(int plan, void* stream) {
  (void)stream;
  return known(plan) ? OK : INVALID_PLAN;
}

static double get(const void* p, int wide, int64_t i) { return wide ? ((const double*)p)[i] : ((const float*)p)[i]; }
static void put(void* p, int wide, int64_t i, double v) {
  if (wide) ((double*)p)[i] = v;
  else ((float*)p)[i] = (float)v;
}

static int run(int plan, int type, void* in, void* out, int direction) {
  if (!known(plan) || plans[plan].type != type || plans[plan].area == NULL) return INVALID_PLAN;
  if (direction != 1 && direction != -1) return INVALID_VALUE;
  memset(plans[plan].area, 0x5a, 64); /* it is the plan's to write to */
  plans[plan].area = NULL;            /* a call must hand one in again */
  ++runs;
  const int wide = type >= 0x60, n = plans[plan].n;
  const int from_real = type == 0x2a || type == 0x6a, to_real = type == 0x2c || type == 0x6c;
  for (int64_t row = 0; row < plans[plan].rows; ++row)
    for (int64_t k = 0; k < (from_real ? n / 2 + 1 : n); ++k) {
      double re = 0, im = 0;
      for (int64_t j = 0; j < n; ++j) {
        const int mirrored = to_real && j > n / 2;
        const int64_t at = row * plans[plan].in_step + (mirrored ? n - j : j);
        const double a = get(in, wide, from_real ? at : 2 * at);
        double b = from_real ? 0 : get(in, wide, 2 * at + 1);
        if (mirrored) b = -b;
        if (to_real && (j == 0 || 2 * j == n)) b = 0;
        const double angle = direction * 6.283185307179586 * (double)(j * k % n) / n;
        re += a * cos(angle) - b * sin(angle);
        im += a * sin(angle) + b * cos(angle);
      }
      const int64_t to = row * plans[plan].out_step + k;
      put(out, wide, to_real ? to : 2 * to, re);
      if (!to_real) put(out, wide, 2 * to + 1, im);
    }
  if (to_real) memset(in, 0, sizeof(float)); /* cuFFT may overwrite such an input */
  return OK;
}
int cufftExecC2C(int plan, void* in, void* out, int direction) { return run(plan, 0x29, in, out, direction); }
int cufftExecZ2Z(int plan, void* in, void* out, int direction) { return run(plan, 0x69, in, out, direction); }
int cufftExecR2C(int plan, void* in, void* out) { return run(plan, 0x2a, in, out, -1); }
int cufftExecC2R(int plan, void* in, void* out) { return run(plan, 0x2c, in, out, 1); }
int cufftExecD2Z(int plan, void* in, void* out) { return run(plan, 0x6a, in, out, -1); }
int cufftExecZ2D(int plan, void* in, void* out) { return run(plan, 0x6c, in, out, 1); }
