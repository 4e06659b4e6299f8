# shellcheck shell=bash disable=SC2154
#
# Files from npm's registry, at a pinned version with a checksum. npm does the download, so its own configuration
# (mirrors, proxies, certificates) holds. Nothing is installed and no script of the package runs.

has_npm() {
    command -v npm >/dev/null
}

want_npm_package() {
    if ! has_npm; then
        want_package "npm" "npm" "npm" "npm"
    fi
}

# fetch_pinned_from_npm FOLDER NAME VERSION SHA256 FILES: puts the package's files that match FILES into FOLDER. The
# folder appears whole or not at all. Chained by hand, because `set -e` does not act inside a condition.
fetch_pinned_from_npm() {
    local folder=$1 name=$2 version=$3 sha256=$4 files=$5 work log=$fetched/$2.log
    mkdir -p "$(dirname "$folder")"
    work=$(mktemp -d "$fetched/$name.XXXXXX")
    mkdir "$work/archive" "$work/content" "$work/result"
    if npm pack --silent --pack-destination "$work/archive" "$name@$version" </dev/null >"$log" 2>&1 &&
        has_checksum "$sha256" "$work/archive" >>"$log" 2>&1 &&
        unpack_archive "$work/archive" "$work/content" >>"$log" 2>&1 &&
        take_files "$work/content" "$files" "$work/result" >>"$log" 2>&1; then
        echo "$name $version $sha256" >"$work/result/pinned"
        rm -rf "$folder"
        mv "$work/result" "$folder"
        rm -rf "$work" "$log"
    else
        rm -rf "$work"
        return 1
    fi
}

# has_checksum SHA256 FOLDER: whether the one file in FOLDER has it.
has_checksum() {
    echo "$1  $(compgen -G "$2/*")" | sha256sum --check
}

# why_not_fetched_from_npm NAME: the reason in a few words, after fetch_pinned_from_npm failed.
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
