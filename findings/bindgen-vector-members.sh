#!/usr/bin/env bash
# bindgen turns Clang's vectors into arrays, which have another alignment, and its own checks then stop the build.
#
# Packages: crates.io bindgen 0.73.2; PyPI libclang 18.1.1; rustc.
# Guess:    bindgen takes offsets from Clang and inserts padding or an alignment where Rust would place a member elsewhere. A C
#           struct with a float3 (ext_vector_type) at 16 and a float after it at 32 has them there in Rust.
# Measured: float3 becomes [f32; 3], with 12 bytes and an alignment of 4, without padding: the members are at 4 and 16, and the second
#           element of a float3[2] comes after 12 bytes instead of 16. The generated assertions know the right offsets, so
#           rustc refuses the file; with layout_tests(false) the wrong struct compiles.
# Matters:  Headers that shaders and hosts share use such vectors, for instance Apple's simd_float3. Leave the assertions on.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
command -v rustc >/dev/null || skip "rustc is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'END'
[package]
name = "run"
version = "0.1.0"
edition = "2021"

[dependencies]
bindgen = "=0.73.2"

[workspace]
END
cat >"$work/block.h" <<'END'
typedef float float3 __attribute__((ext_vector_type(3)));
struct Block { float a; float3 b; float c; float3 e[2]; float f; };
END
cat >"$work/src/main.rs" <<'END'
fn main() {
    for (path, layout_tests) in [("checked.rs", true), ("unchecked.rs", false)] {
        let builder = bindgen::Builder::default().header("block.h").layout_tests(layout_tests);
        builder.generate().expect("the header is valid").write_to_file(path).expect("the folder is writable");
    }
}
END
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q libclang==18.1.1; } >pip.log 2>&1 || skip "pip cannot install libclang 18.1.1"
LIBCLANG_PATH=$(dirname "$(find "$work/venv" -name 'libclang.so' -print -quit)")
export LIBCLANG_PATH CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch bindgen 0.73.2: $(tail -n 1 "$work/cargo.log")"
cargo run --quiet --offline
cat >use.rs <<'END'
#![allow(non_camel_case_types)]
include!("unchecked.rs");
fn main() {
    macro_rules! show { ($($member:ident)*) => { $(print!(" {} {}", stringify!($member), std::mem::offset_of!(Block, $member));)* } }
    print!("Rust:");
    show!(a b c e f);
    println!(" size {}", std::mem::size_of::<Block>());
}
END
measured=$(
    echo "Clang:$(sed -nE 's/.*offset_of!\(Block, (\w)\) - ([0-9]+)usize.*/ \1 \2/p; s/.*size_of::<Block>\(\) - ([0-9]+)usize.*/ size \1/p' checked.rs | tr -d '\n')"
    rustc use.rs -o use
    ./use
    rustc --crate-type lib checked.rs -o checked.rlib 2>message && echo 'checked.rs: accepted' || echo "checked.rs: $(grep -c '^error' message | sed 's/^[1-9].*/refused/')"
)
expected='Clang: size 96 a 0 b 16 c 32 e 48 f 80
Rust: a 0 b 4 c 16 e 20 f 44 size 48
checked.rs: refused'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: bindgen translates vectors otherwise now" >&2; exit 1; }
echo "$measured"
