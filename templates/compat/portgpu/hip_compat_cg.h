// cooperative_groups.h for AMD, complete and with CUDA's meaning: tiles lie in warps of 32 lanes on
// every device, ballots have 32 bits, coalesced groups are the active lanes of the caller's 32.
#ifndef PORTGPU_HIP_COMPAT_CG_H
#define PORTGPU_HIP_COMPAT_CG_H

#include "hip_compat.h"

#if defined(PG_COMPAT_HOST_ONLY)
namespace pg_compat {
namespace cg {}
}  // namespace pg_compat
#else
#if defined(PG_COMPAT_NVIDIA)
#include <cooperative_groups.h>
#elif !defined(PGCPU)
extern "C" __device__ void __ockl_grid_sync(void);
extern "C" __device__ int __ockl_grid_is_valid(void);
extern "C" __device__ unsigned __ockl_multi_grid_num_grids(void);
extern "C" __device__ unsigned __ockl_multi_grid_grid_rank(void);
extern "C" __device__ unsigned __ockl_multi_grid_size(void);
extern "C" __device__ unsigned __ockl_multi_grid_thread_rank(void);
extern "C" __device__ int __ockl_multi_grid_is_valid(void);
extern "C" __device__ void __ockl_multi_grid_sync(void);
#endif

