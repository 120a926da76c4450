#pragma once
#include "../hip/hip_complex.h"
#include "../hip/library_types.h"
#define PGCPU_SPARSE(name) hipsparse##name
#define PGCPU_SPARSE_C(name) HIPSPARSE_##name
#define PGCPU_SPARSE_STREAM hipStream_t
#define PGCPU_SPARSE_TYPE hipDataType
#include "../../pgcpu/sparse.inc"
#undef PGCPU_SPARSE
#undef PGCPU_SPARSE_C
#undef PGCPU_SPARSE_STREAM
#undef PGCPU_SPARSE_TYPE
