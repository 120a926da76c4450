// Block- and warp-level CUB, for both vendors: reductions, scans, loads and stores. Everything goes
// through the storage that the kernel declares, with barriers where the real ones have them.
#pragma once
#include "atomic.h"
#include "thread.h"
#include "warp.h"

#include <utility>

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

namespace PGCPU_CUB {

struct Sum {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const { return a + b; }
};
struct Max {
  template <class T>
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Min {
  template <class T>
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
struct Equality {
  template <class T>
  bool operator()(const T& a, const T& b) const { return a == b; }
};
template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
};
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

namespace detail {
template <class K, class V>
void radix_sort(const K* k, K* ko, const V* v, V* vo, long long n, int begin, int end, bool down);
template <class T, int N>
struct storage {
  T items[N];
};
// What a block shares without having declared it.
template <class S>
S& own_storage() {
  static thread_local S s;
  return s;
}
}  // namespace detail

// Room for a T whose constructor does not run, as storage of blocks asks for.
template <class T>
struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  T& Alias() { return reinterpret_cast<T&>(*this); }
};

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0>
class BlockReduce {
 public:
  using TempStorage = detail::storage<T, X * Y * Z>;
  BlockReduce() : s_(detail::own_storage<TempStorage>()) {}
  explicit BlockReduce(TempStorage& s) : s_(s) {}
  // The result is valid in thread 0 only, as with CUB.
  template <class Op>
  T Reduce(T v, Op op, int valid, PGCPU_AT) {
    const int rank = int(::pgcpu::thread_rank());
    s_.items[rank] = v;
    ::pgcpu::block_barrier(at);
    if (rank == 0)
      for (int i = 1; i < valid; ++i) v = op(v, s_.items[i]);
    return v;
  }
  template <class Op>
  T Reduce(T v, Op op, PGCPU_AT) { return Reduce(v, op, X * Y * Z, at); }
  template <int N, class Op>
  T Reduce(T (&v)[N], Op op, PGCPU_AT) {
    T own = v[0];
    for (int i = 1; i < N; ++i) own = op(own, v[i]);
    return Reduce(own, op, X * Y * Z, at);
  }
  T Sum(T v, PGCPU_AT) { return Reduce(v, PGCPU_CUB::Sum(), X * Y * Z, at); }
  T Sum(T v, int valid, PGCPU_AT) { return Reduce(v, PGCPU_CUB::Sum(), valid, at); }
  template <int N>
  T Sum(T (&v)[N], PGCPU_AT) { return Reduce(v, PGCPU_CUB::Sum(), at); }

