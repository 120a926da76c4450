// Host runtime: memory, streams, events, graphs, pools, symbols, launch limits and failures.
#pragma once

__constant__ int constant_numbers[4];
__device__ int device_numbers[4];

__global__ void add_one(int* p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) p[i] += 1;
}
__global__ void use_symbols(int* out) {
  out[threadIdx.x] = constant_numbers[threadIdx.x] + 1;
  device_numbers[threadIdx.x] = constant_numbers[threadIdx.x] + 2;
}
__global__ void big_shared(int* out, int n) {
  PG_DYN_SHARED(int, all);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) all[i] = i;
  pg::syncblock();
  out[threadIdx.x] = all[n - 1 - threadIdx.x];
}
__global__ void grid_indices(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = static_cast<int>(block * 1000 + thread);
}
struct parameters {
  int a[8];
  double b;
};
__global__ void by_value(PG_GRID_CONSTANT const parameters p, char c, double* out) { out[0] = p.a[7] + p.b + c; }
__global__ void PG_LAUNCH_BOUNDS(128, 2) bounded(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void clocks(unsigned long long* out) {
  out[0] = pg::clock_cycles(), out[1] = pg::clock_ticks();
  pg::fence_block(), pg::fence_device(), pg::fence_system();
  for (int i = 0; i < 1000; ++i) out[4 + i % 2] = out[5 - i % 2] + 1;
  out[2] = pg::clock_cycles(), out[3] = pg::clock_ticks();
}
inline void on_host(void* p) { *static_cast<int*>(p) = 42; }

inline void check_host(const pg::device_properties& p) {
  check("device_info", p.name[0] && p.arch[0] && p.warp_size == pg::host_warp_size(0) && p.compute_units > 0 && p.max_threads_per_block >= 256 &&
        p.shared_per_block >= 32768 && p.shared_optin >= p.shared_per_block && p.total_memory > 0);
  int number = -1;
  check("set_device, get_device", pg::set_device(0) == 0 && pg::get_device(&number) == 0 && number == 0);
  check("a device that is not there", pg::set_device(4096) == pg::error_invalid_value && pg::last_error_string()[0]);
  size_t free_bytes = 0, total = 0;
  check("memory_info", pg::memory_info(&free_bytes, &total) == 0 && total > 0 && free_bytes <= total);

  const int n = 5000;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  pg::stream s;
  REQUIRE(pg::stream_create(&s));
  device_array<int> a(host), b(n);
  pg::event start, stop;
  REQUIRE(pg::event_create(&start));
  REQUIRE(pg::event_create(&stop));
  REQUIRE(pg::event_record(start, s));
  REQUIRE(PG_LAUNCH(add_one, (n + 255) / 256, 256, 0, s, a.p, n));
  REQUIRE(pg::memcpy_d2d(b.p, a.p, n * sizeof(int), s));
  REQUIRE(pg::event_record(stop, s));
  REQUIRE(pg::event_synchronize(stop));
  float ms = -1;
  check("event_elapsed, event_query", pg::event_elapsed(&ms, start, stop) == 0 && ms >= 0 && pg::event_query(stop) == 0);
  std::vector<int> got(n);
  REQUIRE(pg::memcpy_d2h(got.data(), b.p, n * sizeof(int), s));
  REQUIRE(pg::stream_synchronize(s));
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && got[i] == i + 1;
  check("PG_LAUNCH on a stream, memcpy_*", good);
  REQUIRE(pg::memset(b.p, 1, n * sizeof(int), s));
  REQUIRE(pg::memcpy(got.data(), b.p, n * sizeof(int), pg::copy_kind::automatic, s));
  check("stream_query, memset, memcpy", pg::stream_synchronize(s) == 0 && pg::stream_query(s) == 0 && got[n - 1] == 0x01010101);
  pg::stream other;
  REQUIRE(pg::stream_create(&other));
  REQUIRE(PG_LAUNCH(add_one, (n + 255) / 256, 256, 0, s, a.p, n));
  REQUIRE(pg::event_record(stop, s));
  REQUIRE(pg::stream_wait_event(other, stop));
  REQUIRE(PG_LAUNCH(add_one, (n + 255) / 256, 256, 0, other, a.p, n));
  int called = 0;
  REQUIRE(pg::stream_host_call(other, on_host, &called));
  REQUIRE(pg::stream_synchronize(other));
  check("stream_wait_event, stream_host_call", a.read()[7] == 10 && called == 42);

  // Memory kinds.
  void *pinned = nullptr, *managed = nullptr, *ordered = nullptr, *none = &number;
  REQUIRE(pg::malloc_host(&pinned, 64));
  static_cast<int*>(pinned)[3] = 9;
  REQUIRE(pg::memcpy_h2d(a.p, pinned, 64, s));
  REQUIRE(pg::stream_synchronize(s));
  check("malloc_host", a.read()[3] == 9 && pg::free_host(pinned) == 0 && pg::free_host(nullptr) == 0);
  if (p.managed) {
    REQUIRE(pg::malloc_managed(&managed, 64));
    static_cast<int*>(managed)[0] = 4;
    REQUIRE(PG_LAUNCH(add_one, 1, 1, 0, nullptr, static_cast<int*>(managed), 1));
    REQUIRE(pg::device_synchronize());
    check("malloc_managed", static_cast<int*>(managed)[0] == 5 && pg::free_device(managed) == 0);
  }
  REQUIRE(pg::malloc_async(&ordered, 4096, s));
  REQUIRE(pg::memset(ordered, 0, 4096, s));
  REQUIRE(PG_LAUNCH(add_one, 4, 256, 0, s, static_cast<int*>(ordered), 1024));
  REQUIRE(pg::memcpy_d2h(got.data(), ordered, 4096, s));
  REQUIRE(pg::free_async(ordered, s));
  REQUIRE(pg::stream_synchronize(s));
  check("malloc_async, free_async", got[0] == 1 && got[1023] == 1);
  check("nothing allocated for no bytes", pg::malloc_device(&none, 0) == 0 && none == nullptr && pg::free_device(nullptr) == 0);
  check("out of memory", pg::malloc_device(&none, size_t(1) << 60) == pg::error_out_of_memory && pg::last_error_string()[0]);
  pg::memory_pool pool;
  const int pool_status = pg::pool_create(&pool, 0);
#if PG_HAS_POOLS
  if (pool_status == pg::error_unsupported) {
    check("pools", true);
  } else {
    check("pools", pool_status == 0 && pg::pool_keep(pool, 1 << 20) == 0 && pg::malloc_from_pool(&ordered, 256, pool, s) == 0 &&
          pg::free_async(ordered, s) == 0 && pg::stream_synchronize(s) == 0 && pg::pool_trim(pool, 0) == 0 && pg::pool_destroy(pool) == 0 &&
          pg::pool_of_device(&pool, 0) == 0, pg::last_error_string());
  }
#else
  check("pools", pool_status == pg::error_unsupported);
#endif

  // Graphs.
  device_array<int> c(std::vector<int>(n, 0));
  pg::graph graph;
  pg::graph_exec exec;
  REQUIRE(pg::graph_capture_begin(s));
  REQUIRE(PG_LAUNCH(add_one, (n + 255) / 256, 256, 0, s, c.p, n));
  REQUIRE(PG_LAUNCH(add_one, 1, 256, 0, s, c.p, 10));
  REQUIRE(pg::graph_capture_end(s, &graph));
  REQUIRE(pg::graph_instantiate(&exec, graph));
  for (int i = 0; i < 3; ++i) REQUIRE(pg::graph_launch(exec, s));
  REQUIRE(pg::stream_synchronize(s));
  const std::vector<int> counted = c.read();
  check("graphs", counted[0] == 6 && counted[n - 1] == 3, std::to_string(counted[0]));
  check("graph_destroy", pg::graph_exec_destroy(exec) == 0 && pg::graph_destroy(graph) == 0);
  // A second stream joins the capture by an event, and comes back by another one.
  pg::event fork, join;
  REQUIRE(pg::event_create(&fork));
  REQUIRE(pg::event_create(&join));
  REQUIRE(pg::graph_capture_begin(s));
  REQUIRE(PG_LAUNCH(add_one, 1, 256, 0, s, c.p, 10));
  REQUIRE(pg::event_record(fork, s));
  REQUIRE(pg::stream_wait_event(other, fork));
  REQUIRE(PG_LAUNCH(add_one, 1, 256, 0, other, c.p, 10));
  REQUIRE(pg::event_record(join, other));
  REQUIRE(pg::stream_wait_event(s, join));
  REQUIRE(pg::graph_capture_end(s, &graph));
  REQUIRE(pg::stream_synchronize(s));
  const int before = c.read()[0];
  REQUIRE(pg::graph_instantiate(&exec, graph));
  REQUIRE(pg::graph_launch(exec, s));
  REQUIRE(pg::stream_synchronize(s));
  check("graphs over two streams", before == 6 && c.read()[0] == 8, std::to_string(before));
  check("their end", pg::graph_exec_destroy(exec) == 0 && pg::graph_destroy(graph) == 0 &&
        pg::event_destroy(fork) == 0 && pg::event_destroy(join) == 0);

  // Symbols, parameters by value, three dimensions, bounds.
  const int numbers[4] = {3, 1, 4, 1};
  int from_symbol[4] = {};
  REQUIRE(PG_COPY_TO_SYMBOL(constant_numbers, numbers, sizeof(numbers), s));
  REQUIRE(PG_LAUNCH(use_symbols, 1, 4, 0, s, c.p));
  REQUIRE(PG_COPY_FROM_SYMBOL(from_symbol, device_numbers, sizeof(from_symbol), s));
  REQUIRE(pg::stream_synchronize(s));
  check("PG_COPY_TO_SYMBOL, PG_COPY_FROM_SYMBOL", c.read()[2] == 5 && from_symbol[2] == 6);
  parameters values = {};
  values.a[7] = 5, values.b = 0.5;
  device_array<double> d(1);
  REQUIRE(PG_LAUNCH(by_value, 1, 1, 0, nullptr, values, char(2), d.p));
  check("parameters by value", d.read()[0] == 7.5);
  device_array<int> grid(24 * 30);
  REQUIRE(PG_LAUNCH(grid_indices, dim3(2, 3, 4), dim3(5, 3, 2), 0, nullptr, grid.p));
  const std::vector<int> indices = grid.read();
  good = true;
  for (int i = 0; i < 24 * 30; ++i) good = good && indices[i] == i / 30 * 1000 + i % 30;
  check("grids and blocks of three dimensions", good);
  REQUIRE(PG_LAUNCH(bounded, 1, 128, 0, nullptr, grid.p));
  check("PG_LAUNCH_BOUNDS", grid.read()[100] == 100);

  // Dynamic shared memory up to what the device allows.
  const int words = static_cast<int>(p.shared_optin / sizeof(int));
  int blocks = 0;
  check("occupancy", pg::set_max_dynamic_shared(big_shared, p.shared_optin) == 0 && pg::occupancy(&blocks, big_shared, 128, p.shared_optin) == 0 && blocks >= 1, pg::last_error_string());
  REQUIRE(PG_LAUNCH(big_shared, 1, 128, p.shared_optin, nullptr, grid.p, words));
  check("all of the dynamic shared memory", grid.read()[5] == words - 6);
  int status = PG_LAUNCH(big_shared, 1, 128, p.shared_optin + 65536, nullptr, grid.p, words);
  check("limit: shared memory", status == pg::error_launch_limits && pg::last_error_string()[0], std::to_string(status));

  // Launch limits.
  check("an empty grid is success", PG_LAUNCH(add_one, 0, 256, 0, nullptr, a.p, 0) == 0);
  check("limit: threads of a block", PG_LAUNCH(add_one, 1, 2048, 0, nullptr, a.p, 0) == pg::error_launch_limits);
  check("limit: no threads", PG_LAUNCH(add_one, 1, 0, 0, nullptr, a.p, 0) == pg::error_launch_limits);
  check("limit: z of a block", PG_LAUNCH(add_one, 1, dim3(1, 1, 65), 0, nullptr, a.p, 0) == pg::error_launch_limits);
  check("limit: y of a grid", PG_LAUNCH(add_one, dim3(1, 65536), 1, 0, nullptr, a.p, 0) == pg::error_launch_limits);
  check("limit: x of a grid", PG_LAUNCH(add_one, 1ll << 31, 1, 0, nullptr, a.p, 0) == pg::error_launch_limits);
  check("limit: a negative grid", PG_LAUNCH(add_one, -1, 1, 0, nullptr, a.p, 0) == pg::error_launch_limits && strstr(pg::last_error_string(), "grid") != nullptr);
#if PG_TARGET_ROCM || PG_TARGET_CPU
  check("limit: threads of an axis", PG_LAUNCH(add_one, 1 << 24, 512, 0, nullptr, a.p, 0) == pg::error_launch_limits);
#endif
  REQUIRE(PG_LAUNCH(add_one, 1, 256, 0, nullptr, a.p, 1));
  check("a good launch after bad ones", pg::device_synchronize() == 0);

  device_array<unsigned long long> t(8);
  REQUIRE(PG_LAUNCH(clocks, 1, 1, 0, nullptr, t.p));
  const std::vector<unsigned long long> times = t.read();
  check("clock_cycles, clock_ticks", times[2] >= times[0] && times[3] >= times[1]);
  int can = -1, count = 0;
  REQUIRE(pg::device_count(&count));
  if (count > 1) {
    REQUIRE(pg::peer_can_access(&can, 0, 1));
    check("memcpy_peer", pg::memcpy_peer(b.p, 0, a.p, 0, 64, s) == 0 && pg::stream_synchronize(s) == 0);
  } else {
    check("memcpy_peer", pg::memcpy_peer(b.p, 0, a.p, 0, 64, s) == 0 && pg::stream_synchronize(s) == 0, pg::last_error_string());
  }
  check("status names", std::string(pg::status_name(pg::error_unsupported)) == "unsupported");
  REQUIRE(pg::event_destroy(start));
  REQUIRE(pg::event_destroy(stop));
  REQUIRE(pg::stream_destroy(other));
  REQUIRE(pg::stream_destroy(s));
}
