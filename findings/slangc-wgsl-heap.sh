#!/usr/bin/env bash
# slangc writes WGSL for a shader that uses a descriptor heap, without a message; the text is no WGSL.
#
# Package:  slangc 2026.14.1 of PyPI slangtorch 1.3.22.
# Guess:    WebGPU has no descriptor heaps, so slangc refuses the shader for WGSL as it does for Metal, CUDA and C++: error 36107,
#           unavailable features in the entry point.
# Measured: Metal, CUDA and C++ end with that error. WGSL ends with 0 and no output on standard error: two module-scope variables
#           without an address space, both at group 0, binding 0, one of the type `array<array<f32>>`. By WGSL's "Variable and Value
#           Declarations" such a variable needs an address space, by "Array Types" an element has a fixed size.
# Matters:  The first message about the shader comes from the browser. A build that checks exit codes ships it.
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

cat >heap.slang <<'END'
struct Tint { float scale; float3 colour; };
[shader("compute")]
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    ConstantBuffer<Tint> tint = ResourceDescriptorHeap[0];
    RWStructuredBuffer<float> result = ResourceDescriptorHeap[7];
    result[id.x] = tint.scale + tint.colour.y;
}
END
measured=$(
    for target in metal cuda cpp wgsl; do
        code=0
        "$slangc" heap.slang -target "$target" -entry main -stage compute >"out.$target" 2>"err.$target" || code=$?
        echo "$target exits $code, $(grep -o -m1 'E36107' "err.$target" || echo "$(wc -l <"err.$target") lines of errors")"
    done
    grep '_slang_resource_heap_[0-9] :' out.wgsl
)
expected='metal exits 255, E36107
cuda exits 255, E36107
cpp exits 255, E36107
wgsl exits 0, 0 lines of errors
@binding(0) @group(0) var _slang_resource_heap_0 : array<array<f32>>;
@binding(0) @group(0) var _slang_resource_heap_1 : array<Tint_std140_0>;'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: slangc answers otherwise now" >&2; exit 1; }
echo "$measured"
