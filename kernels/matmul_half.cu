// Matrix products of 16-bit types for devices with matrix units; matmul.cu calls them.
#include "support/matmul_half.cuh"
#include "support/matmul_seam.cuh"

namespace pgops {

int matmul_f16(const char* op, const half* a, const half* b, half* out, const matmul_args& args,
               const layout<3>& batch, void* stream) {
  return matmul_halves(op, a, b, out, args, batch, stream);
}
int matmul_bf16(const char* op, const bfloat16* a, const bfloat16* b, bfloat16* out, const matmul_args& args,
                const layout<3>& batch, void* stream) {
  return matmul_halves(op, a, b, out, args, batch, stream);
}

}  // namespace pgops
