#pragma once
#include "hip_runtime_api.h"
#include "../../pgcpu/complex.h"
typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;
PGCPU_COMPLEX_OF(make_hipFloatComplex, hipC, f, hipFloatComplex, float)
PGCPU_COMPLEX_OF(make_hipDoubleComplex, hipC, , hipDoubleComplex, double)
static inline hipComplex make_hipComplex(float x, float y) { return hipComplex{x, y}; }
static inline hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return {z.x, z.y}; }
static inline hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) { return {float(z.x), float(z.y)}; }
