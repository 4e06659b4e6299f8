#!/usr/bin/env bash
# A newer slangc moves the members of structured buffers on Metal.
#
# Package:  slangc 2026.4.1 of PyPI slangtorch 1.3.20, and 2026.14.1 of slangtorch 1.3.22.
# Guess:    `float3 a; float b; float3 c` of a structured buffer is at 0, 16 and 32 with a stride of 48, as Metal's `float3` of 16
#           bytes has it, and stays there: a buffer's layout is an interface of the shader.
# Measured: 2026.4.1 writes `float3` and reflects 0, 16, 32. 2026.14.1 writes `packed_float3` and reflects 0, 12, 16. A constant
#           buffer has `float3` in both, at 0, 16 and 32. No message; Slang's change is #11578, in its releases since 2026.11.
# Matters:  The same shader, compiled anew, reads other bytes of a buffer that the host fills.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for version in 1.3.20 1.3.22; do
    {
        python3 -m pip download -q --no-deps -d "wheel-$version" "slangtorch==$version" &&
            python3 -m zipfile -e "wheel-$version"/*.whl "$version"
    } >pip.log 2>&1 || skip "pip cannot download slangtorch $version"
    chmod +x "$version/slangtorch/bin/slangc"
done

cat >items.slang <<'END'
struct Item { float3 a; float b; float3 c; }
StructuredBuffer<Item> items;
ConstantBuffer<Item> block;
RWStructuredBuffer<float> result;
[shader("compute")]
[numthreads(1, 1, 1)]
void main()
{
    result[0] = items[1].c.z + block.c.z;
}
END
cat >offsets.py <<'END'
import json, sys
for parameter in json.load(open(sys.argv[1]))["parameters"][:2]:
    ty = parameter["type"]
    fields = ty.get("resultType", ty.get("elementType"))["fields"]
    print(parameter["name"], *[field["binding"]["offset"] for field in fields])
END
measured=$(
    for version in 1.3.20 1.3.22; do
        slangc=$version/slangtorch/bin/slangc
        "$slangc" -v 2>&1
        "$slangc" items.slang -target metal -entry main -stage compute -line-directive-mode none \
            -reflection-json reflection.json -o items.metal 2>/dev/null
        grep -o '[a-z_]*float3 c_.' items.metal | sort -u
        python3 offsets.py reflection.json
    done
)
expected='2026.4.1
float3 c_0
items 0 16 32
block 0 16 32
2026.14.1
float3 c_0
packed_float3 c_0
items 0 12 16
block 0 16 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: slangc answers otherwise now" >&2; exit 1; }
echo "$measured"
