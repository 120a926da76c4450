// Times the kernels of plain.cu and dialect.cu in turns, on an NVIDIA card, and prints their ratio.
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin plain.cu; the same for dialect.cu with -I<dialect headers>
//   nvcc -O2 time.cpp -lcuda -o time && ./time plain.cubin dialect.cubin
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(status, &text);
  std::fprintf(stderr, "%s: %s\n", call, text ? text : "unknown error");
  std::exit(1);
}
#define CHECK(call) check(call, #call)

constexpr int kElements = 1 << 26;  // f32; twice the second-level cache and more
constexpr int kRow = 8192;

// What a kernel takes after the two arrays: nothing, a length, or values of its own.
enum class Tail { none, length, norm, count, saxpy, scale, dot };
struct Case {
  const char* name;
  unsigned grid_x, grid_y, block_x, block_y;
  Tail tail;
  int length;
};
constexpr unsigned kBlocks = kElements / 256;
const Case cases[] = {
    {"row_sum", kElements / kRow, 1, 256, 1, Tail::length, kRow},
    {"layer_norm", kElements / kRow, 1, 256, 1, Tail::norm, kRow},
    {"warp_rows", kElements / kRow / 8, 1, 256, 1, Tail::length, kRow},
    {"warp_scan", kBlocks, 1, 256, 1, Tail::none, 0},
    {"warp_sum_int", kBlocks, 1, 256, 1, Tail::none, 0},
    {"compact", kBlocks, 1, 256, 1, Tail::count, 0},
    {"copy16", kBlocks / 4, 1, 256, 1, Tail::length, kElements},
    {"saxpy4", 1056, 1, 256, 1, Tail::saxpy, kElements},
    {"half_scale", kBlocks / 4, 1, 256, 1, Tail::scale, 0},
    {"bf16_to_float", kBlocks, 1, 256, 1, Tail::none, 0},
    {"dot8", 1056, 1, 256, 1, Tail::dot, 1 << 16},
    {"histogram", 1056, 1, 256, 1, Tail::length, kElements},
    {"transpose", kRow / 32, kRow / 32, 32, 8, Tail::length, kRow},
    {"async_tile", kElements / 1024, 1, 256, 1, Tail::none, 0},
    {"fast_sigmoid", kBlocks, 1, 256, 1, Tail::none, 0},
    {"gelu", kBlocks, 1, 256, 1, Tail::none, 0},
    {"atomic_max_int", kBlocks, 1, 256, 1, Tail::none, 0},
    {"warp_sum_8", kBlocks, 1, 256, 1, Tail::none, 0},
};

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: time PLAIN.cubin DIALECT.cubin\n"), 2;
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule modules[2];
  for (int side = 0; side < 2; ++side) CHECK(cuModuleLoad(&modules[side], argv[1 + side]));
  CUdeviceptr x, y, z;
  CHECK(cuMemAlloc(&x, kElements * 4ul));
  CHECK(cuMemAlloc(&y, kElements * 4ul));
  CHECK(cuMemAlloc(&z, 4096));
  std::vector<unsigned> host(kElements);
  unsigned state = 1;
  for (unsigned& word : host) {  // floats of both signs below 2 in magnitude; any bits do as integers
    state = state * 1664525u + 1013904223u;
    word = (state & 0x80ffffffu) | 0x3f000000u;
  }
  CHECK(cuMemcpyHtoD(x, host.data(), kElements * 4ul));
  CUevent start, stop;
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));

  std::printf("%-16s %10s %10s %8s\n", "kernel", "plain us", "dialect us", "ratio");
  for (const Case& c : cases) {
    CUfunction functions[2];
    for (int side = 0; side < 2; ++side)
      CHECK(cuModuleGetFunction(&functions[side], modules[side], c.name));
    int length = c.length;
    float factor = 0.5f;
    void* arguments[5] = {&x, &y, nullptr, nullptr, nullptr};
    switch (c.tail) {
      case Tail::none: break;
      case Tail::length: arguments[2] = &length; break;
      case Tail::norm: arguments[2] = &length, arguments[3] = &factor; break;
      case Tail::saxpy: arguments[2] = &factor, arguments[3] = &length; break;
      case Tail::scale: arguments[2] = &factor; break;
      case Tail::count: arguments[2] = &z; break;
      case Tail::dot: arguments[2] = &z, arguments[3] = &length; break;
    }
    std::vector<float> times[2];
    for (int round = 0; round < 60; ++round)
      for (int turn = 0; turn < 2; ++turn) {
        const int side = (round + turn) & 1;  // each goes first as often as the other
        CHECK(cuMemsetD32(z, 0, 1024));
        CHECK(cuEventRecord(start, nullptr));
        CHECK(cuLaunchKernel(functions[side], c.grid_x, c.grid_y, 1, c.block_x, c.block_y, 1, 0,
                             nullptr, arguments, nullptr));
        CHECK(cuEventRecord(stop, nullptr));
        CHECK(cuEventSynchronize(stop));
        float ms = 0;
        CHECK(cuEventElapsedTime(&ms, start, stop));
        if (round >= 10) times[side].push_back(ms * 1e3f);
      }
    float middle[2];
    for (int side = 0; side < 2; ++side) {
      std::nth_element(times[side].begin(), times[side].begin() + 25, times[side].end());
      middle[side] = times[side][25];
    }
    std::printf("%-16s %10.1f %10.1f %8.3f\n", c.name, middle[0], middle[1], middle[1] / middle[0]);
  }
}
