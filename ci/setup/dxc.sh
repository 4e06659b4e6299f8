# shellcheck shell=bash disable=SC2154
#
# DXC as a library, into tools/dxc-lib of the tools folder, and on request an older one into tools/dxc-lib-old. Both
# exist only for Linux on x86-64; elsewhere, put your own dxc on the PATH.

dxc_is_missing() {
    ! pinned_is_there "$fetched/tools/dxc-lib" "$DXC_PYPI_NAME" "$DXC_PYPI_VERSION" "$DXC_PYPI_SHA256"
}

set_up_dxc() {
    if ! dxc_is_missing; then
        return
    fi
    if [[ $(uname -m) != x86_64 ]]; then
        say_missing "DXC" "the pinned one is for x86_64, not $(uname -m); put a dxc of your own on PATH"
    elif fetch_pinned "$fetched/tools/dxc-lib" "$DXC_PYPI_NAME" "$DXC_PYPI_VERSION" "$DXC_PYPI_SHA256" \
        'coalpy/resources/libdxcompiler.so' download_from_pypi; then
        say_done "DXC (from $DXC_PYPI_NAME $DXC_PYPI_VERSION)"
    else
        say_missing "DXC" "$(why_not_fetched "$DXC_PYPI_NAME")"
    fi
}

old_dxc_is_missing() {
    ! pinned_is_there "$fetched/tools/dxc-lib-old" \
        "$OLD_DXC_PYPI_NAME" "$OLD_DXC_PYPI_VERSION" "$OLD_DXC_PYPI_SHA256"
}

# Only the source archive contains the library. It is unpacked and never built.
set_up_old_dxc() {
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
