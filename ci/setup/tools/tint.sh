# shellcheck shell=bash disable=SC2154
#
# Tint, with Node.js and npm from the distribution; by default where these are installed.
#
# The WGSL compiler of Dawn, into tools/tint of the tools folder: Dawn for Node as a library, and our program with Tint's
# name, which makes Node.js load it. Dawn writes for SwiftShader or, without it, for the system's device.

# Tint's packages are large, so the default set-up installs none of them.
is_default_tint() {
    command -v node >/dev/null && { has_npm || ! tint_library_is_missing; }
}

want_tint() {
    if ! command -v node >/dev/null; then
        want_package "Node.js" "nodejs" "nodejs" "nodejs"
    fi
    if tint_library_is_missing; then
        want_npm_package
    fi
}

tint_library_is_missing() {
    ! pinned_is_there "$fetched/tools/tint" "$DAWN_NPM_NAME" "$DAWN_NPM_VERSION" "$DAWN_NPM_SHA256"
}

set_up_tint() {
    local source=$root/runners/compilers/dawn/tint.js machine
    case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *)
        say_missing "Tint" "Dawn for Node is for x86_64 and aarch64, not $(uname -m); put a tint of your own on PATH"
        return
        ;;
    esac
    if ! command -v node >/dev/null; then
        say_missing "Tint" "run by Node.js, which is missing here"
    elif tint_library_is_missing; then
        if fetch_pinned "$fetched/tools/tint" "$DAWN_NPM_NAME" "$DAWN_NPM_VERSION" "$DAWN_NPM_SHA256" \
            "package/dist/linux-$machine/dawn.node" download_from_npm; then
            say_done "Tint (from $DAWN_NPM_NAME $DAWN_NPM_VERSION)"
        else
            say_missing "Tint" "$(why_not_fetched_from_npm "$DAWN_NPM_NAME")"
        fi
    fi
    # Copy the program again whenever its source changes.
    if [[ -d $fetched/tools/tint ]] && ! cmp -s "$source" "$fetched/tools/tint/tint"; then
        install -m 755 "$source" "$fetched/tools/tint/tint"
    fi
}
