// Prints numbers of cuRAND's device generators for test_random.py to compare.
#include <curand_kernel.h>

#include <cstdio>

template <class S>
__global__ void numbers(unsigned long long seed, unsigned long long sub, unsigned long long offset,
                        unsigned* bits, float* reals) {
  S s;
  curand_init(seed, sub, offset, &s);
  for (int i = 0; i < 8; ++i) bits[i] = curand(&s);
  reals[0] = curand_uniform(&s);
  reals[1] = curand_normal(&s);
  reals[2] = curand_normal(&s);
  reals[3] = float(curand_uniform_double(&s));
}
template <class S>
void print(const char* name, unsigned long long seed, unsigned long long sub, unsigned long long offset) {
  unsigned* bits;
  float* reals;
  cudaMallocManaged(&bits, 32);
  cudaMallocManaged(&reals, 16);
  numbers<S><<<1, 1>>>(seed, sub, offset, bits, reals);
  cudaDeviceSynchronize();
  printf("%s", name);
  for (int i = 0; i < 8; ++i) printf(" %u", bits[i]);
  for (int i = 0; i < 4; ++i) printf(" %.9g", reals[i]);
  printf("\n");
}
int main(int argc, char** argv) {
  if (argc < 4) return 1;
  const unsigned long long seed = strtoull(argv[1], nullptr, 10), sub = strtoull(argv[2], nullptr, 10),
                           offset = strtoull(argv[3], nullptr, 10);
  print<curandState>("xorwow", seed, sub, offset);
  print<curandStatePhilox4_32_10_t>("philox", seed, sub, offset);
  print<curandStateMRG32k3a_t>("mrg", seed, sub, offset);
  return 0;
}
