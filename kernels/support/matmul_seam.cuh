// The products of 16-bit types, compiled in a file of their own.
#pragma once

#include "matmul_plan.cuh"

namespace pgops {

// By matrix fragments, for devices with matrix units; m and n above 1.
int matmul_f16(const char* op, const half* a, const half* b, half* out, const matmul_args& args,
               const layout<3>& batch, void* stream);
int matmul_bf16(const char* op, const bfloat16* a, const bfloat16* b, bfloat16* out, const matmul_args& args,
                const layout<3>& batch, void* stream);

}  // namespace pgops
