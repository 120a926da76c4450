// Arguments where they cost no registers.
#pragma once

#include "portgpu.h"

namespace pgops {

// Room for a copy in shared memory.
template <class A>
struct alignas(16) near_room {
#if PG_TARGET_ROCM
  unsigned char bytes[sizeof(A)];
#endif
};

// NVIDIA reads arguments from constant memory at each use; AMD keeps them in scalar registers, which are too few for
// many strides, but reads them from shared memory just as well.
template <class A>
__device__ __forceinline__ const A& keep_near(const A& args, near_room<A>& room) {
#if PG_TARGET_ROCM
  A* const kept = reinterpret_cast<A*>(room.bytes);
  if (threadIdx.x == 0) *kept = args;
  __syncthreads();
  return *kept;
#else
  (void)room;
  return args;
#endif
}

}  // namespace pgops
