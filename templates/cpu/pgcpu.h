// The CPU target: what kernels and dialect headers need. No vendor API names live here.
#pragma once
#include "pgcpu/config.h"
#include "pgcpu/types.h"
#include "pgcpu/thread.h"
#include "pgcpu/shared.h"
#include "pgcpu/launch.h"
#include "pgcpu/warp.h"
#include "pgcpu/half.h"
#include "pgcpu/atomic.h"
#include "pgcpu/math.h"
#include "pgcpu/host.h"
