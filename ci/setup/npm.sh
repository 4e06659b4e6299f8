# shellcheck shell=bash disable=SC2154
#
# Archives from npm's registry for fetch_pinned. npm downloads them, so its configuration (mirrors, proxies,
# certificates) applies. It installs nothing and runs no script of the package.

has_npm() {
    command -v npm >/dev/null
}

want_npm_package() {
    if ! has_npm; then
        want_package "npm" "npm" "npm" "npm"
    fi
}

# download_from_npm NAME VERSION SHA256 INTO: two tools may be in one archive. They take turns, so that the second one
# finds it in npm's cache.
download_from_npm() {
    flock "$fetched/npm.lock" npm pack --silent --ignore-scripts --pack-destination "$4" "$1@$2" && has_checksum "$3" "$4"
}

# has_checksum SHA256 FOLDER: succeeds if the only file in FOLDER has this checksum.
has_checksum() {
    echo "$1  $(compgen -G "$2/*")" | sha256sum --check
}

# why_not_fetched_from_npm NAME: prints the reason in a few words, after fetch_pinned failed with download_from_npm.
why_not_fetched_from_npm() {
    local log=$fetched/$1.log
    if ! has_npm; then
        echo "fetched with npm, which is missing here"
    elif grep -q 'did NOT match' "$log"; then
        echo "npm's file is NOT the pinned one (checksum differs); see $log"
    else
        echo "npm could not download it ($(first_error "$log")); see $log"
    fi
}
