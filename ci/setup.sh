#!/usr/bin/env bash
#
# Sets up what a run needs and this machine lacks: a linker, the Vulkan loader, lavapipe, SwiftShader, spirv-tools,
# glslang, DXC, slangc, vkd3d 2 (Direct3D 12) and, if Node.js and npm are installed, Tint.
#
# Packages come from the distribution (apt, dnf or pacman; as root or through `sudo -n`). Everything else goes into the
# tools folder that ci/tools-folder prints, and nowhere else; LAYOUTPROOF_TOOLS selects another. The script exports no
# variables: the program looks in the tools folder itself.
#
# Prints one line per thing that it set up, and one per thing that is missing, with the way to get it. Silent when
# nothing is missing. Exits 0 in both cases: a run reports itself what it could not check, and ci/floors.toml decides if
# that was enough.
#
# Usage: ci/setup.sh [--second-dxc] [--clang] [--tint] [--wine] [--without-build] [THING...]
#
# --second-dxc adds an older DXC. --clang adds Clang, if the distribution has it. --tint adds Node.js and npm for Tint.
# --wine adds Wine with Microsoft's FXC and DXC 1.9, and vkd3d-compiler. --without-build omits what only a build of the
# repository needs. With THINGs (the list below), only these are set up. `layoutproof setup` runs this script.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Python's -m looks in the working folder first, so make that this repository and not the user's folder.
cd "$root"

# shellcheck source=ci/versions.sh
source "$root/ci/versions.sh"
for part in say packages pinned pypi npm base vulkan swiftshader vkd3d dxc slang clang tint wine; do
    # shellcheck source=/dev/null
    source "$root/ci/setup/$part.sh"
done

# `SetupThing` in runners/cli/src/commands/setup.rs has the same list.
all_things=(lavapipe spirv-tools glslang swiftshader vkd3d dxc slangc tint dxc-old clang wine)
wanted=() named=no build=yes
for word; do
    case $word in
    --second-dxc) wanted+=(dxc-old) ;;
    --clang) wanted+=(clang) ;;
    --tint) wanted+=(tint) ;;
    --wine) wanted+=(wine) ;;
    --without-build) build=no ;;
    *)
        if [[ " ${all_things[*]} " != *" $word "* ]]; then
            echo "usage: ci/setup.sh [--second-dxc] [--clang] [--tint] [--wine] [--without-build] [THING...]" >&2
            echo "THING is one of: ${all_things[*]}" >&2
            exit 2
        fi
        wanted+=("$word") named=yes
        ;;
    esac
done
# is_wanted THING
is_wanted() {
    [[ " ${wanted[*]} " == *" $1 "* ]]
}

if [[ $(uname -s) != Linux ]]; then
    say_note "this set-up is for Linux; on $(uname -s) use \`layoutproof run\` with the system's own devices"
    exit 0
fi

fetched=$(bash "$root/ci/tools-folder")
if [[ $named == no ]]; then
    wanted+=(lavapipe spirv-tools glslang swiftshader vkd3d dxc slangc)
    # Tint's packages are large: without --tint it is set up only if they are installed.
    if tint_can_be_set_up; then
        wanted+=(tint)
    fi
fi
# The program loads no file that others can write, so nothing here is writable for others, whatever the user's umask.
umask 022
mkdir -p "$fetched"
# Two runs at once take turns, so that neither sees half-made folders of the other.
exec 9>"$fetched/setup.lock"
flock 9

# First all packages of the distribution in one transaction, since the downloads need them.
if [[ $build == yes && $named == no ]]; then
    want_build_packages
fi
if is_wanted lavapipe; then
    want_lavapipe_packages
fi
if is_wanted spirv-tools; then
    want_spirv_tools_package
fi
if is_wanted glslang; then
    want_glslang_package
fi
if { is_wanted dxc && dxc_is_missing; } || { is_wanted slangc && slang_is_missing; } ||
    { is_wanted dxc-old && old_dxc_is_missing; } || { is_wanted wine && new_dxc_is_missing; }; then
    want_pip_package
fi
if is_wanted tint; then
    want_tint_packages
fi
if is_wanted wine; then
    want_wine_packages
fi
install_wanted_packages
if is_wanted clang; then
    set_up_clang
fi

# The downloads run in parallel, because they wait for the network.
if is_wanted swiftshader; then
    set_up_swiftshader &
fi
if is_wanted vkd3d; then
    set_up_vkd3d &
fi
if is_wanted dxc; then
    set_up_dxc &
fi
if is_wanted slangc; then
    set_up_slang &
fi
if is_wanted dxc-old; then
    set_up_old_dxc &
fi
# Both are in one archive, which the second download finds in npm's cache.
{
    if is_wanted tint; then
        set_up_tint
    fi
    if is_wanted wine; then
        set_up_wine
    fi
} &
wait
