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
