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
#define BlockRakingLayout pg_block_raking_layout
#define WarpExchange pg_warp_exchange
#define WarpLoad pg_warp_load
#define WarpMergeSort pg_warp_merge_sort
#define WarpReduce pg_warp_reduce
#define WarpScan pg_warp_scan
#define WarpStore pg_warp_store
#define LaneId pg_lane_id
#define WarpId pg_warp_id
#define LaneMaskLt pg_lane_mask_lt
#define LaneMaskLe pg_lane_mask_le
#define LaneMaskGt pg_lane_mask_gt
#define LaneMaskGe pg_lane_mask_ge
#define WarpMask pg_warp_mask
#define ShuffleUp pg_shuffle_up
#define ShuffleDown pg_shuffle_down
#define ShuffleIndex pg_shuffle_index
#define WARP_ANY pg_warp_any
#define WARP_ALL pg_warp_all
#define WARP_BALLOT pg_warp_ballot
#define WARP_SYNC pg_warp_sync
#include "portgpu/hip_compat_cub_parts.h"
#undef BlockLoad
#undef BlockStore
#undef BlockRakingLayout
#undef WarpExchange
#undef WarpLoad
#undef WarpMergeSort
#undef WarpReduce
#undef WarpScan
#undef WarpStore
#undef LaneId
#undef WarpId
#undef LaneMaskLt
#undef LaneMaskLe
#undef LaneMaskGt
#undef LaneMaskGe
#undef WarpMask
#undef ShuffleUp
#undef ShuffleDown
#undef ShuffleIndex
#undef WARP_ANY
#undef WARP_ALL
#undef WARP_BALLOT
#undef WARP_SYNC
#define PG_COMPAT_CUB_LOAD hipcub::pg_block_load
#define PG_COMPAT_CUB_STORE hipcub::pg_block_store
#include "portgpu/hip_compat_cub.h"
#if __has_include(<rocprim/rocprim.hpp>) && !defined(PGCPU)
#include "portgpu/hip_compat_cub_dispatch.h"
namespace hipcub {
using pg_compat::DispatchMergeSort;
using pg_compat::DispatchRadixSort;
using pg_compat::DispatchReduce;
using pg_compat::DispatchReduceByKey;
using pg_compat::DispatchScan;
using pg_compat::DispatchSegmentedRadixSort;
using pg_compat::DispatchSegmentedReduce;
using pg_compat::DispatchSelectIf;
}  // namespace hipcub
#endif
namespace hipcub {
using pg_compat::BlockLoad;
using pg_compat::BlockRakingLayout;
using pg_compat::BlockStore;
using pg_compat::LaneId;
using pg_compat::WarpId;
using pg_compat::LaneMaskLt;
using pg_compat::LaneMaskLe;
using pg_compat::LaneMaskGt;
using pg_compat::LaneMaskGe;
using pg_compat::WarpMask;
using pg_compat::ShuffleUp;
using pg_compat::ShuffleDown;
using pg_compat::ShuffleIndex;
using pg_compat::WARP_ANY;
using pg_compat::WARP_ALL;
using pg_compat::WARP_BALLOT;
using pg_compat::WARP_SYNC;
inline int CurrentDevice() { return pg_compat::current_device(); }
// hipCUB's own default is the device's width.
template <class T, int Lanes = 32, int Arch = 0>
using WarpReduce = pg_warp_reduce<T, Lanes>;
template <class T, int Lanes = 32, int Arch = 0>
using WarpScan = pg_warp_scan<T, Lanes>;
template <class T, int Items, int Lanes = 32, int Arch = 0>
using WarpExchange = pg_warp_exchange<T, Items, Lanes>;
template <class T, int Items, int Lanes = 32, class V = NullType, int Arch = 0>
using WarpMergeSort = pg_warp_merge_sort<T, Items, Lanes, V>;
template <class T, int Items, WarpLoadAlgorithm How = WARP_LOAD_DIRECT, int Lanes = 32,
          int Arch = 0>
using WarpLoad = pg_warp_load<T, Items, How, Lanes>;
template <class T, int Items, WarpStoreAlgorithm How = WARP_STORE_DIRECT, int Lanes = 32,
          int Arch = 0>
using WarpStore = pg_warp_store<T, Items, How, Lanes>;
}  // namespace hipcub
#endif

#endif
