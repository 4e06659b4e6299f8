//! `layoutproof show --format rust-asserts`, `cpp-asserts` and `--padding`, as a user meets them.
//!
//! Offsets are those of the case `arrays/scalar_packs_behind_the_last_element`: DXC 1.7.2308, listing (`c` at 36); of
//! `std140` by glslang 12, decorations (`b` takes 32 bytes).

use super::folder::{Folder, keys};

const TEXT: &str = "cbuffer S { float3 a; float b[2]; float c; float2 d; };\n";

fn folder() -> Folder {
    Folder::without_drivers(&[
        ("a.hlsl", TEXT),
        ("a.slang", TEXT),
        ("a.wgsl", "struct S { a: vec3f, c: f32, b: array<vec4f, 2> }\n@group(0) @binding(0) var<uniform> s: S;\n"),
    ])
}

#[test]
fn hlsl_files_need_no_rule_set() {
    let rust = "const _: () = assert!(core::mem::offset_of!(S, c) == 36);";
    folder().run("show a.hlsl --format rust-asserts").exits(0).prints(rust);
    let cpp = "static_assert(offsetof(S, c) == 36, \"S::c is at 36\");";
    folder().run("show a.hlsl --format cpp-asserts").exits(0).prints(cpp);
    let declared = "const _: () = assert!(core::mem::offset_of!(S, b) == 16);";
    folder().run("show a.wgsl --format rust-asserts").exits(0).prints(declared);
}

#[test]
fn other_files_need_one() {
    folder().run("show a.slang --format cpp-asserts").exits(2);
    folder().run("show a.hlsl --format cpp-asserts --rules std140,std430").exits(2);
    let named = "static_assert(offsetof(S, c) == 48, \"S::c is at 48\");";
    folder().run("show a.slang --format cpp-asserts --rules std140").exits(0).prints(named);
}

#[test]
fn padding_is_one_more_key_of_the_answer() {
    let answer = folder().run("show a.hlsl --rules hlsl-cbuffer --padding --format json").exits(0).json();
    assert_eq!(keys(&answer), ["layouts", "padding", "schema", "source", "warnings"]);
    let block = &answer["padding"][0];
    assert_eq!([&block["padding"], &block["size"], &block["percent"]], [16, 48, 33]);
    let holes = block["structs"][0]["holes"].as_array().unwrap();
    assert_eq!(holes.len(), 2);
    assert_eq!([&holes[0]["offset"], &holes[0]["size"], &holes[1]["size"]], [12, 4, 12]);
    let text = "Padding S under std140: 32 of 64 bytes, 50 %";
    folder().run("show a.hlsl --rules std140 --padding").exits(0).prints(text);
}
