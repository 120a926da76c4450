#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "barriers.cu"
#include "limits.cu"
#include "memory.cu"
#include "races.cu"
#include "warps.cu"

int main(int argc, char** argv) { return run_plants(argc, argv); }
