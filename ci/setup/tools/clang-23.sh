# shellcheck shell=bash disable=SC2154
#
# Clang 23, next to the distribution's; on request.
#
# Clang of Debian sid as an HLSL compiler, with all libraries that it needs, into tools/clang-23 of the tools folder. On
# request, since it is large: it fetches 95 MB, and keeps 246 MB.

is_default_clang_23() {
    false
}

fetch_clang_23() {
    local work=$1 program=usr/lib/llvm-23/bin/clang
    fetch_from_debian "$work" sid clang-23 && take_libraries "$work" "$program" && mkdir -p "$work/result/bin" &&
        cp -L "$work/root/$program" "$work/result/bin/clang-23" && keep_fetched "$work" clang-23
}

set_up_clang_23() {
    set_up_from_debian clang-23 "Clang 23" sid clang-23 fetch_clang_23 "Only the distribution's Clang is compared"
}
