# shellcheck shell=bash disable=SC2154
#
# DXC, as a library.
#
# Into tools/dxc-lib of the tools folder. The library exists only for Linux on x86-64; elsewhere, put your own dxc on the
# PATH.

want_dxc() {
    if dxc_is_missing; then
        want_pip_package
    fi
}

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
