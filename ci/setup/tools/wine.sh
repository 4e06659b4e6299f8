# shellcheck shell=bash disable=SC2154
#
# Microsoft's FXC and DXC 1.9, with Wine and MinGW from the distribution; on request.
#
# FXC and two builds of DXC 1.9 as libraries for Windows; Wine, which runs them; and vkd3d-compiler, which makes SPIR-V
# from FXC's code. On request, since Wine is large. The libraries go into
# tools/d3d and tools/dxc-1.9 of the tools folder, each with our program that calls them, and Wine's prefix into
# tools/wine-prefix; the user's own prefix stays unchanged.

d3d_program=layoutproof-d3d.exe

is_default_wine() {
    false
}

want_wine() {
    if ! command -v wine >/dev/null; then
        want_package "Wine" "wine wine64" "wine-core" "wine"
    fi
    if ! command -v x86_64-w64-mingw32-g++ >/dev/null; then
        want_package "MinGW" "g++-mingw-w64-x86-64-posix" "mingw64-gcc-c++ mingw64-winpthreads-static" "mingw-w64-gcc"
    fi
    if ! command -v vkd3d-compiler >/dev/null; then
        want_package "vkd3d-compiler" "vkd3d-compiler" "vkd3d-compiler" "vkd3d"
    fi
    if d3d_libraries_are_missing; then
        want_npm_package
    fi
    if new_dxc_is_missing; then
        want_pip_package
    fi
}

set_up_wine() {
    if [[ $(uname -m) != x86_64 ]]; then
        say_missing "FXC and DXC 1.9" "Wine runs them on x86_64 only, not on $(uname -m)"
        return
    fi
    set_up_d3d_libraries
    set_up_new_dxc
    set_up_d3d_program
    set_up_wine_prefix
}

d3d_libraries_are_missing() {
    ! pinned_is_there "$fetched/tools/d3d" "$DAWN_NPM_NAME" "$DAWN_NPM_VERSION" "$DAWN_NPM_SHA256"
}

set_up_d3d_libraries() {
    if ! d3d_libraries_are_missing; then
        return
    fi
    # Both libraries, and DXC's licence.
    if fetch_pinned "$fetched/tools/d3d" "$DAWN_NPM_NAME" "$DAWN_NPM_VERSION" "$DAWN_NPM_SHA256" \
        'package/dist/win32-x64/d[3x]*' download_from_npm; then
        say_done "FXC and a later DXC (from $DAWN_NPM_NAME $DAWN_NPM_VERSION)"
    else
        say_missing "FXC and a later DXC" "$(why_not_fetched_from_npm "$DAWN_NPM_NAME")"
    fi
}

new_dxc_is_missing() {
    ! pinned_is_there "$fetched/tools/dxc-1.9" \
        "$NEW_DXC_PYPI_NAME" "$NEW_DXC_PYPI_VERSION" "$NEW_DXC_PYPI_SHA256"
}

set_up_new_dxc() {
    if ! new_dxc_is_missing; then
        return
    fi
    if fetch_pinned "$fetched/tools/dxc-1.9" "$NEW_DXC_PYPI_NAME" "$NEW_DXC_PYPI_VERSION" "$NEW_DXC_PYPI_SHA256" \
        'slangpy/dxcompiler.dll' download_for_windows_from_pypi; then
        say_done "DXC 1.9 (from $NEW_DXC_PYPI_NAME $NEW_DXC_PYPI_VERSION)"
    else
        say_missing "DXC 1.9" "$(why_not_fetched "$NEW_DXC_PYPI_NAME")"
    fi
}

# Build the program again whenever its source changes. It loads libraries from its own folder, so each folder has a
# copy.
set_up_d3d_program() {
    local source=$root/runners/compilers/wine log=$fetched/d3d.log folder built=""
    for folder in "$fetched/tools/d3d" "$fetched/tools/dxc-1.9"; do
        if [[ ! -d $folder || (-e $folder/$d3d_program && -z $(find "$source" -newer "$folder/$d3d_program")) ]]; then
            continue
        fi
        # Static, since Wine does not search the folder of MinGW's libraries.
        if ! command -v x86_64-w64-mingw32-g++ >/dev/null; then
            say_missing "$d3d_program" "built with MinGW's x86_64-w64-mingw32-g++, which is missing here"
            return
        elif ! x86_64-w64-mingw32-g++ -std=c++17 -O1 -Wall -Wextra -static -o "$folder/$d3d_program.new" \
            "$source"/*.cpp -lversion -lole32 >"$log" 2>&1; then
            say_missing "$d3d_program" "it does not build ($(first_error "$log")); see $log"
            return
        fi
        mv "$folder/$d3d_program.new" "$folder/$d3d_program"
        built=yes
    done
    if [[ $built == yes ]]; then
        rm -f "$log"
        say_done "$d3d_program"
    fi
}

set_up_wine_prefix() {
    local prefix=$fetched/tools/wine-prefix log=$fetched/wine.log
    if [[ -d $prefix ]] || ! command -v wine >/dev/null; then
        return
    fi
    rm -rf "$prefix.new"
    mkdir -p "$fetched/tools"
    # The overrides keep Wine from downloading Mono and Gecko, and from adding entries to the user's menus.
    if WINEPREFIX=$prefix.new WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' \
        timeout 300 wine wineboot --init </dev/null >"$log" 2>&1; then
        link_wine_libraries "$prefix.new"
        mv "$prefix.new" "$prefix"
        rm -f "$log"
        say_done "a prefix for Wine"
    else
        say_missing "a prefix for Wine" "wineboot failed ($(tail -n 1 "$log")); see $log"
    fi
}

# link_wine_libraries PREFIX: Wine copies all its libraries into a prefix, 700 MB. Links to the originals work as well.
link_wine_libraries() {
    local folder original
    for folder in /usr/lib/x86_64-linux-gnu/wine /usr/lib64/wine /usr/lib/wine; do
        if [[ -d $folder/x86_64-windows ]]; then
            for original in "$folder"/x86_64-windows/*; do
                ln_if_equal "$original" "$1/drive_c/windows/system32/${original##*/}"
            done
        fi
    done
}

# ln_if_equal ORIGINAL COPY
ln_if_equal() {
    if cmp -s "$1" "$2"; then
        ln -sf "$1" "$2"
    fi
}
