#pragma once
#include "cublas_v2.h"
#define PGCPU_SOLVER(name) cusolver##name
#define PGCPU_SOLVER_C(name) CUSOLVER_##name
#define PGCPU_SOLVER_HANDLE cusolverDnHandle_t
#define PGCPU_SOLVER_STREAM cudaStream_t
#define PGCPU_SOLVER_FILL cublasFillMode_t
#define PGCPU_SOLVER_OP cublasOperation_t
#define PGCPU_SOLVER_SIDE cublasSideMode_t
#include "../pgcpu/solver.inc"
#undef PGCPU_SOLVER
#undef PGCPU_SOLVER_C
#undef PGCPU_SOLVER_HANDLE
#undef PGCPU_SOLVER_STREAM
#undef PGCPU_SOLVER_FILL
#undef PGCPU_SOLVER_OP
#undef PGCPU_SOLVER_SIDE
