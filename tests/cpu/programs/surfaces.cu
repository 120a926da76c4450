#include <cstdio>
#include <cuda_runtime.h>
__global__ void copyKernel(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h) {
  unsigned x = blockIdx.x*blockDim.x+threadIdx.x, y = blockIdx.y*blockDim.y+threadIdx.y;
  if (x < w && y < h) { uchar4 data; surf2Dread(&data, in, x*4, y); data.x = 255 - data.x; surf2Dwrite(data, out, x*4, y); }
}
int main() {
  const int w = 32, h = 16; uchar4 hst[w*h], res[w*h]; for (int i=0;i<w*h;i++) hst[i] = make_uchar4(i&255, 1, 2, 3);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc(8,8,8,8,cudaChannelFormatKindUnsigned);
  cudaArray_t a, b; cudaMallocArray(&a, &desc, w, h, cudaArraySurfaceLoadStore); cudaMallocArray(&b, &desc, w, h, cudaArraySurfaceLoadStore);
  cudaMemcpyToArray(a, 0, 0, hst, sizeof hst, cudaMemcpyHostToDevice);
  struct cudaResourceDesc rd; memset(&rd, 0, sizeof(rd)); rd.resType = cudaResourceTypeArray;
  cudaSurfaceObject_t sa = 0, sb = 0; rd.res.array.array = a; cudaCreateSurfaceObject(&sa, &rd); rd.res.array.array = b; cudaCreateSurfaceObject(&sb, &rd);
  dim3 t(16,16), g((w+t.x-1)/t.x, (h+t.y-1)/t.y); copyKernel<<<g,t>>>(sa, sb, w, h);
  cudaMemcpy2DFromArray(res, w*4, b, 0, 0, w*4, h, cudaMemcpyDeviceToHost);
  int bad = 0; for (int i=0;i<w*h;i++) bad += res[i].x != 255-(i&255) || res[i].w != 3;
  cudaDestroySurfaceObject(sa); cudaDestroySurfaceObject(sb); cudaFreeArray(a); cudaFreeArray(b);
  printf("%s\n", bad ? "FAIL":"PASS"); return bad != 0;
}
