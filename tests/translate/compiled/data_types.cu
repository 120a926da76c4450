// Data types of library calls.
#include <cuda_runtime.h>
#include <library_types.h>

int bytes(cudaDataType type) {
  switch (type) {
    case CUDA_R_16BF:
    case CUDA_R_16F: return 2;
    case CUDA_R_8I: return 1;
    default: return 4;
  }
}
static_assert(static_cast<int>(CUDA_R_16BF) == 14, "HIP has CUDA's numbers");
