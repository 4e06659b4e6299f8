# shellcheck shell=bash disable=SC2154
#
# The set-up of ci/web: Chromium with its driver, Firefox, a font and Java from the distribution; axe-core and the Nu Html
# Checker from npm.

want_browser_packages() {
    if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
        want_package "Chromium with its driver" "chromium chromium-driver" "chromium chromedriver" "chromium"
    fi
    if ! command -v firefox >/dev/null && ! command -v firefox-esr >/dev/null; then
        want_package "Firefox" "firefox-esr" "firefox" "firefox"
    fi
    # Without a font, all text is empty boxes of one width.
    if ! fc-list 2>/dev/null | grep -q .; then
        want_package "fonts" "fonts-dejavu-core fontconfig" "dejavu-sans-fonts fontconfig" "ttf-dejavu fontconfig"
    fi
    if ! command -v java >/dev/null; then
        want_package "Java" "default-jre-headless" "java-latest-openjdk-headless" "jre-openjdk-headless"
    fi
    if ! has_axe || ! has_html_checker; then
        want_npm_package
    fi
}

has_axe() {
    pinned_is_there "$fetched/tools/axe" "$AXE_NPM_NAME" "$AXE_NPM_VERSION" "$AXE_NPM_SHA256"
}

has_html_checker() {
    pinned_is_there "$fetched/tools/vnu" "$VNU_NPM_NAME" "$VNU_NPM_VERSION" "$VNU_NPM_SHA256"
}

set_up_browser() {
    if ! has_axe; then
        set_up_from_npm "axe-core" axe "$AXE_NPM_NAME" "$AXE_NPM_VERSION" "$AXE_NPM_SHA256" package/axe.min.js
    fi
    if ! has_html_checker; then
        set_up_from_npm "Nu Html Checker" vnu "$VNU_NPM_NAME" "$VNU_NPM_VERSION" "$VNU_NPM_SHA256" package/build/dist/vnu.jar
    fi
}

# set_up_from_npm THING FOLDER NAME VERSION SHA256 FILE
set_up_from_npm() {
    if fetch_pinned "$fetched/tools/$2" "$3" "$4" "$5" "$6" download_from_npm; then
        say_done "$1 $4"
    else
        say_missing "$1" "$(why_not_fetched_from_npm "$3")"
    fi
}
