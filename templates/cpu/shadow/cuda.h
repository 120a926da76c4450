// The runtime's names; of the driver API only what programs use without a context of their own.
#pragma once
#include "cuda_runtime_api.h"
