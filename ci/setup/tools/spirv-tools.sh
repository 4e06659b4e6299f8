# shellcheck shell=bash
#
# spirv-val, from the distribution.

want_spirv_tools() {
    if ! command -v spirv-val >/dev/null; then
        want_package "spirv-tools" "spirv-tools" "spirv-tools" "spirv-tools"
    fi
}