namespace pg_compat {
namespace cg {

namespace detail {
PG_COMPAT_DEVICE unsigned bits(unsigned size) { return size >= 32u ? ~0u : (1u << size) - 1u; }
// Lane of the n-th set bit.
PG_COMPAT_DEVICE unsigned nth(unsigned mask, unsigned n) {
  for (; n; --n) mask &= mask - 1u;
  return static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
}
// The bits of `value` at the lanes of `mask`, moved together.
PG_COMPAT_DEVICE unsigned pack(unsigned value, unsigned mask) {
  unsigned result = 0;
  for (unsigned i = 0; mask; ++i, mask &= mask - 1u)
    if (value & mask & (0u - mask)) result |= 1u << i;
  return result;
}
}  // namespace detail

// Who arrives goes on, and all meet in the wait.
struct arrival_token {};

class thread_block {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static arrival_token barrier_arrive() { return {}; }
  __device__ static void barrier_wait(arrival_token&& = {}) { __syncthreads(); }
  __device__ static unsigned thread_rank() { return pg_compat::thread_rank(); }
  __device__ static unsigned num_threads() { return pg_compat::block_threads(); }
  __device__ static unsigned size() { return pg_compat::block_threads(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
};
PG_COMPAT_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
#if defined(PG_COMPAT_NVIDIA)
  __device__ static bool is_valid() { return cooperative_groups::this_grid().is_valid(); }
  __device__ static void sync() { cooperative_groups::this_grid().sync(); }
#elif defined(PGCPU)
  __device__ static bool is_valid() { return true; }
  __device__ static void sync() { pgcpu::grid_barrier(pgcpu::site::current()); }
#else
  __device__ static bool is_valid() { return __ockl_grid_is_valid() != 0; }
  __device__ static void sync() { __ockl_grid_sync(); }
#endif
  __device__ static arrival_token barrier_arrive() { return {}; }
  __device__ static void barrier_wait(arrival_token&& = {}) { sync(); }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  __device__ static unsigned long long num_threads() { return num_blocks() * block_threads(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * block_threads() + pg_compat::thread_rank();
  }
  __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 group_dim() { return dim_blocks(); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
PG_COMPAT_DEVICE grid_group this_grid() { return grid_group(); }

#if !defined(PG_COMPAT_NVIDIA) && !defined(PGCPU)  // CUDA 13 has none, the CPU target one device
// The grids of one launch on several devices.
class multi_grid_group {
 public:
  __device__ static bool is_valid() { return __ockl_multi_grid_is_valid() != 0; }
  __device__ static void sync() { __ockl_multi_grid_sync(); }
  __device__ static unsigned num_grids() { return __ockl_multi_grid_num_grids(); }
  __device__ static unsigned grid_rank() { return __ockl_multi_grid_grid_rank(); }
  __device__ static unsigned long long num_threads() { return __ockl_multi_grid_size(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long thread_rank() { return __ockl_multi_grid_thread_rank(); }
};
PG_COMPAT_DEVICE multi_grid_group this_multi_grid() { return multi_grid_group(); }
#endif

// The lanes in `mask_` of the caller's 32: a tile, or whoever was active.
class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  __device__ void sync() const { pg_compat::syncwarp(mask_); }
  __device__ unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & pg_compat::lanemask_lt()));
  }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  __device__ T shfl(const T& v, unsigned rank) const {
    return pg_compat::shfl_sync(mask_, v, static_cast<int>(detail::nth(mask_, rank % size())));
  }
  template <class T>
  __device__ T shfl_up(const T& v, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(v, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  __device__ T shfl_down(const T& v, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(v, rank + delta < size() ? rank + delta : rank);
  }
  __device__ unsigned ballot(int predicate) const {
    return detail::pack(pg_compat::ballot_sync(mask_, predicate), mask_);
  }
  __device__ int any(int predicate) const { return pg_compat::any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return pg_compat::all_sync(mask_, predicate); }
  template <class T>
  __device__ unsigned match_any(T v) const {
    return detail::pack(pg_compat::match_any_sync(mask_, v), mask_);
  }
  template <class T>
  __device__ unsigned match_all(T v, int& predicate) const {
    return detail::pack(pg_compat::match_all_sync(mask_, v, &predicate), mask_);
  }
  __device__ unsigned mask() const { return mask_; }

 private:
  unsigned mask_, meta_rank_, meta_size_;
};
PG_COMPAT_DEVICE coalesced_group coalesced_threads() {
  return coalesced_group(pg_compat::activemask());
}

// A tile of Size lanes; tiles of more than 32 lanes are tiles of the block.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of lanes, 32 at most");

 public:
  __device__ thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : meta_rank_(tile.meta_group_rank()), meta_size_(tile.meta_group_size()) {}
  __device__ static void sync() { pg_compat::syncwarp(mask()); }
  __device__ static unsigned thread_rank() { return pg_compat::lane_id() & (Size - 1u); }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  __device__ T shfl(const T& v, int rank) const {
    return pg_compat::shfl_sync(mask(), v, rank, static_cast<int>(Size));
  }
  template <class T>
  __device__ T shfl_up(const T& v, unsigned delta) const {
    return pg_compat::shfl_up_sync(mask(), v, delta, static_cast<int>(Size));
  }
  template <class T>
  __device__ T shfl_down(const T& v, unsigned delta) const {
    return pg_compat::shfl_down_sync(mask(), v, delta, static_cast<int>(Size));
  }
  template <class T>
  __device__ T shfl_xor(const T& v, unsigned lane_mask) const {
    return pg_compat::shfl_xor_sync(mask(), v, static_cast<int>(lane_mask), static_cast<int>(Size));
  }
  __device__ unsigned ballot(int predicate) const {
    return pg_compat::ballot_sync(mask(), predicate) >> shift();
  }
  __device__ int any(int predicate) const { return ballot(predicate) != 0u; }
  __device__ int all(int predicate) const { return ballot(!predicate) == 0u; }
  template <class T>
  __device__ unsigned match_any(T v) const {
    return pg_compat::match_any_sync(mask(), v) >> shift();
  }
  template <class T>
  __device__ unsigned match_all(T v, int& predicate) const {
    return pg_compat::match_all_sync(mask(), v, &predicate) >> shift();
  }
  __device__ static unsigned shift() { return pg_compat::lane_id() & ~(Size - 1u); }
  __device__ static unsigned mask() { return detail::bits(Size) << shift(); }
  __device__ operator coalesced_group() const { return coalesced_group(mask()); }

 private:
  unsigned meta_rank_, meta_size_;
};

// Any group, with its kind known at run time only.
class thread_group {
 public:
  __device__ thread_group(thread_block) : mask_(0) {}
  __device__ thread_group(coalesced_group g) : mask_(g.mask()) {}
  template <unsigned Size, class Parent>
  __device__ thread_group(thread_block_tile<Size, Parent> tile) : mask_(tile.mask()) {}
  __device__ void sync() const {
    if (mask_)
      pg_compat::syncwarp(mask_);
    else
      __syncthreads();
  }
  __device__ unsigned size() const {
    return mask_ ? static_cast<unsigned>(__popc(mask_)) : block_threads();
  }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return mask_ ? static_cast<unsigned>(__popc(mask_ & pg_compat::lanemask_lt()))
                 : pg_compat::thread_rank();
  }
  template <class T>
  __device__ T shfl(const T& v, unsigned rank) const {
    return coalesced_group(mask_).shfl(v, rank);
  }
  template <class T>
  __device__ T shfl_down(const T& v, unsigned delta) const {
    return coalesced_group(mask_).shfl_down(v, delta);
  }
  __device__ unsigned lanes() const { return mask_; }  // none: the block

 private:
  unsigned mask_;
};

template <unsigned Size>
PG_COMPAT_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {pg_compat::thread_rank() / Size, (block_threads() + Size - 1u) / Size};
}
template <unsigned Size, unsigned Outer, class Parent>
PG_COMPAT_DEVICE thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>&) {
  return {(pg_compat::lane_id() % Outer) / Size, Outer / Size};
}
// The last tile of a block may be smaller.
PG_COMPAT_DEVICE thread_group tiled_partition(const thread_block&, unsigned size) {
  if (size > 32u) return thread_group(thread_block());
  const unsigned left = block_threads() - (pg_compat::thread_rank() & ~(size - 1u));
  const unsigned shift = pg_compat::lane_id() & ~(size - 1u);
  return thread_group(coalesced_group(detail::bits(left < size ? left : size) << shift));
}
// Of lanes that lie anywhere, `size` members each, by rank.
PG_COMPAT_DEVICE coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  const unsigned tile = group.thread_rank() / size;
  unsigned members = 0, left = group.mask();
  for (unsigned rank = 0; left; ++rank, left &= left - 1u)
    if (rank / size == tile) members |= left & (0u - left);
  return coalesced_group(members, tile, (group.size() + size - 1u) / size);
}
PG_COMPAT_DEVICE thread_group tiled_partition(const thread_group& group, unsigned size) {
  if (group.lanes() == 0u) return tiled_partition(thread_block(), size);
  return thread_group(tiled_partition(coalesced_group(group.lanes()), size));
}
template <class Group>
PG_COMPAT_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned mask = coalesced_group(group).mask();
  const unsigned yes = pg_compat::ballot_sync(mask, predicate);
  if (yes == 0u || yes == mask) return coalesced_group(mask);
  return coalesced_group(predicate ? yes : mask & ~yes, predicate ? 1u : 0u, 2u);
}
template <class Group, class Label>
PG_COMPAT_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mask = coalesced_group(group).mask();
  const unsigned same = pg_compat::match_any_sync(mask, label), first = same & (0u - same);
  const unsigned leaders = pg_compat::ballot_sync(mask, first == pg_compat::lanemask_eq());
  return coalesced_group(same, static_cast<unsigned>(__popc(leaders & (first - 1u))),
                         static_cast<unsigned>(__popc(leaders)));
}
template <class Group>
PG_COMPAT_DEVICE coalesced_group labeled_partition(const Group& group, bool label) {
  return binary_partition(group, label);
}

