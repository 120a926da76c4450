// Misaligned vectors through the dialect: `vectors KIND OFFSET`.
#include <cstdlib>
#include <cstring>

#include "portgpu.h"

__global__ void load(const float* x, float* y) { y[0] = pg::load_vec<4>(x)[3]; }  // load
__global__ void store(float* y) { pg::store_vec<2>(y, pg::vec<float, 2>{{1, 2}}); }  // store
__global__ void streaming(const float* x, float* y) { y[0] = pg::load_vec_streaming<4>(x)[0]; }  // streaming
__global__ void copy(const float* x, float* y) {
  __shared__ float s[8];
  pg::async_copy<16>(static_cast<void*>(s), static_cast<const void*>(x));  // copy
  pg::async_commit();
  pg::async_wait<0>();
  pg::syncblock();
  y[0] = s[0];
}

int main(int, char** argv) {
  void *a, *b;
  if (pg::malloc_managed(&a, 64) || pg::malloc_managed(&b, 64)) return 2;
  float *x = static_cast<float*>(a), *y = static_cast<float*>(b);
  for (int i = 0; i < 16; ++i) x[i] = i;
  x += atoi(argv[2]);
  int status = 3;
  if (!strcmp(argv[1], "load")) status = PG_LAUNCH(load, 1, 1, 0, nullptr, x, y);
  if (!strcmp(argv[1], "store")) status = PG_LAUNCH(store, 1, 1, 0, nullptr, x);
  if (!strcmp(argv[1], "streaming")) status = PG_LAUNCH(streaming, 1, 1, 0, nullptr, x, y);
  if (!strcmp(argv[1], "copy")) status = PG_LAUNCH(copy, 1, 1, 0, nullptr, x, y);
  return status | pg::device_synchronize();
}
