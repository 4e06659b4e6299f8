# shellcheck shell=bash disable=SC2154
#
# SwiftShader, a second Vulkan driver on the CPU, independent of Mesa.
#
# Debian ships it inside chromium-common. The package is downloaded and two files are taken out of it, which needs no
# root and installs no browser. Elsewhere the library of an installed Chromium or Chrome is used where it lies.

# Where browsers keep the library: Debian, Fedora, Arch, Chrome, Chromium's own archive.
swiftshader_folders=(
    /usr/lib/chromium
    /usr/lib64/chromium-browser
    /usr/lib64/chromium
    /opt/google/chrome
    /usr/lib/chromium-browser
)

# write_swiftshader_manifest LIBRARY: tells the Vulkan loader of LIBRARY. The file appears whole or not at all, since
# its presence is what later runs check.
write_swiftshader_manifest() {
    local manifest=$fetched/drivers/swiftshader.json
    mkdir -p "$fetched/drivers"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$1" \
        >"$manifest.part"
    mv "$manifest.part" "$manifest"
}

# download_chromium_common: puts the package into the current folder. The second attempt keeps its own package lists,
# for users without root on a machine whose lists are missing or too old.
download_chromium_common() {
    local own=(-o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache")
    if apt-get download -qq chromium-common; then
        return
    fi
    mkdir -p lists/partial cache/archives/partial
    apt-get "${own[@]}" update -qq && apt-get "${own[@]}" download -qq chromium-common
}

# fetch_swiftshader WORK: downloads in the folder WORK and moves the result to its place. Chained by hand, because
# `set -e` does not act inside a condition.
fetch_swiftshader() {
    (
        cd "$1" && download_chromium_common && dpkg-deb --fsys-tarfile chromium-common_*.deb |
            tar -x ./usr/lib/chromium/libvk_swiftshader.so ./usr/share/doc/chromium-common/copyright
    ) && rm -rf "$fetched/swiftshader" && mkdir "$fetched/swiftshader" &&
        mv "$1/usr/lib/chromium/libvk_swiftshader.so" "$1/usr/share/doc/chromium-common/copyright" "$fetched/swiftshader"
}

set_up_swiftshader() {
    local folder log=$fetched/swiftshader.log work
    if [[ -e $fetched/drivers/swiftshader.json ]]; then
        return
    fi
    for folder in "${swiftshader_folders[@]}"; do
        if [[ -e $folder/libvk_swiftshader.so ]]; then
            write_swiftshader_manifest "$folder/libvk_swiftshader.so"
            say_done "SwiftShader ($folder)"
            return
        fi
    done
    if [[ $(package_manager) != apt ]]; then
        say_missing "SwiftShader" "install Chromium or Chrome (it is one of their files) and run this again"
        return
    fi
    work=$(mktemp -d "$fetched/swiftshader.XXXXXX")
    if fetch_swiftshader "$work" >"$log" 2>&1; then
        write_swiftshader_manifest "../swiftshader/libvk_swiftshader.so"
        say_done "SwiftShader ($(cd "$work" && echo chromium-common_*.deb))"
    else
        say_missing "SwiftShader" "apt-get download chromium-common failed ($(say_last_line "$log")); see $log"
    fi
    rm -rf "$work"
}
