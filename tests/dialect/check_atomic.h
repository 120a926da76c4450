// Atomics of every type and scope. Neighbours of short types must keep their value.
#pragma once

enum { scope_block, scope_device, scope_system };

#define SCOPED(name, ...) \
  (scope == scope_block ? pg::name##_block(__VA_ARGS__) : scope == scope_system ? pg::name##_system(__VA_ARGS__) : pg::name(__VA_ARGS__))

// Cells: 0 add, 1 min, 2 max, 3 exch, 4 cas counter, 5 neighbour, 6 add from one thread (old value)
template <class T>
__global__ void atomic_numbers(T* cell, T* old, int scope) {
  const int i = static_cast<int>(threadIdx.x);
  SCOPED(atomic_add, cell, pg::convert<T>(1));
  SCOPED(atomic_min, cell + 1, pg::convert<T>(100 - i));
  SCOPED(atomic_max, cell + 2, pg::convert<T>(i));
  old[i] = SCOPED(atomic_exch, cell + 3, pg::convert<T>(i + 1));
  // A counter by compare-and-swap.
  while (true) {
    const T seen = SCOPED(atomic_add, cell + 4, pg::convert<T>(0));
    const T next = pg::from_float<T>(pg::to_float(seen) + 1.0f);
    const T found = SCOPED(atomic_cas, cell + 4, seen, next);
    if (pg::to_float(found) == pg::to_float(seen)) break;
  }
}
template <class T>
__global__ void atomic_bits(T* cell, int scope) {
  const int i = static_cast<int>(threadIdx.x);
  const T bit = static_cast<T>(T(1) << (i % (8 * static_cast<int>(sizeof(T)) - 1)));
  SCOPED(atomic_and, cell, static_cast<T>(~bit));
  SCOPED(atomic_or, cell + 1, bit);
  SCOPED(atomic_xor, cell + 2, bit);
}

template <class T>
void check_atomic_type() {
  const int threads = 64;
  for (int scope : {scope_block, scope_device, scope_system}) {
    const std::string suffix = " " + type_name<T>() + (scope == scope_block ? " block" : scope == scope_system ? " system" : "");
    std::vector<T> cells = {of_int<T>(5), of_int<T>(101), of_int<T>(0), of_int<T>(0), of_int<T>(0), of_int<T>(77), of_int<T>(0), of_int<T>(78)};
    device_array<T> cell(cells), old(threads);
    REQUIRE(PG_LAUNCH((atomic_numbers<T>), 1, threads, 0, nullptr, cell.p, old.p, scope));
    const std::vector<T> got = cell.read(), before = old.read();
    check("atomic_add" + suffix, same(got[0], of_int<T>(5 + threads)), std::to_string(as_double(got[0])));
    check("atomic_min" + suffix, same(got[1], of_int<T>(100 - threads + 1)), std::to_string(as_double(got[1])));
    check("atomic_max" + suffix, same(got[2], of_int<T>(threads - 1)), std::to_string(as_double(got[2])));
    check("atomic_cas" + suffix, same(got[4], of_int<T>(threads)), std::to_string(as_double(got[4])));
    check("atomics leave neighbours alone" + suffix, same(got[5], of_int<T>(77)) && same(got[7], of_int<T>(78)));
    // Exchanges pass each value on exactly once; the last one is in the cell.
    std::vector<int> seen(threads + 1);
    for (T v : before) ++seen[static_cast<int>(as_double(v))];
    ++seen[static_cast<int>(as_double(got[3]))];
    bool once = true;
    for (int n : seen) once = once && n == 1;
    check("atomic_exch" + suffix, once);
    if constexpr (std::is_integral<T>::value) {
      const int top = 8 * static_cast<int>(sizeof(T)) - 1;
      device_array<T> bits(std::vector<T>{static_cast<T>(~T(0)), 0, 0, static_cast<T>(33)});
      REQUIRE(PG_LAUNCH((atomic_bits<T>), 1, threads, 0, nullptr, bits.p, scope));
      const std::vector<T> b = bits.read();
      T all = 0, parity = 0;
      for (int i = 0; i < threads; ++i) all = static_cast<T>(all | T(T(1) << (i % top))), parity = static_cast<T>(parity ^ T(T(1) << (i % top)));
      check("atomic_and, atomic_or, atomic_xor" + suffix, b[0] == static_cast<T>(~all) && b[1] == all && b[2] == parity && b[3] == 33);
    }
  }
}

// Contention from many blocks.
template <class T>
__global__ void atomic_many(T* cell) { pg::atomic_add(cell, pg::convert<T>(1)); }
template <class T>
__global__ void atomic_nan(T* cell) {
  pg::atomic_max(cell, pg::numeric_limits<T>::quiet_NaN());
  pg::atomic_min(cell + 1, pg::convert<T>(3));
}

template <class T>
void check_many(int blocks, int threads) {
  device_array<T> cell(std::vector<T>{of_int<T>(0)});
  REQUIRE(PG_LAUNCH((atomic_many<T>), blocks, threads, 0, nullptr, cell.p));
  const std::vector<T> got = cell.read();
  check("atomic_add from many blocks " + type_name<T>(), same(got[0], of_int<T>(blocks * threads)), std::to_string(as_double(got[0])));
}

inline void check_atomics() {
  check_atomic_type<int8_t>();
  check_atomic_type<uint8_t>();
  check_atomic_type<int16_t>();
  check_atomic_type<uint16_t>();
  check_atomic_type<int32_t>();
  check_atomic_type<uint32_t>();
  check_atomic_type<int64_t>();
  check_atomic_type<uint64_t>();
  check_atomic_type<pg::half>();
  check_atomic_type<pg::bfloat16>();
  check_atomic_type<float>();
  check_atomic_type<double>();
  check_many<int32_t>(64, 128);
  check_many<int64_t>(64, 128);
  check_many<uint16_t>(64, 128);
  check_many<float>(64, 128);
  check_many<double>(64, 128);
  check_many<pg::half>(16, 128);
  check_many<pg::bfloat16>(2, 128);
  device_array<float> cell(std::vector<float>{1.0f, NAN});
  REQUIRE(PG_LAUNCH((atomic_nan<float>), 1, 1, 0, nullptr, cell.p));
  const std::vector<float> got = cell.read();
  check("atomic_min, atomic_max keep NaN", std::isnan(got[0]) && std::isnan(got[1]));
}
