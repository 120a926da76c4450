// Bookkeeping of device_check.cu, and its parts.
#pragma once

#include <cstring>
#include <map>

#define REQUIRE(call)                                                                              \
  do {                                                                                             \
    const int required = (call);                                                                   \
    if (required != 0) {                                                                           \
      printf("%s:%d: %s: status %d (%s): %s\n", __FILE__, __LINE__, #call, required,               \
             pg::status_name(required), pg::last_error_string());                                  \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)

struct tally {
  long cases = 0, failures = 0;
  std::string first;
};
inline std::map<std::string, tally>& tallies() {
  static std::map<std::string, tally> all;
  return all;
}
inline void check(const std::string& name, bool good, const std::string& detail = "") {
  tally& t = tallies()[name];
  ++t.cases;
  if (good) return;
  if (t.failures++ == 0) t.first = detail;
}
inline int report() {
  int failed = 0;
  for (const auto& entry : tallies()) {
    const tally& t = entry.second;
    if (t.failures == 0) {
      printf("PASS %s (%ld)\n", entry.first.c_str(), t.cases);
    } else {
      printf("FAIL %s (%ld of %ld) %s\n", entry.first.c_str(), t.failures, t.cases, t.first.c_str());
      ++failed;
    }
  }
  printf("%zu checks, %d failed\n", tallies().size(), failed);
  return failed == 0 && !tallies().empty() ? 0 : 1;
}

template <class T>
struct device_array {
  T* p = nullptr;
  size_t n;
  explicit device_array(size_t count) : n(count) {
    void* v;
    REQUIRE(pg::malloc_device(&v, count * sizeof(T)));
    p = static_cast<T*>(v);
    REQUIRE(pg::memset(p, 0xee, count * sizeof(T)));
  }
  explicit device_array(const std::vector<T>& host) : device_array(host.size()) { write(host); }
  ~device_array() { pg::free_device(p); }
  device_array(const device_array&) = delete;
  void write(const std::vector<T>& host) {
    REQUIRE(pg::memcpy_h2d(p, host.data(), n * sizeof(T)));
    REQUIRE(pg::device_synchronize());
  }
  std::vector<T> read() const {
    std::vector<T> host(n);
    REQUIRE(pg::device_synchronize());
    REQUIRE(pg::memcpy_d2h(host.data(), p, n * sizeof(T)));
    REQUIRE(pg::device_synchronize());
    return host;
  }
};

// A generator of one's own, so that all targets see the same numbers.
struct generator {
  uint64_t state;
  explicit generator(uint64_t seed) : state(seed * 2654435769u + 88172645463325252ull) {}
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 16);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }
};

struct mixed {  // 12 bytes, three kinds of member
  float a;
  int b;
  short c;
  signed char d, e;
};

template <class T>
std::string type_name() {
  if (std::is_same<T, pg::half>::value) return "half";
  if (std::is_same<T, pg::bfloat16>::value) return "bfloat16";
  if (std::is_same<T, float>::value) return "f32";
  if (std::is_same<T, double>::value) return "f64";
  if (!std::is_arithmetic<T>::value) return "struct";
  return (std::is_signed<T>::value ? "i" : "u") + std::to_string(sizeof(T) * 8);
}

// Arithmetic of the references: every type by way of double or 64-bit integers, rounded to the type.
template <class T>
double as_double(T x) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<double>(x);
  else return static_cast<double>(pg::to_float(x));
}
template <class T>
T of_int(long long v) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<T>(v);
  else return pg::from_float<T>(static_cast<float>(v));
}
template <class T>
bool same(T a, T b) { return memcmp(&a, &b, sizeof(T)) == 0; }

#include "check_types.h"
#include "check_integer.h"
#include "check_math.h"
#include "check_memory.h"
#include "check_warp.h"
#include "check_mma.h"
#include "check_block.h"
#include "check_atomic.h"
#include "check_host.h"
