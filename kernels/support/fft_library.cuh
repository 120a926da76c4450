// Transforms by cuFFT or hipFFT. Plans are kept, the last used ones; their scratch memory comes from the caching
// allocator call by call, so that a plan may serve several streams, and graphs have memory of their own.
#pragma once

#include <mutex>
#include <vector>

#include "fft_kernels.cuh"
#include "memory.cuh"
#include "seam.cuh"
#include "vendor_api.h"

namespace pgops {

constexpr size_t kFftPlans = 64;  // kept besides those that graphs use

#if PG_TARGET_ROCM
constexpr const char* fft_libraries[] = {"libhipfft.so", "libhipfft.so.0", nullptr};
#define PG_FFT_NAME(name) "hipfft" name
#else
// The CPU target has no library of its own; one that PORTGPU_FFT names must have cuFFT's functions.
constexpr const char* fft_libraries[] = {
#if PG_TARGET_CUDA
    "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so",
#endif
    nullptr};
#define PG_FFT_NAME(name) "cufft" name
#endif

struct fft_kept {
  int64_t n, rows;
  int type, device;
  vendor::fft_plan plan;
  size_t area;
  uint64_t used;  // when, in calls
  bool recorded;  // by a graph, which may be replayed at any time: stays
};

struct fft_library {
  seam library;
  vendor::fft_create create = nullptr;
  vendor::fft_destroy destroy = nullptr;
  vendor::fft_auto_allocation auto_allocation = nullptr;
  vendor::fft_make_plan make_plan = nullptr;
  vendor::fft_work_area work_area = nullptr;
  vendor::fft_set_stream set_stream = nullptr;
  vendor::fft_complex complex[2] = {};    // f32, f64
  vendor::fft_real real[2][3] = {};       // by type, from real, to real
  std::mutex lock;
  std::vector<fft_kept> plans;
  uint64_t calls = 0;

  fft_library() {
    open_seam(library, "fft", fft_libraries);
    get(create, PG_FFT_NAME("Create"));
    get(destroy, PG_FFT_NAME("Destroy"));
    get(auto_allocation, PG_FFT_NAME("SetAutoAllocation"));
    get(make_plan, PG_FFT_NAME("MakePlanMany"));
    get(work_area, PG_FFT_NAME("SetWorkArea"));
    get(set_stream, PG_FFT_NAME("SetStream"));
    get(complex[0], PG_FFT_NAME("ExecC2C"));
    get(complex[1], PG_FFT_NAME("ExecZ2Z"));
    get(real[0][kFromReal], PG_FFT_NAME("ExecR2C"));
    get(real[0][kToReal], PG_FFT_NAME("ExecC2R"));
    get(real[1][kFromReal], PG_FFT_NAME("ExecD2Z"));
    get(real[1][kToReal], PG_FFT_NAME("ExecZ2D"));
  }
  template <class F>
  void get(F& f, const char* name) { f = reinterpret_cast<F>(library.find(name)); }
  bool usable() const { return library.handle != nullptr && library.problem[0] == 0; }
};
inline fft_library& the_fft() {
  static fft_library* f = new fft_library;  // outlives the device runtime's own exit
  return *f;
}

inline int fft_called(const char* op, const char* function, int status) {
  return status == 0 ? int(PG_OK) : fail(PG_ERR_DEVICE, "%s: %s failed with status %d", op, function, status);
}

// The plan of a call, made when it is not kept. The lock is held.
inline int fft_plan_of(const char* op, fft_library& f, const fft_args& args, int type, int device, bool recorded,
                       fft_kept*& found) {
  for (fft_kept& p : f.plans)
    if (p.n == args.n && p.rows == args.rows && p.type == type && p.device == device) found = &p;
  pg::capture_pause pause;
  if (found == nullptr) {
    fft_kept made = {args.n, args.rows, type, device, {}, 0, 0, false};
    PG_TRY(fft_called(op, PG_FFT_NAME("Create"), f.create(&made.plan)));
    int n[1] = {int(args.n)};
    int status = fft_called(op, PG_FFT_NAME("SetAutoAllocation"), f.auto_allocation(made.plan, 0));
    if (status == PG_OK)
      status = fft_called(op, PG_FFT_NAME("MakePlanMany"),
                          f.make_plan(made.plan, 1, n, nullptr, 1, int(args.in_n), nullptr, 1, int(args.out_n), type,
                                      int(args.rows), &made.area));
    if (status != PG_OK) {
      (void)f.destroy(made.plan);
      return status;
    }
    size_t others = 0, oldest = 0;
    for (size_t i = 0; i < f.plans.size(); ++i) {
      if (f.plans[i].recorded) continue;
      if (others++ == 0 || f.plans[i].used < f.plans[oldest].used) oldest = i;
    }
    if (others < kFftPlans) {
      f.plans.push_back(made);
      found = &f.plans.back();
    } else {
      (void)f.destroy(f.plans[oldest].plan);
      f.plans[oldest] = made;
      found = &f.plans[oldest];
    }
  }
  found->used = ++f.calls;
  found->recorded = found->recorded || recorded;
  return PG_OK;
}

// Divides what the library computed by n, in place.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kFftBlock) fft_divide(T* out, int64_t count, T by) {
  const int64_t i = int64_t(blockIdx.x) * kFftBlock + threadIdx.x;
  if (i < count) out[i] = out[i] / by;
}

