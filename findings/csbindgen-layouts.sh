#!/usr/bin/env bash
# csbindgen makes C# structs without packing and alignment, and an array of arrays becomes as long as its outer length.
#
# Package:  crates.io csbindgen 1.9.8.
# Guess:    #[repr(C, packed)] becomes Pack = 1 of StructLayout, [[f32; 3]; 2] becomes a fixed buffer of six floats, and align(16), which C# cannot
#           express, is refused or mentioned.
# Measured: All are [StructLayout(LayoutKind.Sequential)], so C# puts the double of a packed struct at 8 where Rust has 1, and a vec3 aligned to
#           16 at 4 (Microsoft, StructLayoutAttribute.Pack: without it a field is aligned to its own size, up to 8). The array of
#           arrays is "fixed float grid[2]", 8 bytes instead of 24. generate_csharp_file returns Ok, without a message.
# Matters:  C# reads the member after such an array inside its first row. Flatten such arrays, and compare sizes in both languages.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "layouts"
version = "0.1.0"
edition = "2021"

[dependencies]
csbindgen = "=1.9.8"

[profile.dev]
debug = false

[workspace]
END
cat >src/structs.rs <<'END'
#[repr(C, packed)]
pub struct Packed {
    pub tag: u8,
    pub d: f64,
}
#[repr(C, align(16))]
pub struct Vec3 {
    pub v: [f32; 3],
}
#[repr(C)]
pub struct Light {
    pub power: f32,
    pub color: Vec3,
}
#[repr(C)]
pub struct Matrix {
    pub grid: [[f32; 3]; 2],
    pub flat: [f32; 6],
    pub last: f32,
}
#[no_mangle]
pub extern "C" fn draw(_: *const Packed, _: *const Light, _: *const Matrix) {}
END
cat >src/main.rs <<'END'
mod structs;
use std::mem::{offset_of, size_of};
use structs::{Light, Matrix, Packed};

fn main() {
    println!("Rust: Packed d at {} size {}", offset_of!(Packed, d), size_of::<Packed>());
    println!("Rust: Light color at {} size {}", offset_of!(Light, color), size_of::<Light>());
    println!("Rust: Matrix flat at {} last at {}", offset_of!(Matrix, flat), offset_of!(Matrix, last));
    let builder = csbindgen::Builder::default().input_extern_file("src/structs.rs").csharp_dll_name("structs");
    builder.generate_csharp_file("structs.cs").unwrap();
}
END
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>cargo.log || skip "cargo cannot fetch csbindgen 1.9.8: $(tail -n 1 cargo.log)"
cargo build --quiet --offline

measured=$(
    target/debug/layouts
    sed -nE '/StructLayout|struct |public /s/^ */C#: /p' structs.cs | tr -d '\r'
)
expected='Rust: Packed d at 1 size 9
Rust: Light color at 16 size 32
Rust: Matrix flat at 24 last at 48
C#: [StructLayout(LayoutKind.Sequential)]
C#: internal unsafe partial struct Packed
C#: public byte tag;
C#: public double d;
C#: [StructLayout(LayoutKind.Sequential)]
C#: internal unsafe partial struct Vec3
C#: public fixed float v[3];
C#: [StructLayout(LayoutKind.Sequential)]
C#: internal unsafe partial struct Light
C#: public float power;
C#: public Vec3 color;
C#: [StructLayout(LayoutKind.Sequential)]
C#: internal unsafe partial struct Matrix
C#: public fixed float grid[2];
C#: public fixed float flat[6];
C#: public float last;'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: csbindgen writes other structs now" >&2; exit 1; }
echo "$measured"
