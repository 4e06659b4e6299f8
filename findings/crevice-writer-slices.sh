#!/usr/bin/env bash
# crevice's writers put the elements of a slice at their own alignment, not at the stride of an array.
#
# Packages: crates.io crevice 0.20.1, mint 0.5.9.
# Guess:    std140::Writer::write takes slices, which are arrays, and OpenGL 4.6, 7.6.2.2, rule 4 gives arrays in std140 a
#           stride that is a multiple of 16, and rule 10 of std430 a vec3[] a stride of 16 with the last element padded. After
#           one word, three words of a slice are at 16, 32, 48 and the next word is at 64. After vec3[2] in std430 it is at 32.
# Measured: std140: the slice is at 4, 8, 12 and the next word at 16. std430: the second vec3 is at 16, and the next word at 28,
#           inside the element. A slice of structs that derive AsStd140 has the stride 16.
# Matters:  A wrapper struct around the scalar changes the bytes, so code that was tested with structs fails with numbers.
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
crevice = "=0.20.1"
mint = "=0.5.9"

[workspace]
END
cat >"$work/src/main.rs" <<'END'
use crevice::{std140, std140::AsStd140, std430};

#[derive(AsStd140, Clone, Copy)]
struct Wrapped {
    value: u32,
}

fn show(name: &str, next: usize, bytes: &[u8]) {
    let words: Vec<_> = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    println!("{name}: next at {next}, words {words:?}");
}

fn main() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let mut writer = std140::Writer::new(&mut bytes);
    writer.write(&1_u32)?;
    writer.write(&[2_u32, 3, 4][..])?;
    let next = writer.write(&5_u32)?;
    show("std140 words", next, &bytes);

    let mut bytes = Vec::new();
    let mut writer = std140::Writer::new(&mut bytes);
    writer.write(&1_u32)?;
    writer.write(&[Wrapped { value: 2 }, Wrapped { value: 3 }][..])?;
    let next = writer.write(&4_u32)?;
    show("std140 structs", next, &bytes);

    let mut bytes = Vec::new();
    let mut writer = std430::Writer::new(&mut bytes);
    writer.write(&[1, 2].map(|x| mint::Vector3::<u32> { x, y: x, z: x })[..])?;
    let next = writer.write(&3_u32)?;
    show("std430 vec3", next, &bytes);
    Ok(())
}
END
cd "$work"
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch crevice 0.20.1: $(tail -n 1 "$work/cargo.log")"
measured=$(cargo run --quiet --offline)
expected='std140 words: next at 16, words [1, 2, 3, 4, 5]
std140 structs: next at 48, words [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]
std430 vec3: next at 28, words [1, 1, 1, 0, 2, 2, 2, 3]'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: crevice writes slices otherwise now" >&2; exit 1; }
echo "$measured"
