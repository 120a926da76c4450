#pragma once
#include "cuda_runtime.h"
#include "../pgcpu/rand.h"

using curandStateXORWOW_t = ::pgcpu::rand::xorwow<::pgcpu::rand::cuda_rules>;
using curandStatePhilox4_32_10_t = ::pgcpu::rand::philox<::pgcpu::rand::cuda_rules>;
using curandStateXORWOW = curandStateXORWOW_t;
using curandState_t = curandStateXORWOW_t;
using curandState = curandStateXORWOW_t;
using curandStatePhilox4_32_10 = curandStatePhilox4_32_10_t;

PGCPU_RAND(curand, ::pgcpu::rand::cuda_rules, curandStateXORWOW_t, curandStatePhilox4_32_10_t)
using curandStateMRG32k3a_t = ::pgcpu::rand::mrg32k3a;
using curandStateMRG32k3a = curandStateMRG32k3a_t;
PGCPU_RAND_MRG(curand, curandStateMRG32k3a_t)
