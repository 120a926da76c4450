// Target CPU: the emulator's own BLAS, FFT, random numbers, sparse matrices and CUB, under CUDA's names.
#ifndef PG_DETAIL_LIBRARIES_H
#define PG_DETAIL_LIBRARIES_H

#include "../base.h"

#if __has_include("../../shadow/cublas_v2.h")
#pragma GCC system_header  // these headers are not the user's to warn about
#include "../../shadow/cub/cub.cuh"
#include "../../shadow/cublas_v2.h"
#include "../../shadow/cufft.h"
#include "../../shadow/curand.h"
#include "../../shadow/cusparse.h"
#define PG_HAS_BLAS 1
#define PG_BLAS(name) cublas##name
#define PG_BLAS_ENUM(name) CUBLAS_##name
#define PG_HAS_FFT 1
#define PG_FFT(name) cufft##name
#define PG_FFT_ENUM(name) CUFFT_##name
#define PG_FFT_INVERSE CUFFT_INVERSE
#define PG_HAS_RAND 1
#define PG_RAND(name) curand##name
#define PG_RAND_ENUM(name) CURAND_##name
#define PG_HAS_SPARSE 1
#define PG_SPARSE(name) cusparse##name
#define PG_SPARSE_ENUM(name) CUSPARSE_##name
#define PG_LIBRARY_DATA(name) CUDA_##name
#define PG_HAS_CUB 1
namespace pg {
namespace cub = ::cub;
}
#endif

#endif
