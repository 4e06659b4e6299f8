# shellcheck shell=bash disable=SC2154
#
# A newer lavapipe than the distribution's.
#
# The lavapipe of Debian sid, with all libraries that it needs, into tools/lavapipe-current of the tools folder: the
# device lavapipe-current, next to the distribution's lavapipe. It fetches 69 MB, and keeps 220 MB.

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
    local log=$fetched/lavapipe-current.log work reason
    if [[ -e $fetched/tools/lavapipe-current/versions ]]; then
        return
    fi
    reason=$(why_not_from_debian)
    if [[ -n $reason ]]; then
        say_missing "current lavapipe" "$reason"
        return
    fi
    work=$(mktemp -d "$fetched/lavapipe-current.XXXXXX")
    if fetch_lavapipe_current "$work" >"$log" 2>&1; then
        say_done "current lavapipe ($(version_of lavapipe-current mesa-vulkan-drivers) of Debian sid)"
        rm -f "$log"
    else
        say_missing "current lavapipe" "Debian sid's packages could not be fetched ($(first_error "$log")); see $log. \
The distribution's lavapipe is used alone"
    fi
    rm -rf "$work"
}
