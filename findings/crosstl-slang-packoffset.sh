#!/usr/bin/env bash
# CrossTL carries packoffset from HLSL to GLSL, SPIR-V and Metal, and drops it without a message on the way to Slang.
#
# Packages: PyPI crosstl 3.4.0; slangc 2026.14.1 of PyPI slangtorch 1.3.22 as the judge of both texts.
# Guess:    Slang accepts packoffset as it is, so HLSL to Slang is the one translation in which it cannot be lost, and a
#           constant buffer with c1, c0.y, c3, c5 and c7.y keeps the offsets 16, 4, 48, 80 and 116.
# Measured: The Slang text has the members in order, without packoffset and without row_major; slangc places them at 0, 12, 16, 48
#           and 84. In the SPIR-V assembly that CrossTL writes from the same file the offsets are 16, 4, 48, 80 and 116.
# Matters:  The closer the languages, the less a translator looks at; check the pair that you use.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{
    python3 -m venv venv && venv/bin/pip install -q crosstl==3.4.0 &&
        venv/bin/pip download -q --no-deps -d wheel slangtorch==1.3.22 && python3 -m zipfile -e wheel/*.whl slang
} >pip.log 2>&1 || skip "pip cannot install crosstl 3.4.0 and slangtorch 1.3.22"
slangc=$work/slang/slangtorch/bin/slangc
chmod +x "$slangc"

cat >block.hlsl <<'END'
cbuffer Block : register(b2)
{
    float3 a : packoffset(c1);
    float b : packoffset(c0.y);
    row_major float2x3 m : packoffset(c3);
    float c[3] : packoffset(c5);
    float d : packoffset(c7.y);
};
RWStructuredBuffer<float> result : register(u1);
[shader("compute")]
[numthreads(1, 1, 1)]
void main() { result[0] = a.x + b + m[1][2] + c[1] + d; }
END
cat >run.py <<'END'
import crosstl

for backend, path in (("slang", "block.slang"), ("vulkan", "block.spvasm")):
    with open(path, "w") as file:
        file.write(crosstl.translate("block.hlsl", backend=backend, format_output=False))
END
venv/bin/python run.py >crosstl.log 2>&1
cat >offsets.py <<'END'
import json
import sys

block = next(parameter for parameter in json.load(open(sys.argv[2]))["parameters"] if parameter["name"] == "Block")
print(sys.argv[1], *(f"{field['name']} {field['binding']['offset']}" for field in block["type"]["elementType"]["fields"]))
END
measured=$(
    for text in block.hlsl block.slang; do
        "$slangc" "$text" -target hlsl -profile sm_6_0 -entry main -o /dev/null -reflection-json "$text.json"
        python3 offsets.py "$text" "$text.json"
    done
    sed -n 's/.*OpMemberDecorate %[^ ]* [0-9] Offset //p' block.spvasm >offsets
    echo block.spvasm "$(head -n 5 offsets | xargs)"
)
expected='block.hlsl a 16 b 4 m 48 c 80 d 116
block.slang a 0 b 12 m 16 c 48 d 84
block.spvasm 16 4 48 80 116'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: CrossTL writes other offsets now" >&2; exit 1; }
echo "$measured"
