// Opening vendors' libraries at run time.
#include "support/seam.cuh"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>

namespace pgops {
namespace {

constexpr int kKinds = 2;
const char* const kinds[kKinds] = {"blas", "fft"};
const char* const variables[kKinds] = {"PORTGPU_BLAS", "PORTGPU_FFT"};
std::mutex paths_lock;
std::string paths[kKinds];

int kind_of(const char* kind) {
  for (int i = 0; i < kKinds; ++i)
    if (std::strcmp(kind, kinds[i]) == 0) return i;
  return -1;
}

}  // namespace

void open_seam(seam& s, const char* kind, const char* const* names) {
  std::lock_guard<std::mutex> hold(paths_lock);
  const int at = kind_of(kind);
  std::string path = paths[at];
  const char* given = std::getenv(variables[at]);
  if (path.empty() && given != nullptr) path = given;
  if (!path.empty()) {
    s.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (s.handle != nullptr) return;
  }
  for (; *names != nullptr && s.handle == nullptr; ++names) s.handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  if (s.handle != nullptr) return;
  const char* said = path.empty() ? nullptr : dlerror();
  std::snprintf(s.problem, sizeof s.problem, "no %s library is found%s%s; %s names one", kind, said ? ": " : "",
                said ? said : "", variables[at]);
}

void* seam::find(const char* name) {
  void* f = handle == nullptr ? nullptr : dlsym(handle, name);
  if (handle != nullptr && f == nullptr && problem[0] == 0)
    std::snprintf(problem, sizeof problem, "the library has no %s", name);
  return f;
}

}  // namespace pgops

extern "C" PG_API int pg_set_library(const char* kind, const char* path) {
  using namespace pgops;
  if (kind == nullptr || path == nullptr) return fail(PG_ERR_NULL, "set_library: an argument is NULL");
  const int at = kind_of(kind);
  if (at < 0) return fail(PG_ERR_VALUE, "set_library: no kind of library is called '%.40s'; blas and fft are known", kind);
  std::lock_guard<std::mutex> hold(paths_lock);
  paths[at] = path;
  return PG_OK;
}
