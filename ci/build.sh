#!/usr/bin/env bash
# Sets up this machine and builds the op library for CUDA, ROCm and the CPU. Options go to
# `portgpu build`, for example: bash ci/build.sh --types all --arch sm_87
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$BIN/portgpu" build "${TARGET_OPTIONS[@]}" "$@"
closing "built"
