# shellcheck shell=bash disable=SC2154
#
# A DXC of 2022; on request.
#
# Into tools/dxc-lib-old of the tools folder, as a library.

is_default_dxc_old() {
    false
}

want_dxc_old() {
    if old_dxc_is_missing; then
        want_pip_package
    fi
}

old_dxc_is_missing() {
    ! pinned_is_there "$fetched/tools/dxc-lib-old" \
        "$OLD_DXC_PYPI_NAME" "$OLD_DXC_PYPI_VERSION" "$OLD_DXC_PYPI_SHA256"
}

# Only the source archive contains the library. It is unpacked and never built.
set_up_dxc_old() {
    local folder=$fetched/tools/dxc-lib-old
    if ! old_dxc_is_missing; then
        return
    fi
    if [[ $(uname -m) != x86_64 ]]; then
        say_missing "second DXC" "the pinned one is for x86_64, not $(uname -m)"
    elif fetch_pinned "$folder" "$OLD_DXC_PYPI_NAME" "$OLD_DXC_PYPI_VERSION" "$OLD_DXC_PYPI_SHA256" \
        'compushady-*/compushady/backends/libdxcompiler_x86_64.so.3.7' \
        download_source_from_pypi; then
        mv "$folder/libdxcompiler_x86_64.so.3.7" "$folder/libdxcompiler.so"
        say_done "second DXC (from $OLD_DXC_PYPI_NAME $OLD_DXC_PYPI_VERSION)"
    else
        say_missing "second DXC" "$(why_not_fetched "$OLD_DXC_PYPI_NAME")"
    fi
}
