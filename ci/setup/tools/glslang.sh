# shellcheck shell=bash
#
# glslangValidator, from the distribution.

want_glslang() {
    if ! command -v glslangValidator >/dev/null && ! command -v glslang >/dev/null; then
        want_package "glslang" "glslang-tools" "glslang" "glslang"
    fi
}
