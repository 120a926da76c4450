// Exchanges, neighbours, histograms and sorts of a block and a warp, against plain loops on the host.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <vector>
const int X = 96, N = 3, ALL = X * N;
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct Unequal { __device__ bool operator()(int a, int b) const { return a != b; } };
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };

__global__ void exchange(const int* in, int* striped, int* back, int* scattered) {
  typedef cub::BlockExchange<int, X, N> E;
  __shared__ typename E::TempStorage s;
  int v[N], ranks[N];
  cub::LoadDirectBlocked(threadIdx.x, in, v);
  E(s).BlockedToStriped(v);
  for (int i = 0; i < N; ++i) striped[threadIdx.x * N + i] = v[i];
  __syncthreads();
  E(s).StripedToBlocked(v);
  cub::StoreDirectBlocked(threadIdx.x, back, v);
  for (int i = 0; i < N; ++i) ranks[i] = ALL - 1 - (threadIdx.x * N + i);
  __syncthreads();
  E(s).ScatterToStriped(v, ranks);
  cub::StoreDirectStriped<X>(threadIdx.x, scattered, v);
}
__global__ void neighbours(const int* in, int* heads, int* tails, int* diff, int* rotated) {
  typedef cub::BlockDiscontinuity<int, X> D;
  typedef cub::BlockAdjacentDifference<int, X> A;
  typedef cub::BlockShuffle<int, X> S;
  __shared__ typename D::TempStorage d;
  __shared__ typename A::TempStorage a;
  __shared__ typename S::TempStorage s;
  int v[N], h[N], t[N], out[N];
  cub::LoadDirectBlocked(threadIdx.x, in, v);
  D(d).FlagHeads(h, v, Unequal());
  __syncthreads();
  D(d).FlagTails(t, v, Unequal());
  A(a).SubtractLeft(v, out, Minus());
  cub::StoreDirectBlocked(threadIdx.x, heads, h);
  cub::StoreDirectBlocked(threadIdx.x, tails, t);
  cub::StoreDirectBlocked(threadIdx.x, diff, out);
  int r;
  S(s).Rotate(v[0], r, 5);
  rotated[threadIdx.x] = r;
}
__global__ void sorted(const int* in, int* keys, int* values, unsigned* bins, int* scan, int* most) {
  typedef cub::BlockMergeSort<int, X, N, int> M;
  typedef cub::BlockHistogram<unsigned char, X, N, 16> H;
  typedef cub::BlockScan<int, X> C;
  __shared__ typename M::TempStorage m;
  __shared__ typename H::TempStorage h;
  __shared__ typename C::TempStorage c;
  __shared__ unsigned count[16];
  int k[N], v[N], x[N], total;
  unsigned char b[N];
  for (int i = 0; i < N; ++i) { k[i] = in[threadIdx.x * N + i]; v[i] = threadIdx.x * N + i; x[i] = k[i]; b[i] = (unsigned char)(k[i] & 15); }
  M(m).Sort(k, v, Less());
  cub::StoreDirectBlocked(threadIdx.x, keys, k);
  cub::StoreDirectBlocked(threadIdx.x, values, v);
  H(h).Histogram(b, count);
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = count[threadIdx.x];
  C(c).InclusiveScan(x, x, Larger(), total);
  cub::StoreDirectBlocked(threadIdx.x, scan, x);
  if (threadIdx.x == 0) *most = total;
}
__global__ void warps(const int* in, int* out, int* segments, int* totals) {
  typedef cub::WarpExchange<int, N, 32> E;
  typedef cub::WarpReduce<int> R;
  typedef cub::WarpScan<int> S;
  __shared__ typename E::TempStorage e[X / 32];
  __shared__ typename R::TempStorage r[X / 32];
  __shared__ typename S::TempStorage s[X / 32];
  const int w = threadIdx.x / 32;
  int v[N], scan, total;
  cub::WarpLoad<int, N, cub::WARP_LOAD_STRIPED, 32>().Load(in + w * 32 * N, v);
  E(e[w]).StripedToBlocked(v);
  cub::WarpStore<int, N, cub::WARP_STORE_DIRECT, 32>().Store(out + w * 32 * N, v);
  segments[threadIdx.x] = R(r[w]).HeadSegmentedSum(in[threadIdx.x], threadIdx.x % 5 == 0);
  S(s[w]).InclusiveSum(in[threadIdx.x], scan, total);
  totals[threadIdx.x] = total - scan;
}
template <class T> T* managed(size_t n) { T* p; cudaMallocManaged((void**)&p, n * sizeof(T)); return p; }
int main() {
  int bad = 0, *in = managed<int>(ALL), *p[6];
  for (auto& each : p) each = managed<int>(ALL);
  unsigned* bins = managed<unsigned>(16);
  for (int i = 0; i < ALL; ++i) in[i] = (i / 4 * 7919) % 50;
  exchange<<<1, X>>>(in, p[0], p[1], p[2]);
  bad += cudaDeviceSynchronize() != cudaSuccess;
  for (int t = 0; t < X; ++t) for (int i = 0; i < N; ++i) bad += p[0][t * N + i] != in[i * X + t];
  for (int i = 0; i < ALL; ++i) bad += p[1][i] != in[i] || p[2][i] != in[ALL - 1 - i];
  neighbours<<<1, X>>>(in, p[0], p[1], p[2], p[3]);
  bad += cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < ALL; ++i) {
    bad += p[0][i] != (i == 0 || in[i] != in[i - 1]) || p[1][i] != (i == ALL - 1 || in[i] != in[i + 1]);
    bad += p[2][i] != (i ? in[i] - in[i - 1] : in[i]);
  }
  for (int t = 0; t < X; ++t) bad += p[3][t] != in[(t + 5) % X * N];
  sorted<<<1, X>>>(in, p[0], p[1], bins, p[2], p[3]);
  bad += cudaDeviceSynchronize() != cudaSuccess;
  std::vector<int> order(ALL);
  for (int i = 0; i < ALL; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  unsigned want[16] = {0};
  int most = in[0];
  for (int i = 0; i < ALL; ++i) {
    bad += p[0][i] != in[order[i]] || p[1][i] != order[i];
    want[in[i] & 15]++;
    most = std::max(most, in[i]);
    bad += p[2][i] != most;
  }
  for (int b = 0; b < 16; ++b) bad += bins[b] != want[b];
  bad += p[3][0] != most;
  warps<<<1, X>>>(in, p[0], p[1], p[2]);
  bad += cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < ALL; ++i) bad += p[0][i] != in[i];
  for (int t = 0; t < X; ++t) {
    int s = in[t], rest = 0;
    for (int i = t + 1; i < t / 32 * 32 + 32 && i % 5; ++i) s += in[i];
    for (int i = t + 1; i < t / 32 * 32 + 32; ++i) rest += in[i];
    bad += p[1][t] != s || p[2][t] != rest;
  }
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
