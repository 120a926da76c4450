// Ops that move elements without looking inside: kernels by element size alone.
#pragma once

#include "elementwise.cuh"

namespace pgops {

template <class Fn>
int dispatch_word(int64_t item, Fn&& fn) {
  switch (item) {
    case 1: return fn(tag<uint8_t>{});
    case 2: return fn(tag<uint16_t>{});
    case 4: return fn(tag<uint32_t>{});
    default: return fn(tag<uint64_t>{});
  }
}

// PG_OK if `dtype` is in the list of this build.
template <class Types>
int check_dtype(const char* op, int dtype) {
  return holds_type(Types{}, dtype) ? int(PG_OK) : unsupported_dtype(op, dtype, Types{});
}

using movable_types = built_types<types<float, half, bfloat16, int32_t, int64_t, bool>,
                                  types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

}  // namespace pgops
