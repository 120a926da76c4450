// Block- and warp-level CUB against plain sums.
#include <cub/cub.cuh>

#include <cstdio>

__global__ void reduce(const int* x, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Load = cub::BlockLoad<int, 128, 4>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } temp;
  __shared__ typename cub::WarpReduce<int>::TempStorage warp[4];
  int items[4], prefix[4], total;
  Load().Load(x, items);
  const int sum = Reduce(temp.reduce).Sum(items);
  __syncthreads();
  const int most = Reduce(temp.reduce).Reduce(items[3], cub::Max());
  __syncthreads();
  Scan(temp.scan).ExclusiveSum(items, prefix, total);
  const int w = cub::WarpReduce<int>(warp[threadIdx.x / 32]).Sum(1);
  int rank;
  cub::WarpScan<int, 8>::TempStorage none;
  cub::WarpScan<int, 8>(none).ExclusiveSum(1, rank);
  if (rank != int(threadIdx.x % 8)) atomicAdd(out + 4, 1);
  cub::BlockStore<int, 128, 4>().Store(out + 8, prefix);
  if (threadIdx.x == 0) out[0] = sum, out[1] = most, out[2] = total, out[3] = w;
}

int main() {
  int *x, *out, mistakes = 0, sum = 0;
  cudaMallocManaged(&x, 512 * sizeof(int));
  cudaMallocManaged(&out, 520 * sizeof(int));
  for (int i = 0; i < 512; ++i) x[i] = i * 7 % 31;
  out[4] = 0;
  reduce<<<1, 128>>>(x, out);
  cudaDeviceSynchronize();
  int most = 0;
  for (int i = 0; i < 512; ++i) {
    mistakes += out[8 + i] != sum;
    sum += x[i];
    if (i % 4 == 3 && x[i] > most) most = x[i];
  }
  mistakes += (out[0] != sum) + (out[1] != most) + (out[2] != sum) + (out[3] != 32) + out[4];
  printf("%d mistakes\n", mistakes);
  return mistakes != 0;
}