template <class Group>
PG_COMPAT_DEVICE void sync(const Group& group) {
  group.sync();
}
template <class Group, class F, class... A>
PG_COMPAT_DEVICE void invoke_one(const Group& group, F&& f, A&&... a) {
  if (group.thread_rank() == 0) f(static_cast<A&&>(a)...);
}
template <class Group, class F, class... A>
PG_COMPAT_DEVICE auto invoke_one_broadcast(const Group& group, F&& f, A&&... a)
    -> decltype(f(a...)) {
  decltype(f(a...)) result{};
  if (group.thread_rank() == 0) result = f(static_cast<A&&>(a)...);
  return group.shfl(result, 0);
}
template <class Group>
PG_COMPAT_DEVICE unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
PG_COMPAT_DEVICE unsigned group_size(const Group& group) {
  return group.size();
}

#define PG_COMPAT_FUNCTOR(NAME, EXPRESSION)                                  \
  template <class T = void>                                                  \
  struct NAME {                                                              \
    __device__ T operator()(T a, T b) const { return EXPRESSION; }           \
  };
PG_COMPAT_FUNCTOR(plus, a + b)
PG_COMPAT_FUNCTOR(less, b < a ? b : a)
PG_COMPAT_FUNCTOR(greater, a < b ? b : a)
PG_COMPAT_FUNCTOR(bit_and, a & b)
PG_COMPAT_FUNCTOR(bit_or, a | b)
PG_COMPAT_FUNCTOR(bit_xor, a ^ b)
#undef PG_COMPAT_FUNCTOR

