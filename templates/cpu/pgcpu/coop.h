// Cooperative groups. The including header says how wide a vendor's tile may be (PGCPU_CG_WIDTH) and
// what type its ballots have (PGCPU_CG_MASK).
#pragma once
#include "thread.h"
#include "warp.h"

#include <type_traits>

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

namespace cooperative_groups {

using lane_bits = PGCPU_CG_MASK;

class grid_group {
 public:
  void sync(PGCPU_AT) const { ::pgcpu::grid_barrier(at); }
  static bool is_valid() { return true; }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long num_threads() { return num_blocks() * ::pgcpu::block_threads(); }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static unsigned long long thread_rank() {
    return block_rank() * ::pgcpu::block_threads() + ::pgcpu::thread_rank();
  }
  static dim3 block_index() { return dim3(blockIdx); }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
};

class thread_block {
 public:
  static void sync(PGCPU_AT) { ::pgcpu::block_barrier(at); }
  static unsigned thread_rank() { return ::pgcpu::thread_rank(); }
  static unsigned size() { return ::pgcpu::block_threads(); }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

// Clusters have one block each.
class cluster_group {
 public:
  static void sync(PGCPU_AT) { ::pgcpu::block_barrier(at); }
  static int barrier_arrive() { return 0; }
  static void barrier_wait(int = 0, PGCPU_AT) { ::pgcpu::block_barrier(at); }
  static unsigned thread_rank() { return ::pgcpu::thread_rank(); }
  static unsigned block_rank() { return 0; }
  static unsigned num_threads() { return ::pgcpu::block_threads(); }
  static unsigned size() { return num_threads(); }
  static unsigned num_blocks() { return 1; }
  static dim3 dim_blocks() { return dim3(1); }
  static dim3 dim_threads() { return blockDim; }
  static dim3 block_index() { return dim3(0, 0, 0); }
  static dim3 thread_index() { return dim3(threadIdx); }
  template <class T>
  static T* map_shared_rank(T* p, int) { return p; }
  static unsigned query_shared_rank(const void*) { return 0; }
};
inline cluster_group this_cluster() { return {}; }
inline thread_block this_thread_block() { return {}; }
inline grid_group this_grid() { return {}; }

namespace details {

// Lanes of a warp, as a set of physical lanes; ranks follow the lanes.
class lane_group {
 public:
  ::pgcpu::mask_t lanes() const { return lanes_; }
  unsigned size() const { return unsigned(__builtin_popcountll(lanes_)); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return unsigned(__builtin_popcountll(lanes_ & ((::pgcpu::mask_t(1) << ::pgcpu::lane_id()) - 1)));
  }
  void sync(PGCPU_AT) const { ::pgcpu::group_sync(lanes_, at); }
  template <class T>
  T shfl(T v, int rank, PGCPU_AT) const {
    return ::pgcpu::group_shuffle(lanes_, v, lane_of(rank), at);
  }
  template <class T>
  T shfl_up(T v, unsigned delta, PGCPU_AT) const {
    const unsigned r = thread_rank();
    return ::pgcpu::group_shuffle(lanes_, v, lane_of(int(delta > r ? r : r - delta)), at);
  }
  template <class T>
  T shfl_down(T v, unsigned delta, PGCPU_AT) const {
    const unsigned r = thread_rank();
    return ::pgcpu::group_shuffle(lanes_, v, lane_of(int(r + delta < size() ? r + delta : r)), at);
  }
  template <class T>
  T shfl_xor(T v, unsigned mask, PGCPU_AT) const {
    const unsigned r = thread_rank(), s = r ^ mask;
    return ::pgcpu::group_shuffle(lanes_, v, lane_of(int(s < size() ? s : r)), at);
  }
  lane_bits ballot(int pred, PGCPU_AT) const {
    return pack(::pgcpu::group_ballot(lanes_, pred != 0, at));
  }
  int any(int pred, PGCPU_AT) const { return ::pgcpu::group_ballot(lanes_, pred != 0, at) != 0; }
  int all(int pred, PGCPU_AT) const { return ::pgcpu::group_ballot(lanes_, pred == 0, at) == 0; }
  template <class T>
  lane_bits match_any(T v, PGCPU_AT) const {
    return pack(::pgcpu::group_match(lanes_, v, at));
  }
  template <class T>
  lane_bits match_all(T v, int& pred, PGCPU_AT) const {
    T all[64];
    const ::pgcpu::mask_t there = ::pgcpu::group_gather(lanes_, v, all, at);
    bool same = true;
    for (::pgcpu::mask_t m = there; m; m &= m - 1)
      same = same && !memcmp(&all[__builtin_ctzll(m)], &v, sizeof v);
    pred = same;
    return same ? pack(there) : 0;
  }
  // Values of the group in rank order; returns how many.
  template <class T>
  unsigned gather(T v, T* out, ::pgcpu::site at) const {
    T all[64];
    unsigned n = 0;
    for (::pgcpu::mask_t m = ::pgcpu::group_gather(lanes_, v, all, at); m; m &= m - 1)
      out[n++] = all[__builtin_ctzll(m)];
    return n;
  }

