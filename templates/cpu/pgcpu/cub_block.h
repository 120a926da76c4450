// More of CUB for a block and a warp, for both vendors: exchanges, neighbours, histograms, sorts by comparison,
// loads and stores of a warp. Included by cub.h.
#pragma once

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

namespace PGCPU_CUB {
namespace detail {
// Who takes part: a block, or a warp of W lanes.
template <int Threads>
struct of_block {
  static constexpr int most = Threads;
  static int width() { return Threads; }
  static int rank() { return int(::pgcpu::thread_rank()); }
  static void sync(::pgcpu::site at) { ::pgcpu::block_barrier(at); }
};
template <int W>  // 0: as many as the device has
struct of_warp {
  static constexpr int most = W ? W : 64;
  static int width() { return W ? W : int(::pgcpu::warp_size()); }
  static int rank() { return int(::pgcpu::lane_id()) % width(); }
  static void sync(::pgcpu::site at) { ::pgcpu::group_sync(::pgcpu::tile_mask(W, at), at); }
};

// Items that move between orders. Blocked: thread i has i*N …; striped: i, i+threads, …; warp-striped: the same
// within the part of each warp.
template <class T, int N, class Who>
class exchange {
 public:
  using TempStorage = storage<T, Who::most * N>;
  exchange() : s_(own()) {}
  explicit exchange(TempStorage& s) : s_(s) {}
  template <class Out>
  void StripedToBlocked(const T (&in)[N], Out (&out)[N], PGCPU_AT) { move(in, out, striped, blocked, at); }
  template <class Out>
  void BlockedToStriped(const T (&in)[N], Out (&out)[N], PGCPU_AT) { move(in, out, blocked, striped, at); }
  template <class Out>
  void WarpStripedToBlocked(const T (&in)[N], Out (&out)[N], PGCPU_AT) { move(in, out, warp_striped, blocked, at); }
  template <class Out>
  void BlockedToWarpStriped(const T (&in)[N], Out (&out)[N], PGCPU_AT) { move(in, out, blocked, warp_striped, at); }
  void StripedToBlocked(T (&x)[N], PGCPU_AT) { move(x, x, striped, blocked, at); }
  void BlockedToStriped(T (&x)[N], PGCPU_AT) { move(x, x, blocked, striped, at); }
  void WarpStripedToBlocked(T (&x)[N], PGCPU_AT) { move(x, x, warp_striped, blocked, at); }
  void BlockedToWarpStriped(T (&x)[N], PGCPU_AT) { move(x, x, blocked, warp_striped, at); }
  template <class Out, class R>
  void ScatterToBlocked(const T (&in)[N], Out (&out)[N], R (&ranks)[N], PGCPU_AT) { scatter(in, out, ranks, blocked, at); }
  template <class Out, class R>
  void ScatterToStriped(const T (&in)[N], Out (&out)[N], R (&ranks)[N], PGCPU_AT) { scatter(in, out, ranks, striped, at); }
  template <class R>
  void ScatterToBlocked(T (&x)[N], R (&ranks)[N], PGCPU_AT) { scatter(x, x, ranks, blocked, at); }
  template <class R>
  void ScatterToStriped(T (&x)[N], R (&ranks)[N], PGCPU_AT) { scatter(x, x, ranks, striped, at); }

 private:
  static TempStorage& own() {
    static thread_local TempStorage s;  // what one block shares
    return s;
  }
  static int blocked(int i) { return Who::rank() * N + i; }
  static int striped(int i) { return i * Who::width() + Who::rank(); }
  static int warp_striped(int i) {
    const int w = of_warp<PGCPU_CUB_WARP>::width() < Who::width() ? of_warp<PGCPU_CUB_WARP>::width() : Who::width();
    return Who::rank() / w * w * N + i * w + Who::rank() % w;
  }
  template <class Out, class From, class To>
  void move(const T (&in)[N], Out (&out)[N], From from, To to, ::pgcpu::site at) {
    for (int i = 0; i < N; ++i) s_.items[from(i)] = in[i];
    Who::sync(at);
    for (int i = 0; i < N; ++i) out[i] = s_.items[to(i)];
    Who::sync(at);
  }
  template <class Out, class R, class To>
  void scatter(const T (&in)[N], Out (&out)[N], R (&ranks)[N], To to, ::pgcpu::site at) {
    for (int i = 0; i < N; ++i) s_.items[ranks[i]] = in[i];
    Who::sync(at);
    for (int i = 0; i < N; ++i) out[i] = s_.items[to(i)];
    Who::sync(at);
  }
  TempStorage& s_;
};

// Stable sorts by comparison.
template <class K, int N, class V, class Who>
class merge_sort {
 public:
  struct TempStorage {
    K keys[Who::most * N];
    V values[Who::most * N];
  };
  explicit merge_sort(TempStorage& s) : s_(s) {}
  template <class Less>
  void Sort(K (&k)[N], Less less, PGCPU_AT) { run(k, static_cast<V*>(nullptr), less, Who::width() * N, at); }
  template <class Less>
  void Sort(K (&k)[N], Less less, int valid, K last, PGCPU_AT) { partial(k, static_cast<V*>(nullptr), less, valid, last, at); }
  template <class Less>
  void Sort(K (&k)[N], V (&v)[N], Less less, PGCPU_AT) { run(k, v, less, Who::width() * N, at); }
  template <class Less>
  void Sort(K (&k)[N], V (&v)[N], Less less, int valid, K last, PGCPU_AT) { partial(k, v, less, valid, last, at); }
  template <class Less>
  void StableSort(K (&k)[N], Less less, PGCPU_AT) { run(k, static_cast<V*>(nullptr), less, Who::width() * N, at); }
  template <class Less>
  void StableSort(K (&k)[N], V (&v)[N], Less less, PGCPU_AT) { run(k, v, less, Who::width() * N, at); }