 private:
  TempStorage& s_;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0>
class BlockScan {
 public:
  using TempStorage = detail::storage<T, X * Y * Z>;
  BlockScan() : s_(detail::own_storage<TempStorage>()) {}
  explicit BlockScan(TempStorage& s) : s_(s) {}
  template <class Op>
  void InclusiveScan(T in, T& out, Op op, T& total, PGCPU_AT) {
    const int rank = share(in, at);
    T r = s_.items[0];
    out = r;
    for (int i = 1; i < X * Y * Z; ++i) {
      r = op(r, s_.items[i]);
      if (i == rank) out = r;
    }
    total = r;
  }
  template <class Op>
  void InclusiveScan(T in, T& out, Op op, PGCPU_AT) {
    T total;
    InclusiveScan(in, out, op, total, at);
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, T& total, PGCPU_AT) {
    const int rank = share(in, at);
    T r = initial, sum = s_.items[0];
    for (int i = 0; i < rank; ++i) r = op(r, s_.items[i]);
    for (int i = 1; i < X * Y * Z; ++i) sum = op(sum, s_.items[i]);
    out = r;
    total = sum;
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, PGCPU_AT) {
    T total;
    ExclusiveScan(in, out, initial, op, total, at);
  }
  void InclusiveSum(T in, T& out, PGCPU_AT) { InclusiveScan(in, out, Sum(), at); }
  void InclusiveSum(T in, T& out, T& total, PGCPU_AT) { InclusiveScan(in, out, Sum(), total, at); }
  void ExclusiveSum(T in, T& out, PGCPU_AT) { ExclusiveScan(in, out, T(0), Sum(), at); }
  void ExclusiveSum(T in, T& out, T& total, PGCPU_AT) { ExclusiveScan(in, out, T(0), Sum(), total, at); }
  template <int N>
  void ExclusiveSum(T (&in)[N], T (&out)[N], T& total, PGCPU_AT) {
    T own = 0, before;
    for (int i = 0; i < N; ++i) own += in[i];
    ExclusiveScan(own, before, T(0), Sum(), total, at);
    for (int i = 0; i < N; ++i) {
      const T v = in[i];
      out[i] = before;
      before += v;
    }
  }
  template <int N>
  void ExclusiveSum(T (&in)[N], T (&out)[N], PGCPU_AT) {
    T total;
    ExclusiveSum(in, out, total, at);
  }
  template <int N>
  void InclusiveSum(T (&in)[N], T (&out)[N], PGCPU_AT) { InclusiveScan(in, out, Sum(), at); }
  template <int N>
  void InclusiveSum(T (&in)[N], T (&out)[N], T& total, PGCPU_AT) { InclusiveScan(in, out, Sum(), total, at); }
  template <int N, class Op>
  void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T& total, PGCPU_AT) {
    T own = in[0];
    for (int i = 1; i < N; ++i) own = op(own, in[i]);
    const int rank = share(own, at);
    T r = in[0];
    if (rank) {
      T before = s_.items[0];
      for (int i = 1; i < rank; ++i) before = op(before, s_.items[i]);
      r = op(before, r);
    }
    for (int i = 0; i < N; ++i) {
      if (i) r = op(r, in[i]);
      out[i] = r;
    }
    total = s_.items[0];
    for (int i = 1; i < X * Y * Z; ++i) total = op(total, s_.items[i]);
  }
  template <int N, class Op>
  void InclusiveScan(T (&in)[N], T (&out)[N], Op op, PGCPU_AT) {
    T total;
    InclusiveScan(in, out, op, total, at);
  }
  template <int N, class Op>
  void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op, T& total, PGCPU_AT) {
    T own = in[0];
    for (int i = 1; i < N; ++i) own = op(own, in[i]);
    T before;
    ExclusiveScan(own, before, initial, op, total, at);
    for (int i = 0; i < N; ++i) {
      const T v = in[i];
      out[i] = before;
      before = op(before, v);
    }
  }
  template <int N, class Op>
  void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op, PGCPU_AT) {
    T total;
    ExclusiveScan(in, out, initial, op, total, at);
  }

 private:
  int share(T v, ::pgcpu::site at) {
    const int rank = int(::pgcpu::thread_rank());
    s_.items[rank] = v;
    ::pgcpu::block_barrier(at);
    return rank;
  }
  TempStorage& s_;
};

