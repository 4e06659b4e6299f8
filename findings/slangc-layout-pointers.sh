#!/usr/bin/env bash
# A newer slangc reads other bytes through pointers with a data layout.
#
# Package:  Slang 2026.5.2 of PyPI slangpy 0.41.0, and 2026.14.1 of slangtorch 1.3.22.
# Guess:    OpenGL 4.6, 7.6.2.2: std430 rounds the size of a struct up to its alignment, so what follows 28 bytes with a `uint64_t`
#           is at 32; std140 rounds the stride of an array up to 16. Both hold behind `LayoutPtr<T, Std430DataLayout>` and
#           `LayoutPtr<T, Std140DataLayout>`.
# Measured: 2026.5.2 has `after` at 28 in a copy of the struct, and one stride of 8 for pointers to `float2` of both layouts.
#           2026.14.1 has 32, and 16 beside 8. Slang's changes are #10964 and #11009, in its releases since 2026.8 and 2026.9.
#           2026.5.2 refuses `LoadAligned<float4>(address, 4)`, which 2026.14.1 takes (#11594).
# Matters:  The same shader, compiled anew, reads other bytes; a host that followed the old numbers is wrong now.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in slangpy==0.41.0 slangtorch==1.3.22; do
    name=${package%%=*}
    {
        # The library in the wheel does not depend on the version of Python.
        python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 --platform manylinux_2_34_x86_64 \
            --platform manylinux_2_27_x86_64 -d "wheel-$name" "$package" && python3 -m zipfile -e "wheel-$name"/*.whl "$name"
    } >pip.log 2>&1 || skip "pip cannot download $package"
done

cat >pointers.slang <<'END'
struct Inner { uint a; uint b; uint64_t address; int c; int d; int e; }
struct Parent { Inner inner; uint after; }
struct Push
{
    LayoutPtr<Parent, Std430DataLayout> parent;
    LayoutPtr<float2, Std140DataLayout> padded;
    LayoutPtr<float2, Std430DataLayout> packed;
}
[[vk::push_constant]] ConstantBuffer<Push> push;
RWStructuredBuffer<float> result;
[shader("compute")]
[numthreads(1, 1, 1)]
void main()
{
    Parent copy = *push.parent;
    result[0] = float(copy.after) + push.padded[1].x + push.packed[1].y;
}
END
cat >loads.slang <<'END'
ByteAddressBuffer bytes;
RWStructuredBuffer<float> result;
[shader("compute")]
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[0] = bytes.LoadAligned<float4>(id.x * 4, 4).x; }
END
cat >measure.py <<'END'
import ctypes, struct, sys

ARRAY_STRIDE, OFFSET, VECTOR = 6, 35, 23
slang = ctypes.CDLL(sys.argv[1])
for name in ("spCreateSession", "spCreateCompileRequest", "spGetBuildTagString"):
    getattr(slang, name).restype = ctypes.c_void_p
session = ctypes.c_void_p(slang.spCreateSession(None))
print(ctypes.string_at(slang.spGetBuildTagString()).decode())


def compiles(source):
    request = ctypes.c_void_p(slang.spCreateCompileRequest(session))
    words = [source, "-target", "spirv", "-O0", "-entry", "main", "-stage", "compute", "-o", "out.spv"]
    slang._Z28spSetCommandLineCompilerModePN5slang15ICompileRequestE(request)
    slang.spProcessCommandLineArguments(request, (ctypes.c_char_p * len(words))(*map(str.encode, words)), len(words))
    return slang.spCompile(request) >= 0


assert compiles("pointers.slang")
data = open("out.spv", "rb").read()
words, at, instructions, afters = struct.unpack(f"<{len(data) // 4}I", data), 5, [], set()
while at < len(words):
    instructions.append((words[at] & 0xFFFF, words[at + 1 : at + (words[at] >> 16)]))
    at += words[at] >> 16
for opcode, operands in instructions:
    if opcode == 6 and struct.pack(f"<{len(operands) - 2}I", *operands[2:]).split(b"\0")[0] == b"after":
        afters.add(operands[:2])
    if opcode == 72 and operands[2] == OFFSET and operands[:2] in afters:
        print("after", operands[3])
pointers = {operands[0]: operands[2] for opcode, operands in instructions if opcode == 32}
vectors = {operands[0] for opcode, operands in instructions if opcode == VECTOR}
found = [
    operands[2]
    for opcode, operands in instructions
    if opcode == 71 and operands[1] == ARRAY_STRIDE and pointers.get(operands[0]) in vectors
]
print("strides", *sorted(found))
print("LoadAligned", "taken" if compiles("loads.slang") else "refused")
END
measured=$(
    for library in slangpy/slangpy/libslang-compiler.so.* slangtorch/slangtorch/bin/libslang-compiler.so.*; do
        LD_LIBRARY_PATH=$(dirname "$library") python3 measure.py "$library" 2>/dev/null
    done
)
expected='2026.5.2
after 28
strides 8
LoadAligned refused
2026.14.1
after 32
strides 8 16
LoadAligned taken'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: slangc answers otherwise now" >&2; exit 1; }
echo "$measured"
