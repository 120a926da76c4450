#pragma once
#include "cuda_runtime_api.h"
#include "../pgcpu/complex.h"
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
PGCPU_COMPLEX_OF(make_cuFloatComplex, cuC, f, cuFloatComplex, float)
PGCPU_COMPLEX_OF(make_cuDoubleComplex, cuC, , cuDoubleComplex, double)
static inline cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return {float(z.x), float(z.y)}; }
