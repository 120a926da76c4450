// A random permutation of 0 ... n - 1: stable sorts by random words, repeated so that words that meet do not
// matter. With generator 0 the result of jax.random.permutation(key, n).
#include <cmath>

#include "support/sort_pairs.cuh"
#include "support/word.cuh"
#include "support/words32.cuh"

namespace pgops {
namespace {

constexpr const char* kOp = "permutation";
constexpr int64_t kMostPermuted = (int64_t(1) << 30) - 1;  // as the sort

// Rounds after which a repeated word in all of them has a chance below 2^-32 n^-3 or so (JAX's rule).
int rounds_for(int64_t n) { return int(std::ceil(3.0 * std::log(double(n > 1 ? n : 1)) / std::log(4294967295.0))); }

__global__ void PG_LAUNCH_BOUNDS(kMapBlock) random_keys(uint32_t* keys, uint32_t n, word_key key, int round) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  for (int r = 0; r <= round; ++r) {  // key, subkey = split(key), round times
    word_key next = key, sub = key;
    pg::random2 w = pg::threefry2x32({{key.high, key.low}}, {{0u, 0u}});
    next.high = w[0];
    next.low = w[1];
    w = pg::threefry2x32({{key.high, key.low}}, {{0u, 1u}});
    sub.high = w[0];
    sub.low = w[1];
    key.high = r == round ? sub.high : next.high;  // members: structs would go through memory
    key.low = r == round ? sub.low : next.low;
  }
  keys[i] = one_word(key, i);
}

__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    follow(const int32_t* before, const int32_t* places, int32_t* after, uint32_t n) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i < n) after[i] = before[places[i]];
}

// places null: the identity.
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    write_places(const int32_t* places, void* out, int64_t stride, uint32_t n, bool wide) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  const int32_t place = places == nullptr ? int32_t(i) : places[i];
  if (wide) static_cast<int64_t*>(out)[i * stride] = place;
  else static_cast<int32_t*>(out)[i * stride] = place;
}

int permutation(const pg_tensor* tout, int64_t key, int32_t generator, void* workspace, size_t have, size_t* bytes,
                void* stream) {
  view out;
  PG_TRY(parse(tout, kOp, "out", out));
  PG_TRY(want_index(kOp, out));
  if (out.ndim != 1) return fail(PG_ERR_SHAPE, "%s: 'out' must have one dimension, not %d", kOp, out.ndim);
  if (generator != 0 && generator != 1)
    return fail(PG_ERR_VALUE, "%s: generator is %d; 0 is Threefry, 1 is Philox", kOp, int(generator));
  PG_TRY(check_output(kOp, out));
  const int64_t n = out.shape[0];
  if (n > kMostPermuted) return fail(PG_ERR_SIZE, "%s: more than 2^30 - 1 elements are not supported", kOp);
  const int rounds = rounds_for(n);
  carver space(workspace);
  uint32_t* keys = space.take<uint32_t>(n);
  uint32_t* sorted = space.take<uint32_t>(n);
  int32_t* places[3];
  for (int k = 0; k < 3; ++k) places[k] = k < 1 || rounds > 1 ? space.take<int32_t>(n) : nullptr;
  size_t sorting = 0;
  if (rounds > 0) PG_TRY(sort_index_pairs(kOp, keys, sorted, places[0], n, 32, nullptr, &sorting, nullptr));
  void* inner = space.take<char>(int64_t(sorting));
  if (bytes != nullptr) {
    *bytes = rounds > 0 ? space.used : 0;
    return PG_OK;
  }
  if (n == 0) return PG_OK;
  if (rounds > 0) PG_TRY(check_workspace(kOp, workspace, have, space.used));
  const unsigned blocks = blocks_for(n, kMapBlock);
  const word_key first = make_key(key, generator == 1);
  const int32_t* result = nullptr;
  for (int round = 0; round < rounds; ++round) {
    PG_TRY(launched(PG_LAUNCH(random_keys, blocks, kMapBlock, 0, stream, keys, uint32_t(n), first, round), kOp));
    int32_t* here = places[round == 0 && rounds > 1 ? 1 : 0];
    PG_TRY(sort_index_pairs(kOp, keys, sorted, here, n, 32, inner, nullptr, stream));
    if (round > 0) {
      int32_t* next = places[result == places[1] ? 2 : 1];
      PG_TRY(launched(PG_LAUNCH(follow, blocks, kMapBlock, 0, stream, result, here, next, uint32_t(n)), kOp));
      here = next;
    }
    result = here;
  }
  return launched(PG_LAUNCH(write_places, blocks, kMapBlock, 0, stream, result, static_cast<void*>(out.data),
                            out.stride[0], uint32_t(n), out.dtype == PG_I64), kOp);
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_permutation(const pg_tensor* out, int64_t key, int32_t generator, void* workspace,
                                     size_t workspace_bytes, void* stream) {
  return pgops::permutation(out, key, generator, workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_permutation_workspace(const pg_tensor* out, int64_t key, int32_t generator, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "permutation_workspace: bytes is NULL");
  return pgops::permutation(out, key, generator, nullptr, 0, bytes, nullptr);
}
