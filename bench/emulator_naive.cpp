// The naive way, for bench/emulator.py: one std::thread a lane, a mutex and a condition variable a
// barrier, shuffles through an array between two barriers. Runs a few blocks and prints seconds for
// one block of softmax and one of the sort.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

constexpr int N = 1024;

class Barrier {
 public:
  explicit Barrier(int n) : n_(n) {}
  void wait() {
    std::unique_lock<std::mutex> hold(lock_);
    const unsigned round = round_;
    if (++here_ == n_) {
      here_ = 0;
      ++round_;
      met_.notify_all();
    } else {
      met_.wait(hold, [&] { return round != round_; });
    }
  }

 private:
  std::mutex lock_;
  std::condition_variable met_;
  int n_, here_ = 0;
  unsigned round_ = 0;
};

template <class F>
double seconds_a_block(int blocks, int threads, F f) {
  const auto start = std::chrono::steady_clock::now();
  for (int b = 0; b < blocks; ++b) {
    Barrier block(threads);
    std::vector<std::thread> lanes;
    for (int t = 0; t < threads; ++t) lanes.emplace_back([&, b, t] { f(b, t, block); });
    for (auto& l : lanes) l.join();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / blocks;
}

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? atoi(argv[1]) : 4, threads = 256;
  std::vector<float> x(size_t(blocks) * N, 0.5f), y(x.size());
  std::vector<Barrier*> warps;
  for (int i = 0; i < threads / 32; ++i) warps.push_back(new Barrier(32));
  float slot[256], partial[32];
  auto shuffle = [&](float v, int t, int o) {
    slot[t] = v;
    warps[size_t(t / 32)]->wait();
    const float r = slot[t ^ o];
    warps[size_t(t / 32)]->wait();
    return r;
  };
  auto reduce = [&](float v, int t, Barrier& block, bool sum) {
    auto op = [&](float a, float b) { return sum ? a + b : std::max(a, b); };
    for (int o = 16; o; o >>= 1) v = op(v, shuffle(v, t, o));
    if (t % 32 == 0) partial[t / 32] = v;
    block.wait();
    v = t % 32 < threads / 32 ? partial[t % 32] : sum ? 0 : -INFINITY;
    for (int o = 16; o; o >>= 1) v = op(v, shuffle(v, t, o));
    block.wait();
    return v;
  };
  const double soft = seconds_a_block(blocks, threads, [&](int b, int t, Barrier& block) {
    const float* in = &x[size_t(b) * N];
    float most = -INFINITY, sum = 0;
    for (int i = t; i < N; i += threads) most = std::max(most, in[i]);
    most = reduce(most, t, block, false);
    for (int i = t; i < N; i += threads) sum += std::exp(in[i] - most);
    sum = reduce(sum, t, block, true);
    for (int i = t; i < N; i += threads) y[size_t(b) * N + i] = std::exp(in[i] - most) / sum;
  });
  std::vector<unsigned> s(N);
  for (auto& k : s) k = unsigned(rand());
  const double sort = seconds_a_block(std::max(1, blocks / 2), N / 2, [&](int, int t, Barrier& block) {
    for (unsigned size = 2; size <= N; size *= 2)
      for (unsigned step = size / 2; step; step /= 2) {
        block.wait();
        const unsigned i = 2 * unsigned(t) - (unsigned(t) & (step - 1));
        if ((s[i] > s[i + step]) == ((i & size) == 0)) std::swap(s[i], s[i + step]);
      }
    block.wait();
  });
  printf("%g %g\n", soft, sort);
  return std::is_sorted(s.begin(), s.end()) ? 0 : 1;
}
