#pragma once
#include "hiprand/hiprand_kernel.h"
