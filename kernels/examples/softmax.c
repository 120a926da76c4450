/* Row sums and a softmax from C99. Memory and workspaces come from the caching allocator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "portgpu_ops.h"

static int check(int status, const char* what) {
  if (status != PG_OK) fprintf(stderr, "%s: status %d: %s\n", what, status, pg_last_error());
  return status;
}

int main(void) {
  const int64_t shape[2] = {2, 3}, rows[1] = {2};
  const float host[6] = {1, 2, 3, 4, 5, 6};
  float sums[2], soft[6];
  void *x, *y, *z, *workspace = NULL;
  size_t bytes = 0;
  const int32_t axes[1] = {1};
  int count = 0;

  if (check(pg_device_count(&count), "pg_device_count") || count == 0) return 1;
  if (check(pg_alloc(&x, sizeof host, PG_MEMORY_DEVICE, NULL), "pg_alloc")) return 1;
  if (check(pg_alloc(&y, sizeof sums, PG_MEMORY_DEVICE, NULL), "pg_alloc")) return 1;
  if (check(pg_alloc(&z, sizeof soft, PG_MEMORY_DEVICE, NULL), "pg_alloc")) return 1;
  if (check(pg_memcpy(x, host, sizeof host, PG_COPY_H2D, NULL), "pg_memcpy")) return 1;

  pg_tensor in = {x, PG_F32, 2, shape, NULL};
  pg_tensor out = {y, PG_F32, 1, rows, NULL};
  pg_tensor same = {z, PG_F32, 2, shape, NULL};
  if (check(pg_sum_workspace(&in, &out, axes, 1, &bytes), "pg_sum_workspace")) return 1;
  if (bytes && check(pg_alloc(&workspace, bytes, PG_MEMORY_DEVICE, NULL), "pg_alloc")) return 1;
  if (check(pg_sum(&in, &out, axes, 1, workspace, bytes, NULL), "pg_sum")) return 1;
  pg_release(workspace, NULL);
  workspace = NULL;
  if (check(pg_softmax_workspace(&in, &same, -1, &bytes), "pg_softmax_workspace")) return 1;
  if (bytes && check(pg_alloc(&workspace, bytes, PG_MEMORY_DEVICE, NULL), "pg_alloc")) return 1;
  if (check(pg_softmax(&in, &same, -1, workspace, bytes, NULL), "pg_softmax")) return 1;
  if (check(pg_memcpy(sums, y, sizeof sums, PG_COPY_D2H, NULL), "pg_memcpy")) return 1;
  if (check(pg_memcpy(soft, z, sizeof soft, PG_COPY_D2H, NULL), "pg_memcpy")) return 1;
  if (check(pg_stream_synchronize(NULL), "pg_stream_synchronize")) return 1;
  printf("%s %g %g %.6f\n", pg_target(), sums[0], sums[1], soft[0]);

  /* Bad input: a status and a sentence, nothing written. */
  if (pg_softmax(&in, &same, 5, workspace, bytes, NULL) != PG_ERR_AXIS) return 2;
  printf("%s\n", pg_last_error());
  pg_release(workspace, NULL);
  pg_release(x, NULL);
  pg_release(y, NULL);
  pg_release(z, NULL);
  return 0;
}
