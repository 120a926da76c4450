// cudaLaunchKernelEx and clusters of one block.
#include <cstdio>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(1, 1, 1) clustered(int* y, int add) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;
  cluster.sync();
  int* other = cluster.map_shared_rank(s, cluster.block_rank());
  y[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x] + add + int(cluster.num_blocks());
}
int main(int argc, char** argv) {
  int* y;
  cudaMallocManaged(&y, 128 * sizeof(int));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute[2];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = argc > 1 ? 2 : 1;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[1].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attribute;
  config.numAttrs = 2;
  int bad = cudaLaunchKernelEx(&config, clustered, y, 10) != cudaSuccess;
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) bad += y[i] != 63 - i % 64 + 11;
  int add = 20;
  void* args[] = {&y, &add};
  bad += cudaLaunchKernelExC(&config, (void*)clustered, args) != cudaSuccess;
  cudaDeviceSynchronize();
  bad += y[5] != 58 + 21;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
