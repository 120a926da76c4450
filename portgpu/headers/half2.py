"""A shadow of HIP's half header, in which `x` and `y` of a half2 are numbers, as in CUDA.

Before version 6 they are the bits (`unsigned short`) in HIP, and `float(v.x)` would compile and be
wrong. HIP's class and the functions that return it get another name there; ours takes theirs.
"""

from __future__ import annotations

PATH = "shadow/hip/amd_detail/amd_hip_fp16.h"

# Functions of HIP 5 that return a half2, by their parameters.
_FUNCTIONS = {
    ("__half2 a",): "__habs2 __high2half2 __hisinf2 __hisnan2 __hneg2 __low2half2 "
    "__lowhigh2highlow h2ceil h2cos h2exp h2exp10 h2exp2 h2floor h2log h2log10 h2log2 h2rcp "
    "h2rint h2rsqrt h2sin h2sqrt h2trunc",
    ("__half2 a", "__half2 b"): "__h2div __hadd2 __hadd2_sat __heq2 __hequ2 __hge2 __hgeu2 __hgt2 "
    "__hgtu2 __highs2half2 __hle2 __hleu2 __hlt2 __hltu2 __hmul2 __hmul2_sat __hne2 __hneu2 "
    "__hsub2 __hsub2_sat __lows2half2",
    ("__half2 a", "__half2 b", "__half2 c"): "__hfma2 __hfma2_sat",
    ("__half a",): "__half2half2",
    ("__half a", "__half b"): "__halves2half2 make_half2",
    ("float a",): "__float2half2_rn",
    ("float a", "float b"): "__floats2half2_rn",
    ("float2 a",): "__float22half2_rn",
}
_LOADS = "__ldg __ldcg __ldca __ldcs"

_HEAD = """\
#include <hip/hip_version.h>
#if !defined(__cplusplus) || !defined(__HIP__) || HIP_VERSION >= 60000000
#include_next <hip/amd_detail/amd_hip_fp16.h>
#elif !defined(PORTGPU_SHADOW_HALF2_H)
#define PORTGPU_SHADOW_HALF2_H
"""
_CLASS = """\
struct __half2 {
  union {
    struct {
      __half x;
      __half y;
    };
    _Float16_2 data;
  };

  __half2() = default;
  __host__ __device__ __half2(const pg_hip_half2& v) : data(v.data) {}
  __host__ __device__ __half2(const __half2_raw& v) : data(v.data) {}
  __host__ __device__ __half2(_Float16_2 v) : data(v) {}
  __host__ __device__ __half2(const __half& a, const __half& b) : x(a), y(b) {}
  __host__ __device__ operator pg_hip_half2() const { return data; }
  __host__ __device__ operator __half2_raw() const {
    __half2_raw v;
    v.data = data;
    return v;
  }
#if !defined(__HIP_NO_HALF_OPERATORS__)
  __device__ __half2 operator+() const { return *this; }
  __device__ __half2 operator-() const { return -data; }
  __device__ __half2& operator++() { return *this += _Float16_2{1, 1}; }
  __device__ __half2& operator--() { return *this -= _Float16_2{1, 1}; }
  __device__ __half2 operator++(int) { const __half2 v = *this; ++*this; return v; }
  __device__ __half2 operator--(int) { const __half2 v = *this; --*this; return v; }
#define PG_SHADOW_HALF2(OP) \\
  __device__ __half2& operator OP##=(const __half2& b) { data OP##= b.data; return *this; } \\
  __device__ friend __half2 operator OP(const __half2& a, const __half2& b) { \\
    return a.data OP b.data; \\
  }
  PG_SHADOW_HALF2(+)
  PG_SHADOW_HALF2(-)
  PG_SHADOW_HALF2(*)
  PG_SHADOW_HALF2(/)
#undef PG_SHADOW_HALF2
#define PG_SHADOW_HALF2(OP) \\
  __device__ friend bool operator OP(const __half2& a, const __half2& b) { \\
    return pg_hip_half2(a.data) OP pg_hip_half2(b.data); \\
  }
  PG_SHADOW_HALF2(==)
  PG_SHADOW_HALF2(!=)
  PG_SHADOW_HALF2(<)
  PG_SHADOW_HALF2(>)
  PG_SHADOW_HALF2(<=)
  PG_SHADOW_HALF2(>=)
#undef PG_SHADOW_HALF2
#endif
};
typedef __half2 half2;
#define PG_SHADOW_HALF2 static __host__ __device__ inline __attribute__((always_inline, unused))
"""


def text() -> str:
    """The text of the header `PATH`."""
    names = [name for group in _FUNCTIONS.values() for name in group.split()]
    names += ["__half2", "half2"]
    lines = [f"#define {name} pg_hip_{name.strip('_')}" for name in names]
    lines.append("#include_next <hip/amd_detail/amd_hip_fp16.h>")
    lines += [f"#undef {name}" for name in names]
    lines.append(_CLASS.rstrip())
    for parameters, group in _FUNCTIONS.items():
        values = ", ".join(p.split()[-1] for p in parameters)
        for name in group.split():
            head = f"PG_SHADOW_HALF2 __half2 {name}({', '.join(parameters)})"
            lines.append(f"{head} {{ return pg_hip_{name.strip('_')}({values}); }}")
    lines += [
        f"PG_SHADOW_HALF2 __half2 {name}(const __half2* p) {{ return *p; }}"
        for name in _LOADS.split()
    ]
    lines += ["#undef PG_SHADOW_HALF2", "#endif"]
    return _HEAD + "\n".join(lines) + "\n"
