// Sorting of index arrays for other ops; defined in sort.cu.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pgops {

// sorted and places (n each) get the keys in ascending order and where they stood; stable. Only the
// low `bits` of the keys may differ. `bytes` non-null asks for the workspace size only. n < 2^30.
int sort_index_pairs(const char* op, const uint32_t* keys, uint32_t* sorted, int32_t* places, int64_t n, int bits,
                     void* workspace, size_t* bytes, void* stream);

}  // namespace pgops
