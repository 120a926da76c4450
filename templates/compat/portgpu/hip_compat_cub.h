// Parts of CUB whose hipCUB form does not take every block that CUB takes.
#ifndef PORTGPU_HIP_COMPAT_CUB_H
#define PORTGPU_HIP_COMPAT_CUB_H

#include "hip_compat.h"
#include <hipcub/hipcub.hpp>

// A warp has 32 lanes; the argument, an architecture, says nothing in CUB either.
#define PG_COMPAT_CUB_WARP_THREADS(arch) 32
#define PG_COMPAT_CUB_LOG_WARP_THREADS(arch) 5

// The shadow headers put their own names here.
#ifndef PG_COMPAT_CUB_LOAD
#define PG_COMPAT_CUB_LOAD hipcub::BlockLoad
#define PG_COMPAT_CUB_STORE hipcub::BlockStore
#endif

namespace pg_compat {
namespace detail {
// A transposition by warp wants blocks of whole waves, whose 64 lanes 32 threads do not fill. The one
// by block gives every thread the same items.
constexpr hipcub::BlockLoadAlgorithm whole_waves(hipcub::BlockLoadAlgorithm how, int threads) {
  return threads % 64 != 0 && (how == hipcub::BLOCK_LOAD_WARP_TRANSPOSE ||
                               how == hipcub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED)
             ? hipcub::BLOCK_LOAD_TRANSPOSE
             : how;
}
constexpr hipcub::BlockStoreAlgorithm whole_waves(hipcub::BlockStoreAlgorithm how, int threads) {
  return threads % 64 != 0 && (how == hipcub::BLOCK_STORE_WARP_TRANSPOSE ||
                               how == hipcub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED)
             ? hipcub::BLOCK_STORE_TRANSPOSE
             : how;
}
}  // namespace detail

// CUB's helpers for a warp: hipCUB's count the lanes of the wave, and its shuffles do not look at the
// first or last lane that they are given.
PG_COMPAT_DEVICE unsigned LaneId() { return lane_id(); }
PG_COMPAT_DEVICE unsigned WarpId() { return warp_id(); }
PG_COMPAT_DEVICE unsigned LaneMaskLt() { return lanemask_lt(); }
PG_COMPAT_DEVICE unsigned LaneMaskLe() { return lanemask_le(); }
PG_COMPAT_DEVICE unsigned LaneMaskGt() { return lanemask_gt(); }
PG_COMPAT_DEVICE unsigned LaneMaskGe() { return lanemask_ge(); }
template <int Lanes, int Arch = 0>
PG_COMPAT_DEVICE unsigned WarpMask(unsigned warp) {
  const unsigned members = 0xffffffffu >> (32 - Lanes);
  return Lanes < 32 && (Lanes & (Lanes - 1)) == 0 ? members << (warp * Lanes) : members;
}
template <int Lanes, class T>
PG_COMPAT_DEVICE T ShuffleUp(const T& v, int offset, int first, unsigned mask) {
  const T moved = shfl_up_sync(mask, v, static_cast<unsigned>(offset), Lanes);
  return static_cast<int>(lane_id() & (Lanes - 1)) - offset < first ? v : moved;
}
template <int Lanes, class T>
PG_COMPAT_DEVICE T ShuffleDown(const T& v, int offset, int last, unsigned mask) {
  const T moved = shfl_down_sync(mask, v, static_cast<unsigned>(offset), Lanes);
  return static_cast<int>(lane_id() & (Lanes - 1)) + offset > last ? v : moved;
}
template <int Lanes, class T>
PG_COMPAT_DEVICE T ShuffleIndex(const T& v, int from, unsigned mask) {
  return shfl_sync(mask, v, from, Lanes);
}
PG_COMPAT_DEVICE int WARP_ANY(int predicate, unsigned mask) { return any_sync(mask, predicate); }
PG_COMPAT_DEVICE int WARP_ALL(int predicate, unsigned mask) { return all_sync(mask, predicate); }
PG_COMPAT_DEVICE int WARP_BALLOT(int predicate, unsigned mask) {
  return static_cast<int>(ballot_sync(mask, predicate));
}
PG_COMPAT_DEVICE void WARP_SYNC(unsigned mask) { syncwarp(mask); }

// The calling thread's device, -1 without one.
PG_COMPAT_HOST int current_device() {
  int device = -1;
  return hipGetDevice(&device) == hipSuccess ? device : -1;
}

// cub::BlockLoad and cub::BlockStore, for blocks of any size.
template <class T, int X, int N, hipcub::BlockLoadAlgorithm How = hipcub::BLOCK_LOAD_DIRECT,
          int Y = 1, int Z = 1, int Arch = 0>
class BlockLoad : public PG_COMPAT_CUB_LOAD<T, X, N, detail::whole_waves(How, X * Y * Z), Y, Z> {
  using base = PG_COMPAT_CUB_LOAD<T, X, N, detail::whole_waves(How, X * Y * Z), Y, Z>;

 public:
  using base::base;
};
template <class T, int X, int N, hipcub::BlockStoreAlgorithm How = hipcub::BLOCK_STORE_DIRECT,
          int Y = 1, int Z = 1, int Arch = 0>
class BlockStore : public PG_COMPAT_CUB_STORE<T, X, N, detail::whole_waves(How, X * Y * Z), Y, Z> {
  using base = PG_COMPAT_CUB_STORE<T, X, N, detail::whole_waves(How, X * Y * Z), Y, Z>;

 public:
  using base::base;
};

// cub::BlockRakingLayout for a raking warp of 32 threads: hipCUB's counts the device's own width, and
// does not compile before ROCm 5.4.
template <class T, int Threads, int Arch = 0>
struct BlockRakingLayout {
  enum {
    SHARED_ELEMENTS = Threads,
    MAX_RAKING_THREADS = Threads < 32 ? Threads : 32,
    SEGMENT_LENGTH = (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS,
    RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH,
    HAS_CONFLICTS = 32 % SEGMENT_LENGTH == 0,
    CONFLICT_DEGREE = HAS_CONFLICTS ? MAX_RAKING_THREADS * SEGMENT_LENGTH / 32 : 1,
    USE_SEGMENT_PADDING = SEGMENT_LENGTH > 2 && SEGMENT_LENGTH % 2 == 0,
    GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + USE_SEGMENT_PADDING),
    UNGUARDED = SHARED_ELEMENTS % RAKING_THREADS == 0
  };
  struct alignas(16) _TempStorage {
    T buff[GRID_ELEMENTS];
  };
  struct TempStorage : hipcub::Uninitialized<_TempStorage> {};

  // Where thread `i` puts its element, and where raking thread `i` starts to read.
  static __device__ __forceinline__ T* PlacementPtr(TempStorage& storage, unsigned i) {
    return storage.Alias().buff + i + (USE_SEGMENT_PADDING ? i / SEGMENT_LENGTH : 0);
  }
  static __device__ __forceinline__ T* RakingPtr(TempStorage& storage, unsigned i) {
    return storage.Alias().buff + i * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
  }
};
}  // namespace pg_compat
#endif
