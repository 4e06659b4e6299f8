#!/usr/bin/env bash
#
# One step of `git bisect run`: builds a compiler and compares what it decides with a frozen set.
#
#     git bisect run .../ci/bisect.sh [REGRESS-ARGUMENT...] -- BUILD-COMMAND...
#
# The arguments in front of -- go to `layoutproof regress`: --compiler and --against, and ids of cases, which make a
# step fast. The command behind it builds the compiler in the current folder. LAYOUTPROOF names the program; default:
# the one on the PATH. Exit codes are git's: 0 good, 1 bad, 125 no such build, 128 and more end the bisection.
set -uo pipefail

regress=()
while [[ $# -gt 0 && $1 != -- ]]; do
    regress+=("$1")
    shift
done
if [[ $# -lt 2 || ${#regress[@]} -eq 0 ]]; then
    echo "usage: git bisect run $0 [REGRESS-ARGUMENT...] -- BUILD-COMMAND..." >&2
    exit 128
fi
shift

"$@" || exit 125
# Before an accepted change its entry explains nothing, which is no fault of the build.
"${LAYOUTPROOF:-layoutproof}" regress --allow-stale "${regress[@]}"
case $? in
    0) exit 0 ;;
    1) exit 1 ;;
    # The build ended well, but there is no compiler.
    3) exit 125 ;;
    *) exit 128 ;;
esac
