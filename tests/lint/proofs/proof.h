// What the proofs share: numbers go in, a kernel runs, and what comes out is compared.
#pragma once
#include <hip/hip_runtime.h>
#include <cstdio>

// Runs `launch(x, y)` on n values `input(i)` and compares y with `expected(i)`.
// Returns 0 when all agree, 1 when some do not, 2 when the launch fails.
template <class Input, class Expected, class Launch>
int proof(int n, Input input, Expected expected, Launch launch) {
  int *x, *y, *host = new int[n], wrong = 0;
  const size_t bytes = n * sizeof(int);
  for (int i = 0; i < n; ++i) host[i] = input(i);
  if (hipMalloc(&x, bytes) != hipSuccess || hipMalloc(&y, bytes) != hipSuccess) return 2;
  (void)hipMemcpy(x, host, bytes, hipMemcpyHostToDevice);
  (void)hipMemset(y, 0, bytes);
  launch(x, y);
  if (hipGetLastError() != hipSuccess || hipDeviceSynchronize() != hipSuccess) return 2;
  (void)hipMemcpy(host, y, bytes, hipMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += host[i] != expected(i);
  std::printf("%d of %d values are wrong\n", wrong, n);
  delete[] host;
  (void)hipFree(x);
  (void)hipFree(y);
  return wrong ? 1 : 0;
}

inline int number(int i) { return i; }
inline int one(int) { return 1; }
