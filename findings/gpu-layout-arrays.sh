#!/usr/bin/env bash
# gpu_layout gives the elements of an array in std140 the right stride and the wrong start.
#
# Package:  crates.io gpu_layout 0.2.2, with glam 0.30.
# Guess:    "Both the std140 and std430 layouts are implemented": OpenGL 4.6, 7.6.2.2: between two floats, a float[2] in std140 is at 16 and 32
#           and the next float at 48, as with a mat2; after a mat3 or a struct { vec3 }, which end with padding, it is at 64 and 32 in both.
# Measured: The array is at 4 and 20, and the next float at 36. The columns of a mat2 are 8 bytes apart, also in std140. The last column of a
#           mat3 and the struct have no padding, so the next float is at 60 and 28. vec3, vec4[] and arrays in std430 are right.
# Matters:  The stride and the members of the crate's examples pass a check; a float in front of the array shows it.
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
glam = "0.30"
gpu_layout = "=0.2.2"

[workspace]
END
cat >"$work/src/main.rs" <<'END'
use glam::{Mat2, Mat3, Vec3, Vec4};
use gpu_layout::{AsGpuBytes, Std140Layout, Std430Layout};

#[derive(AsGpuBytes)]
struct Inner {
    vector: Vec3,
}

/// Prints at which bytes the block's numbers are.
fn show(name: &str, block: impl AsGpuBytes) {
    let places = |bytes: &[u8]| {
        let words = bytes.chunks(4).enumerate().filter(|(_, word)| word.iter().any(|&byte| byte != 0));
        words.map(|(index, _)| (index * 4).to_string()).collect::<Vec<_>>().join(" ")
    };
    println!("{name}: std140 {}", places(block.as_gpu_bytes::<Std140Layout>().as_slice()));
    println!("{name}: std430 {}", places(block.as_gpu_bytes::<Std430Layout>().as_slice()));
}

/// Shows a block with a float, a member of this type, and a float, none of which is 0.
macro_rules! show {
    ($name:literal, $type:ty, $value:expr) => {{
        #[derive(AsGpuBytes)]
        struct Block {
            before: f32,
            member: $type,
            after: f32,
        }
        show($name, Block { before: 1.0, member: $value, after: 1.0 });
    }};
}

fn main() {
    show!("vec3", Vec3, Vec3::ONE);
    show!("vec4[2]", [Vec4; 2], [Vec4::ONE; 2]);
    show!("float[2]", [f32; 2], [1.0; 2]);
    show!("mat2", Mat2, Mat2::from_cols_array(&[1.0; 4]));
    show!("mat3", Mat3, Mat3::from_cols_array(&[1.0; 9]));
    show!("struct { vec3 }", Inner, Inner { vector: Vec3::ONE });
}
END
cd "$work"
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch gpu_layout 0.2.2: $(tail -n 1 "$work/cargo.log")"
measured=$(cargo run --quiet --offline)
expected='vec3: std140 0 16 20 24 28
vec3: std430 0 16 20 24 28
vec4[2]: std140 0 16 20 24 28 32 36 40 44 48
vec4[2]: std430 0 16 20 24 28 32 36 40 44 48
float[2]: std140 0 4 20 36
float[2]: std430 0 4 8 12
mat2: std140 0 8 12 16 20 24
mat2: std430 0 8 12 16 20 24
mat3: std140 0 16 20 24 32 36 40 48 52 56 60
mat3: std430 0 16 20 24 32 36 40 48 52 56 60
struct { vec3 }: std140 0 16 20 24 28
struct { vec3 }: std430 0 16 20 24 28'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: gpu_layout places members otherwise now" >&2; exit 1; }
echo "$measured"