template <class T, int W = PGCPU_CUB_WARP, int Arch = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}
  template <class Op>
  T Reduce(T v, Op op, int valid, PGCPU_AT) {
    T all[64];
    const ::pgcpu::mask_t there = ::pgcpu::group_gather(::pgcpu::tile_mask(W, at), v, all, at);
    const int width = W ? W : int(::pgcpu::warp_size());
    const int first = int(::pgcpu::lane_id()) / width * width;
    T r = all[first];
    for (int i = 1; i < valid && i < width && there >> (first + i) & 1; ++i) r = op(r, all[first + i]);
    return r;
  }
  template <class Op>
  T Reduce(T v, Op op, PGCPU_AT) { return Reduce(v, op, 64, at); }
  T Sum(T v, PGCPU_AT) { return Reduce(v, PGCPU_CUB::Sum(), 64, at); }
  T Sum(T v, int valid, PGCPU_AT) { return Reduce(v, PGCPU_CUB::Sum(), valid, at); }
  // Of the segment that starts here: up to the next head, or to a tail.
  template <class F, class Op>
  T HeadSegmentedReduce(T v, F head, Op op, PGCPU_AT) { return segment(v, head, op, true, at); }
  template <class F, class Op>
  T TailSegmentedReduce(T v, F tail, Op op, PGCPU_AT) { return segment(v, tail, op, false, at); }
  template <class F>
  T HeadSegmentedSum(T v, F head, PGCPU_AT) { return segment(v, head, PGCPU_CUB::Sum(), true, at); }
  template <class F>
  T TailSegmentedSum(T v, F tail, PGCPU_AT) { return segment(v, tail, PGCPU_CUB::Sum(), false, at); }

 private:
  template <class F, class Op>
  T segment(T v, F flag, Op op, bool heads, ::pgcpu::site at) {
    struct both {
      T v;
      bool flag;
    };
    both all[64];
    const int width = W ? W : int(::pgcpu::warp_size());
    ::pgcpu::group_gather(::pgcpu::tile_mask(W, at), both{v, bool(flag)}, all, at);
    const int me = int(::pgcpu::lane_id()), end = me / width * width + width;
    T r = v;
    if (!heads && all[me].flag) return r;
    for (int i = me + 1; i < end; ++i) {
      if (heads && all[i].flag) break;
      r = op(r, all[i].v);
      if (!heads && all[i].flag) break;
    }
    return r;
  }
};

template <class T, int W = PGCPU_CUB_WARP, int Arch = 0>
class WarpScan {
 public:
  struct TempStorage {};
  explicit WarpScan(TempStorage&) {}
  template <class Op>
  void InclusiveScan(T in, T& out, Op op, PGCPU_AT) {
    T all[64];
    const int me = gather(in, all, at);
    T r = all[first(me)];
    for (int i = first(me) + 1; i <= me; ++i) r = op(r, all[i]);
    out = r;
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, PGCPU_AT) {
    T all[64];
    const int me = gather(in, all, at);
    T r = initial;
    for (int i = first(me); i < me; ++i) r = op(r, all[i]);
    out = r;
  }
  template <class Op>
  void InclusiveScan(T in, T& out, Op op, T& total, PGCPU_AT) {
    InclusiveScan(in, out, op, at);
    total = Broadcast(out, (W ? W : int(::pgcpu::warp_size())) - 1, at);
  }
  void InclusiveSum(T in, T& out, PGCPU_AT) { InclusiveScan(in, out, Sum(), at); }
  void InclusiveSum(T in, T& out, T& total, PGCPU_AT) { InclusiveScan(in, out, Sum(), total, at); }
  void ExclusiveSum(T in, T& out, PGCPU_AT) { ExclusiveScan(in, out, T(0), Sum(), at); }
  void ExclusiveSum(T in, T& out, T& total, PGCPU_AT) {
    ExclusiveScan(in, out, T(0), Sum(), at);
    total = Broadcast(out + in, (W ? W : int(::pgcpu::warp_size())) - 1, at);
  }
  template <class Op>
  void Scan(T in, T& inclusive, T& exclusive, T initial, Op op, PGCPU_AT) {
    InclusiveScan(in, inclusive, op, at);
    inclusive = op(initial, inclusive);
    ExclusiveScan(in, exclusive, initial, op, at);
  }
  T Broadcast(T in, int lane, PGCPU_AT) {
    T all[64];
    return all[first(gather(in, all, at)) + lane];
  }

 private:
  static int first(int lane) {
    const int width = W ? W : int(::pgcpu::warp_size());
    return lane / width * width;
  }
  static int gather(T in, T* all, ::pgcpu::site at) {
    ::pgcpu::group_gather(::pgcpu::tile_mask(W, at), in, all, at);
    return int(::pgcpu::lane_id());
  }
};

