// Parts of hipCUB that its own main header includes since ROCm 5.4 only.
#ifndef PORTGPU_HIP_COMPAT_CUB_PARTS_H
#define PORTGPU_HIP_COMPAT_CUB_PARTS_H

#include "hip_compat.h"
#include <hipcub/hipcub.hpp>

#if __has_include(<hipcub/block/block_radix_rank.hpp>)
#include <hipcub/block/block_radix_rank.hpp>
namespace pg_compat {
using hipcub::BlockRadixRank;
using hipcub::BlockRadixRankMatch;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/block/block_run_length_decode.hpp>)
#include <hipcub/block/block_run_length_decode.hpp>
namespace pg_compat {
using hipcub::BlockRunLengthDecode;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/block/block_shuffle.hpp>)
#include <hipcub/block/block_shuffle.hpp>
namespace pg_compat {
using hipcub::BlockShuffle;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/device/device_merge_sort.hpp>)
#include <hipcub/device/device_merge_sort.hpp>
namespace pg_compat {
using hipcub::DeviceMergeSort;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/device/device_partition.hpp>)
#include <hipcub/device/device_partition.hpp>
namespace pg_compat {
using hipcub::DevicePartition;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/device/device_spmv.hpp>)
#include <hipcub/device/device_spmv.hpp>
namespace pg_compat {
using hipcub::DeviceSpmv;
}  // namespace pg_compat
#endif
#if __has_include(<hipcub/grid/grid_even_share.hpp>)
#include <hipcub/grid/grid_even_share.hpp>
#include <hipcub/grid/grid_mapping.hpp>
#include <hipcub/grid/grid_queue.hpp>
namespace pg_compat {
using hipcub::GRID_MAPPING_DYNAMIC;
using hipcub::GRID_MAPPING_RAKE;
using hipcub::GRID_MAPPING_STRIP_MINE;
using hipcub::GridEvenShare;
using hipcub::GridMappingStrategy;
using hipcub::GridQueue;
}  // namespace pg_compat
#endif

#endif
