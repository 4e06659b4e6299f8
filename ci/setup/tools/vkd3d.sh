# shellcheck shell=bash disable=SC2154
#
# Direct3D 12 above Vulkan, and vkd3d-compiler.
#
# vkd3d 2, which executes DXIL: its libraries and the C library that they need, into tools/vkd3d of the tools folder.
#
# Only Debian testing has it.

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

# fetch_vkd3d WORK: downloads in the folder WORK and moves the result to its place. Only these packages: the Vulkan loader
# is the system's.
fetch_vkd3d() {
    local work=$1
    read_debian_lists "$work" testing &&
        (cd "$work/cache/archives" && APT_CONFIG=$work/apt.conf apt-get download -qq "${vkd3d_packages[@]}") &&
        unpack_packages "$work" && mkdir -p "$work/result/lib" "$work/result/bin" &&
        mv "$work/root/$debian_libraries"/*.so* "$work/result/lib" &&
        mv "$work/root/usr/bin/vkd3d-compiler" "$work/result/bin" &&
        keep_fetched "$work" vkd3d
}

set_up_vkd3d() {
    if vkd3d_is_missing; then
        set_up_from_debian vkd3d "vkd3d 2" testing libvkd3d1 fetch_vkd3d \
            "Direct3D 12 goes unproved on this machine, unless you install vkd3d 2"
    fi
}
