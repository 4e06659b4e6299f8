#!/usr/bin/env bash
# naga_oil drops @size and @align of a struct on its way from the module that declares it to the module that imports it.
#
# Packages: crates.io naga_oil 0.23.0 (Bevy's shader composer), naga 30.0.2. Builds for about two minutes.
# Guess:    An import means the same as the declaration in one file: WGSL 14.4 puts the members of S at 0, 16 and 32 in both.
# Measured: In one file, and in the module that declares S, they are at 0, 16 and 32 (64 bytes). The buffer of the module that imports
#           S has them at 0, 4 and 8 (12 bytes). Nothing warns, and the validating composer accepts the result, which contains S
#           twice under one name.
# Matters:  Moving a struct into a shared file changes what the shader reads. naga writes declarations of a module as WGSL without
#           the attributes, and naga_oil hands this text to the importing module.
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
naga = { version = "=30.0.2", features = ["wgsl-in"] }
naga_oil = "=0.23.0"

[workspace]
END
cat >"$work/src/main.rs" <<'END'
use naga_oil::compose::{ComposableModuleDescriptor, Composer, NagaModuleDescriptor};

const DECLARATION: &str = "struct S { @size(16) a: f32, b: f32, @align(32) c: f32 }";
const USE: &str = "
@group(0) @binding(0) var<storage> block: S;
@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(block.a, block.b, block.c, 1.0); }";

/// Prints the offsets in the type of the module's only variable.
fn show(name: &str, module: &naga::Module) {
    let (_, block) = module.global_variables.iter().next().expect("the module declares one variable");
    let naga::TypeInner::Struct { members, span } = &module.types[block.ty].inner else { unreachable!("it is a struct") };
    let offsets: Vec<_> = members.iter().map(|member| member.offset.to_string()).collect();
    println!("{name}: {}, size {span}", offsets.join(" "));
}

fn main() {
    show("one file", &naga::front::wgsl::parse_str(&format!("{DECLARATION}{USE}")).expect("the text is valid"));

    let mut composer = Composer::default();
    composer
        .add_composable_module(ComposableModuleDescriptor {
            source: &format!("#define_import_path library\n{DECLARATION}"),
            file_path: "library.wgsl",
            ..Default::default()
        })
        .expect("the library is valid");
    let module = composer
        .make_naga_module(NagaModuleDescriptor {
            source: &format!("#import library::S\n{USE}"),
            file_path: "main.wgsl",
            ..Default::default()
        })
        .expect("the program is valid");
    show("imported", &module);
}
END
cd "$work"
export CARGO_TARGET_DIR=$work/target CARGO_BUILD_JOBS=1
cargo fetch --quiet 2>"$work/cargo.log" || skip "cargo cannot fetch naga_oil 0.23.0: $(tail -n 1 "$work/cargo.log")"
measured=$(cargo run --quiet --offline)
expected='one file: 0 16 32, size 64
imported: 0 4 8, size 12'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: naga_oil imports structs otherwise now" >&2; exit 1; }
echo "$measured"
