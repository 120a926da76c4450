// NVTX: header-only, and silent without a profiler: ranges, events with attributes, domains.
#include <nvtx3/nvToolsExt.h>
#include "common.cuh"

__global__ void work(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] * 2 + 1;
}

struct Scope {
  explicit Scope(const char* name) {
    nvtxEventAttributes_t event = {0};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.colorType = NVTX_COLOR_ARGB;
    event.color = 0xff00ff00;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxRangePushEx(&event);
  }
  ~Scope() { nvtxRangePop(); }
};

int main() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("work");
  nvtxRangePushA("setup");
  std::vector<int> h = numbers(1000);
  nvtxRangePop();
  nvtxMark("ready");
  {
    Scope scope("kernel");
    nvtxRangeId_t id = nvtxRangeStartA("all");
    h = run_on_device(h, [](int* p) { work<<<8, 128>>>(p, 1000); });
    nvtxRangeEnd(id);
  }
  nvtxDomainDestroy(domain);
  return report("nvtx_ranges", checksum(h));
}
