# shellcheck shell=bash disable=SC2154
#
# SPIRV-Cross and spirv-opt, which `run --through` tests.
#
# Those of Debian sid, with all libraries that they need, into tools/translators of the tools folder. It fetches 8 MB, and
# keeps 16 MB.

is_default_translators() {
    [[ $minimal == no ]]
}

fetch_translators() {
    local work=$1 programs=(usr/bin/spirv-cross usr/bin/spirv-opt)
    fetch_from_debian "$work" sid spirv-cross spirv-tools &&
        take_libraries "$work" "${programs[@]}" && mkdir -p "$work/result/bin" &&
        cp -L "${programs[@]/#/$work/root/}" "$work/result/bin" &&
        keep_fetched "$work" translators
}

set_up_translators() {
    set_up_from_debian translators "SPIRV-Cross and spirv-opt" sid spirv-cross fetch_translators \
        "\`run --through\` translates with naga alone"
}
