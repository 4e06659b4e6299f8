//! `layoutproof show --format rust-asserts`, `cpp-asserts` and `--padding`, as users see them.
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
fn typed_views_have_the_offsets_of_structs() {
    let views = folder().run("show a.hlsl --format ts").exits(0);
    for line in [
        "export const S = (buffer = new ArrayBuffer(48), byteOffset = 0) => ({",
        "  a: new Float32Array(buffer, byteOffset + 0, 3), // float3",
        "  c: new Float32Array(buffer, byteOffset + 36, 1), // float",
        "S.size = 48;",
    ] {
        assert!(views.out.contains(line), "{line}: {views}");
    }
    folder().run("show a.hlsl --format ts --type float3=vec3").exits(2);
    // VK_EXT_scalar_block_layout aligns a `double` to 8 bytes.
    let packed = Folder::without_drivers(&[("b.hlsl", "struct S { float a; double b; }; StructuredBuffer<S> s;\n")]);
    let views = packed.run("show b.hlsl --format ts --rules scalar").exits(0);
    assert!(views.out.contains("b: new Float64Array(buffer, byteOffset + 8, 1)"), "{views}");
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
    assert_eq!(keys(&answer), ["account", "layouts", "padding", "schema", "source", "warnings"]);
    let block = &answer["padding"][0];
    assert_eq!([&block["padding"], &block["size"], &block["percent"]], [16, 48, 33]);
    let holes = block["structs"][0]["holes"].as_array().unwrap();
    assert_eq!(holes.len(), 2);
    assert_eq!([&holes[0]["offset"], &holes[0]["size"], &holes[1]["size"]], [12, 4, 12]);
    let text = "Padding S: 32 of 64 bytes, 50 %; 24 inside b (std140)";
    folder().run("show a.hlsl --rules std140 --padding").exits(0).prints(text);
}

/// DXC 1.7.2308 lists `a` at 0 and `c` at 36.
#[test]
fn vectors_of_ones_own_and_tables_for_documents() {
    let folder = folder();
    let typed = folder.run("show a.hlsl --format cpp --type float3=glm::vec3 --type float2=glm::vec2").exits(0);
    typed.prints("glm::vec3 a; // float3").prints("static_assert(offsetof(S, c) == 36");
    let misspelt = folder.run("show a.hlsl --format cpp --type flaot3=a").exits(2);
    misspelt.warns("error: --type flaot3=a: `flaot3` is no number, vector or matrix, as float3, vec3 or mat4x4f");
    let table = folder.run("show a.hlsl --format markdown --rules hlsl-cbuffer").exits(0);
    let table = table.prints("### `cbuffer S`").prints("| member | size | padding | hlsl-cbuffer |");
    table.prints("| `float c` | 4 | | 36 c2.y |").prints("48 bytes · padding 16");
    let two = folder.run("show a.hlsl a.wgsl --format csv").exits(0);
    let header = "source,rules,block,kind,path,type,offset,size,alignment,array_stride,matrix_stride,matrix_order";
    assert_eq!(two.out.lines().filter(|line| *line == header).count(), 1, "{two}");
    assert!(two.out.contains("\na.hlsl,hlsl-cbuffer,S,cbuffer,c,float,36,4,4,,,\n"), "{two}");
    assert!(two.out.contains("\na.wgsl,declared,s,uniform-block,c,float,12,4,4,,,\n"), "{two}");
}

