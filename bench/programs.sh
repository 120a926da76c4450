#!/usr/bin/env bash
# Small CUDA programs on an NVIDIA card, each as it is and as its HIP translation through the reverse
# headers (HIP's names on CUDA; not the same as a run on AMD hardware).
#
#   python bench/programs.py prepare -o DIR                  on any machine
#   PREPARED=DIR OUT=results bench/programs.sh               on a machine with a card and nvcc
#   python bench/programs.py compare results/programs.tsv    on any machine
#
# Writes OUT/programs.tsv (program, checksum as CUDA, checksum as HIP), and what the compiler and the
# programs said. Multiply-adds are not contracted, as on the CPU target, so that floats are equal.
set -u
: "${PREPARED:?}" "${OUT:?}" "${ARCH:=sm_90}" "${SECONDS_EACH:=60}"
export PREPARED OUT ARCH SECONDS_EACH
mkdir -p "$OUT"
PREPARED=$(realpath "$PREPARED") OUT=$(realpath "$OUT")
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

one() { # form, program
  local form=$1 name=$2 log="$OUT/$2.$1.txt" flags
  flags=(-std=c++17 -O2 "-arch=$ARCH" --extended-lambda --expt-relaxed-constexpr -fmad=false -x cu)
  [ "$form" = hip ] && flags+=("-I$PREPARED/reverse")
  nvcc "${flags[@]}" "$PREPARED/$form/$name.cu" -o "$work/$name.$form" >"$log" 2>&1 ||
    echo "does-not-compile" >"$work/$name.$form.sum"
}
export -f one
names=$(cd "$PREPARED/cuda" && ls ./*.cu | sed 's,^\./,,; s,\.cu$,,')
for form in cuda hip; do
  for name in $names; do echo "$form $name"; done
done | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' bash

for form in cuda hip; do
  for name in $names; do
    [ -x "$work/$name.$form" ] || continue
    timeout "$SECONDS_EACH" "$work/$name.$form" >"$work/out" 2>&1
    status=$?
    cat "$work/out" >>"$OUT/$name.$form.txt"
    if [ $status = 0 ]; then
      tail -n 1 "$work/out" | awk '{print $NF}'
    else
      echo "exit-$status"
    fi >"$work/$name.$form.sum"
  done
done

{
  printf 'program\tcuda\thip\n'
  for name in $names; do
    printf '%s\t%s\t%s\n' "$name" "$(cat "$work/$name.cuda.sum")" "$(cat "$work/$name.hip.sum")"
  done
} >"$OUT/programs.tsv"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1
nvcc --version | sed -n 4p
awk -F '\t' 'NR > 1 { n++; if ($2 == $3 && $2 !~ /^(exit-|does-not-compile)/ && $2 != "") same++; else print }
             END { print same + 0 " of " n " programs agree" }' "$OUT/programs.tsv"
