# shellcheck shell=bash
#
# Prerequisites of building and fetching: a Rust toolchain, a C linker, pip.

want_build_packages() {
    if ! command -v cargo >/dev/null; then
        say_missing "cargo" "install a Rust toolchain from https://rustup.rs"
    fi
    # rustc links through `cc`, and the C library's start files come with its headers.
    if ! command -v cc >/dev/null; then
        want_package "C linker" "gcc libc6-dev" "gcc glibc-devel" "gcc"
    fi
}

# has_pip: succeeds if `python3 -m pip` works. Slow, because it starts Python, so only called before a download.
has_pip() {
    python3 -m pip --version >/dev/null 2>&1
}

want_pip_package() {
    if ! has_pip; then
        want_package "pip" "python3-pip" "python3-pip" "python-pip"
    fi
}
