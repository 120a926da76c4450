// Shared by the programs: error checks, a checksum that does not depend on the order of threads.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t status_ = (call);                                                \
    if (status_ != cudaSuccess) {                                                \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

inline uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h;
}

template <class T>
uint64_t checksum(const std::vector<T>& data) {
  uint64_t h = 1469598103934665603ull;
  for (const T& item : data) {
    uint64_t bits = 0;
    std::memcpy(&bits, &item, sizeof(T) < 8 ? sizeof(T) : 8);
    h = mix(h, bits);
  }
  return h;
}

inline int report(const char* name, uint64_t sum) {
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(sum));
  return 0;
}

// Runs `fill(host)` into device memory, `launch(device)`, and gives the result back.
template <class T, class Launch>
std::vector<T> run_on_device(std::vector<T> host, Launch launch) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  launch(device);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return host;
}

template <class T = int>
std::vector<T> numbers(int n) {
  std::vector<T> v(n);
  uint32_t x = 12345;
  for (auto& item : v) {
    x = x * 1664525u + 1013904223u;
    item = static_cast<T>((x >> 16) % 1000);
  }
  return v;
}
