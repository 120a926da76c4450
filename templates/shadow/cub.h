// hipCUB, with our form of what takes fewer blocks there than in CUB, under the same names.
#ifndef PORTGPU_SHADOW_CUB_H
#define PORTGPU_SHADOW_CUB_H

// A warp has 32 lanes here, whatever hipCUB counts.
#define CUB_WARP_THREADS(arch) 32
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5

#ifdef HIPCUB_HPP_  // a source that includes hipCUB itself has its names
#include <hipcub/hipcub.hpp>
#else
#define BlockLoad pg_block_load
#define BlockStore pg_block_store
#include <hipcub/hipcub.hpp>
#undef BlockLoad
#undef BlockStore
#define PG_COMPAT_CUB_LOAD hipcub::pg_block_load
#define PG_COMPAT_CUB_STORE hipcub::pg_block_store
#include "portgpu/hip_compat_cub.h"
namespace hipcub {
using pg_compat::BlockLoad;
using pg_compat::BlockStore;
inline int CurrentDevice() { return pg_compat::current_device(); }
}  // namespace hipcub
#endif

#endif