// Blocked order: thread i has items i*N … i*N+N-1 (STRIPED: i, i+threads, …).
template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}
  template <class In>
  void Load(In in, T (&items)[N]) {
    for (int i = 0; i < N; ++i) items[i] = in[place(i)];
  }
  template <class In>
  void Load(In in, T (&items)[N], int valid) {
    for (int i = 0; i < N; ++i)
      if (place(i) < valid) items[i] = in[place(i)];
  }
  template <class In, class D>
  void Load(In in, T (&items)[N], int valid, D otherwise) {
    for (int i = 0; i < N; ++i) items[i] = place(i) < valid ? T(in[place(i)]) : T(otherwise);
  }

 private:
  static int place(int i) {
    const int rank = int(::pgcpu::thread_rank());
    return A == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * N + i;
  }
};
template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
class BlockStore {
 public:
  struct TempStorage {};
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}
  template <class Out>
  void Store(Out out, T (&items)[N]) {
    for (int i = 0; i < N; ++i) out[place(i)] = items[i];
  }
  template <class Out>
  void Store(Out out, T (&items)[N], int valid) {
    for (int i = 0; i < N; ++i)
      if (place(i) < valid) out[place(i)] = items[i];
  }

 private:
  static int place(int i) {
    const int rank = int(::pgcpu::thread_rank());
    return A == BLOCK_STORE_STRIPED ? rank + i * X * Y * Z : rank * N + i;
  }
};

// Keys are sorted as items of a blocked order; values go along. Stable, by all bits or some.
template <class K, int X, int N, class V = int, int RadixBits = 4, bool Memoize = true, int Inner = 0,
          int Config = 0, int Y = 1, int Z = 1, int Arch = 0>
class BlockRadixSort {
 public:
  struct TempStorage {
    K keys[X * Y * Z * N];
    V values[X * Y * Z * N];
  };
  explicit BlockRadixSort(TempStorage& s) : s_(s) {}
  void Sort(K (&k)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<false>(k, nullptr, begin, end, false, at); }
  void SortDescending(K (&k)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<false>(k, nullptr, begin, end, true, at); }
  void Sort(K (&k)[N], V (&v)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<false>(k, v, begin, end, false, at); }
  void SortDescending(K (&k)[N], V (&v)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<false>(k, v, begin, end, true, at); }
  void SortBlockedToStriped(K (&k)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<true>(k, nullptr, begin, end, false, at); }
  void SortBlockedToStriped(K (&k)[N], V (&v)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<true>(k, v, begin, end, false, at); }
  void SortDescendingBlockedToStriped(K (&k)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<true>(k, nullptr, begin, end, true, at); }
  void SortDescendingBlockedToStriped(K (&k)[N], V (&v)[N], int begin = 0, int end = int(sizeof(K)) * 8, PGCPU_AT) { run<true>(k, v, begin, end, true, at); }

 private:
  template <bool Striped>
  void run(K* k, V* v, int begin, int end, bool down, ::pgcpu::site at) {
    const int rank = int(::pgcpu::thread_rank()), threads = X * Y * Z;
    for (int i = 0; i < N; ++i) {
      s_.keys[rank * N + i] = k[i];
      if (v) s_.values[rank * N + i] = v[i];
    }
    ::pgcpu::block_barrier(at);
    if (rank == 0)
      detail::radix_sort(s_.keys, s_.keys, v ? s_.values : nullptr, s_.values, threads * N, begin, end, down);
    ::pgcpu::block_barrier(at);
    for (int i = 0; i < N; ++i) {
      const int from = Striped ? i * threads + rank : rank * N + i;
      k[i] = s_.keys[from];
      if (v) v[i] = s_.values[from];
    }
  }
  TempStorage& s_;
};

}  // namespace PGCPU_CUB

#undef PGCPU_AT

#include "cub_device.h"
#include "cub_block.h"
