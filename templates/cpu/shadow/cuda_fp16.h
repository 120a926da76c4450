#pragma once
#include "cuda_runtime.h"
#include "../pgcpu/fp16.h"