 protected:
  explicit lane_group(::pgcpu::mask_t lanes) : lanes_(lanes) {}
  lane_group() = default;
  int lane_of(int rank) const {
    ::pgcpu::mask_t m = lanes_;
    for (int i = 0; m; ++i, m &= m - 1)
      if (i == rank) return __builtin_ctzll(m);
    return -1;  // no such rank: PG4005
  }
  lane_bits pack(::pgcpu::mask_t bits) const {
    ::pgcpu::mask_t r = 0;
    unsigned i = 0;
    for (::pgcpu::mask_t m = lanes_; m; m &= m - 1, ++i) r |= (bits >> __builtin_ctzll(m) & 1) << i;
    return lane_bits(r);
  }
  ::pgcpu::mask_t lanes_ = 0;
};

}  // namespace details

class coalesced_group : public details::lane_group {
 public:
  explicit coalesced_group(::pgcpu::mask_t lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
      : lane_group(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}
  unsigned meta_group_size() const { return meta_size_; }
  unsigned meta_group_rank() const { return meta_rank_; }

 private:
  unsigned meta_rank_, meta_size_;
};

template <unsigned N, class Parent = void>
class thread_block_tile : public details::lane_group {
  static_assert(N >= 1 && (N & (N - 1)) == 0, "a tile has 1, 2, 4 … lanes");
  static_assert(N <= PGCPU_CG_WIDTH, "a tile is at most as wide as a warp");

 public:
  explicit thread_block_tile(::pgcpu::site at, unsigned meta_rank = ::pgcpu::thread_rank() / N,
                             unsigned meta_size = (::pgcpu::block_threads() + N - 1) / N)
      : lane_group(::pgcpu::tile_mask(N, at)), meta_rank_(meta_rank), meta_size_(meta_size) {}
  // A tile forgets its parent: thread_block_tile<32> t = tiled_partition<32>(block);
  template <class P, class = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<P>>>
  thread_block_tile(const thread_block_tile<N, P>& t)
      : lane_group(t.lanes()), meta_rank_(t.meta_group_rank()), meta_size_(t.meta_group_size()) {}
  static unsigned thread_rank() { return ::pgcpu::thread_rank() & (N - 1); }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  unsigned meta_group_size() const { return meta_size_; }
  unsigned meta_group_rank() const { return meta_rank_; }
  template <class T>
  T shfl(T v, int rank, PGCPU_AT) const {
    return ::pgcpu::group_shuffle(lanes_, v, lane(unsigned(rank) & (N - 1)), at);
  }
  template <class T>
  T shfl_up(T v, unsigned delta, PGCPU_AT) const {
    const unsigned r = thread_rank();
    return ::pgcpu::group_shuffle(lanes_, v, lane(delta > r ? r : r - delta), at);
  }
  template <class T>
  T shfl_down(T v, unsigned delta, PGCPU_AT) const {
    const unsigned r = thread_rank();
    return ::pgcpu::group_shuffle(lanes_, v, lane(delta >= N - r ? r : r + delta), at);
  }
  template <class T>
  T shfl_xor(T v, unsigned mask, PGCPU_AT) const {
    const unsigned r = thread_rank(), s = r ^ mask;
    return ::pgcpu::group_shuffle(lanes_, v, lane(s < N ? s : r), at);
  }
  lane_bits ballot(int pred, PGCPU_AT) const {
    return lane_bits(::pgcpu::group_ballot(lanes_, pred != 0, at) >> lane(0));
  }
  template <class T>
  lane_bits match_any(T v, PGCPU_AT) const {
    return lane_bits(::pgcpu::group_match(lanes_, v, at) >> lane(0));
  }

