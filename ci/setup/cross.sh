# shellcheck shell=bash disable=SC2154
#
# The set-up of ci/cross: Rust's standard library for Windows and macOS, MinGW, FXC, and a root folder of Debian 13 with
# Wine 10, lavapipe and Xvfb.
#
# Debian 12's Wine 8 reads wrong bytes through Direct3D 12, Debian 13's Wine 10 does not. So mmdebstrap makes a Debian
# 13 in tools/wine-root of the tools folder (1.3 GB), with apt and its signatures, and bubblewrap runs programs in it.
# The machine's own system stays unchanged, and neither needs root if the kernel allows user name spaces. As for all
# Debian packages, versions are not pinned but recorded next to them. An existing folder is kept: remove it to make it
# again.

wine_root_packages=wine,wine64,xvfb,mesa-vulkan-drivers,libgl1,libgl1-mesa-dri

want_cross_packages() {
    if ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
        want_package "MinGW" "gcc-mingw-w64-x86-64-posix" "mingw64-gcc" "mingw-w64-gcc"
    fi
    if ! command -v bwrap >/dev/null; then
        want_package "bubblewrap" "bubblewrap" "bubblewrap" "bubblewrap"
    fi
    if wine_root_is_missing && [[ $(package_manager) == apt ]] && ! command -v mmdebstrap >/dev/null; then
        want_package "mmdebstrap" "mmdebstrap" "" ""
    fi
    if d3d_libraries_are_missing; then
        want_npm_package
    fi
}

set_up_cross() {
    set_up_cross_rust
    if [[ $(uname -m) != x86_64 ]]; then
        say_missing "Wine" "it runs the Windows programs on x86_64 only, not on $(uname -m)"
        return
    fi
    set_up_d3d_libraries
    set_up_wine_root
}

# The pinned Rust with its standard library for both targets, so that lints do not change from day to day.
set_up_cross_rust() {
    local log=$fetched/cross-rust.log targets
    if ! command -v rustup >/dev/null; then
        say_missing "Rust for ${CROSS_TARGETS//,/ and }" "fetched with rustup, which is missing here; see https://rustup.rs"
        return
    fi
    targets=$(rustup target list --installed --toolchain "$CROSS_RUST_VERSION" 2>/dev/null || true)
    if printf '%s\n' "${CROSS_TARGETS//,/$'\n'}" | grep -qvxF "${targets:-none}"; then
        if rustup toolchain install "$CROSS_RUST_VERSION" --no-self-update --profile minimal --component clippy \
            --target "$CROSS_TARGETS" </dev/null >"$log" 2>&1; then
            say_done "Rust $CROSS_RUST_VERSION for ${CROSS_TARGETS//,/ and }"
            rm -f "$log"
        else
            say_missing "Rust for ${CROSS_TARGETS//,/ and }" "rustup could not fetch it ($(first_error "$log")); see $log"
        fi
    fi
}

wine_root_is_missing() {
    [[ ! -e $fetched/tools/wine-root/versions ]]
}

# make_wine_root WORK: makes the root in the folder WORK and moves it to its place. Uses && because `set -e` does not
# apply inside a condition.
make_wine_root() {
    local work=$1 mirror
    mirror=$(debian_mirror)
    # A tar archive, the only format that needs no root to write. A mirror's lists may be expired. The second line makes
    # it faster, at the cost of safety in a power cut.
    mkdir "$work/root" &&
        mmdebstrap --quiet --variant=essential --include="$wine_root_packages" --format=tar \
            --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
            --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Check-Valid-Until "false"' \
            trixie - "${mirror:-http://deb.debian.org/debian}" >"$work/root.tar" &&
        tar -xf "$work/root.tar" --no-same-owner --exclude='./dev/*' -C "$work/root" &&
        mkdir -p "$work/root/dev" "$work/root/work" &&
        wine_root_versions "$work/root" >"$work/root/versions" &&
        mkdir -p "$fetched/tools" && rm -rf "$fetched/tools/wine-root" && mv "$work/root" "$fetched/tools/wine-root"
}

# wine_root_versions ROOT: prints the important packages with their versions.
wine_root_versions() {
    awk -v wanted="${wine_root_packages//,/ }" '
        BEGIN { split(wanted, names, " "); for (i in names) is_wanted[names[i]] = 1 }
        $1 == "Package:" { name = $2 }
        $1 == "Version:" && is_wanted[name] { print name, $2 }' "$1/var/lib/dpkg/status"
}

set_up_wine_root() {
    local log=$fetched/wine-root.log work
    if ! wine_root_is_missing; then
        return
    fi
    if [[ $(package_manager) != apt ]] || ! command -v mmdebstrap >/dev/null; then
        say_missing "Wine 10" "fetched from Debian 13 with apt and mmdebstrap, of which one is missing here"
        return
    fi
    work=$(mktemp -d "$fetched/wine-root.XXXXXX")
    if make_wine_root "$work" </dev/null >"$log" 2>&1; then
        say_done "Wine ($(grep '^wine ' "$fetched/tools/wine-root/versions" | cut -d' ' -f2) of Debian 13, with lavapipe and Xvfb)"
        rm -f "$log"
    else
        say_missing "Wine 10" "a Debian 13 could not be made ($(first_error "$log")); see $log"
    fi
    rm -rf "$work"
}
