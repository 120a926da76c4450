#pragma once
#include "cuComplex.h"
#include "library_types.h"
#define PGCPU_SPARSE(name) cusparse##name
#define PGCPU_SPARSE_C(name) CUSPARSE_##name
#define PGCPU_SPARSE_STREAM cudaStream_t
#define PGCPU_SPARSE_TYPE cudaDataType
#include "../pgcpu/sparse.inc"
#undef PGCPU_SPARSE
#undef PGCPU_SPARSE_C
#undef PGCPU_SPARSE_STREAM
#undef PGCPU_SPARSE_TYPE
