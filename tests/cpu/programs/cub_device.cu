#include <cub/cub.cuh>
#include <stdio.h>
#include <vector>
#include <algorithm>
#include <numeric>
#define CubDebugExit2(x) do { cudaError_t e_ = (x); if (e_) { printf("err %d\n", e_); exit(1);} } while(0)
struct CustomMin { template <typename T> __device__ __forceinline__ T operator()(const T &a, const T &b) const { return (b < a) ? b : a; } };
struct LessThan { int c; CUB_RUNTIME_FUNCTION __forceinline__ LessThan(int c) : c(c) {} __device__ bool operator()(const int &a) const { return a < c; } };
int main() {
  int n = 4096, bad = 0; std::vector<int> h(n); for (int i = 0; i < n; i++) h[i] = (i * 7919) % 1009;
  int *in, *out, *vin, *vout; cudaMalloc(&in, n*4); cudaMalloc(&out, n*4); cudaMalloc(&vin, n*4); cudaMalloc(&vout, n*4);
  cudaMemcpy(in, h.data(), n*4, cudaMemcpyHostToDevice); std::vector<int> r(n);
  void *d_temp_storage = NULL; size_t temp = 0;
  CubDebugExit(cub::DeviceReduce::Sum(d_temp_storage, temp, in, out, n)); cudaMalloc(&d_temp_storage, temp); CubDebugExit(cub::DeviceReduce::Sum(d_temp_storage, temp, in, out, n));
  cudaMemcpy(r.data(), out, 4, cudaMemcpyDeviceToHost); bad += r[0] != std::accumulate(h.begin(), h.end(), 0); cudaFree(d_temp_storage);
  CustomMin mn; d_temp_storage = nullptr; cub::DeviceReduce::Reduce(d_temp_storage, temp, in, out, n, mn, INT_MAX); cudaMalloc(&d_temp_storage, temp); cub::DeviceReduce::Reduce(d_temp_storage, temp, in, out, n, mn, INT_MAX); cudaMemcpy(r.data(), out, 4, cudaMemcpyDeviceToHost); bad += r[0] != 0; cudaFree(d_temp_storage);
  d_temp_storage = nullptr; cub::DeviceScan::ExclusiveSum(d_temp_storage, temp, in, out, n); cudaMalloc(&d_temp_storage, temp); cub::DeviceScan::ExclusiveSum(d_temp_storage, temp, in, out, n);
  cudaMemcpy(r.data(), out, n*4, cudaMemcpyDeviceToHost); int acc = 0; for (int i = 0; i < n; i++) { bad += r[i] != acc; acc += h[i]; } cudaFree(d_temp_storage);
  std::vector<int> v(n); std::iota(v.begin(), v.end(), 0); cudaMemcpy(vin, v.data(), n*4, cudaMemcpyHostToDevice);
  cub::DoubleBuffer<int> dk(in, out), dv(vin, vout); d_temp_storage = nullptr; cub::DeviceRadixSort::SortPairs(d_temp_storage, temp, dk, dv, n); cudaMalloc(&d_temp_storage, temp); cub::DeviceRadixSort::SortPairs(d_temp_storage, temp, dk, dv, n);
  cudaMemcpy(r.data(), dk.Current(), n*4, cudaMemcpyDeviceToHost); std::vector<int> s = h; std::sort(s.begin(), s.end()); bad += r != s; cudaFree(d_temp_storage);
  cudaMemcpy(in, h.data(), n*4, cudaMemcpyHostToDevice); int* cnt; cudaMalloc(&cnt, 4); LessThan op(500); d_temp_storage = nullptr; cub::DeviceSelect::If(d_temp_storage, temp, in, out, cnt, n, op); cudaMalloc(&d_temp_storage, temp); cub::DeviceSelect::If(d_temp_storage, temp, in, out, cnt, n, op);
  int c; cudaMemcpy(&c, cnt, 4, cudaMemcpyDeviceToHost); bad += c != std::count_if(h.begin(), h.end(), [](int a){return a<500;}); cudaFree(d_temp_storage);
  cub::KeyValuePair<int,int>* am; cudaMalloc(&am, sizeof *am); d_temp_storage = nullptr; cub::DeviceReduce::ArgMax(d_temp_storage, temp, in, am, n); cudaMalloc(&d_temp_storage, temp); cub::DeviceReduce::ArgMax(d_temp_storage, temp, in, am, n); cub::KeyValuePair<int,int> ha; cudaMemcpy(&ha, am, sizeof ha, cudaMemcpyDeviceToHost); bad += ha.value != 1008;
  int* hist; cudaMalloc(&hist, 10*4); d_temp_storage = nullptr; cub::DeviceHistogram::HistogramEven(d_temp_storage, temp, in, hist, 11, 0, 1010, n); cudaMalloc(&d_temp_storage, temp); cub::DeviceHistogram::HistogramEven(d_temp_storage, temp, in, hist, 11, 0, 1010, n); int hh[10]; cudaMemcpy(hh, hist, 40, cudaMemcpyDeviceToHost); bad += hh[0] != std::count_if(h.begin(), h.end(), [](int a){return a<101;});
  int off[3] = {0, 1000, 4096}; int* doff; cudaMalloc(&doff, 12); cudaMemcpy(doff, off, 12, cudaMemcpyHostToDevice); d_temp_storage = nullptr; cub::DeviceSegmentedReduce::Sum(d_temp_storage, temp, in, out, 2, doff, doff + 1); cudaMalloc(&d_temp_storage, temp); cub::DeviceSegmentedReduce::Sum(d_temp_storage, temp, in, out, 2, doff, doff + 1); cudaMemcpy(r.data(), out, 8, cudaMemcpyDeviceToHost); bad += r[0] != std::accumulate(h.begin(), h.begin()+1000, 0);
  printf("%s\n", bad ? "FAIL" : "PASS"); return bad;
}
