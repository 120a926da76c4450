// The program's own operators on float2, float3, float4.
#include <cuda_runtime.h>
#include "common.cuh"

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float4 operator*(float4 a, float s) {
  return make_float4(a.x * s, a.y * s, a.z * s, a.w * s);
}
inline __host__ __device__ float2 operator-(const float2& a, const float2& b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__global__ void work(float* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 a = make_float3(p[i], 1, 2), b = make_float3(3, 4, 5);
  float4 c = make_float4(1, 2, 3, p[i]) * 2.0f;
  float2 d = make_float2(p[i], 2) - make_float2(1, 1);
  p[i] = (a + b).x + dot(c, c) + d.x;
}

int main() {
  auto out = run_on_device(numbers<float>(256), [](float* p) { work<<<2, 128>>>(p); });
  return report("vector_operators", checksum(out));
}
