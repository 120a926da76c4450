#pragma once
#include "../hip/hip_complex.h"
#define PGCPU_FFT(name) hipfft##name
#define PGCPU_FFT_C(name) HIPFFT_##name
#define PGCPU_FFT_HANDLE struct hipfftHandle_t*
#define PGCPU_FFT_STREAM hipStream_t
#define PGCPU_FFT_SINGLE hipComplex
#define PGCPU_FFT_DOUBLE hipDoubleComplex
#define PGCPU_FFT_INVERSE HIPFFT_BACKWARD
#include "../../pgcpu/fft.inc"
#undef PGCPU_FFT
#undef PGCPU_FFT_C
#undef PGCPU_FFT_HANDLE
#undef PGCPU_FFT_STREAM
#undef PGCPU_FFT_SINGLE
#undef PGCPU_FFT_DOUBLE
#undef PGCPU_FFT_INVERSE
