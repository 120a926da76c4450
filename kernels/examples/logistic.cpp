// Logistic regression on synthetic data: steps captured once as a graph, launched many times.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "portgpu_ops.h"

namespace {

void check(int status, const char* what) {
  if (status == PG_OK) return;
  std::fprintf(stderr, "%s: status %d: %s\n", what, status, pg_last_error());
  std::exit(1);
}
#define CHECK(call) check(call, #call)

// A float array on the device.
class array {
 public:
  array(std::vector<int64_t> shape, void* stream) : shape_(std::move(shape)), stream_(stream) {
    CHECK(pg_alloc(&data_, bytes(), PG_MEMORY_DEVICE, stream_));
  }
  ~array() { pg_release(data_, stream_); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  size_t bytes() const {
    size_t n = sizeof(float);
    for (int64_t extent : shape_) n *= size_t(extent);
    return n;
  }
  pg_tensor tensor() const { return {data_, PG_F32, int32_t(shape_.size()), shape_.data(), nullptr}; }
  void put(const std::vector<float>& from) { CHECK(pg_memcpy(data_, from.data(), bytes(), PG_COPY_H2D, stream_)); }
  std::vector<float> get() const {
    std::vector<float> to(bytes() / sizeof(float));
    CHECK(pg_memcpy(to.data(), data_, bytes(), PG_COPY_D2H, stream_));
    CHECK(pg_stream_synchronize(stream_));
    return to;
  }

 private:
  std::vector<int64_t> shape_;
  void* stream_;
  void* data_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const int64_t rows = 200, features = 20;
  const int steps = 5, launches = argc > 1 ? std::atoi(argv[1]) : 4;
  const float rate = 0.5f;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(size_t(rows * features)), y(rows), truth(features);
  for (float& v : x) v = normal(random);
  for (float& v : truth) v = normal(random);
  for (int64_t i = 0; i < rows; ++i) {
    float dot = 0;
    for (int64_t j = 0; j < features; ++j) dot += x[size_t(i * features + j)] * truth[size_t(j)];
    y[size_t(i)] = dot > 0 ? 1.f : 0.f;
  }

  void* stream;
  CHECK(pg_stream_create(&stream));
  {
    array dx({rows, features}, stream), dy({rows}, stream), dw({features}, stream);
    dx.put(x);
    dy.put(y);
    dw.put(std::vector<float>(size_t(features), 0.f));
    const pg_tensor tx = dx.tensor(), ty = dy.tensor(), tw = dw.tensor();
    size_t bytes = 0;
    CHECK(pg_logistic_step_workspace(&tx, &ty, &tw, rate, steps, &bytes));
    void* workspace = nullptr;
    CHECK(pg_alloc(&workspace, bytes, PG_MEMORY_DEVICE, stream));
    CHECK(pg_stream_synchronize(stream));

    void* graph;
    CHECK(pg_graph_begin(stream, &graph));
    CHECK(pg_logistic_step(&tx, &ty, &tw, rate, steps, workspace, bytes, stream));
    CHECK(pg_graph_end(graph));
    for (int i = 0; i < launches; ++i) CHECK(pg_graph_launch(graph, stream));
    const std::vector<float> got = dw.get();
    CHECK(pg_graph_destroy(graph));
    CHECK(pg_release(workspace, stream));

    std::vector<double> want(size_t(features), 0.0);
    for (int s = 0; s < steps * launches; ++s) {
      std::vector<double> gradient(size_t(features), 0.0);
      for (int64_t i = 0; i < rows; ++i) {
        double dot = 0;
        for (int64_t j = 0; j < features; ++j) dot += double(x[size_t(i * features + j)]) * want[size_t(j)];
        const double error = 1 / (1 + std::exp(-dot)) - y[size_t(i)];
        for (int64_t j = 0; j < features; ++j) gradient[size_t(j)] += error * x[size_t(i * features + j)];
      }
      for (int64_t j = 0; j < features; ++j) want[size_t(j)] -= double(rate) / double(rows) * gradient[size_t(j)];
    }
    double worst = 0;
    for (int64_t j = 0; j < features; ++j) worst = std::fmax(worst, std::fabs(want[size_t(j)] - got[size_t(j)]));
    std::printf("%s: %d steps, largest error %.1e\n", pg_target(), steps * launches, worst);
    if (!(worst < 1e-5)) return 2;
  }
  CHECK(pg_stream_destroy(stream));
  return 0;
}
