// Checks every function of the dialect on the device at hand against plain host code. One source for
// all targets; prints PASS or FAIL for each function and ends with 1 if any failed.
#include "portgpu.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "check.h"

int main(int argc, char** argv) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 1u;
  int devices = 0;
  if (pg::device_count(&devices) != 0 || devices == 0) {
    printf("no device: %s\n", pg::last_error_string());
    return 7;
  }
  pg::device_properties p;
  REQUIRE(pg::device_info(0, &p));
  printf("device %s, %s, warp %d, %d units, shared %zu / %zu, seed %u\n", p.name, p.arch, p.warp_size,
         p.compute_units, p.shared_per_block, p.shared_optin, seed);
  check_types();
  check_integer();
  check_random();
  check_math();
  check_memory();
  check_warp(seed);
  check_mma(seed);
  check_block(seed);
  check_atomics();
  check_host(p);
  return report();
}
