// What this header was in the last versions of PyTorch that had it.
#pragma once
#include <ATen/cuda/Atomic.cuh>
