# shellcheck shell=bash disable=SC2154
#
# The set-up of ci/web: Chromium with its driver and a font from the distribution, and axe-core from npm.

want_browser_packages() {
    if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
        want_package "Chromium with its driver" "chromium chromium-driver" "chromium chromedriver" "chromium"
    fi
    # Without a font every text is empty boxes of one width.
    if ! fc-list 2>/dev/null | grep -q .; then
        want_package "fonts" "fonts-dejavu-core fontconfig" "dejavu-sans-fonts fontconfig" "ttf-dejavu fontconfig"
    fi
    if ! pinned_is_there "$fetched/tools/axe" "$AXE_NPM_NAME" "$AXE_NPM_VERSION" "$AXE_NPM_SHA256"; then
        want_npm_package
    fi
}

set_up_browser() {
    if pinned_is_there "$fetched/tools/axe" "$AXE_NPM_NAME" "$AXE_NPM_VERSION" "$AXE_NPM_SHA256"; then
        return
    fi
    if fetch_pinned "$fetched/tools/axe" "$AXE_NPM_NAME" "$AXE_NPM_VERSION" "$AXE_NPM_SHA256" \
        'package/axe.min.js' download_from_npm; then
        say_done "axe-core $AXE_NPM_VERSION"
    else
        say_missing "axe-core" "$(why_not_fetched_from_npm "$AXE_NPM_NAME")"
    fi
}
