#!/usr/bin/env bash
# luminance-std140 puts the columns of a dmat2 32 bytes apart.
#
# Packages: crates.io luminance-std140 0.2.1, luminance 0.47.0.
# Guess:    OpenGL 4.6, 7.6.2.2, rules 2, 4 and 5: a dvec2 is aligned to 16, which is already the alignment of a vec4, so the columns of
#           a dmat2 are 16 bytes apart and it takes 32 bytes; those of a dmat3 are 32 bytes apart, and it takes 96.
# Measured: A dmat2 takes 64 bytes and is aligned to 32, so its columns are 32 bytes apart. dmat3, mat2 and dvec2 are as in the rules.
# Matters:  Doubles are where "round up to 16" and "round up to the next power of two" part ways, and few tests have them.
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
luminance = "=0.47.0"
luminance-std140 = "=0.2.1"

[workspace]
END
cat >"$work/src/main.rs" <<'END'
use luminance::shader::types::{Mat22, Mat33, Vec2};
use luminance_std140::Std140;

fn show<T: Std140>(name: &str, value: T) {
    let encoded = value.std140_encode();
    println!("{name}: size {}, alignment {}", std::mem::size_of_val(&encoded), std::mem::align_of_val(&encoded));
}

fn main() {
    show("dvec2", Vec2::new(1.0_f64, 2.0));
    show("mat2", Mat22::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    show("dmat2", Mat22::from([[1.0_f64, 2.0], [3.0, 4.0]]));
    show("dmat3", Mat33::from([[1.0_f64; 3]; 3]));
}
END
cd "$work"
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch luminance-std140 0.2.1: $(tail -n 1 "$work/cargo.log")"
measured=$(cargo run --quiet --offline)
expected='dvec2: size 16, alignment 16
mat2: size 32, alignment 16
dmat2: size 64, alignment 32
dmat3: size 96, alignment 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: luminance-std140 encodes matrices otherwise now" >&2; exit 1; }
echo "$measured"
