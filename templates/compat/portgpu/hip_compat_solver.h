// cuSOLVER takes cuBLAS's enums where hipSOLVER has enums of its own, with the same values.
#ifndef PORTGPU_HIP_COMPAT_SOLVER_H
#define PORTGPU_HIP_COMPAT_SOLVER_H

#include "hip_compat.h"
#include <hipblas/hipblas.h>
#include <hipsolver/hipsolver.h>

namespace pg_compat {

PG_COMPAT_HOST hipsolverFillMode_t solver_enum(hipblasFillMode_t e) {
  return static_cast<hipsolverFillMode_t>(e);
}
PG_COMPAT_HOST hipsolverOperation_t solver_enum(hipblasOperation_t e) {
  return static_cast<hipsolverOperation_t>(e);
}
PG_COMPAT_HOST hipsolverSideMode_t solver_enum(hipblasSideMode_t e) {
  return static_cast<hipsolverSideMode_t>(e);
}

// A function of hipSOLVER that takes the enums of both.
template <class P>
struct solver_argument {
  using type = P;
};
template <class Solver, class Blas>
struct solver_either {
  Solver value;
  solver_either(Solver e) : value(e) {}
  solver_either(Blas e) : value(static_cast<Solver>(e)) {}
  operator Solver() const { return value; }
};
// Newer hipSOLVER has hipBLAS's enums for its own.
template <class Same>
struct solver_either<Same, Same> {
  Same value;
  solver_either(Same e) : value(e) {}
  operator Same() const { return value; }
};
template <>
struct solver_argument<hipsolverFillMode_t> {
  using type = solver_either<hipsolverFillMode_t, hipblasFillMode_t>;
};
template <>
struct solver_argument<hipsolverOperation_t> {
  using type = solver_either<hipsolverOperation_t, hipblasOperation_t>;
};
template <>
struct solver_argument<hipsolverSideMode_t> {
  using type = solver_either<hipsolverSideMode_t, hipblasSideMode_t>;
};
template <class... P>
struct solver_call {
  hipsolverStatus_t (*function)(P...);
  hipsolverStatus_t operator()(typename solver_argument<P>::type... arguments) const {
    return function(arguments...);
  }
};
template <class... P>
PG_COMPAT_HOST solver_call<P...> solver(hipsolverStatus_t (*function)(P...)) {
  return solver_call<P...>{function};
}

}  // namespace pg_compat
#endif
