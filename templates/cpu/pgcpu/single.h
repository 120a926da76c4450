// Library algorithms (CUB, Thrust) run as one device thread on their stream: their stores are a kernel's.
#pragma once
#include "host.h"

#include <optional>

namespace pgcpu {

// Runs `f` in order of the stream; in a kernel, at once. `f` is copied when the stream is captured.
template <class F>
int run_single(const void* stream, const char* name, F f) {
  if (in_kernel()) {
    f();
    return 0;
  }
  return detail::submit(config(dim3(1), dim3(1), 0, stream).named(name, false, site{name, 0}),
                        std::move(f), nullptr);
}

}  // namespace pgcpu
