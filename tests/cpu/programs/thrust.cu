#include <thrust/host_vector.h>
#include <thrust/device_vector.h>
#include <thrust/generate.h>
#include <thrust/sort.h>
#include <thrust/copy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/functional.h>
#include <thrust/sequence.h>
#include <thrust/fill.h>
#include <thrust/scan.h>
#include <thrust/count.h>
#include <thrust/unique.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/execution_policy.h>
#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/tuple.h>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
struct saxpy_functor { const float a; saxpy_functor(float _a) : a(_a) {} __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; } };
template <typename T> struct square { __host__ __device__ T operator()(const T& x) const { return x * x; } };
struct is_odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };
struct tuple_sum { template <class Tp> __device__ float operator()(const Tp& t) const { return thrust::get<0>(t) + thrust::get<1>(t); } };
__global__ void dbl(int* p, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) p[i] *= 2; }
int main() {
  const int N = 5000; int bad = 0; thrust::host_vector<int> h(N); std::generate(h.begin(), h.end(), rand);
  thrust::device_vector<int> d = h; thrust::sort(d.begin(), d.end()); thrust::host_vector<int> r = d; std::sort(h.begin(), h.end()); bad += !(r == h);
  thrust::device_vector<float> x(N), y(N, 2.0f); thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy_functor(3.0f)); bad += y[10] != 32.0f;
  float n2 = thrust::transform_reduce(x.begin(), x.begin() + 10, square<float>(), 0.0f, thrust::plus<float>()); bad += n2 != 285.f;
  int s = thrust::reduce(thrust::device, thrust::make_counting_iterator(1), thrust::make_counting_iterator(101), 0); bad += s != 5050;
  thrust::device_vector<int> keys(6), vals(6); int hk[6] = {3,1,2,6,5,4}; thrust::copy(hk, hk+6, keys.begin()); thrust::sequence(vals.begin(), vals.end());
  thrust::sort_by_key(keys.begin(), keys.end(), vals.begin(), thrust::greater<int>()); bad += vals[0] != 3 || keys[0] != 6;
  thrust::exclusive_scan(keys.begin(), keys.end(), vals.begin()); bad += vals[5] != 20;
  thrust::inclusive_scan(thrust::device, keys.begin(), keys.end(), vals.begin(), thrust::maximum<int>()); bad += vals[5] != 6;
  int* raw; cudaMalloc((void**)&raw, 100*sizeof(int)); thrust::device_ptr<int> dp(raw); thrust::fill(dp, dp + 100, 7); dbl<<<1,128>>>(thrust::raw_pointer_cast(dp), 100);
  bad += thrust::count(dp, dp+100, 14) != 100; bad += thrust::count_if(d.begin(), d.end(), is_odd()) < 1; dbl<<<1,128>>>(thrust::raw_pointer_cast(&vals[0]), 6); dbl<<<1,128>>>(vals.data().get(), 6); bad += vals[5] != 24;
  auto z = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin())); thrust::device_vector<float> w(N); thrust::transform(z, z + N, w.begin(), tuple_sum()); bad += w[10] != 42.0f;
  thrust::device_vector<int>::iterator it = thrust::max_element(keys.begin(), keys.end()); bad += (it - keys.begin()) != 0 || *it != 6;
  bad += thrust::inner_product(x.begin(), x.begin()+4, x.begin(), 0.0f) != 14.f;
  auto tb = thrust::make_transform_iterator(keys.begin(), square<int>()); bad += thrust::reduce(tb, tb+6) != 91;
  thrust::device_vector<int> u(6); u[0]=1;u[1]=1;u[2]=2;u[3]=2;u[4]=2;u[5]=9; auto ue = thrust::unique(u.begin(), u.end()); bad += ue - u.begin() != 3;
  thrust::device_vector<int> k2(6), v2(6); int kk[6]={1,1,2,2,2,9}; thrust::device_vector<int> ks(kk, kk+6); auto e2 = thrust::reduce_by_key(ks.begin(), ks.end(), thrust::constant_iterator<int>(1), k2.begin(), v2.begin()); bad += e2.first - k2.begin() != 3 || v2[1] != 3;
  thrust::device_vector<int> c(6); auto ce = thrust::copy_if(ks.begin(), ks.end(), c.begin(), is_odd()); bad += ce - c.begin() != 3; thrust::for_each(thrust::device, c.begin(), c.end(), [] __device__ (int& q) { q += 1; }); bad += c[0] != 2;
  printf("%s %d\n", bad ? "FAIL" : "PASS", bad); cudaFree(raw); return bad;
}
