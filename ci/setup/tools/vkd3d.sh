# shellcheck shell=bash disable=SC2154
#
# Direct3D 12 above Vulkan, and vkd3d-compiler.
#
# vkd3d 2, which executes DXIL: its libraries and the C library that they need, into tools/vkd3d of the tools folder.
#
# Only Debian testing has it. apt fetches the packages with separate lists, state and cache, so that the machine's stay
# unchanged, and checks their signatures; it installs nothing. Testing changes, so the versions are recorded, not
# pinned. An existing folder is kept: remove it to fetch again.

vkd3d_packages=(libc6 libtinfo6 libvkd3d-shader1 libvkd3d1 libvkd3d-utils1 vkd3d-compiler)

# vkd3d_of_system: prints the major version of the system's vkd3d; nothing if there is none.
vkd3d_of_system() {
    if has_library libvkd3d-utils.so.1; then
        dpkg-query --show --showformat '${Version}' libvkd3d-utils1 2>/dev/null | cut -d. -f1
    fi
}

vkd3d_is_missing() {
    [[ ! -e $fetched/tools/vkd3d/versions ]] && ! { [[ $(vkd3d_of_system) =~ ^[0-9]+$ ]] && (($(vkd3d_of_system) >= 2)); }
}

# debian_mirror: prints the mirror from which this machine gets Debian's packages.
debian_mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(SITE) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 == "Debian" && $1 !~ /security/ { print $1; exit }'
}

# fetch_vkd3d WORK: downloads in the folder WORK and moves the result to its place. Uses && because `set -e` does not
# apply inside a condition.
fetch_vkd3d() {
    local work=$1 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=$(debian_mirror)
    # A mirror's lists of testing may be expired.
    local own=(
        -o "Dir::State=$work/state" -o "Dir::State::lists=$work/state/lists" -o "Dir::State::status=$work/state/status"
        -o "Dir::Cache=$work/cache" -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/none"
        -o "Dir::Etc::preferences=$work/none" -o "Dir::Etc::preferencesparts=$work/none"
        -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o Acquire::Retries=1
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
        -o "APT::Sandbox::User=$(id -un)"
    )
    if [[ ! -e $keyring ]]; then
        echo "error: no keys for Debian's packages ($keyring)"
        return 1
    fi
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/none" "$work/packages" "$work/root" &&
        : >"$work/state/status" &&
        echo "deb [signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} testing main" >"$work/sources.list" &&
        apt-get "${own[@]}" update -qq &&
        (cd "$work/packages" && apt-get "${own[@]}" download -qq "${vkd3d_packages[@]}") &&
        unpack_vkd3d "$work" && rm -rf "$fetched/tools/vkd3d" && mkdir -p "$fetched/tools" &&
        mv "$work/result" "$fetched/tools/vkd3d"
}

# unpack_vkd3d WORK: unpacks the libraries and vkd3d-compiler from the packages in WORK into WORK/result.
unpack_vkd3d() {
    local work=$1 package
    mkdir -p "$work/result/lib" "$work/result/bin" || return 1
    # shellcheck disable=SC2016 # dpkg-deb fills these in
    for package in "$work"/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --no-same-owner --no-same-permissions -C "$work/root" &&
            dpkg-deb --show --showformat '${Package} ${Version}\n' "$package" >>"$work/result/versions" || return 1
    done
    mv "$work"/root/usr/lib/x86_64-linux-gnu/*.so* "$work/result/lib" &&
        mv "$work/root/usr/bin/vkd3d-compiler" "$work/result/bin"
}

set_up_vkd3d() {
    local log=$fetched/vkd3d.log work
    if ! vkd3d_is_missing; then
        return
    fi
    if [[ $(uname -m) != x86_64 ]]; then
        say_missing "vkd3d 2" "it is fetched for x86_64 only, not for $(uname -m)"
        return
    elif [[ $(package_manager) != apt ]] || ! command -v dpkg-deb >/dev/null; then
        say_missing "vkd3d 2" "fetched from Debian with apt, which is missing here; install vkd3d 2 if there is one"
        return
    fi
    work=$(mktemp -d "$fetched/vkd3d.XXXXXX")
    if fetch_vkd3d "$work" >"$log" 2>&1; then
        say_done "vkd3d ($(grep '^libvkd3d1 ' "$fetched/tools/vkd3d/versions" | cut -d' ' -f2) of Debian testing)"
        rm -f "$log"
    else
        say_missing "vkd3d 2" "Debian testing's packages could not be fetched ($(first_error "$log")); see $log. \
Direct3D 12 goes unproved on this machine"
    fi
    rm -rf "$work"
}
