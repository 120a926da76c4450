// RMS norm over the last axis.
#include "support/norm.cuh"

extern "C" PG_API int pg_rms_norm(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* out, double eps,
                                  void* stream) {
  return pgops::norm<true>("rms_norm", x, weight, nullptr, out, eps, stream);
}
