// Accesses outside of memory, before it is written, after it is freed, or not aligned.
#include "bugs.h"

// The neighbour of the last thread does not exist.
template <bool BUG>
__global__ void shared_off_by_one(const int* x, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const bool edge = !BUG && threadIdx.x == 63;
  out[threadIdx.x] = edge ? 0 : s[threadIdx.x + 1] - s[threadIdx.x];  // PG4034
}
PLANT(shared_off_by_one) {
  int *x, *out;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = 3 * i;
  shared_off_by_one<BUG><<<1, 64>>>(x, out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 3 && out[63] == 0;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// The halo on the left is one cell short.
template <bool BUG>
__global__ void shared_before(int* out) {
  __shared__ int s[34];
  const int i = threadIdx.x;
  s[i + 1] = i;
  if (i < 2) s[i * 33] = -1;
  __syncthreads();
  const int left = BUG ? i - 1 : i;
  out[i] = s[left] + s[i + 2];  // PG4034
}
PLANT(shared_before) {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  shared_before<BUG><<<1, 32>>>(out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 0 && out[5] == 10;
  cudaFree(out);
  return ok;
}

// Less dynamic shared memory than the kernel uses.
template <bool BUG>
__global__ void dynamic_overrun(float* out) {
  extern __shared__ float s[];
  s[threadIdx.x] = float(threadIdx.x);  // PG4030
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
PLANT(dynamic_overrun) {
  float* out;
  cudaMallocManaged(&out, 64 * sizeof(float));
  dynamic_overrun<BUG><<<1, 64, (BUG ? 63 : 64) * sizeof(float)>>>(out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 63.0f;
  cudaFree(out);
  return ok;
}

// `<=` for `<`.
template <bool BUG>
__global__ void global_off_by_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BUG ? i <= n : i < n) x[i] = 1.0f;  // PG4032
}
PLANT(global_off_by_one) {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  global_off_by_one<BUG><<<5, 256>>>(x, 1024);
  float last;
  cudaMemcpy(&last, x + 1023, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(x);
  return last == 1.0f;
}

// The same past the end by a few bytes, inside of the allocation's last page.
template <bool BUG>
__global__ void global_slack(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + (BUG || i + 1 < n ? x[i + 1] : 0.0f);  // PG4031
}
PLANT(global_slack) {
  float *x, *out, h[100];
  for (float& v : h) v = 1.0f;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  global_slack<BUG><<<1, 128>>>(x, out, 100);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(out);
  return h[0] == 2.0f && h[99] == 1.0f;
}

template <bool BUG>
__global__ void use_after_free(int* x) {
  x[threadIdx.x] = 1;  // PG4032
}
PLANT(use_after_free) {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  if (BUG) cudaFree(x);
  use_after_free<BUG><<<1, 64>>>(x);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(x);
  return ok;
}

// The allocation failed, or was forgotten.
template <bool BUG>
__global__ void null_pointer(int* x) {
  x[threadIdx.x] = 1;  // PG4032
}
PLANT(null_pointer) {
  int* x = nullptr;
  if (!BUG) cudaMalloc(&x, 64 * sizeof(int));
  null_pointer<BUG><<<1, 64>>>(x);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(x);
  return ok;
}

// A pointer to a variable of the host.
template <bool BUG>
__global__ void host_pointer(const int* limit, int* out) {
  out[threadIdx.x] = int(threadIdx.x) < *limit;  // PG4036
}
PLANT(host_pointer) {
  int limit = 7, *device, *out;
  cudaMalloc(&device, sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMemcpy(device, &limit, sizeof limit, cudaMemcpyHostToDevice);
  host_pointer<BUG><<<1, 64>>>(BUG ? &limit : device, out);
  cudaDeviceSynchronize();
  const bool ok = out[6] == 1 && out[7] == 0;
  cudaFree(device);
  cudaFree(out);
  return ok;
}

// The last threads write nothing, but all is read.
template <bool BUG>
__global__ void uninitialised_shared(const int* x, int* out, int n) {
  __shared__ int s[64];
  if (threadIdx.x < n) s[threadIdx.x] = x[threadIdx.x];
  else if (!BUG) s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];  // PG4035
    *out = sum;
  }
}
PLANT(uninitialised_shared) {
  int *x, *out;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = 1;
  uninitialised_shared<BUG><<<1, 64>>>(x, out, 50);
  cudaDeviceSynchronize();
  const bool ok = *out == 50;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// Nobody set the counters to zero.
template <bool BUG>
__global__ void uninitialised_global(int* count) {
  atomicAdd(&count[threadIdx.x % 4], 1);  // PG4037
}
PLANT(uninitialised_global) {
  int *count, h[4];
  cudaMalloc(&count, sizeof h);
  if (!BUG) cudaMemset(count, 0, sizeof h);
  uninitialised_global<BUG><<<1, 64>>>(count);
  cudaMemcpy(h, count, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(count);
  return h[0] == 16 && h[3] == 16;
}

// float4 from an address that is a multiple of 4 only.
template <bool BUG>
__global__ void misaligned(const float* x, float* out) {
  const float4 v = *reinterpret_cast<const float4*>(x + (BUG ? 1 : 4));  // PG4033
  out[0] = v.x + v.y + v.z + v.w;
}
PLANT(misaligned) {
  float *x, *out;
  cudaMallocManaged(&x, 64 * sizeof(float));
  cudaMallocManaged(&out, sizeof(float));
  for (int i = 0; i < 64; ++i) x[i] = float(i);
  misaligned<BUG><<<1, 1>>>(x, out);
  cudaDeviceSynchronize();
  const bool ok = *out == 22.0f;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// Vector loads do not stop at the end of the row.
template <bool BUG>
__global__ void vector_tail(const float* x, float* out, int n) {
  float sum = 0;
  const int vectors = BUG ? (n + 3) / 4 : n / 4;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];  // PG4031
    sum += v.x + v.y + v.z + v.w;
  }
  if (!BUG && threadIdx.x < n % 4) sum += x[n / 4 * 4 + threadIdx.x];
  atomicAdd(out, sum);
}
PLANT(vector_tail) {
  float *x, *out, h[102], sum = 0;
  for (float& v : h) v = 1.0f;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&out, sizeof sum);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(out, &sum, sizeof sum, cudaMemcpyHostToDevice);
  vector_tail<BUG><<<1, 32>>>(x, out, 102);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(out);
  return sum == 102.0f;
}

// Each call needs a thousand bytes of stack.
__device__ int deep(int n, volatile char* above) {  // PG4014
  volatile char here[1000];  // PG4014
  here[n % 1000] = above ? above[0] : 0;  // PG4014
  return n == 0 ? here[0] : deep(n - 1, here) + here[n % 1000];  // PG4014
}
template <bool BUG>
__global__ void stack_overflow(int* out) {
  *out = deep(BUG ? 100000 : 10, nullptr);
}
PLANT(stack_overflow) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  stack_overflow<BUG><<<1, 1>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return true;
}