/// The better order is a diff of the file's own lines. Sizes by WGSL, 14.4.1 Alignment and Size: a vec3<f32> takes 12 bytes
/// and is aligned to 16.
#[test]
fn a_better_order_is_a_diff_of_the_declaration() {
    let text = "struct U {\n    a: f32,\n    b: vec3<f32>,\n    c: f32,\n    d: vec3<f32>\n}\n\
        @group(0) @binding(0) var<uniform> u: U;\n";
    let folder = Folder::with(&[("u.wgsl", text)]);
    let shown = folder.run("show u.wgsl --padding").exits(0);
    let shown = shown.prints("Padding u: 16 of 48 bytes, 33 % (declared)").prints("Better 48 → 32 bytes");
    let diff = "--- u.wgsl\n+++ u.wgsl\n@@ -1,7 +1,7 @@\n struct U {\n-    a: f32,\n     b: vec3<f32>,\n     c: f32,\n\
        -    d: vec3<f32>\n+    d: vec3<f32>,\n+    a: f32,\n }\n";
    assert!(shown.out.contains(diff), "{shown}");
    let placed = "cbuffer S { float2 a : packoffset(c0); float3 b : packoffset(c1); float c : packoffset(c2); };";
    let folder = Folder::with(&[("placed.hlsl", placed)]);
    let stays = folder.run("show placed.hlsl --padding").exits(0);
    stays.prints("members with explicit offsets or bits stay where they are");
}

/// Assertions about the user's own type, in a file that a build keeps and CI compares.
#[test]
fn assertions_about_ones_own_type_are_written_and_checked() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer PerFrame { float4x4 m; float3 cameraPos; float exposure; };\n")]);
    let words = "show a.hlsl --format cpp-asserts --asserts-only --host engine::PerFrame --map cameraPos=cam_pos \
        --block PerFrame --output frame.inl";
    folder.run(&format!("{words} --check")).exits(1).warns("error: frame.inl does not exist");
    folder.run(words).exits(0);
    let text = folder.read("frame.inl");
    // DXC 1.7.2308 lists m at 0, cameraPos at 64, exposure at 76.
    assert!(text.contains("static_assert(offsetof(engine::PerFrame, cam_pos) == 64, \"cameraPos is at byte 64\");"));
    assert!(text.contains("static_assert(offsetof(engine::PerFrame, exposure) == 76, \"exposure is at byte 76\");"));
    folder.run(&format!("{words} --check")).exits(0);
    folder.write("a.hlsl", b"cbuffer PerFrame { float4x4 m; float2 jitter; float3 cameraPos; float exposure; };\n");
    folder.run(&format!("{words} --check")).exits(1).warns("error: frame.inl is out of date from line");
    assert_eq!(folder.read("frame.inl"), text);

    let refused = |words: &str, message: &str| {
        let answer = folder.run(&format!("show a.hlsl {words}")).exits(2);
        assert!(answer.err.starts_with("error: ") && answer.err.contains(message), "{message} in {answer}");
    };
    let own = "--format c-asserts --asserts-only --host PerFrame";
    refused(&format!("{own} --map cameraPoss=x"), "no member is called `cameraPoss`: did you mean `cameraPos`?");
    refused(&format!("{own} --block PerFram"), "no block is called `PerFram`: did you mean `PerFrame`?");
    refused(&format!("{own} --namespace engine"), "C has no namespaces");
    refused("--asserts-only", "--asserts-only, --namespace and --type TYPE=NAME go with --format cpp-asserts");
    refused("--output x.txt", "--output goes with the formats of host structs");
    let spaced = folder.run("show a.hlsl --format cpp-asserts --namespace engine").exits(0);
    spaced.prints("namespace engine {").prints("} // namespace engine");
}

/// A target names the layout of a file that no other usual target shares.
#[test]
fn a_target_names_the_layout_of_a_slang_file() {
    let folder =
        Folder::with(&[("a.slang", "struct Bone { float3 pivot; float weight; };\nStructuredBuffer<Bone> bones;\n")]);
    let answer = folder.run("show a.slang --format cpp --target vulkan").exits(0);
    assert!(answer.out.contains("struct Bone {") && answer.out.contains("sizeof(Bone) == 16"), "{answer}");
    folder
        .run("show a.slang --format cpp")
        .exits(2)
        .warns("error: a.slang: the layout depends on the target: name one");
}
