# shellcheck shell=bash
# Sourced by build.sh and test.sh: sets up, then decides which targets this machine can build.
# After it: $BIN (folder of the environment's programs), $USABLE (targets), $ABSENT (the others).
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash ci/setup.sh
BIN=$(cat .portgpu-venv)/bin

USABLE=() ABSENT=()
for target in ${PORTGPU_TARGETS:-cuda rocm cpu}; do
  if "$BIN/portgpu" doctor --check "$target" >/dev/null; then
    USABLE+=("$target")
  else
    ABSENT+=("$target")
  fi
done
if [ "${#ABSENT[@]}" -gt 0 ]; then
  {
    printf '\n!! NOT AVAILABLE HERE: %s\n' "${ABSENT[*]}"
    for target in "${ABSENT[@]}"; do "$BIN/portgpu" doctor --check "$target" || true; done
  } >&2
  # On a CI machine a missing toolchain must never look like a pass.
  [ -z "${CI:-}" ] || exit 3
fi
[ "${#USABLE[@]}" -gt 0 ] || exit 3
TARGET_OPTIONS=()
for target in "${USABLE[@]}"; do TARGET_OPTIONS+=(--target "$target"); done

# The last lines say again what was left out, so that nobody reads a partial result as a whole one.
closing() {
  [ "${#ABSENT[@]}" -eq 0 ] ||
    printf '\n!! %s: only %s; NOT %s (see above)\n' "$1" "${USABLE[*]}" "${ABSENT[*]}" >&2
}
