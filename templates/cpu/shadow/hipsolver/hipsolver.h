#pragma once
#include "../hip/hip_complex.h"
enum hipsolverFillMode_t { HIPSOLVER_FILL_MODE_LOWER = 0, HIPSOLVER_FILL_MODE_UPPER = 1 };
enum hipsolverOperation_t { HIPSOLVER_OP_N = 0, HIPSOLVER_OP_T = 1, HIPSOLVER_OP_C = 2 };
enum hipsolverSideMode_t { HIPSOLVER_SIDE_LEFT = 0, HIPSOLVER_SIDE_RIGHT = 1 };
#define PGCPU_SOLVER(name) hipsolver##name
#define PGCPU_SOLVER_C(name) HIPSOLVER_##name
#define PGCPU_SOLVER_HANDLE hipsolverHandle_t
#define PGCPU_SOLVER_STREAM hipStream_t
#define PGCPU_SOLVER_FILL hipsolverFillMode_t
#define PGCPU_SOLVER_OP hipsolverOperation_t
#define PGCPU_SOLVER_SIDE hipsolverSideMode_t
#include "../../pgcpu/solver.inc"
#undef PGCPU_SOLVER
#undef PGCPU_SOLVER_C
#undef PGCPU_SOLVER_HANDLE
#undef PGCPU_SOLVER_STREAM
#undef PGCPU_SOLVER_FILL
#undef PGCPU_SOLVER_OP
#undef PGCPU_SOLVER_SIDE
typedef hipsolverHandle_t hipsolverDnHandle_t;
