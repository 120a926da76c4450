// A mark of byte order in front; a kernel with the name of a host function; Thrust's min and max.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
struct Image { float* d; int n; };
double scale(Image& from, Image& to, float v);
__global__ void scale(float* d, int n) { d[threadIdx.x] *= thrust::min(n, thrust::max(2, 1)); }
double scale(Image& from, Image& to, float) { scale<<<1, to.n>>>(to.d, from.n); return 1; }
__global__ void add(float* d) { d[0] += 1; }
__global__ void add(float* d, double x) { d[0] += x; }
int main() {
  float* d; cudaMallocManaged(&d, 16); for (int i = 0; i < 4; i++) d[i] = i + 1;
  Image a{d, 3}, b{d, 4}; const double one = scale(a, b, 1.f); add<<<1, 1>>>(d); add<<<1, 1>>>(d, 2);
  cudaDeviceSynchronize(); const bool good = one == 1 && d[0] == 5 && d[3] == 8;
  std::cout << (good ? "PASS" : "FAIL") << std::endl; cudaFree(d); return !good;
}
