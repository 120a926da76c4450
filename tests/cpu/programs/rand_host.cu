#include <cstdio>
#include <cuda.h>
#include <curand.h>
#include <curand_kernel.h>
#define CURAND_CALL(x) do { if((x)!=CURAND_STATUS_SUCCESS) { printf("Error at %s:%d\n",__FILE__,__LINE__); return EXIT_FAILURE;}} while(0)
__global__ void setup_kernel(curandState *state) { int id = threadIdx.x + blockIdx.x * 64; curand_init(1234, id, 0, &state[id]); }
__global__ void pi(curandState *state, unsigned* hits, int n) { int id = threadIdx.x + blockIdx.x * 64; curandState s = state[id]; unsigned c = 0; for (int i = 0; i < n; i++) { float x = curand_uniform(&s), y = curand_uniform(&s); c += x*x+y*y <= 1.f; } state[id] = s; atomicAdd(hits, c); float2 g = curand_normal2(&s); (void)g; double dd = curand_uniform_double(&s) + curand_normal(&s) + curand_log_normal(&s, 0.f, 1.f); (void)dd; }
int main() {
  curandGenerator_t gen; const int n = 20000; float* d; double *dd; CURAND_CALL(curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_DEFAULT)); CURAND_CALL(curandSetPseudoRandomGeneratorSeed(gen, 1234ULL));
  cudaMalloc(&d, n*sizeof(float)); cudaMalloc(&dd, n*8); CURAND_CALL(curandGenerateUniform(gen, d, n)); CURAND_CALL(curandGenerateNormalDouble(gen, dd, n, 0.0, 1.0)); CURAND_CALL(curandGenerateNormal(gen, d, n, 1.f, 2.f)); CURAND_CALL(curandGenerateUniform(gen, d, n));
  float* h = new float[n]; cudaMemcpy(h, d, n*4, cudaMemcpyDeviceToHost); double s = 0; for (int i = 0; i < n; i++) s += h[i]; s /= n; CURAND_CALL(curandDestroyGenerator(gen));
  curandState* st; unsigned* hit; cudaMalloc((void **)&st, 256*sizeof(curandState)); cudaMallocManaged(&hit, 4); *hit = 0; setup_kernel<<<4, 64>>>(st); pi<<<4, 64>>>(st, hit, 200); cudaDeviceSynchronize();
  double p = 4.0 * *hit / (256*200); printf("%s\n", s > .49 && s < .51 && p > 3.1 && p < 3.2 ? "PASS" : "FAIL"); return 0;
}
