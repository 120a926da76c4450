// Result types of templates without typename.
#include <cuda_runtime.h>

template <class T>
struct matrix {
  using value = T;
  __device__ value get(int i) const;
  static value zero();
  T* data;
};
template <class T>
__device__ matrix<T>::value matrix<T>::get(int i) const {
  return data[i];
}
template <class T>
matrix<T>::value matrix<T>::zero() {
  return T(0);
}
__global__ void first(matrix<float> m, float* y) { *y = m.get(0); }
float zero() { return matrix<float>::zero(); }

template <typename map_type>
__global__ void lookup(map_type __restrict__ map, float* __restrict__ y) {
  y[threadIdx.x] = map.get(threadIdx.x);
}
void look(matrix<float> m, float* y) { lookup<<<1, 32>>>(m, y); }
int record(cudaEvent_t e, cudaStream_t s) {
  return cudaEventRecordWithFlags(e, s, cudaEventRecordDefault) == cudaSuccess;
}
