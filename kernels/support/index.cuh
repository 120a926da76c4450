// Index arrays of gathers and scatters.
#pragma once

#include "layout.cuh"

namespace pgops {

// A negative index counts from the end; false if it is outside the axis.
__device__ __forceinline__ bool resolve(int64_t& index, int64_t n) {
  if (index < 0) index += n;
  return index >= 0 && index < n;
}

__device__ __forceinline__ int64_t load_index(const void* indices, int64_t at, bool wide) {
  return wide ? static_cast<const int64_t*>(indices)[at] : static_cast<const int32_t*>(indices)[at];
}

}  // namespace pgops
