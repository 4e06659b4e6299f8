# shellcheck shell=bash disable=SC2154
#
# A newer lavapipe than the distribution's.
#
# The lavapipe of Debian sid, with all libraries that it needs, into tools/lavapipe-current of the tools folder: the
# device lavapipe-current, next to the distribution's lavapipe. It fetches 69 MB, and keeps 196 MB.

is_default_lavapipe_current() {
    [[ $minimal == no ]]
}

fetch_lavapipe_current() {
    local work=$1 driver=$debian_libraries/libvulkan_lvp.so
    fetch_from_debian "$work" sid mesa-vulkan-drivers libvulkan1 &&
        take_libraries "$work" "$driver" "$debian_libraries/libvulkan.so.1" &&
        cp -L "$work/root/$driver" "$work/root/$debian_libraries/libvulkan.so.1" "$work/result/lib" &&
        sed 's|"libvulkan_lvp.so"|"./lib/libvulkan_lvp.so"|' "$work"/root/usr/share/vulkan/icd.d/lvp_icd*.json \
            >"$work/result/lvp_icd.json" &&
        cp "$work/root/usr/share/doc/mesa-vulkan-drivers/copyright" "$work/result" &&
        keep_fetched "$work" lavapipe-current
}

set_up_lavapipe_current() {
    set_up_from_debian lavapipe-current "current lavapipe" sid mesa-vulkan-drivers fetch_lavapipe_current \
        "The distribution's lavapipe is used alone"
}
