# shellcheck shell=bash
#
# The Vulkan loader and Mesa's Vulkan driver on the CPU, from the distribution.

# has_driver PATTERN: succeeds if the loader's default folders contain such a driver manifest.
has_driver() {
    compgen -G "/usr/share/vulkan/icd.d/$1" >/dev/null || compgen -G "/etc/vulkan/icd.d/$1" >/dev/null
}

want_lavapipe() {
    if ! has_library libvulkan.so.1; then
        want_package "Vulkan loader" "libvulkan1" "vulkan-loader" "vulkan-icd-loader"
    fi
    if ! has_driver 'lvp_icd*.json'; then
        want_package "lavapipe" "mesa-vulkan-drivers" "mesa-vulkan-drivers" "vulkan-swrast"
    fi
}
