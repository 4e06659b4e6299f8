# shellcheck shell=bash
#
# From the distribution: the Vulkan loader, lavapipe (Mesa's Vulkan driver on the CPU), spirv-val and glslangValidator.

# has_library NAME: succeeds if the dynamic linker finds NAME. Users' PATH often lacks the folder of ldconfig. grep
# reads to the end, because -q may break the pipe and make it fail.
has_library() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -F "$1 " >/dev/null
}

# has_driver PATTERN: succeeds if the loader's default folders contain such a driver manifest.
has_driver() {
    compgen -G "/usr/share/vulkan/icd.d/$1" >/dev/null || compgen -G "/etc/vulkan/icd.d/$1" >/dev/null
}

want_lavapipe_packages() {
    if ! has_library libvulkan.so.1; then
        want_package "Vulkan loader" "libvulkan1" "vulkan-loader" "vulkan-icd-loader"
    fi
    if ! has_driver 'lvp_icd*.json'; then
        want_package "lavapipe" "mesa-vulkan-drivers" "mesa-vulkan-drivers" "vulkan-swrast"
    fi
}

want_spirv_tools_package() {
    if ! command -v spirv-val >/dev/null; then
        want_package "spirv-tools" "spirv-tools" "spirv-tools" "spirv-tools"
    fi
}

want_glslang_package() {
    if ! command -v glslangValidator >/dev/null && ! command -v glslang >/dev/null; then
        want_package "glslang" "glslang-tools" "glslang" "glslang"
    fi
}
