#!/usr/bin/env bash
#
# Sets up what a run needs and this machine lacks: a linker, the Vulkan loader, lavapipe, SwiftShader, spirv-tools,
# glslang, DXC, slangc, vkd3d 2 (Direct3D 12) and, where Node.js and npm are there, Tint.
#
# Packages come from the distribution (apt, dnf or pacman; as root or through `sudo -n`). Everything else goes into the
# tools folder that ci/tools-folder prints, and nowhere else; LAYOUTPROOF_TOOLS chooses another one. Nothing is exported:
# the program looks there by itself.
#
# Prints one line per thing that was set up, and one per thing that is missing with the way to get it. Silent when
# nothing is missing. Exits 0 in both cases: a run says itself what it could not check, and ci/floors.toml decides
# whether that was enough.
#
# Usage: ci/setup.sh [--second-dxc] [--clang] [--tint] [--wine]
#
# --second-dxc adds an older DXC. --clang adds Clang, where the distribution has it. --tint adds Node.js and npm for Tint.
# --wine adds Wine with Microsoft's FXC and DXC 1.9, and vkd3d-compiler.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Python's -m looks in the working folder first: let that be this repository and not the one that the user is in.
cd "$root"

# shellcheck source=ci/versions.sh
source "$root/ci/versions.sh"
for part in say packages pinned pypi npm base vulkan swiftshader vkd3d dxc slang clang tint wine; do
    # shellcheck source=/dev/null
    source "$root/ci/setup/$part.sh"
done

second_dxc=no clang=no tint=no wine=no
for option; do
    case $option in
    --second-dxc) second_dxc=yes ;;
    --clang) clang=yes ;;
    --tint) tint=yes ;;
    --wine) wine=yes ;;
    *)
        echo "usage: ci/setup.sh [--second-dxc] [--clang] [--tint] [--wine]" >&2
        exit 2
        ;;
    esac
done

if [[ $(uname -s) != Linux ]]; then
    say_note "this set-up is for Linux; on $(uname -s) use \`cargo run -- run\` with the system's own devices"
    exit 0
fi

fetched=$("$root/ci/tools-folder")
# Nothing is loaded that others can write, so nothing is made that way, whatever the user's umask.
umask 022
mkdir -p "$fetched"
# Two runs at once take turns, so that neither sees the other's half-made folders.
exec 9>"$fetched/setup.lock"
flock 9

# First everything that the package manager has, in one transaction, since the rest is fetched with its help.
want_base_packages
want_vulkan_packages
if dxc_is_missing || slang_is_missing || { [[ $second_dxc == yes ]] && old_dxc_is_missing; } ||
    { [[ $wine == yes ]] && new_dxc_is_missing; }; then
    want_pip_package
fi
if [[ $tint == yes ]]; then
    want_tint_packages
fi
if [[ $wine == yes ]]; then
    want_wine_packages
fi
install_wanted_packages
if [[ $clang == yes ]]; then
    set_up_clang
fi

# The downloads wait for the network, not for each other.
set_up_swiftshader &
set_up_vkd3d &
set_up_dxc &
set_up_slang &
if [[ $second_dxc == yes ]]; then
    set_up_old_dxc &
fi
# Both are in one archive, which the second finds in npm's cache.
{
    if [[ $tint == yes ]] || tint_can_be_set_up; then
        set_up_tint
    fi
    if [[ $wine == yes ]]; then
        set_up_wine
    fi
} &
wait
