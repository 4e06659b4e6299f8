#!/usr/bin/env bash
# slangc reads three numbers of a buffer of bytes from another address if the address is a constant multiple of 12.
#
# Package:  slangc 2026.14.1 of PyPI slangtorch 1.3.22.
# Guess:    `Load3(12)` reads bytes 12 to 23 on every target, as HLSL's documentation has it.
# Measured: WGSL and Metal read them. GLSL, and SPIR-V in the same way, declare the buffer a second time as `uvec3 _data[]` with
#           std430 and read element 12/12 = 1. By OpenGL 4.6, 7.6.2.2, an element of three components takes 16 bytes, so
#           `Load3(12)` reads bytes 16 to 27, as `Load3(16)` does, whose address is no multiple of 12 and which reads word by
#           word. `Load3(60)` reads bytes 80 to 91, and `Store3(24)` writes bytes 32 to 43. No message.
# Matters:  Tightly packed normals, positions or indices with constant addresses are right on Direct3D and wrong on Vulkan, and
#           a Store3 destroys what is behind them. Addresses that are computed at run time are right.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    python3 -m pip download -q --no-deps -d wheel slangtorch==1.3.22 && python3 -m zipfile -e wheel/*.whl slang
} >pip.log 2>&1 || skip "pip cannot download slangtorch 1.3.22"
slangc=$work/slang/slangtorch/bin/slangc
chmod +x "$slangc"

cat >load.slang <<'END'
[[vk::binding(0)]] ByteAddressBuffer source;
[[vk::binding(1)]] RWByteAddressBuffer result;
[shader("compute")]
[numthreads(1, 1, 1)]
void main()
{
    result.Store(0, source.Load3(12).x);
    result.Store(4, source.Load3(16).x);
    result.Store(8, source.Load3(60).x);
    result.Store3(24, uint3(1, 2, 3));
}
END
for target in glsl wgsl; do
    "$slangc" load.slang -target "$target" -entry main -stage compute -line-directive-mode none -o "load.$target" 2>"err.$target"
done
measured=$(
    echo "$(cat err.glsl err.wgsl | wc -l) lines of messages"
    grep -c 'std430.*StructuredBuffer_vector' load.glsl
    grep -A1 'StructuredBuffer_vector' load.glsl | grep -o 'uvec3 _data..;'
    grep -o '_S[0-9] = .*' load.glsl
    grep -o 'source_0\[(u32(12))/4\]' load.wgsl | sort -u
)
expected='0 lines of messages
2
uvec3 _data[];
uvec3 _data[];
_S1 = result_0._data[0U] = source_0._data[uint(1U)].x;
_S2 = result_0._data[1U] = source_1._data[uint(4U)];
_S3 = result_0._data[2U] = source_0._data[uint(5U)].x;
_S4 = result_1._data[2U] = uvec3(1U, 2U, 3U);
source_0[(u32(12))/4]'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: slangc answers otherwise now" >&2; exit 1; }
echo "$measured"
