#!/usr/bin/env bash
# Sets up this machine, builds what the tests need and runs all of them: linters, the Python tests,
# the op library on the CPU target with 32 and 64 lanes, and the check of the CUDA and ROCm builds.
set -euo pipefail
export PORTGPU_FOR_TESTS=1
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step() { printf '\n== %s\n' "$*"; }

# A change must pass or fail by itself: the seed is fixed here, and random everywhere else.
SEED=${PORTGPU_TEST_SEED:-20261130}

step "ruff, mypy, portgpu lint"
"$BIN/ruff" check .
"$BIN/ruff" format --check .
"$BIN/mypy"
"$BIN/portgpu" lint kernels

step "build: ${USABLE[*]}"
"$BIN/portgpu" build "${TARGET_OPTIONS[@]}"

for target in "${USABLE[@]}"; do
  if [ "$target" = cpu ]; then
    step "ops on the CPU target, 32 and 64 lanes"
    "$BIN/portgpu" test --target cpu --warp-size both --seed "$SEED"
  elif "$BIN/portgpu" doctor --device "$target" >/dev/null 2>&1; then
    step "ops on the $target device"
    "$BIN/portgpu" test --target "$target" --seed "$SEED"
  else
    step "$target: no device here, the build alone is checked"
    "$BIN/portgpu" test --target "$target" --build-only
  fi
done

step "pytest"
options=()
[ "${#ABSENT[@]}" -eq 0 ] || options+=(--allow-missing-toolchains)
"$BIN/python" -m pytest -n "${PORTGPU_TEST_JOBS:-2}" -q --seed "$SEED" --hypothesis-profile=ci "${options[@]}" "$@"
closing "tested"
