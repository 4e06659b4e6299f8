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
# Usage: ci/setup.sh [--THING...] [--minimal] [--without-build] [THING...]
#
# A THING is a script in ci/setup/tools. --THING adds one to those of a default set-up: --tint adds Node.js and npm for
# Tint, --wine Wine with Microsoft's FXC and DXC 1.9, and vkd3d-compiler. --minimal leaves out newer versions of tools that
# the distribution has (78 MB to fetch). --without-build omits what only a build of the repository needs. With THINGs, only these
# are set up. `layoutproof setup` runs this script.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Python's -m looks in the working folder first, so make that this repository and not the user's folder.
cd "$root"

# shellcheck source=ci/versions.sh
source "$root/ci/versions.sh"
for part in say packages debian pinned pypi npm base; do
    # shellcheck source=/dev/null
    source "$root/ci/setup/$part.sh"
done
# The first comment of a tool's script is its line in the help of `layoutproof setup`. The script may define, with _ for -
# in the name of the tool:
# want_TOOL: requests packages of the distribution;
# set_up_TOOL: does the rest, while other tools are set up;
# is_default_TOOL: succeeds if a set-up without THINGs includes it; without this function, it does.
all_things=()
for script in "$root"/ci/setup/tools/*.sh; do
    # shellcheck source=/dev/null
    source "$script"
    all_things+=("$(basename "$script" .sh)")
done

# call FUNCTION THING: calls this function of a tool's script; succeeds if there is none.
call() {
    local function=$1_${2//-/_}
    if declare -F "$function" >/dev/null; then
        "$function"
    fi
}

wanted=() named=no build=yes minimal=no
for word; do
    case $word in
    --minimal) minimal=yes ;;
    --without-build) build=no ;;
    *)
        if [[ " ${all_things[*]} " != *" ${word#--} "* ]]; then
            echo "usage: ci/setup.sh [--THING...] [--minimal] [--without-build] [THING...]" >&2
            echo "THING is one of: ${all_things[*]}" >&2
            exit 2
        fi
        wanted+=("${word#--}")
        if [[ $word != --* ]]; then
            named=yes
        fi
        ;;
    esac
done
# The scripts of tools read it.
export minimal
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
    for thing in "${all_things[@]}"; do
        if call is_default "$thing"; then
            wanted+=("$thing")
        fi
    done
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
for thing in "${all_things[@]}"; do
    if is_wanted "$thing"; then
        call want "$thing"
    fi
done
install_wanted_packages

# In parallel, because downloads wait for the network.
for thing in "${all_things[@]}"; do
    if is_wanted "$thing"; then
        call set_up "$thing" &
    fi
done
wait