// Both arrays are contiguous. The library may destroy the input of a real result, so it gets a copy.
template <class T>
int fft_by_library(const char* op, fft_library& f, const fft_args& args, const T* x, T* out, void* stream) {
  constexpr bool wide = sizeof(T) == 8;
  int device = 0, recorded = 0;
  PG_TRY(launched(pg::get_device(&device), op));
  PG_TRY(launched(pg::stream_capturing(stream, &recorded), op));
  const size_t copied = args.kind == kToReal ? (size_t(args.rows * args.in_n * 2) * sizeof(T) + 255) / 256 * 256 : 0;
  char* scratch = nullptr;
  int status = PG_OK;
  {
    std::lock_guard<std::mutex> hold(f.lock);
    fft_kept* kept = nullptr;
    PG_TRY(fft_plan_of(op, f, args, vendor::fft_types[wide][args.kind], device, recorded != 0, kept));
    if (copied + kept->area != 0)
      PG_TRY(pg_alloc(reinterpret_cast<void**>(&scratch), copied + kept->area, PG_MEMORY_DEVICE, stream));
    const void* in = x;
    if (copied != 0) {
      status = launched(pg::memcpy_d2d(scratch, x, size_t(args.rows * args.in_n * 2) * sizeof(T), stream), op);
      in = scratch;
    }
    if (status == PG_OK) status = fft_called(op, PG_FFT_NAME("SetStream"), f.set_stream(kept->plan, stream));
    if (status == PG_OK && kept->area != 0)
      status = fft_called(op, PG_FFT_NAME("SetWorkArea"), f.work_area(kept->plan, scratch + copied));
    void* from = const_cast<void*>(in);
    if (status == PG_OK && args.kind == kComplex)
      status = fft_called(op, "the complex transform",
                          f.complex[wide](kept->plan, from, out, args.inverse ? vendor::fft_backward : vendor::fft_forward));
    else if (status == PG_OK)
      status = fft_called(op, "the real transform", f.real[wide][args.kind](kept->plan, from, out));
  }
  if (scratch != nullptr) {
    const int released = pg_release(scratch, stream);
    if (status == PG_OK) status = released;
  }
  if (status != PG_OK || !args.inverse) return status;
  const int64_t count = args.rows * args.out_n * (args.kind == kToReal ? 1 : 2);
  return for_grids(count, kFftBlock, [&](int64_t first, int64_t part) {
    return launched(PG_LAUNCH((fft_divide<T>), blocks_for(part, kFftBlock), kFftBlock, 0, stream, out + first, part,
                              T(args.n)), op);
  });
}

}  // namespace pgops
