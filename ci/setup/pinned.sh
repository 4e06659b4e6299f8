# shellcheck shell=bash disable=SC2154
#
# Files of an archive from a registry, at a pinned version with a checksum.

# pinned_is_there FOLDER NAME VERSION SHA256: succeeds if FOLDER contains the pinned version.
pinned_is_there() {
    [[ -e $1/pinned && $(<"$1/pinned") == "$2 $3 $4" ]]
}

# fetch_pinned FOLDER NAME VERSION SHA256 FILES DOWNLOAD: puts the archive's files that match FILES into FOLDER, all or
# none. `DOWNLOAD NAME VERSION SHA256 INTO` puts the archive into the folder INTO, or fails if its checksum differs.
# Uses && because `set -e` does not apply inside a condition.
fetch_pinned() {
    local folder=$1 name=$2 version=$3 sha256=$4 files=$5 download=$6 work log=$fetched/$2.log
    mkdir -p "$(dirname "$folder")"
    work=$(mktemp -d "$fetched/$name.XXXXXX")
    mkdir "$work/archive" "$work/content" "$work/result"
    if "$download" "$name" "$version" "$sha256" "$work/archive" </dev/null >"$log" 2>&1 &&
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

# unpack_archive FROM TO: unpacks the only wheel or source archive in FROM. As root, tar would keep the archive's
# permissions, which may let others write.
unpack_archive() {
    local archive
    for archive in "$1"/*; do
        case $archive in
        *.whl) python3 -I -m zipfile -e "$archive" "$2" ;;
        *) tar -xzf "$archive" --no-same-owner --no-same-permissions -C "$2" ;;
        esac
    done
}

# take_files FROM FILES TO: moves the files in FROM that match the pattern FILES; fails if none does.
take_files() {
    local found
    mapfile -t found < <(compgen -G "$1/$2")
    [[ ${#found[@]} -gt 0 ]] && mv "${found[@]}" "$3"
}
