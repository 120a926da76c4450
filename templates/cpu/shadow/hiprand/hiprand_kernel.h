#pragma once
#include "../hip/hip_runtime.h"
#include "../../pgcpu/rand.h"

using hiprandStateXORWOW_t = ::pgcpu::rand::xorwow<::pgcpu::rand::rocm_rules>;
using hiprandStatePhilox4_32_10_t = ::pgcpu::rand::philox<::pgcpu::rand::rocm_rules>;
using hiprandStateXORWOW = hiprandStateXORWOW_t;
using hiprandState_t = hiprandStateXORWOW_t;
using hiprandState = hiprandStateXORWOW_t;
using hiprandStatePhilox4_32_10 = hiprandStatePhilox4_32_10_t;

PGCPU_RAND(hiprand, ::pgcpu::rand::rocm_rules, hiprandStateXORWOW_t, hiprandStatePhilox4_32_10_t)
