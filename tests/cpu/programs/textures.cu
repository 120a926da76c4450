#include <iostream>
#include <cmath>
#include <cstring>
#include <cuda_runtime.h>
using namespace std;
__global__ void transformKernel(float *out, int width, int height, float theta, cudaTextureObject_t tex) {
  unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (float)x - (float)width / 2, v = (float)y - (float)height / 2;
  float tu = u * cosf(theta) - v * sinf(theta), tv = v * cosf(theta) + u * sinf(theta);
  tu /= (float)width; tv /= (float)height;
  out[y * width + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}
__global__ void fetch1d(float* out, cudaTextureObject_t t, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1Dfetch<float>(t, n - 1 - i); }
__global__ void fetch4(uchar4* out, cudaTextureObject_t t, int w) { int x = threadIdx.x, y = blockIdx.x; out[y*w+x] = tex2D<uchar4>(t, x + 0.5f, y + 0.5f); }
__global__ void vol(float* out, cudaTextureObject_t t, int n) { int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z; out[(z*n+y)*n+x] = tex3D<float>(t, x+0.5f, y+0.5f, z+0.5f); }
int main() {
  const int W = 64, H = 32; float h[W*H], o[W*H]; for (int i = 0; i < W*H; ++i) h[i] = i % 17;
  cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray *cuArray; cudaMallocArray(&cuArray, &channelDesc, W, H);
  cudaMemcpy2DToArray(cuArray, 0, 0, h, W*sizeof(float), W*sizeof(float), H, cudaMemcpyHostToDevice);
  cudaResourceDesc texRes; memset(&texRes, 0, sizeof(cudaResourceDesc));
  texRes.resType = cudaResourceTypeArray; texRes.res.array.array = cuArray;
  cudaTextureDesc texDescr; memset(&texDescr, 0, sizeof(cudaTextureDesc));
  texDescr.normalizedCoords = true; texDescr.filterMode = cudaFilterModeLinear;
  texDescr.addressMode[0] = cudaAddressModeWrap; texDescr.addressMode[1] = cudaAddressModeWrap; texDescr.readMode = cudaReadModeElementType;
  cudaTextureObject_t tex = 0; cudaCreateTextureObject(&tex, &texRes, &texDescr, NULL);
  float* d; cudaMalloc(&d, sizeof h);
  transformKernel<<<dim3((W+7)/8, (H+7)/8), dim3(8, 8)>>>(d, W, H, 0.0f, tex);
  cudaMemcpy(o, d, sizeof o, cudaMemcpyDeviceToHost); int bad = 0;
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) { int x1=(x+W-1)%W, y1=(y+H-1)%H; float want = 0.25f*(h[y*W+x]+h[y*W+x1]+h[y1*W+x]+h[y1*W+x1]); if (fabs(o[y*W+x]-want) > 0.1f) bad++; }
  cudaDestroyTextureObject(tex); cudaFreeArray(cuArray);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); float* e; cudaMalloc(&e, 64*4);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = d; r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = sizeof h;
  cudaTextureDesc td = {}; td.readMode = cudaReadModeElementType; cudaTextureObject_t t1; cudaCreateTextureObject(&t1, &r, &td, nullptr);
  fetch1d<<<1, 64>>>(e, t1, 64); cudaMemcpy(o, e, 256, cudaMemcpyDeviceToHost); for (int i = 0; i < 64; ++i) bad += o[i] != h[63-i];
  uchar4 img[16*4], back[16*4]; for (int i = 0; i < 64; ++i) img[i] = make_uchar4(i, i+1, i+2, i+3);
  uchar4* dp; size_t pitch; cudaMallocPitch((void**)&dp, &pitch, 16*sizeof(uchar4), 4); cudaMemcpy2D(dp, pitch, img, 64, 64, 4, cudaMemcpyHostToDevice);
  cudaResourceDesc r2 = {}; r2.resType = cudaResourceTypePitch2D; r2.res.pitch2D.devPtr = dp; r2.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>(); r2.res.pitch2D.width = 16; r2.res.pitch2D.height = 4; r2.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t t2; td.filterMode = cudaFilterModePoint; td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; cudaCreateTextureObject(&t2, &r2, &td, nullptr);
  uchar4* dq; cudaMalloc(&dq, 256); fetch4<<<4, 16>>>(dq, t2, 16); cudaMemcpy(back, dq, 256, cudaMemcpyDeviceToHost); bad += memcmp(back, img, 256) != 0;
  cudaExtent ext = make_cudaExtent(4, 4, 4); cudaArray_t a3; cudaChannelFormatDesc fd = cudaCreateChannelDesc<float>(); cudaMalloc3DArray(&a3, &fd, ext);
  cudaMemcpy3DParms cp = {0}; cp.srcPtr = make_cudaPitchedPtr(h, 16, 4, 4); cp.dstArray = a3; cp.extent = ext; cp.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&cp);
  r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a3; cudaTextureObject_t t3; td.addressMode[2] = cudaAddressModeClamp; cudaCreateTextureObject(&t3, &r, &td, nullptr);
  vol<<<1, dim3(4,4,4)>>>(e, t3, 4); cudaMemcpy(o, e, 256, cudaMemcpyDeviceToHost); for (int i = 0; i < 64; ++i) bad += o[i] != h[i];
  cout << (bad ? "FAIL" : "PASS") << endl; return bad;
}
