// A planted bug is a kernel with a template parameter BUG. PLANT(name) holds the host side: it runs
// the kernel and returns whether the result is right. `// PGnnnn` marks the line that must be named.
#pragma once
#include <cstdio>
#include <cstring>
#include <vector>

struct Plant {
  const char* name;
  bool (*bad)();
  bool (*good)();
};
inline std::vector<Plant>& plants() {
  static std::vector<Plant> all;
  return all;
}
struct Planter {
  Planter(const char* name, bool (*bad)(), bool (*good)()) { plants().push_back({name, bad, good}); }
};
#define PLANT(NAME)                                                               \
  template <bool BUG>                                                             \
  bool run_##NAME();                                                              \
  static Planter plant_##NAME(#NAME, &run_##NAME<true>, &run_##NAME<false>);      \
  template <bool BUG>                                                             \
  bool run_##NAME()

// `main good` runs all correct twins; `main bad NAME` runs one bug.
inline int run_plants(int argc, char** argv) {
  bool ok = true;
  for (const Plant& p : plants()) {
    if (argc == 2 && !strcmp(argv[1], "good")) {
      const bool right = p.good();
      if (!right) printf("%s: wrong result\n", p.name);
      ok = ok && right;
    }
    if (argc == 2 && !strcmp(argv[1], "list")) printf("%s\n", p.name);
    if (argc == 3 && !strcmp(argv[2], p.name)) ok = !strcmp(argv[1], "bad") ? p.bad() : p.good();
  }
  return ok ? 0 : 1;
}
