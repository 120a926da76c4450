#pragma once
#include "../../pgcpu/thrust.h"
