#!/usr/bin/env bash
#
# For `git bisect run` in a compiler's repository: builds the compiler and compares its decisions about every case.
#
#   git bisect run .../ci/bisect.sh dxc=build/bin/dxc .../shaders/frozen/dxc-1.7.4006 -- cmake --build build --target dxc
#
# Arguments: the compiler as `compare` takes it; the folder with the good decisions; further arguments of `layoutproof
# compare` (with the id of a case a step takes a second); then the build command. Exit codes are git's: 0
# good, 1 bad, 125 if the revision does not build or its compiler gives no result, 255 to stop if no judgement is
# possible. LAYOUTPROOF names the command if it is not on the PATH.
set -euo pipefail

usage() {
    echo "usage: ci/bisect.sh COMPILER FROZEN [COMPARE_ARGUMENT...] -- BUILD_COMMAND..." >&2
    exit 255
}
[[ $# -ge 4 ]] || usage
arguments=("$2" "$1" --allow-stale --no-cache)
shift 2
while [[ $# -gt 0 && $1 != -- ]]; do
    arguments+=("$1")
    shift
done
[[ $# -ge 2 ]] || usage
shift

"$@" || exit 125
status=0
"${LAYOUTPROOF:-layoutproof}" compare "${arguments[@]}" || status=$?
case $status in
0 | 1) exit "$status" ;;
3) exit 125 ;;
*) exit 255 ;;
esac
