#!/usr/bin/env bash
# cbindgen makes a Rust struct with an alignment opaque, embeds it by value all the same, and writes a C header that does not compile.
#
# Package:  crates.io cbindgen 0.29.4 as a library, with its default configuration; any C compiler.
# Guess:    #[repr(C, align(16))], the usual way to mirror a vec3, becomes an alignment of the C struct (_Alignas or an attribute);
#           or cbindgen refuses, because a header without the alignment would have other offsets.
# Measured: The struct is only declared, the struct that contains it is defined, generate() returns Ok, and the compiler stops at the
#           member ("incomplete type"). With `layout.aligned_n = "..."` in the configuration the alignment is written.
# Matters:  One setting decides whether the host structs of two languages have one layout, and its default has none.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v cargo >/dev/null || skip "cargo is missing"
compiler=$(command -v cc || command -v gcc || command -v clang) || skip "a C compiler is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'END'
[package]
name = "run"
version = "0.1.0"
edition = "2021"

[dependencies]
cbindgen = { version = "=0.29.4", default-features = false }

[workspace]
END
cat >"$work/block.rs" <<'END'
#[repr(C, align(16))]
pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32 }
#[repr(C)]
pub struct Block { pub a: f32, pub b: Vec3, pub c: f32 }
#[no_mangle]
pub extern "C" fn upload(_block: *const Block) {}
END
cat >"$work/src/main.rs" <<'END'
fn main() {
    for (path, aligned_n) in [("default.h", None), ("aligned.h", Some("__attribute__((aligned"))] {
        let mut config = cbindgen::Config { language: cbindgen::Language::C, no_includes: true, ..Default::default() };
        // cbindgen writes the alignment in parentheses after the text.
        config.layout.aligned_n = aligned_n.map(|_| "ALIGNED".to_owned());
        config.header = aligned_n.map(|text| format!("#define ALIGNED(n) {text}(n)))"));
        let bindings = cbindgen::Builder::new().with_config(config).with_src("block.rs").generate().expect("the source is valid");
        bindings.write_to_file(path);
    }
}
END
cd "$work"
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch cbindgen 0.29.4: $(tail -n 1 "$work/cargo.log")"
cargo run --quiet --offline
measured=$(
    for header in default.h aligned.h; do
        printf '%s\n' '#include <stddef.h>' '#include <stdio.h>' "#include \"$header\"" \
            'int main(void) { printf("b %zu c %zu\n", offsetof(Block, b), offsetof(Block, c)); return 0; }' >use.c
        grep -x 'typedef struct Vec3 Vec3;' "$header" || true
        if LC_ALL=C "$compiler" use.c -o use 2>message; then
            echo "$header: $(./use)"
        else
            echo "$header: $(grep -o -m 1 'incomplete type' message)"
        fi
    done
)
expected='typedef struct Vec3 Vec3;
default.h: incomplete type
aligned.h: b 16 c 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: cbindgen writes aligned structs otherwise now" >&2; exit 1; }
echo "$measured"
