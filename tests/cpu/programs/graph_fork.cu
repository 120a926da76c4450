#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <string>
#include <functional>
#include <memory>
namespace util { inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) { if (code != cudaSuccess) { std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << std::endl; if (abort) exit(code); } } }
#define gpuErrchk(ans) { util::gpuAssert((ans), __FILE__, __LINE__); }
template <typename F, typename... Args> __global__ void apply(F f, int n, Args... args) { for (int i = blockIdx.x*blockDim.x+threadIdx.x; i < n; i += gridDim.x*blockDim.x) f(i, args...); }
struct Deleter { void operator()(void* p) const { cudaFree(p); } };
template <class T> using dptr = std::unique_ptr<T[], Deleter>;
template <class T> dptr<T> alloc(size_t n) { T* p = nullptr; gpuErrchk(cudaMalloc(&p, n * sizeof(T))); return dptr<T>(p); }
static void CUDART_CB hostFn(void* data) { ++*static_cast<int*>(data); }
int main() {
  constexpr int n = 1000; auto a = alloc<float>(n); auto b = alloc<float>(n); std::vector<float> h(n, 1.f);
  cudaStream_t s[3]; for (auto& x : s) gpuErrchk(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
  cudaEvent_t fork, join; gpuErrchk(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming)); gpuErrchk(cudaEventCreate(&join));
  gpuErrchk(cudaMemcpyAsync(a.get(), h.data(), n*4, cudaMemcpyHostToDevice, s[0])); gpuErrchk(cudaMemsetAsync(b.get(), 0, n*4, s[0]));
  cudaGraph_t graph; cudaGraphExec_t exec; gpuErrchk(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
  gpuErrchk(cudaEventRecord(fork, s[0])); gpuErrchk(cudaStreamWaitEvent(s[1], fork, 0));
  auto add = [] __device__ (int i, float* p, float v) { p[i] += v; };
  apply<<<4, 128, 0, s[0]>>>(add, n, a.get(), 1.0f); apply<<<4, 128, 0, s[1]>>>(add, n, b.get(), 2.0f);
  gpuErrchk(cudaEventRecord(join, s[1])); gpuErrchk(cudaStreamWaitEvent(s[0], join, 0)); int called = 0; gpuErrchk(cudaLaunchHostFunc(s[0], hostFn, &called));
  gpuErrchk(cudaStreamEndCapture(s[0], &graph)); gpuErrchk(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0)); size_t nodes = 0; gpuErrchk(cudaGraphGetNodes(graph, nullptr, &nodes));
  for (int i = 0; i < 5; ++i) gpuErrchk(cudaGraphLaunch(exec, s[2])); gpuErrchk(cudaStreamSynchronize(s[2]));
  std::vector<float> ra(n), rb(n); gpuErrchk(cudaMemcpy(ra.data(), a.get(), n*4, cudaMemcpyDeviceToHost)); gpuErrchk(cudaMemcpy(rb.data(), b.get(), n*4, cudaMemcpyDeviceToHost));
  bool ok = ra[7] == 6.f && rb[999] == 10.f && called == 5; std::cout << (ok ? "PASS" : "FAIL") << " " << ra[7] << " " << rb[999] << " " << called << "\n";
  gpuErrchk(cudaGraphExecDestroy(exec)); gpuErrchk(cudaGraphDestroy(graph)); for (auto& x : s) gpuErrchk(cudaStreamDestroy(x)); return !ok;
}