 private:
  template <class Less>
  void partial(K (&k)[N], V* v, Less less, int valid, const K& last, ::pgcpu::site at) {
    for (int i = 0; i < N; ++i)
      if (Who::rank() * N + i >= valid) k[i] = last;
    run(k, v, less, valid, at);
  }
  template <class Less>
  void run(K* k, V* v, Less less, int count, ::pgcpu::site at) {
    const int first = Who::rank() * N;
    for (int i = 0; i < N; ++i) {
      s_.keys[first + i] = k[i];
      if (v) s_.values[first + i] = v[i];
    }
    Who::sync(at);
    if (Who::rank() == 0)
      for (int i = 1; i < count; ++i) {  // insertion: the items of a block are few
        const K key = s_.keys[i];
        const V value = v ? s_.values[i] : V();
        int j = i;
        for (; j > 0 && less(key, s_.keys[j - 1]); --j) {
          s_.keys[j] = s_.keys[j - 1];
          if (v) s_.values[j] = s_.values[j - 1];
        }
        s_.keys[j] = key;
        if (v) s_.values[j] = value;
      }
    Who::sync(at);
    for (int i = 0; i < N; ++i) {
      k[i] = s_.keys[first + i];
      if (v) v[i] = s_.values[first + i];
    }
    Who::sync(at);
  }
  TempStorage& s_;
};
}  // namespace detail

template <class T, int X, int N, bool TimeSlicing = false, int Y = 1, int Z = 1, int Arch = 0>
class BlockExchange : public detail::exchange<T, N, detail::of_block<X * Y * Z>> {
 public:
  using detail::exchange<T, N, detail::of_block<X * Y * Z>>::exchange;
};
template <class T, int N, int W = PGCPU_CUB_WARP, int Arch = 0>
class WarpExchange : public detail::exchange<T, N, detail::of_warp<W>> {
 public:
  using detail::exchange<T, N, detail::of_warp<W>>::exchange;
};
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort : public detail::merge_sort<K, N, V, detail::of_block<X * Y * Z>> {
 public:
  using detail::merge_sort<K, N, V, detail::of_block<X * Y * Z>>::merge_sort;
};
template <class K, int N, int W = PGCPU_CUB_WARP, class V = NullType, int Arch = 0>
class WarpMergeSort : public detail::merge_sort<K, N, V, detail::of_warp<W>> {
 public:
  using detail::merge_sort<K, N, V, detail::of_warp<W>>::merge_sort;
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int X, int N, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int Arch = 0>
class BlockHistogram {
 public:
  struct TempStorage {};
  BlockHistogram() = default;
  explicit BlockHistogram(TempStorage&) {}
  template <class C>
  void InitHistogram(C (&bins)[Bins]) {
    for (int i = int(::pgcpu::thread_rank()); i < Bins; i += X * Y * Z) bins[i] = 0;
  }
  template <class C>
  void Histogram(T (&items)[N], C (&bins)[Bins], PGCPU_AT) {
    InitHistogram(bins);
    ::pgcpu::block_barrier(at);
    Composite(items, bins);
  }
  template <class C>
  void Composite(T (&items)[N], C (&bins)[Bins]) {
    for (int i = 0; i < N; ++i) ::pgcpu::atomic_add<C>(&bins[items[i]], C(1));
  }
};

// Flags and differences of neighbours in blocked order.
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockDiscontinuity {
 public:
  struct TempStorage {
    T first[X * Y * Z], last[X * Y * Z];
  };
  explicit BlockDiscontinuity(TempStorage& s) : s_(s) {}
  template <int N, class F, class Op>
  void FlagHeads(F (&heads)[N], T (&x)[N], Op op, PGCPU_AT) { head(heads, x, op, static_cast<const T*>(nullptr), at); }
  template <int N, class F, class Op>
  void FlagHeads(F (&heads)[N], T (&x)[N], Op op, T before, PGCPU_AT) { head(heads, x, op, &before, at); }
  template <int N, class F, class Op>
  void FlagTails(F (&tails)[N], T (&x)[N], Op op, PGCPU_AT) { tail(tails, x, op, static_cast<const T*>(nullptr), at); }
  template <int N, class F, class Op>
  void FlagTails(F (&tails)[N], T (&x)[N], Op op, T after, PGCPU_AT) { tail(tails, x, op, &after, at); }
  template <int N, class F, class Op>
  void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T (&x)[N], Op op, PGCPU_AT) {
    head(heads, x, op, static_cast<const T*>(nullptr), at);
    ::pgcpu::block_barrier(at);
    tail(tails, x, op, static_cast<const T*>(nullptr), at);
  }

