// Launches with template arguments and commas.
#include <cuda_runtime.h>
#include "common.cuh"

template <int A, int B, class T>
__global__ void work(T* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = p[i] * A + B;
}
template <class A, class B> struct pair_of { enum { size = sizeof(A) + sizeof(B) }; };

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { 
    work<256, 4><<<2, 128>>>(p);
    work<3, pair_of<int, char>::size, int><<<dim3(2, 1, 1), dim3(128), 0, 0>>>(p);
    (work<1, 2, int>)<<<2, pair_of<int, int>::size * 16>>>(p); });
  return report("template_launch", checksum(out));
}
