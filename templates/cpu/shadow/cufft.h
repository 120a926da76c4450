#pragma once
#include "cuComplex.h"
#define PGCPU_FFT(name) cufft##name
#define PGCPU_FFT_C(name) CUFFT_##name
#define PGCPU_FFT_HANDLE int
#define PGCPU_FFT_STREAM cudaStream_t
#define PGCPU_FFT_SINGLE cuComplex
#define PGCPU_FFT_DOUBLE cuDoubleComplex
#define PGCPU_FFT_INVERSE CUFFT_INVERSE
#include "../pgcpu/fft.inc"
#undef PGCPU_FFT
#undef PGCPU_FFT_C
#undef PGCPU_FFT_HANDLE
#undef PGCPU_FFT_STREAM
#undef PGCPU_FFT_SINGLE
#undef PGCPU_FFT_DOUBLE
#undef PGCPU_FFT_INVERSE
