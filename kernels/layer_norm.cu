// Layer norm over the last axis.
#include "support/norm.cuh"

extern "C" PG_API int pg_layer_norm(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* bias,
                                    const pg_tensor* out, double eps, void* stream) {
  return pgops::norm<false>("layer_norm", x, weight, bias, out, eps, stream);
}
