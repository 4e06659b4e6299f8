# shellcheck shell=bash disable=SC2154
#
# Clang, from the distribution; on request.
#
# Clang as an HLSL compiler: the distribution's package of the version that the known differences describe, and a link
# to it under the name that makes Clang act as dxc. On request, since Clang is large.

is_default_clang() {
    false
}

clang_program() {
    echo "/usr/lib/llvm-$CLANG_VERSION/bin/clang"
}

# A separate transaction: if the distribution lacks this package, it still installs the others.
set_up_clang() {
    local link=$fetched/tools/clang/clang-dxc program reason
    program=$(clang_program)
    if [[ ! -x $program ]]; then
        if [[ $(package_manager) != apt ]]; then
            say_missing "Clang $CLANG_VERSION" "put a clang-dxc of your own on PATH, or name it with CLANG_DXC"
            return
        fi
        reason=$(install_or_say_why "clang-$CLANG_VERSION")
        if [[ -n $reason || ! -x $program ]]; then
            say_missing "Clang $CLANG_VERSION" "install clang-$CLANG_VERSION, or name a clang-dxc with CLANG_DXC"
            say_note "not done here: ${reason:-$program did not come with it}"
            return
        fi
    fi
    if [[ $(readlink "$link") != "$program" ]]; then
        mkdir -p "$(dirname "$link")"
        ln -sfn "$program" "$link"
        say_done "Clang $CLANG_VERSION"
    fi
}
