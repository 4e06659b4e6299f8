# shellcheck shell=bash disable=SC2154
#
# Google's Vulkan driver on the CPU.
#
# SwiftShader is a second driver on the CPU, independent of Mesa.
# Debian ships it in chromium-common. The script downloads the package and extracts the library, which needs no root and
# installs no browser. If a Chromium or Chrome is installed, it links to that one's library instead.

# Locations of the library in browsers: Debian, Fedora (two ages), Arch, Chrome, Ubuntu's snap.
swiftshader_folders=(
    /usr/lib/chromium
    /usr/lib64/chromium-browser
    /usr/lib64/chromium
    /usr/lib/chromium-browser
    /opt/google/chrome
    /snap/chromium/current/usr/lib/chromium-browser
)

# swiftshader_is_missing: also true if the library is a link to a removed browser.
swiftshader_is_missing() {
    [[ ! -e $fetched/drivers/swiftshader.json || ! -e $fetched/swiftshader/libvk_swiftshader.so ]]
}

# write_swiftshader_manifest: declares the library to the Vulkan loader; the path is relative to the manifest.
write_swiftshader_manifest() {
    mkdir -p "$fetched/drivers"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' \
        "../swiftshader/libvk_swiftshader.so" >"$fetched/drivers/swiftshader.json"
}

# link_installed_swiftshader: links to an installed browser's library and prints its path; fails if there is none.
link_installed_swiftshader() {
    local folder
    for folder in "${swiftshader_folders[@]}"; do
        if [[ -e $folder/libvk_swiftshader.so ]]; then
            mkdir -p "$fetched/swiftshader"
            ln -sf "$folder/libvk_swiftshader.so" "$fetched/swiftshader/libvk_swiftshader.so"
            echo "$folder"
            return
        fi
    done
    return 1
}

# download_chromium_common: puts the package into the current folder. The second attempt uses separate package lists,
# for users without root on a machine whose lists are missing or too old.
download_chromium_common() {
    local own=(-o Acquire::Retries=1 -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache")
    if apt-get download -qq -o Acquire::Retries=1 chromium-common; then
        return
    fi
    mkdir -p lists/partial cache/archives/partial
    apt-get "${own[@]}" update -qq && apt-get "${own[@]}" download -qq chromium-common
}

# fetch_swiftshader WORK: downloads in the folder WORK and moves the result to its place. Uses && because `set -e` does
# not apply inside a condition.
fetch_swiftshader() {
    (
        cd "$1" && download_chromium_common && dpkg-deb --fsys-tarfile chromium-common_*.deb |
            tar -x --no-same-owner --no-same-permissions \
                ./usr/lib/chromium/libvk_swiftshader.so ./usr/share/doc/chromium-common/copyright
    ) && rm -rf "$fetched/swiftshader" && mkdir "$fetched/swiftshader" &&
        mv "$1/usr/share/doc/chromium-common/copyright" "$1/usr/lib/chromium/libvk_swiftshader.so" "$fetched/swiftshader"
}

set_up_swiftshader() {
    local folder log=$fetched/swiftshader.log work
    if ! swiftshader_is_missing; then
        return
    fi
    if folder=$(link_installed_swiftshader); then
        write_swiftshader_manifest
        say_done "SwiftShader (of $folder)"
        return
    fi
    if [[ $(package_manager) != apt ]]; then
        say_missing "SwiftShader" "install Chromium or Chrome, which hold it, and run this again"
        return
    fi
    work=$(mktemp -d "$fetched/swiftshader.XXXXXX")
    if fetch_swiftshader "$work" >"$log" 2>&1; then
        write_swiftshader_manifest
        say_done "SwiftShader (from $(cd "$work" && echo chromium-common_*.deb))"
        rm -f "$log"
    else
        say_missing "SwiftShader" "apt-get download chromium-common failed ($(first_error "$log")); see $log. An \
installed Chromium or Chrome will do as well"
    fi
    rm -rf "$work"
}
