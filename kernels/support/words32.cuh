// One random word per counter, for ops that need few of them; those of random.cu.
#pragma once

#include "portgpu.h"

namespace pgops {

struct word_key {
  uint32_t high, low;
  bool philox;
};

inline word_key make_key(int64_t key, bool philox) {
  return {uint32_t(uint64_t(key) >> 32), uint32_t(uint64_t(key)), philox};
}

// Both words of counter i (Threefry 2x32), or words 2i and 2i + 1 (Philox 4x32).
__device__ __forceinline__ void two_words(const word_key& k, uint64_t i, uint32_t& high, uint32_t& low) {
  if (k.philox) {
    const uint64_t block = i / 2;
    const pg::random4 r = pg::philox4x32({{k.low, k.high}}, {{uint32_t(block), uint32_t(block >> 32), 0u, 0u}});
    high = i % 2 == 0 ? r[0] : r[2];
    low = i % 2 == 0 ? r[1] : r[3];
  } else {
    const pg::random2 r = pg::threefry2x32({{k.high, k.low}}, {{uint32_t(i >> 32), uint32_t(i)}});
    high = r[0];
    low = r[1];
  }
}

// The word that `random_bits` gives for element i.
__device__ __forceinline__ uint32_t one_word(const word_key& k, uint64_t i) {
  if (k.philox) {
    const uint64_t block = i / 4;
    const pg::random4 r = pg::philox4x32({{k.low, k.high}}, {{uint32_t(block), uint32_t(block >> 32), 0u, 0u}});
    const uint32_t a = i % 2 == 0 ? r[0] : r[1], b = i % 2 == 0 ? r[2] : r[3];
    return i % 4 < 2 ? a : b;
  }
  uint32_t high, low;
  two_words(k, i, high, low);
  return high ^ low;
}

}  // namespace pgops
