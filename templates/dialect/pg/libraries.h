// Seams to the vendors' libraries, whose names differ in a prefix only. Included by files that use one.
//
//   PG_BLAS(Sgemm)(handle, PG_BLAS_ENUM(OP_N), ...)   cublasSgemm, hipblasSgemm
//   PG_FFT(Plan1d)   PG_RAND(CreateGenerator)   PG_SPARSE(Create)   likewise, with PG_..._ENUM
//   pg::cub::BlockReduce<...>                          cub, hipcub
//
// PG_HAS_BLAS, PG_HAS_FFT, PG_HAS_RAND, PG_HAS_SPARSE, PG_HAS_CUB: 1 when the library's header is
// installed; on the CPU target the emulator brings its own. Without it a use is a compile-time error that
// names the macro. library_calls.h has the usual calls as functions. The names after the prefix
// are those of the library; a few functions differ in their parameters, which the compiler reports.
#ifndef PG_LIBRARIES_H
#define PG_LIBRARIES_H

#include "base.h"
#include "detail/libraries.h"

#ifndef PG_HAS_BLAS
#define PG_HAS_BLAS 0
#endif
#ifndef PG_HAS_FFT
#define PG_HAS_FFT 0
#endif
#ifndef PG_HAS_RAND
#define PG_HAS_RAND 0
#endif
#ifndef PG_HAS_SPARSE
#define PG_HAS_SPARSE 0
#endif
#ifndef PG_HAS_CUB
#define PG_HAS_CUB 0
#endif

#include "library_calls.h"

#endif
