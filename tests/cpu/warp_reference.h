// Warp functions in plain loops over the lanes of one warp, from their definitions.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline unsigned long long next_random(unsigned long long& s) {  // xorshift64*
  s ^= s >> 12, s ^= s << 25, s ^= s >> 27;
  return s * 2685821657736338717ull;
}
template <class T>
T random_value(unsigned long long& s) {
  // Few values, so that matches happen; exact in every type.
  return T(float(int(next_random(s) >> 40) % 11 - 5));
}
template <class T>
bool same(T a, T b) {
  return !memcmp(&a, &b, sizeof(T));
}

enum Kind { IDX, UP, DOWN, XOR };
// Lane that `lane` reads; `across`: an xor may read a lower segment (vendors' rule), or not (tiles).
inline int source(Kind kind, int lane, int x, int width, bool across) {
  const int first = lane / width * width, last = first + width - 1;
  switch (kind) {
    case IDX: return first + (x % width + width) % width;
    case UP: return lane - x < first ? lane : lane - x;
    case DOWN: return lane + x > last ? lane : lane + x;
    default: {
      const int j = lane ^ x;
      return j > last || (!across && j < first) ? lane : j;
    }
  }
}

inline int failures = 0;
inline void expect(bool ok, const char* what, const char* type, int width, int x, int lane) {
  if (!ok && ++failures <= 20)
    printf("%s of %s, width %d, argument %d: lane %d is wrong\n", what, type, width, x, lane);
}
