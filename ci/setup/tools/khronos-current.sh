# shellcheck shell=bash disable=SC2154
#
# Newer versions of glslang and spirv-val than the distribution's.
#
# Those of Debian sid, with all libraries that they need, into tools/khronos-current of the tools folder: the compiler
# glslang-current, and a validator for modules that the distribution's spirv-val does not know. It fetches 9 MB, and keeps
# 18 MB.

is_default_khronos_current() {
    [[ $minimal == no ]]
}

fetch_khronos_current() {
    local work=$1 programs=(usr/bin/glslang usr/bin/spirv-val)
    fetch_from_debian "$work" sid glslang-tools spirv-tools &&
        take_libraries "$work" "${programs[@]}" && mkdir -p "$work/result/bin" &&
        cp -L "${programs[@]/#/$work/root/}" "$work/result/bin" &&
        keep_fetched "$work" khronos-current
}

set_up_khronos_current() {
    set_up_from_debian khronos-current "current glslang and spirv-val" sid glslang-tools fetch_khronos_current \
        "The distribution's are used alone"
}
