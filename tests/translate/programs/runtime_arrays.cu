// Arrays of run-time length with values, which nvcc takes from GCC: flat, in rows, in rows of cells.
#include <algorithm>
#include <cuda_runtime.h>
#include "common.cuh"

namespace runtime_arrays {
__global__ void twice(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

uint64_t tables(int least) {
  const int cases = 3, channels = 2;
  int sizes[cases] = {3, 5, 4};
  const int most = std::max(least, *std::max_element(sizes, sizes + cases));
  // GCC zeroes rows that are missing, but not what is missing of a row.
  float rows[cases][most] = {{1.0, 2.5, 3, 4, 5}, {1, 2, 3, 4, 5}};
  const double flat[most * 2] = {1, 2};
  unsigned char cells[cases][most][channels] = {{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}};
  int zeros[least]{};
  const char* names[least] = {"a", "bc"};
  float constant[cases * 2][channels] = {{1}, {2, 3}};
  std::vector<double> all;
  for (int i = 0; i < cases; ++i)
    for (int j = 0; j < most; ++j) {
      all.push_back(rows[i][j]);
      for (int c = 0; c < channels; ++c) all.push_back(cells[i][j][c]);
    }
  for (double v : flat) all.push_back(v);
  for (int v : zeros) all.push_back(v);
  for (auto& row : constant) all.push_back(row[0] + row[1]);
  all.push_back(double(std::strlen(names[0]) + std::strlen(names[1])));
  int values[least] = {5, 6, 7};
  std::vector<int> data = run_on_device(std::vector<int>(values, values + least), [=](int* p) {
    twice<<<1, 32>>>(p, least);
  });
  return mix(checksum(all), checksum(data));
}
}  // namespace runtime_arrays

int main() { return report("runtime_arrays", runtime_arrays::tables(4)); }