// Every lane of a tile or coalesced group gets op over all of them. Butterfly in a tile, so that
// float sums come out as on CUDA.
template <class T, unsigned Size, class Parent, class Op>
PG_COMPAT_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T v, Op op) {
  for (unsigned step = Size / 2u; step; step /= 2u) v = op(v, tile.shfl_xor(v, step));
  return v;
}
template <class T, class Op>
PG_COMPAT_DEVICE T reduce(const coalesced_group& group, T v, Op op) {
  T total = group.shfl(v, 0u);
  for (unsigned i = 1u; i < group.size(); ++i) total = op(total, group.shfl(v, i));
  return total;
}
template <class Group, class T, class Op>
PG_COMPAT_DEVICE T inclusive_scan(const Group& group, T v, Op op) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned step = 1u; step < size; step *= 2u) {
    const T other = group.shfl_up(v, step);
    if (rank >= step) v = op(other, v);
  }
  return v;
}
template <class Group, class T>
PG_COMPAT_DEVICE T inclusive_scan(const Group& group, T v) {
  return inclusive_scan(group, v, plus<T>());
}
template <class Group, class T, class Op>
PG_COMPAT_DEVICE T exclusive_scan(const Group& group, T v, Op op) {
  const T before = group.shfl_up(inclusive_scan(group, v, op), 1u);
  return group.thread_rank() == 0u ? T() : before;
}
template <class Group, class T>
PG_COMPAT_DEVICE T exclusive_scan(const Group& group, T v) {
  return exclusive_scan(group, v, plus<T>());
}

// Copies are done by all threads of the group at once; `wait` makes them visible.
template <class Group, class T, class Size>
PG_COMPAT_DEVICE void memcpy_async(const Group& group, T* to, const T* from, Size bytes) {
  char* d = reinterpret_cast<char*>(to);
  const char* s = reinterpret_cast<const char*>(from);
  const size_t n = static_cast<size_t>(bytes);
  const bool words = ((reinterpret_cast<size_t>(d) | reinterpret_cast<size_t>(s) | n) & 3u) == 0u;
  const size_t step = words ? 4u : 1u;
  for (size_t i = group.thread_rank() * step; i < n; i += group.size() * step) {
    if (words)
      *reinterpret_cast<unsigned*>(d + i) = *reinterpret_cast<const unsigned*>(s + i);
    else
      d[i] = s[i];
  }
}
template <class Group>
PG_COMPAT_DEVICE void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
PG_COMPAT_DEVICE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cg
}  // namespace pg_compat
#endif  // PG_COMPAT_HOST_ONLY
#endif