 private:
  static int lane(unsigned rank) { return int((::pgcpu::lane_id() & ~(N - 1)) + rank); }
  unsigned meta_rank_, meta_size_;
};

// A group whose width is known at run time only: a tile of a block, or a part of another group.
class thread_group : public details::lane_group {
 public:
  thread_group(thread_block) : block_(true) {}
  thread_group(const details::lane_group& g) : lane_group(g) {}
  explicit thread_group(::pgcpu::mask_t lanes) : lane_group(lanes) {}
  unsigned size() const { return block_ ? ::pgcpu::block_threads() : lane_group::size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return block_ ? ::pgcpu::thread_rank() : lane_group::thread_rank(); }
  void sync(PGCPU_AT) const {
    if (block_) ::pgcpu::block_barrier(at);
    else lane_group::sync(at);
  }

 private:
  bool block_ = false;
};

template <unsigned N, class Parent>
inline thread_block_tile<N, Parent> tiled_partition(const Parent& parent, PGCPU_AT) {
  return thread_block_tile<N, Parent>(at, unsigned(parent.thread_rank()) / N,
                                      (unsigned(parent.size()) + N - 1) / N);
}
// Of a coalesced group, `n` members each, by rank.
inline coalesced_group tiled_partition(const coalesced_group& g, unsigned n, PGCPU_AT) {
  if (n > PGCPU_CG_WIDTH) ::pgcpu::detail::bad_tile(n, at);
  const unsigned tile = g.thread_rank() / n;
  ::pgcpu::mask_t members = 0;
  unsigned rank = 0;
  for (::pgcpu::mask_t m = g.lanes(); m; m &= m - 1, ++rank)
    if (rank / n == tile) members |= m & (0 - m);
  return coalesced_group(members, tile, (g.size() + n - 1) / n);
}
inline thread_group tiled_partition(const thread_group& g, unsigned n, PGCPU_AT) {
  if (n > PGCPU_CG_WIDTH) ::pgcpu::detail::bad_tile(n, at);
  const ::pgcpu::mask_t tile = ::pgcpu::tile_mask(n, at);
  return thread_group(g.lanes() ? tile & g.lanes() : tile);
}
inline coalesced_group coalesced_threads(PGCPU_AT) {
  const ::pgcpu::mask_t here = ::pgcpu::group_active(at);
  // A group stays inside the vendor's warp.
  return coalesced_group(here & ::pgcpu::tile_mask(::pgcpu::warp_size() < PGCPU_CG_WIDTH ? 0 : PGCPU_CG_WIDTH, at));
}
inline thread_block_tile<1> this_thread(PGCPU_AT) { return thread_block_tile<1>(at); }

template <class G>
inline coalesced_group binary_partition(const G& g, bool pred, PGCPU_AT) {
  const ::pgcpu::mask_t yes = ::pgcpu::group_ballot(g.lanes(), pred, at);
  if (yes == 0 || yes == g.lanes()) return coalesced_group(g.lanes());
  return coalesced_group(pred ? yes : g.lanes() & ~yes, pred, 2);
}
template <class G, class T>
inline coalesced_group labeled_partition(const G& g, T label, PGCPU_AT) {
  if constexpr (std::is_same_v<T, bool>) return binary_partition(g, label, at);
  const ::pgcpu::mask_t same = ::pgcpu::group_match(g.lanes(), label, at);
  const ::pgcpu::mask_t first = same & (0 - same);
  const ::pgcpu::mask_t leaders =
      ::pgcpu::group_ballot(g.lanes(), first >> ::pgcpu::lane_id() & 1, at);
  return coalesced_group(same, unsigned(__builtin_popcountll(leaders & (first - 1))),
                         unsigned(__builtin_popcountll(leaders)));
}

template <class G>
inline void sync(const G& g, PGCPU_AT) { g.sync(at); }
template <class G>
inline unsigned thread_rank(const G& g) { return unsigned(g.thread_rank()); }
template <class G>
inline unsigned group_size(const G& g) { return unsigned(g.size()); }

template <class T = void>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  T operator()(T a, T b) const { return T(a & b); }
};
template <class T = void>
struct bit_or {
  T operator()(T a, T b) const { return T(a | b); }
};
template <class T = void>
struct bit_xor {
  T operator()(T a, T b) const { return T(a ^ b); }
};
#define PGCPU_CG_VOID_OP(NAME)                                         \
  template <>                                                          \
  struct NAME<void> {                                                  \
    template <class T>                                                 \
    T operator()(T a, T b) const { return NAME<T>()(a, b); }           \
  };
PGCPU_CG_VOID_OP(plus)
PGCPU_CG_VOID_OP(less)
PGCPU_CG_VOID_OP(greater)
PGCPU_CG_VOID_OP(bit_and)
PGCPU_CG_VOID_OP(bit_or)
PGCPU_CG_VOID_OP(bit_xor)
#undef PGCPU_CG_VOID_OP

template <class G, class T, class Op>
inline T reduce(const G& g, T v, Op&& op, PGCPU_AT) {
  T all[64];
  const unsigned n = g.gather(v, all, at);
  T r = all[0];
  for (unsigned i = 1; i < n; ++i) r = op(r, all[i]);
  return r;
}
template <class G, class T, class Op>
inline T inclusive_scan(const G& g, T v, Op&& op, PGCPU_AT) {
  T all[64];
  g.gather(v, all, at);
  T r = all[0];
  for (unsigned i = 1; i <= g.thread_rank(); ++i) r = op(r, all[i]);
  return r;
}
template <class G, class T>
inline T inclusive_scan(const G& g, T v, PGCPU_AT) { return inclusive_scan(g, v, plus<T>(), at); }
// The first lane gets a zero, as for addition.
template <class G, class T, class Op>
inline T exclusive_scan(const G& g, T v, Op&& op, PGCPU_AT) {
  T all[64];
  g.gather(v, all, at);
  if (g.thread_rank() == 0) return T{};
  T r = all[0];
  for (unsigned i = 1; i < g.thread_rank(); ++i) r = op(r, all[i]);
  return r;
}
template <class G, class T>
inline T exclusive_scan(const G& g, T v, PGCPU_AT) { return exclusive_scan(g, v, plus<T>(), at); }

// Asynchronous copies are done at once; the wait is what makes them visible to the group.
template <class G, class T, class U>
inline void memcpy_async(const G& g, T* dst, const U* src, size_t bytes, PGCPU_AT) {
  (void)at;
  auto* d = reinterpret_cast<unsigned char*>(dst);
  const auto* s = reinterpret_cast<const unsigned char*>(src);
  const size_t step = (reinterpret_cast<uintptr_t>(d) | reinterpret_cast<uintptr_t>(s) | bytes) & 3 ? 1 : 4;
  for (size_t i = g.thread_rank() * step; i < bytes; i += g.size() * step) {
    if (step == 4) {
      unsigned w;
      __builtin_memcpy(&w, s + i, 4);
      __builtin_memcpy(d + i, &w, 4);
    } else {
      d[i] = s[i];
    }
  }
}
template <class G>
inline void wait(const G& g, PGCPU_AT) { g.sync(at); }
template <unsigned Stages, class G>
inline void wait_prior(const G& g, PGCPU_AT) { g.sync(at); }

template <class G, class F, class... A>
inline void invoke_one(const G& g, F&& f, A&&... a) {
  if (g.thread_rank() == 0) f(static_cast<A&&>(a)...);
}

}  // namespace cooperative_groups

#undef PGCPU_AT
