#pragma once
#include <functional>
void run_grid(unsigned grid, unsigned bx, unsigned by, unsigned bz, const std::function<void()>& lane);
