// Vendors' libraries, loaded at run time by our own prototypes: nothing is needed to build or to load
// portgpu's library, and without them the portable kernels do the work.
#pragma once

#include "layout.cuh"
#include "tensor.cuh"

namespace pgops {

enum algorithm : int32_t { kAuto = 0, kLibrary = 1, kPortable = 2 };

inline int check_algorithm(const char* op, int32_t a) {
  return a >= kAuto && a <= kPortable ? int(PG_OK) : fail(PG_ERR_VALUE, "%s: algorithm is %d; 0 to 2 are known", op, int(a));
}

// Why a library is not used; with kLibrary that is an error.
inline int without_library(const char* op, int32_t a, const char* why) {
  return a == kLibrary ? fail(PG_ERR_UNSUPPORTED, "%s: algorithm 'library': %s", op, why) : int(PG_OK);
}

// An opened library: the path given by pg_set_library or the environment, else the vendor's names.
struct seam {
  void* handle = nullptr;
  char problem[256] = "";
  void* find(const char* name);  // of a function; records the problem when it is missing
};
// `kind` is "blas" or "fft"; opened once. `names` ends with NULL.
void open_seam(seam& s, const char* kind, const char* const* names);

// Products out = a b of matrices, batched: done tells whether the library was given the work.
struct product {
  int dtype;
  int64_t m, n, k;
  const void *a, *b;
  void* out;
  int64_t a_m, a_k, b_k, b_n, out_m, out_n;  // strides in elements
};
int library_matmul(const char* op, const pg_tensor* a, const pg_tensor* b, const pg_tensor* out, int32_t algorithm,
                   void* stream, bool* done);

}  // namespace pgops
