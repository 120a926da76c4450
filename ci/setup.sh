#!/usr/bin/env bash
# Installs what building and testing need: compilers (apt), a Python environment, portgpu itself.
# Safe to run again; a second run with nothing to do takes a second.
#
# Environment:
#   PYTHON                python to use (default: the active virtual environment's, else python3)
#   PORTGPU_TARGETS       targets that must work here, "cuda rocm cpu" by default. With CI set, a
#                         missing toolchain is a failure; elsewhere it is a loud note.
#   PORTGPU_NO_APT=1      install no system packages
#   PORTGPU_FOR_TESTS=1   also what only the tests need: clang 19 and the headers of HIP 7.1
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TARGETS=${PORTGPU_TARGETS:-cuda rocm cpu}

say() { printf '\n== %s\n' "$*"; }
warn() { printf '\n!! %s\n' "$@" >&2; }

# --- system packages -----------------------------------------------------------------------------
wants() { case " $TARGETS " in *" $1 "*) return 0 ;; *) return 1 ;; esac }
installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }

packages=(g++)
if wants rocm && ! ls -d /opt/rocm* >/dev/null 2>&1; then
  # HIP's compiler driver, headers, AMD device libraries; hipRAND, hipSPARSE and rocPRIM headers are
  # what translated programs most often include.
  packages+=(hipcc libamdhip64-dev rocm-device-libs libhiprand-dev libhipsparse-dev librocrand-dev librocprim-dev)
fi
for_tests() { [ "${PORTGPU_FOR_TESTS:-}" = 1 ] && wants rocm; }
if for_tests; then packages+=(clang-19); fi
[ "${PORTGPU_FOR_TESTS:-}" != 1 ] || packages+=(git)
# The op library's Python binding is compiled against Python's headers, which Debian has apart.
has_headers='import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
base=${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}
"${base:-${PYTHON:-python3}}" -c "$has_headers" 2>/dev/null || packages+=(python3-dev)
# Debian's python3 comes without ensurepip, so `python3 -m venv` needs a package of its own.
if [ -z "${VIRTUAL_ENV:-}" ] && [ ! -x .venv/bin/python ]; then
  "${PYTHON:-python3}" -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
fi

if [ "${PORTGPU_NO_APT:-}" != 1 ] && command -v apt-get >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  # A compiler that did not come from apt is as good.
  if command -v c++ >/dev/null || command -v clang++ >/dev/null; then missing=("${missing[@]/#g++/}"); fi
  read -ra missing <<<"${missing[*]-}"
  if [ "${#missing[@]}" -gt 0 ]; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
      if [ -t 0 ] && command -v sudo >/dev/null; then as_root=(sudo); else as_root=(false); fi
    fi
    if [ "${as_root[*]-}" = false ]; then
      warn "no root and no sudo: these packages are NOT installed: ${missing[*]}"
    else
      say "apt-get install ${missing[*]}"
      "${as_root[@]}" apt-get update -q
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${missing[@]}" ||
        warn "apt-get could not install: ${missing[*]}"
    fi
  fi
elif [ "${PORTGPU_NO_APT:-}" != 1 ]; then
  warn "no apt-get here: system compilers are used as they are"
fi

# --- Python --------------------------------------------------------------------------------------
if [ -n "${VIRTUAL_ENV:-}" ]; then
  venv=$VIRTUAL_ENV
else
  venv=$PWD/.venv
  if [ ! -x "$venv/bin/python" ]; then
    python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
      warn "portgpu needs Python 3.11 or newer; $("$python" --version 2>&1) is $python" \
        "next: PYTHON=/path/to/python3.11 bash ci/build.sh"
      exit 3
    }
    say "virtual environment .venv"
    "$python" -m venv "$venv"
  fi
fi

extras=build,dev
# pip's CUDA compiler where the system has none (Linux only: NVIDIA publishes no other wheels).
if wants cuda && [ "$(uname -s)" = Linux ] && ! command -v nvcc >/dev/null &&
  [ ! -x "${CUDA_PATH:-${CUDA_HOME:-/usr/local/cuda}}/bin/nvcc" ]; then
  extras=$extras,cuda
fi
# The test of run-time compilation needs NVIDIA's compiler as a library.
if [ "${PORTGPU_FOR_TESTS:-}" = 1 ] && wants cuda && [ "$(uname -s)" = Linux ]; then
  extras=$extras,jit
fi
stamp=$venv/portgpu-setup
want="$extras $(cksum <pyproject.toml) $PWD"
if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
  say "pip install -e .[$extras]"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e ".[$extras]"
  printf '%s\n' "$want" >"$stamp"
fi
printf '%s\n' "$venv" >.portgpu-venv

# --- headers of a newer HIP ----------------------------------------------------------------------
# Triton's wheel carries those of HIP 7.1. Nothing else of it is kept.
hip=$venv/share/portgpu-hip-7.1
if for_tests && [ ! -d "$hip/include" ]; then
  say "headers of HIP 7.1"
  fetched=$(mktemp -d)
  trap 'rm -rf "$fetched"' EXIT
  if "$venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --python-version 3.11 -d "$fetched" triton==3.9.0 &&
    "$venv/bin/python" - "$fetched" <<'UNPACK'; then
import sys
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
prefix = "triton/backends/amd/include/"
with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
    wheel.extractall(folder, [n for n in wheel.namelist() if n.startswith(prefix)])
UNPACK
    mkdir -p "$hip"
    mv "$fetched/triton/backends/amd/include" "$hip/include"
  else
    warn "the headers of HIP 7.1 could not be fetched: their tests will fail"
  fi
fi
