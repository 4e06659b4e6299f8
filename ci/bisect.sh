#!/usr/bin/env bash
#
# For `git bisect run` in a compiler's own repository: builds the compiler and asks it what it decides about every case.
#
#   git bisect run .../ci/bisect.sh build/bin/dxc .../shaders/frozen/dxc-1.7.4006 -- cmake --build build --target dxc
#
# The compiler (a program, or a library of DXC) comes first, then the frozen set that says what is good, then the command
# that builds it. Exit codes are git's: 0 good, 1 bad, 125 for a revision that does not build or whose compiler does not
# answer, 255 to stop where nothing can be said. LAYOUTPROOF names the command, if it is not on the PATH.
set -euo pipefail

if [[ $# -lt 4 || $3 != -- ]]; then
    echo "usage: ci/bisect.sh COMPILER FROZEN -- BUILD_COMMAND..." >&2
    exit 255
fi
compiler=$1 frozen=$2
shift 3

"$@" || exit 125
status=0
"${LAYOUTPROOF:-layoutproof}" regress --compiler "$compiler" --against "$frozen" --allow-stale || status=$?
case $status in
0 | 1) exit "$status" ;;
3) exit 125 ;;
*) exit 255 ;;
esac
