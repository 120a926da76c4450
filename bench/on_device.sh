#!/usr/bin/env bash
# Everything that needs an NVIDIA card, in one go: the dialect's own checks and the op library's test
# plan, each twice: built from the CUDA sources, and from the ROCm sources through the reverse
# headers (HIP names on CUDA; not the same as a run on AMD hardware).
#
#   portgpu headers and builds are made first, on any machine (see bench/README.md):
#     HEADERS=dir with cuda/, rocm/, reverse/    ROCM_SOURCES=translated kernels    OUT=results
# Needs nvcc and a Python with NumPy. Compiles with all cores.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.."
: "${HEADERS:?}" "${OUT:?}" "${ROCM_SOURCES:=kernels}" "${ARCH:=sm_90}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++17 -O3 "-arch=$ARCH" -x cu -Xcompiler -fPIC -DPG_TYPES_ALL="${TYPES_ALL:-0}")
cuda=("-I$HEADERS/cuda") reverse=("-I$HEADERS/rocm" "-I$HEADERS/reverse" -include hip/hip_runtime.h)
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
nvcc --version | tail -2 | head -1

library() { # name, sources, flags…
  local name=$1 sources=$2
  shift 2
  mkdir -p "$work/$name"
  find "$sources" -name '*.cu' -print0 |
    xargs -0 -P "$(nproc)" -I{} sh -c \
      'f=$1; shift; nvcc "$@" -c "$f" -o "'"$work/$name"'/$(basename "$f").o" 2>"'"$work/$name"'/$(basename "$f").log" || { echo "FAILED $f"; tail -20 "'"$work/$name"'/$(basename "$f").log"; }' \
      sh {} "${flags[@]}" "-I$sources" "$@"
  nvcc -shared "-arch=$ARCH" -o "$work/libportgpu_ops_$name.so" "$work/$name"/*.o && echo "built $name"
}
plan() { # name, target that the library was made for, options…
  local name=$1 target=$2
  shift 2
  python3 -m portgpu.testing --target "$target" --lib "$target=$work/libportgpu_ops_$name.so" \
    --json "$OUT/ops-$name.json" "$@" >"$OUT/ops-$name.txt" 2>&1
  echo "ops, $name: exit $?"
  tail -4 "$OUT/ops-$name.txt"
}
check() { # name, flags…
  local name=$1
  shift
  if nvcc "${flags[@]}" "$@" -Itests/dialect tests/dialect/device_check.cu -o "$work/check-$name" \
    >"$OUT/check-$name.txt" 2>&1; then
    "$work/check-$name" "$RANDOM" >>"$OUT/check-$name.txt" 2>&1
    echo "dialect, $name: exit $?; $(grep -c PASS "$OUT/check-$name.txt") passed"
    grep FAIL "$OUT/check-$name.txt" | head -20
  else
    echo "dialect, $name: does not compile"
    grep -m 20 error "$OUT/check-$name.txt"
  fi
}

time library cuda kernels "${cuda[@]}"
time library rocm-sources "$ROCM_SOURCES" "${reverse[@]}"
check cuda "${cuda[@]}"
check rocm-sources "${reverse[@]}"
time plan cuda cuda "$@"
plan rocm-sources rocm "$@"
cp "$work/libportgpu_ops_cuda.so" "$OUT/" 2>/dev/null