 private:
  template <class Op>
  static auto flag(Op op, const T& a, const T& b, int i) -> decltype(bool(op(a, b, i))) { return op(a, b, i); }
  template <class Op>
  static auto flag(Op op, const T& a, const T& b, long) -> decltype(bool(op(a, b))) { return op(a, b); }
  template <int N, class F, class Op>
  void head(F (&heads)[N], T (&x)[N], Op op, const T* before, ::pgcpu::site at) {
    const int r = int(::pgcpu::thread_rank());
    s_.last[r] = x[N - 1];
    ::pgcpu::block_barrier(at);
    for (int i = 0; i < N; ++i) {
      const T* left = i ? &x[i - 1] : r ? &s_.last[r - 1] : before;
      heads[i] = F(left ? flag(op, *left, x[i], r * N + i) : true);
    }
  }
  template <int N, class F, class Op>
  void tail(F (&tails)[N], T (&x)[N], Op op, const T* after, ::pgcpu::site at) {
    const int r = int(::pgcpu::thread_rank());
    s_.first[r] = x[0];
    ::pgcpu::block_barrier(at);
    for (int i = 0; i < N; ++i) {
      const T* right = i + 1 < N ? &x[i + 1] : r + 1 < X * Y * Z ? &s_.first[r + 1] : after;
      tails[i] = F(right ? flag(op, x[i], *right, r * N + i + 1) : true);
    }
  }
  TempStorage& s_;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockAdjacentDifference {
 public:
  using TempStorage = detail::storage<T, X * Y * Z>;
  explicit BlockAdjacentDifference(TempStorage& s) : s_(s) {}
  template <int N, class Out, class Op>
  void SubtractLeft(T (&x)[N], Out (&out)[N], Op op, PGCPU_AT) { left(x, out, op, static_cast<const T*>(nullptr), at); }
  template <int N, class Out, class Op>
  void SubtractLeft(T (&x)[N], Out (&out)[N], Op op, T before, PGCPU_AT) { left(x, out, op, &before, at); }
  template <int N, class Out, class Op>
  void SubtractRight(T (&x)[N], Out (&out)[N], Op op, PGCPU_AT) { right(x, out, op, static_cast<const T*>(nullptr), at); }
  template <int N, class Out, class Op>
  void SubtractRight(T (&x)[N], Out (&out)[N], Op op, T after, PGCPU_AT) { right(x, out, op, &after, at); }

 private:
  template <int N, class Out, class Op>
  void left(T (&x)[N], Out (&out)[N], Op op, const T* before, ::pgcpu::site at) {
    const int r = int(::pgcpu::thread_rank());
    s_.items[r] = x[N - 1];
    ::pgcpu::block_barrier(at);
    for (int i = N; i-- > 0;) {
      const T* l = i ? &x[i - 1] : r ? &s_.items[r - 1] : before;
      out[i] = l ? Out(op(x[i], *l)) : Out(x[i]);
    }
  }
  template <int N, class Out, class Op>
  void right(T (&x)[N], Out (&out)[N], Op op, const T* after, ::pgcpu::site at) {
    const int r = int(::pgcpu::thread_rank());
    s_.items[r] = x[0];
    ::pgcpu::block_barrier(at);
    for (int i = 0; i < N; ++i) {
      const T* n = i + 1 < N ? &x[i + 1] : r + 1 < X * Y * Z ? &s_.items[r + 1] : after;
      out[i] = n ? Out(op(x[i], *n)) : Out(x[i]);
    }
  }
  TempStorage& s_;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockShuffle {
 public:
  using TempStorage = detail::storage<T, X * Y * Z>;
  explicit BlockShuffle(TempStorage& s) : s_(s) {}
  void Offset(T in, T& out, int distance = 1, PGCPU_AT) {
    const int r = share(in, at), from = r + distance;
    if (from >= 0 && from < X * Y * Z) out = s_.items[from];
  }
  void Rotate(T in, T& out, unsigned distance = 1, PGCPU_AT) {
    const int r = share(in, at);
    out = s_.items[(r + int(distance)) % (X * Y * Z)];
  }
  template <int N>
  void Up(T (&x)[N], T (&out)[N], PGCPU_AT) {
    const int r = share(x[N - 1], at);
    for (int i = N - 1; i > 0; --i) out[i] = x[i - 1];
    if (r) out[0] = s_.items[r - 1];
  }
  template <int N>
  void Down(T (&x)[N], T (&out)[N], PGCPU_AT) {
    const int r = share(x[0], at);
    for (int i = 0; i + 1 < N; ++i) out[i] = x[i + 1];
    if (r + 1 < X * Y * Z) out[N - 1] = s_.items[r + 1];
  }

 private:
  int share(T v, ::pgcpu::site at) {
    const int r = int(::pgcpu::thread_rank());
    s_.items[r] = v;
    ::pgcpu::block_barrier(at);
    return r;
  }
  TempStorage& s_;
};

// ---- loads and stores of a warp, and the functions behind those of a block ----
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
template <class T, int N, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int W = PGCPU_CUB_WARP, int Arch = 0>
class WarpLoad {
 public:
  struct TempStorage {};
  WarpLoad() = default;
  explicit WarpLoad(TempStorage&) {}
  template <class In>
  void Load(In in, T (&x)[N], int valid = detail::of_warp<W>::width() * N) {
    for (int i = 0; i < N; ++i)
      if (place(i) < valid) x[i] = in[place(i)];
  }
  template <class In, class D>
  void Load(In in, T (&x)[N], int valid, D otherwise) {
    for (int i = 0; i < N; ++i) x[i] = place(i) < valid ? T(in[place(i)]) : T(otherwise);
  }

 private:
  static int place(int i) {
    const int r = detail::of_warp<W>::rank();
    return A == WARP_LOAD_STRIPED ? i * detail::of_warp<W>::width() + r : r * N + i;
  }
};
template <class T, int N, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int W = PGCPU_CUB_WARP, int Arch = 0>
class WarpStore {
 public:
  struct TempStorage {};
  WarpStore() = default;
  explicit WarpStore(TempStorage&) {}
  template <class Out>
  void Store(Out out, T (&x)[N], int valid = detail::of_warp<W>::width() * N) {
    const int r = detail::of_warp<W>::rank();
    for (int i = 0; i < N; ++i) {
      const int to = A == WARP_STORE_STRIPED ? i * detail::of_warp<W>::width() + r : r * N + i;
      if (to < valid) out[to] = x[i];
    }
  }
};
template <class T, int N, class In>
void LoadDirectBlocked(int rank, In in, T (&x)[N]) {
  for (int i = 0; i < N; ++i) x[i] = in[rank * N + i];
}
template <class T, int N, class In>
void LoadDirectBlocked(int rank, In in, T (&x)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (rank * N + i < valid) x[i] = in[rank * N + i];
}
template <int Threads, class T, int N, class In>
void LoadDirectStriped(int rank, In in, T (&x)[N]) {
  for (int i = 0; i < N; ++i) x[i] = in[i * Threads + rank];
}
template <int Threads, class T, int N, class In>
void LoadDirectStriped(int rank, In in, T (&x)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (i * Threads + rank < valid) x[i] = in[i * Threads + rank];
}
template <class T, int N, class Out>
void StoreDirectBlocked(int rank, Out out, T (&x)[N]) {
  for (int i = 0; i < N; ++i) out[rank * N + i] = x[i];
}
template <class T, int N, class Out>
void StoreDirectBlocked(int rank, Out out, T (&x)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (rank * N + i < valid) out[rank * N + i] = x[i];
}
template <int Threads, class T, int N, class Out>
void StoreDirectStriped(int rank, Out out, T (&x)[N]) {
  for (int i = 0; i < N; ++i) out[i * Threads + rank] = x[i];
}
template <int Threads, class T, int N, class Out>
void StoreDirectStriped(int rank, Out out, T (&x)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (i * Threads + rank < valid) out[i * Threads + rank] = x[i];
}
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier M, class In>
auto ThreadLoad(In p) -> std::remove_cv_t<std::remove_reference_t<decltype(*p)>> { return *p; }
template <CacheStoreModifier M, class Out, class T>
void ThreadStore(Out p, T v) { *p = v; }
inline unsigned LaneId() { return unsigned(detail::of_warp<PGCPU_CUB_WARP>::rank()); }
inline unsigned WarpId() { return ::pgcpu::thread_rank() / unsigned(detail::of_warp<PGCPU_CUB_WARP>::width()); }
inline int RowMajorTid(int x, int y, int) {
  return int((threadIdx.z * unsigned(y) + threadIdx.y) * unsigned(x) + threadIdx.x);
}

}  // namespace PGCPU_CUB

#undef PGCPU_AT
