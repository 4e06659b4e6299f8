#!/usr/bin/env bash
#
# For `git bisect run` in a compiler's own repository: builds the compiler and asks it what it decides about every case.
#
#   git bisect run .../ci/bisect.sh build/bin/dxc .../shaders/frozen/dxc-1.7.4006 -- cmake --build build --target dxc
#
# The compiler (a program, or a library of DXC) comes first, then the frozen set that says what is good, then other
# arguments of `layoutproof regress` (the id of a case makes a step a second), then the command that builds it. Exit codes
# are git's: 0 good, 1 bad, 125 for a revision that does not build or whose compiler does not answer, 255 to stop where
# nothing can be said. LAYOUTPROOF names the command, if it is not on the PATH.
set -euo pipefail

usage() {
    echo "usage: ci/bisect.sh COMPILER FROZEN [REGRESS_ARGUMENT...] -- BUILD_COMMAND..." >&2
    exit 255
}
[[ $# -ge 4 ]] || usage
arguments=(--compiler "$1" --against "$2" --allow-stale)
shift 2
while [[ $# -gt 0 && $1 != -- ]]; do
    arguments+=("$1")
    shift
done
[[ $# -ge 2 ]] || usage
shift

"$@" || exit 125
status=0
"${LAYOUTPROOF:-layoutproof}" regress "${arguments[@]}" || status=$?
case $status in
0 | 1) exit "$status" ;;
3) exit 125 ;;
*) exit 255 ;;
esac
