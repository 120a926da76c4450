#pragma once
#include "hip_runtime.h"
#include "../../pgcpu/fp16.h"
