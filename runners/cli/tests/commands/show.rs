//! `layoutproof show` of two files that hold every kind of declaration.
//!
//! Golden files pin the output; [`super::measured`] tests its numbers.

use expect_test::{ExpectFile, expect_file};
use serde_json::Value;

use super::folder::{Folder, keys};

/// Every kind of declaration that DXC accepts.
pub(crate) const DATA: &str = include_str!("../files/data.hlsl");
/// Every kind of declaration that only Slang accepts.
pub(crate) const SHAPES: &str = include_str!("../files/shapes.slang");

/// The blocks of `data.hlsl` in order: name, kind, count.
const DATA_BLOCKS: [(&str, &str, &str); 15] = [
    ("Scalars", "cbuffer", "1"),
    ("Shapes", "cbuffer", "1"),
    ("Outer::Inner::Structs", "cbuffer", "1"),
    ("Outer::Structs", "cbuffer", "1"),
    ("Placed", "cbuffer", "1"),
    ("Table", "tbuffer", "1"),
    ("constant_buffer", "constant-buffer", "1"),
    ("constant_buffers", "constant-buffer", "3"),
    ("texture_buffer", "texture-buffer", "1"),
    ("vectors", "structured-element", "1"),
    ("lights_out", "structured-element", "1"),
    ("unbounded_out", "structured-element", "\"unbounded\""),
    ("appended", "structured-element", "1"),
    ("consumed", "structured-element", "1"),
    ("$Globals", "globals", "1"),
];

/// The blocks of `shapes.slang`.
const SHAPES_BLOCKS: [(&str, &str, &str); 16] = [
    ("material", "parameter-block", "1"),
    ("material.flags", "constant-buffer", "1"),
    ("material.nested", "parameter-block", "1"),
    ("everything", "constant-buffer", "1"),
    ("elements", "structured-element", "1"),
    ("matrices", "structured-element", "4"),
    ("ordered", "structured-element", "1"),
    ("unsized", "structured-element", "\"unbounded\""),
    ("padded", "structured-element", "1"),
    ("push", "push-constant", "1"),
    ("squares", "texture-buffer", "1"),
    ("Explicit", "cbuffer", "1"),
    ("$Globals", "globals", "1"),
    ("global_stream", "pointee", "1"),
    ("$Entry.main", "entry-uniforms", "1"),
    ("nodes", "pointee", "1"),
];

fn files() -> Folder {
    Folder::with(&[("data.hlsl", DATA), ("shapes.slang", SHAPES)])
}

#[track_caller]
fn golden(words: &str, expected: &ExpectFile) {
    let answer = files().run(&format!("show {words}")).exits(0);
    expected.assert_eq(&answer.out);
}

#[test]
fn hlsl_under_each_of_three_rule_sets() {
    golden("data.hlsl --rules hlsl-cbuffer", &expect_file!["../golden/data_hlsl_cbuffer.txt"]);
    golden("data.hlsl --rules std140", &expect_file!["../golden/data_std140.txt"]);
    golden("data.hlsl --rules scalar", &expect_file!["../golden/data_scalar.txt"]);
}

#[test]
fn slang_under_three_rule_sets_side_by_side() {
    let words = "shapes.slang --rules slang-cbuffer,std140@slang,scalar@slang";
    golden(words, &expect_file!["../golden/shapes_side_by_side.txt"]);
}

/// The columns are the targets that ship for the language; equal ones are merged, and nothing is
/// wider than a terminal.
#[test]
fn targets_that_ship_fit_on_a_terminal() {
    golden("data.hlsl", &expect_file!["../golden/data_shipping.txt"]);
    golden("shapes.slang", &expect_file!["../golden/shapes_shipping.txt"]);
    for words in ["data.hlsl", "shapes.slang", "data.hlsl --all", "shapes.slang --all"] {
        let answer = files().run(&format!("show {words}")).exits(0);
        for line in answer.out.lines() {
            assert!(line.chars().count() <= 80, "{words}: {line}");
        }
    }
}

/// DXC 1.7.2308 lists c at 36 and d at 40; its SPIR-V and slangc's have c at 48, and d at 52 and 56.
#[test]
fn targets_that_part_are_marked() {
    let folder = Folder::with(&[("S.hlsl", "cbuffer S { float3 a; float b[2]; float c; float2 d; };")]);
    let shown = folder.run("show S.hlsl").exits(0);
    let shown = shown.prints("cbuffer S size pad D3D12 · DXC Vulkan · DXC Vulkan · Slang");
    let shown = shown.prints("≠ float c 4 0/0/4 36 c2.y 48 48").prints("≠ float2 d 8 0/4/0 40 c2.z 52 56");
    shown
        .prints("+12: D3D12 packs it into the last element's register")
        .prints("+12 / +16: Vulkan · Slang aligns it to 8");
}

/// DXC and slangc take both: a shader may have inputs and outputs alone.
#[test]
fn a_shader_needs_no_block() {
    let text = "[shader(\"vertex\")] float4 main(uint id : SV_VertexID) : SV_Position { return float4(id & 1, id >> 1, 0, 1); }";
    for name in ["a.hlsl", "a.slang"] {
        let folder = Folder::with(&[(name, text)]);
        folder.run(&format!("show {name}")).exits(0).prints("no block, so no layout");
        let json = folder.run(&format!("show {name} --format json")).exits(0).json();
        assert_eq!(json["layouts"].as_array().map_or(0, Vec::len), 0, "{json}");
        folder.run(&format!("run {name}")).exits(2).warns("error: this declares no shader parameter");
    }
}

/// slangc 2026.14.1 `-target hlsl -msvc-style-bitfield-packing`: the units in its reflection (`$bit_field_backing_N`), and
/// the bits in the shifts of its code (`>> 28`; `<< 4`, `>> 22`).
#[test]
fn bit_fields_may_be_packed_as_msvc_does() {
    let text = "struct S { uint a : 4; int b : 10; uint c : 6; uint16_t d : 5; uint e; uint8_t f : 2; int8_t g : 3;
uint64_t h : 40; uint16_t i : 9; int16_t j : 8; };
StructuredBuffer<S> s;
";
    let folder = Folder::with(&[("a.slang", text), ("b.hlsl", &text.replace("uint8_t f : 2; int8_t g : 3;\n", ""))]);
    let fields = |words: &str| -> Vec<(String, u64, u64, u64)> {
        let json = folder.run_quoted(words).exits(0).json();
        let rows = json["layouts"][0]["blocks"][0]["members"].as_array().unwrap().iter();
        let row = |row: &Value| {
            let number = |key: &str| row[key].as_u64().unwrap_or_default();
            (row["path"].as_str().unwrap().to_owned(), number("offset"), number("bit_offset"), number("bit_width"))
        };
        rows.map(row).collect()
    };
    let expected = [
        ("a", 0, 28, 4),
        ("b", 0, 18, 10),
        ("c", 0, 12, 6),
        ("d", 4, 11, 5),
        ("e", 8, 0, 0),
        ("f", 12, 6, 2),
        ("g", 12, 3, 3),
        ("h", 16, 24, 40),
        ("i", 24, 7, 9),
        ("j", 26, 8, 8),
    ];
    let expected: Vec<_> = expected.iter().map(|(path, a, b, c)| ((*path).to_owned(), *a, *b, *c)).collect();
    let option = "--args \"slangc -msvc-style-bitfield-packing\" --format json";
    assert_eq!(fields(&format!("show a.slang --rules native:slang-vulkan {option}")), expected);
    // DXC has no such option, so that its column keeps its rules.
    let of_dxc = "show b.hlsl --rules native:dxc-dxil --format json";
    assert_eq!(fields(&format!("show b.hlsl --rules native:dxc-dxil {option}")), fields(of_dxc));
}

/// slangc 2026.14.1, `-target metal -reflection-json`: data by the rules of constant buffers, with handles of 8 bytes for
/// resources and for nested blocks among it; a texture with its sampler and a buffer with its counter are two.
#[test]
fn parameter_blocks_are_argument_buffers_on_metal() {
    let text = "struct Inner { float2 a; Texture2D t; }
struct Leaf { float4 colour; Sampler2D tex; float3 d; SamplerState s; RWStructuredBuffer<float> b; Texture2D arr[3]; float tail; }
struct Outer { float x; ParameterBlock<Inner> p; Inner nested; bool2 flags[3]; AppendStructuredBuffer<float> app; }
struct Root { float4 scale; ParameterBlock<Leaf> apart; }
ParameterBlock<Leaf> leaf;
ParameterBlock<Outer> outer;
ConstantBuffer<Root> root;
";
    let folder = Folder::with(&[("a.slang", text)]);
    let answer = folder.run("show a.slang --rules native:slang-metal --format json").exits(0);
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    let members = |name: &str| -> Vec<(String, u64, u64)> {
        let blocks = json["layouts"][0]["blocks"].as_array().unwrap();
        let block = blocks.iter().find(|block| block["name"] == name).unwrap();
        let row = |row: &Value| {
            (row["path"].as_str().unwrap().to_owned(), row["offset"].as_u64().unwrap(), row["size"].as_u64().unwrap())
        };
        block["members"].as_array().unwrap().iter().map(row).filter(|row| !row.0.contains('.')).collect()
    };
    let named = |rows: &[(&str, u64, u64)]| -> Vec<(String, u64, u64)> {
        rows.iter().map(|(path, offset, size)| ((*path).to_owned(), *offset, *size)).collect()
    };
    let leaf = [
        ("colour", 0, 16),
        ("tex", 16, 16),
        ("d", 32, 16),
        ("s", 48, 8),
        ("b", 56, 8),
        ("arr", 64, 24),
        ("tail", 88, 4),
    ];
    assert_eq!(members("leaf"), named(&leaf));
    assert_eq!(members("root.apart"), named(&leaf));
    let outer = [("x", 0, 4), ("p", 8, 8), ("nested", 16, 16), ("flags", 32, 6), ("app", 40, 16)];
    assert_eq!(members("outer"), named(&outer));
    assert_eq!(members("outer.p"), named(&[("a", 0, 8), ("t", 8, 8)]));

    let differs = folder.run("diff a.slang vulkan metal").exits(1);
    assert!(differs.out.contains("outer.p") && differs.out.contains("root.apart"), "{differs}");

    // A handle has one line, which says where it is bound.
    let both = folder.run("show a.slang --target vulkan,metal --block leaf").exits(0);
    for handle in ["Sampler2D tex", "SamplerState* s", "Texture2D* arr[3]"] {
        let name = handle.split(' ').nth(1).unwrap();
        let is_of = |line: &&str| line.split_whitespace().any(|word| word == name);
        let lines: Vec<&str> = both.out.lines().filter(is_of).collect();
        assert!(matches!(lines[..], [line] if line.contains(handle) && line.contains(" bound ")), "{handle}: {both}");
    }
    let nested = folder.run("show a.slang --target vulkan,metal --block outer").exits(0);
    assert_eq!(nested.out.matches(" t ").count(), 1, "{nested}");
}

/// A structured buffer is shown under the rules of constant buffers only if the user names them.
#[test]
fn pairs_that_no_compiler_has_are_shown_when_they_are_named() {
    let folder = Folder::with(&[("a.hlsl", "struct T { float3 a; float b; };\nStructuredBuffer<T> s;")]);
    let all = folder.run("show a.hlsl --all").exits(0);
    assert!(all.out.contains("hlsl-structured") && !all.out.contains("hlsl-cbuffer"), "{all}");
    folder
        .run("show a.hlsl --rules hlsl-cbuffer")
        .exits(0)
        .prints("16 bytes · rules: hlsl-cbuffer · C++: --format cpp");
    folder.run("show a.hlsl --rules hlsl-*").exits(0).prints("all agree: hlsl-cbuffer, hlsl-cbuffer-struct");
}

/// One refused file of several does not hide the others; JSON has a line for each.
#[test]
fn several_files_and_patterns() {
    let text = "cbuffer S { float a; };";
    let folder = Folder::with(&[("a.hlsl", text), ("b.hlsl", "cbuffer T { flaot b; };"), ("c.wgsl", WGSL)]);
    folder.run("show a.hlsl c.wgsl").exits(0).prints("File a.hlsl").prints("File c.wgsl").prints("b: vec3<f32>");
    let all = folder.run("show *.hlsl").exits(2).prints("cbuffer S").warns("error: no type is named `flaot`");
    all.warns("help: did you mean `float`?");
    let lines = folder.run("show a.hlsl c.wgsl --format json").exits(0).out;
    let sources: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = sources.iter().map(|shown: &Value| shown["source"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.hlsl", "c.wgsl"]);
    folder.run("show *.fx").exits(2).warns("error: no file and no case matches `*.fx`");
    folder
        .run("show c.wgsl --compiler tint")
        .exits(0)
        .prints("WGSL itself gives these offsets, whatever the compiler: `layoutproof run c.wgsl --compiler tint`");
    folder
        .run("show c.wgsl --compiler naga")
        .exits(0)
        .prints("WGSL itself gives these offsets, whatever the compiler: `layoutproof run c.wgsl --compiler naga`");
    folder
        .run("show c.wgsl --compiler dxc")
        .exits(0)
        .prints("WGSL itself gives these offsets, whatever the compiler; dxc does not read WGSL");
    folder.write("d.frag", b"#version 450\nlayout(std140, binding = 0) uniform U { float a[2]; };\nvoid main() {}\n");
    folder
        .run("show d.frag --compiler slangc")
        .exits(2)
        .warns("error: slangc (-lang glsl -allow-glsl) lays out the blocks of GLSL by rules of its own");
    folder
        .run("show a.hlsl --profile vs_2_0")
        .exits(2)
        .warns("error: `vs_2_0`: layoutproof does not compute the constant registers of shader models before 4");
    // DXC 1.7.2308: invalid profile.
    for profile in ["xx_6_0", "cs_9_9"] {
        let no_profile = format!("error: `{profile}` is no profile");
        folder.run(&format!("show a.hlsl --profile {profile}")).exits(2).warns(&no_profile);
        folder.run_quoted(&format!("run a.hlsl --device model --args \"-T {profile}\"")).exits(2).warns(&no_profile);
    }
    folder.write("e.hlsl", b"cbuffer C { uint16_t k; float l; };");
    folder
        .run_quoted("show e.hlsl --args \"-T cs_6_2\"")
        .exits(2)
        .warns("error: DXC knows `uint16_t` only with -enable-16bit-types");
    folder.run_quoted("show e.hlsl --args \"-T cs_6_2 -enable-16bit-types\"").exits(0).prints("uint16_t k");
    // DXC itself would say the same, so it is not asked instead.
    folder
        .run_quoted("show e.hlsl --args \"-T cs_6_0 -enable-16bit-types\"")
        .exits(2)
        .warns("error: DXC takes -enable-16bit-types only from shader model 6.2 on, not for cs_6_0");
    folder
        .run_quoted("show a.hlsl --args \"-T ps_6_0 -Zpr -Zpc\"")
        .exits(2)
        .warns("error: --args: DXC takes `-Zpr` or `-Zpc`, not both: Cannot specify /Zpr and /Zpc together");
    folder
        .run("show a.hlsl c.wgsl --format cpp-asserts")
        .exits(2)
        .warns("error: host structs, LLVM types, pages and pictures are written for one file: name one");
}

/// Members of 12 and 4 bytes, and of 16 bytes each in WGSL: WGSL, 14.4.1 Alignment and Size.
const WGSL: &str = "struct U { a: f32, b: vec3<f32> };\n@group(0) @binding(0) var<uniform> u: U;";

/// Under each target of the language: D3D packs `b` behind `a`, and Slang's std140 does not move for the same change.
#[test]
fn two_versions_are_compared_under_all_targets() {
    let old = "cbuffer C { float a; float3 b; };\ncbuffer D { float e; };";
    let new = "cbuffer C { float2 a; float3 b; };\ncbuffer D { float e; };";
    let macros = "#ifdef X\ncbuffer C { float2 a; float3 b; };\n#else\ncbuffer C { float a; float3 b; };\n#endif\ncbuffer D { float e; };";
    let folder = Folder::with(&[("old.hlsl", old), ("new.hlsl", new), ("m.hlsl", macros), ("c.wgsl", WGSL)]);
    // wg-hlsl, cbuffer rules: a float3 behind a float2 begins the next register; std140 aligns it to 16 in both.
    let differs = folder.run("diff old.hlsl new.hlsl").exits(1);
    differs.prints("Differ old.hlsl and new.hlsl under D3D12 · DXC, Vulkan · DXC");
    let json = folder.run("diff old.hlsl new.hlsl --format json").exits(1).json();
    let targets = json["targets"].as_array().unwrap();
    let of = |rules: &str| targets.iter().find(|target| target["rules"] == rules).unwrap();
    let b = |rules: &str, side: &str| of(rules)["blocks"][0][side]["members"][1]["offset"].as_u64();
    assert_eq!([b("native:dxc-dxil", "left"), b("native:dxc-dxil", "right")], [Some(4), Some(16)]);
    assert_eq!([b("native:slang-vulkan", "left"), b("native:slang-vulkan", "right")], [Some(16), Some(16)]);
    folder.run("diff old.hlsl old.hlsl").exits(0).prints("Same old.hlsl and old.hlsl under D3D12 · DXC");
    folder.run("diff m.hlsl m.hlsl -D X").exits(1).prints("Differ m.hlsl and m.hlsl -D X under D3D12 · DXC");
    folder
        .run("diff old.hlsl new.hlsl --format html")
        .exits(2)
        .warns("error: a page compares the files under one target");
}

#[test]
fn shaders_of_two_folders_are_compared() {
    let file = |members: &str| format!("cbuffer C {{ {members} }};\n");
    let folder = Folder::with(&[]);
    for (name, members) in [
        ("old/a.hlsl", "float a; float3 b;"),
        ("old/sub/b.hlsl", "float a;"),
        ("old/gone.hlsl", "float a;"),
        ("old/notes.txt", ""),
        ("new/a.hlsl", "float2 a; float3 b;"),
        ("new/sub/b.hlsl", "float a;"),
    ] {
        folder.write(name, file(members).as_bytes());
    }
    let differs = folder.run("diff old new").exits(1);
    let differs = differs.prints("Differ old/a.hlsl and new/a.hlsl under D3D12 · DXC").prints("only in old: gone.hlsl");
    differs.prints("1 of 2 shaders differ; the same: 1, not compared: 0, in one folder only: 1");
    folder.run("diff old/sub new/sub").exits(0).prints("0 of 1 shaders differ; the same: 1");
    folder.write("new/sub/b.hlsl", b"cbuffer C { float");
    folder.run("diff old/sub new/sub vulkan").exits(2).prints("not compared: b.hlsl");
    folder.run("diff old new --format json").exits(2).warns("error: folders are compared in text");
}

/// Two files, each with its own layout or under the rule set after it, and the output for programs.
#[test]
fn two_files_are_compared() {
    let folder = Folder::with(&[
        ("a.hlsl", "cbuffer U { float a; float3 b; };"),
        ("c.wgsl", WGSL),
        ("d.wgsl", "struct U { a: f32, @align(32) b: vec3<f32> };\n@group(0) @binding(0) var<uniform> v: U;"),
    ]);
    // WGSL aligns vec3<f32> to 16 bytes; a cbuffer packs it after the scalar.
    let differs = folder.run("diff a.hlsl native:dxc-dxil c.wgsl").exits(1).prints("Differ");
    differs.prints("≠ float3 b 12 0/4 4 c0.y 16 +12");
    folder.run("diff a.hlsl std140 c.wgsl").exits(0).prints("Same");
    folder
        .run("diff a.hlsl c.wgsl")
        .exits(2)
        .warns("error: the layout of a.hlsl depends on the target: name it after the file");
    let json = folder.run("diff c.wgsl d.wgsl --format json").exits(1).json();
    assert_eq!((&json["schema"], &json["left"], &json["differs"]), (&1.into(), &"c.wgsl".into(), &true.into()));
    assert_eq!(json["blocks"][0]["differing"], serde_json::json!(["b"]));
    assert_eq!(json["blocks"][0]["right"]["members"][1]["offset"], 32);
    folder.run("diff a.hlsl std14 std430").exits(2).warns("error: unknown rule set `std14`: did you mean `std140`?");
}

#[test]
fn ascii_has_the_same_lines_without_other_characters() {
    let folder = files();
    let [plain, ascii] = ["", " --ascii"].map(|flag| folder.run(&format!("show shapes.slang{flag}")).exits(0).out);
    assert!(!plain.is_ascii() && ascii.is_ascii());
    assert_eq!(plain.lines().count(), ascii.lines().count());
    folder.write("a.hlsl", b"cbuffer S { float a[2]; float b; };");
    let differs = folder.run("diff a.hlsl d3d12 vulkan --ascii").exits(1);
    let differs = differs.prints("Differ D3D12 - DXC and Vulkan - DXC");
    assert!(differs.out.is_ascii(), "{differs}");
}

#[test]
fn the_name_of_a_file_stays_as_it_is() {
    let other = "struct U { a: f32, @align(32) b: vec3<f32> };\n@group(0) @binding(0) var<uniform> u: U;";
    let folder = Folder::with(&[("a·b.wgsl", WGSL), ("c.wgsl", other)]);
    for flag in ["", " --ascii"] {
        let differs = folder.run(&format!("diff a·b.wgsl c.wgsl{flag}")).exits(1);
        assert_eq!(differs.out.matches("a·b.wgsl").count(), 2, "{differs}");
    }
}

#[test]
fn every_block_is_listed_under_every_bare_rule_set() {
    let folder = files();
    let bare = "hlsl-cbuffer hlsl-cbuffer-struct slang-cbuffer hlsl-structured std140 std430 scalar relaxed140 \
                relaxed430 dx-cbuffer dx-structured wgsl-uniform wgsl-storage c metal cuda";
    for (file, blocks) in [("data.hlsl", &DATA_BLOCKS[..]), ("shapes.slang", &SHAPES_BLOCKS)] {
        let shown = folder.run(&format!("show {file} --format json")).exits(0).json();
        assert_eq!(keys(&shown), ["account", "layouts", "schema", "source", "warnings"]);
        assert_eq!((&shown["schema"], &shown["source"]), (&Value::from(1), &Value::from(file)));
        let layouts = shown["layouts"].as_array().unwrap();
        let rules: Vec<&str> = layouts.iter().map(|layout| layout["rules"].as_str().unwrap()).collect();
        assert_eq!(rules.join(" "), bare);
        for layout in layouts {
            let named = |block: &Value| {
                let word = |key: &str| block[key].as_str().unwrap().to_owned();
                (word("name"), word("kind"), block["count"].to_string())
            };
            let found: Vec<_> = layout["blocks"].as_array().unwrap().iter().map(named).collect();
            let wanted = blocks.iter().map(|(name, kind, count)| ((*name).into(), (*kind).into(), (*count).into()));
            assert_eq!(found, wanted.collect::<Vec<(String, String, String)>>(), "{file}, {}", layout["rules"]);
        }
    }
}

#[test]
fn blocks_and_members_have_the_keys_of_the_contract() {
    let shown = files().run("show shapes.slang --rules std430@slang --format json").exits(0).json();
    let always = "alignment array_stride matrix_order matrix_stride offset path size type";
    for block in shown["layouts"][0]["blocks"].as_array().unwrap() {
        let mut expected = vec!["alignment", "count", "errors", "kind", "members", "name", "size", "stride"];
        if block["kind"] == "pointee" {
            assert_eq!(block["reach"], "pointer");
            expected.insert(6, "reach");
        }
        assert_eq!(keys(block), expected, "{}", block["name"]);
        for member in block["members"].as_array().unwrap() {
            let path = member["path"].as_str().unwrap();
            let extra = |key: &str| !always.split(' ').any(|known| known == key);
            let found: Vec<&str> = keys(member).into_iter().filter(|key| extra(key)).collect();
            let wanted: &[&str] = match path {
                "low" | "high" | "flags.low" | "flags.high" => &["bit_offset", "bit_width"],
                "grid" => &["array_strides"],
                "items" => &["unbounded"],
                _ => &[],
            };
            assert_eq!(found, wanted, "{path}");
            assert_eq!(keys(member).len(), 8 + wanted.len(), "{path}");
        }
    }
}

/// A rule set that forbids a block: without `--rules` the block's table shows it, with `--rules` it
/// is an error.
#[test]
fn a_forbidden_block_has_errors_and_no_members() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float3 a; float b[2]; };\ncbuffer T { float c; };")]);
    let shown = folder.run("show a.hlsl --format json").exits(0).json();
    let layouts = shown["layouts"].as_array().unwrap();
    let uniform = layouts.iter().find(|layout| layout["rules"] == "wgsl-uniform").unwrap();
    let [forbidden, allowed] = &uniform["blocks"].as_array().unwrap()[..] else { panic!("two blocks in {uniform}") };
    assert_eq!(keys(&forbidden["errors"][0]), ["message", "path"]);
    assert_eq!(forbidden["errors"][0]["path"], "b");
    assert_eq!((&forbidden["size"], &forbidden["members"]), (&Value::Null, &Value::Array(Vec::new())));
    assert_eq!(allowed["members"][0]["offset"], 0);
    let refused = folder.run("show a.hlsl --format json --rules wgsl-uniform").exits(2);
    assert_eq!(refused.json()["errors"][0]["code"], "rule-forbids");
    assert_eq!(refused.json()["errors"][0]["line"], 1);
    refused.warns("error: wgsl-uniform forbids `S.b`");
}

/// One of two rule sets forbids a block: the other one is shown, and the exit code and the messages
/// identify the first.
#[test]
fn a_rule_set_that_forbids_a_block_hides_no_other() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float3 a; float b[2]; };\ncbuffer T { float c; };")]);
    let shown = folder.run("show a.hlsl --rules wgsl-uniform,hlsl-cbuffer --format json").exits(2).json();
    let layouts = shown["layouts"].as_array().unwrap();
    assert_eq!(layouts[0]["blocks"][0]["errors"][0]["path"], "b");
    assert_eq!(layouts[0]["blocks"][1]["members"][0]["offset"], 0);
    assert_eq!(layouts[1]["blocks"][0]["members"][1]["offset"], 16);
    assert_eq!(shown["errors"][0]["code"], "rule-forbids");
    let text = folder.run("show a.hlsl --rules wgsl-uniform,hlsl-cbuffer").exits(2);
    text.prints("36 bytes").prints("4 bytes").warns("error: wgsl-uniform forbids `S.b`");
    // A host struct file that lacks a block would look complete.
    let asserts = folder.run("show a.hlsl --rules wgsl-uniform --format rust-asserts").exits(2);
    assert!(asserts.out.is_empty(), "{asserts}");
}

/// `--lang` replaces the suffix, and `-` is standard input.
#[test]
fn the_language_of_a_file_can_be_said() {
    let text = "cbuffer S { float a[__HLSL_VERSION]; float z; };";
    let folder = Folder::with(&[("a.inc", text), ("a.fx", text), ("a.hlsl", text)]);
    let size = |words: &str, input: &str| {
        let answer = folder.run_with(&format!("show {words} --rules hlsl-cbuffer --format json"), input).exits(0);
        answer.json()["layouts"][0]["blocks"][0]["size"].as_u64()
    };
    // Arrays of __HLSL_VERSION elements, 16 bytes each: 2021 in DXC, 2018 in Slang.
    for words in ["a.hlsl", "a.fx", "a.inc --lang hlsl"] {
        assert_eq!(size(words, ""), Some(2021 * 16 - 12 + 4), "{words}");
    }
    assert_eq!(size("a.hlsl --lang slang", ""), Some(2018 * 16 - 12 + 4));
    assert_eq!(size("- --lang hlsl", text), Some(2021 * 16 - 12 + 4));
    folder.run("show a.inc").exits(2).warns("error: the suffix of a.inc names no language: name it with --lang");
    folder.run("run a.inc --device model").exits(2).warns("error: the suffix of a.inc names no language");
    folder.run("show b.inc").exits(2).warns("error: no file and no case is called `b.inc`");
    folder.run("show -").exits(2).warns("error: standard input has no suffix: name its language with --lang");
    folder
        .run("run - --device model")
        .exits(2)
        .warns("error: standard input has no suffix: name its language with --lang");
    let wgsl = "@group(0) @binding(0) var<uniform> a: vec4<f32>;";
    folder.run_with("show - --lang wgsl", wgsl).exits(0).prints("var<uniform> a size offset").prints("vec4<f32> 16 0");
}

/// Suffixes that GLSL and HLSL share: the suffix before it tells the language, or else the text.
#[test]
fn the_language_of_a_shared_suffix_is_that_of_the_text() {
    let hlsl = "cbuffer S : register(b0) { float a[2]; float z; };";
    let folder = Folder::with(&[
        ("a.ps", hlsl),
        ("a.vsh", hlsl),
        ("a.tcs", hlsl),
        ("a.hlsl.vs", "float tint;"),
        ("a.HLSL.CS", hlsl),
        ("a.slangh", "struct P { float a; }\nConstantBuffer<P> p;"),
        ("b.vs", "float tint;"),
        ("b.fs", "// F#\nlet x = 1"),
        ("b.cs", hlsl),
    ]);
    for file in ["a.ps", "a.vsh", "a.tcs", "a.HLSL.CS"] {
        let answer = folder.run(&format!("show {file} --rules hlsl-cbuffer --format json")).exits(0);
        assert_eq!(answer.json()["layouts"][0]["blocks"][0]["size"], 24, "{file}");
    }
    folder.run("show a.hlsl.vs --rules hlsl-cbuffer").exits(0).prints("float tint");
    folder.run("show a.slangh").exits(0).prints("float a 4 0/12 0 c0 0");
    let unknown = "may be GLSL or HLSL, and its text does not tell: name it with --lang glsl or --lang hlsl";
    for file in ["b.vs", "b.fs"] {
        folder.run(&format!("show {file}")).exits(2).warns(&format!("error: {file} {unknown}"));
    }
    folder.run("show b.vs --lang hlsl --rules hlsl-cbuffer").exits(0).prints("float tint");
    folder.run("show b.cs").exits(2).warns("error: b.cs is the text of a program, not a shader");
}

/// The macros of DXC that depend on the profile.
#[test]
fn the_profile_says_the_stage() {
    let text = "#if __SHADER_TARGET_STAGE == __SHADER_STAGE_PIXEL\ncbuffer S { float4 a; };\n#else\n\
        cbuffer S { float b; };\n#endif";
    let folder = Folder::with(&[("a.hlsl", text)]);
    folder.run("show a.hlsl --rules hlsl-cbuffer --profile ps_6_0").exits(0).prints("float4 a 16 0 c0");
    folder.run("show a.hlsl --rules hlsl-cbuffer --profile cs_6_0").exits(0).prints("float b 4 0 c0");
    folder.run("show a.hlsl --rules hlsl-cbuffer").exits(2).warns("help: set the shader profile");
}

/// Rule sets with a dialect in their names are in no default list, but the user can name them.
#[test]
fn a_dialect_is_shown_when_it_is_named() {
    let folder = Folder::with(&[("a.hlsl", "struct E { double d; float f; }; cbuffer S { E e[2]; float g; };")]);
    let shown = folder.run("show a.hlsl --format json --rules scalar,scalar@dxc").exits(0).json();
    let offset_of_g = |layout: usize| &shown["layouts"][layout]["blocks"][0]["members"][3]["offset"];
    // The example next to GL_EXT_scalar_block_layout's rule rounds strides; DXC 1.7.2308
    // -fvk-use-scalar-layout does not.
    assert_eq!((offset_of_g(0), offset_of_g(1)), (&Value::from(28), &Value::from(24)));
}

/// The options for reading a file change what is shown.
#[test]
fn options_change_how_a_file_is_read() {
    let text = "cbuffer S { float2x3 m; half h[N]; float after; };";
    let folder = Folder::with(&[("a.hlsl", text)]);
    let member = |flags: &str, index: usize| {
        let words = format!("show a.hlsl --format json --rules scalar -DN=3 {flags}");
        folder.run(words.trim_end()).exits(0).json()["layouts"][0]["blocks"][0]["members"][index].clone()
    };
    assert_eq!(member("", 0)["matrix_stride"], 8);
    assert_eq!(member("", 0)["matrix_order"], "column");
    assert_eq!(member("--matrix row", 0)["matrix_stride"], 12);
    assert_eq!(member("--matrix row", 0)["matrix_order"], "row");
    assert_eq!(member("", 1)["type"], "half[3]");
    assert_eq!(member("", 1)["size"], 6);
    assert_eq!(member("--16bit off", 1)["size"], 12);
    assert_eq!(member("--16bit off", 2)["offset"], 36);
}

#[test]
fn only_the_entry_point_that_is_named_has_uniforms() {
    let text = "void one(uniform float a) {} void two(uniform float b, uniform float c) {}";
    let folder = Folder::with(&[("a.slang", text)]);
    let shown = folder.run("show a.slang --rules scalar@slang --format json --entry two").exits(0).json();
    let blocks = shown["layouts"][0]["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0]["name"], "$Entry.two");
    assert_eq!(blocks[0]["size"], 8);
    folder.run("show a.slang --entry three").exits(2).warns("error: no function is named `three`; known are one, two");
}

/// A case can be shown by its id, by a unique part of it, or as a file.
#[test]
fn cases_are_shown_by_id_or_file() {
    let case = include_str!("../../../../cases/arrays/scalar_packs_behind_the_last_element.toml");
    let folder = Folder::with(&[("mine.toml", case)]);
    let id = "arrays/scalar_packs_behind_the_last_element";
    let shown = [id, "scalar_packs_behind_the_last", "mine.toml"].map(|word| {
        let json = folder.run(&format!("show {word} --rules std140 --format json")).exits(0).json();
        assert_eq!(json["source"], word);
        json["layouts"].clone()
    });
    assert!(shown.iter().all(|layouts| *layouts == shown[0]));
    let colons = folder.run("show arrays::scalar_packs_behind_the_last_element --rules std140").exits(0);
    assert_eq!(colons.out, folder.run(&format!("show {id} --rules std140")).exits(0).out);
    let several = folder.run("show arrays").exits(2).warns("error: `arrays` matches");
    assert!(several.err.contains("name one, as `arrays/"), "{several}");
    let misspelt = folder.run("show arrays/scalar_packs_behind_the_last_elemnt").exits(2);
    let said = "error: no file and no case is called `arrays/scalar_packs_behind_the_last_elemnt`: did you mean \
        `arrays/scalar_packs_behind_the_last_element`?";
    misspelt.warns(said);
    folder.run("show no_such_case").exits(2).warns("error: no file and no case is called `no_such_case`");
}

/// A folder with a project file and a shader in a folder of the project.
fn project(text: &str) -> Folder {
    let shader = "#if QUALITY == 2\ncbuffer S { float3 a; float b[2]; float c; };\n#endif\n";
    let folder = Folder::with(&[("layoutproof.toml", text), ("elsewhere.hlsl", "cbuffer T { float2 a; };")]);
    std::fs::create_dir_all(folder.path("shaders/deep")).unwrap();
    folder.write("shaders/deep/a.hlsl", shader.as_bytes());
    folder
}

/// Offsets by DXC for D3D12 and for Vulkan with `-fvk-use-scalar-layout` (DXC's SPIR-V manual, "Memory layout rules").
#[test]
fn columns_are_what_the_project_ships() {
    let rules = "rules = [\"native:dxc-dxil\", \"native:dxc-spirv-scalar\"]";
    let shaders = "[[shader]]\nfiles = [\"shaders/**/*.hlsl\"]\nargs = \"-T cs_6_6 -D QUALITY=2\"";
    let folder = project(&format!("schema = 1\n{rules}\n{shaders}\n{rules}\n"));
    let answer = folder.run("show shaders/deep/a.hlsl").exits(0).prints("columns from layoutproof.toml");
    answer.prints("cbuffer S size pad D3D12 · DXC Vulkan · DXC (scalar)").prints("· float c 4 36 c2.y 20 -16");
    // The settings for all shaders apply if no entry names this one.
    let other = folder.run("show elsewhere.hlsl").exits(0).prints("columns from layoutproof.toml");
    other.prints("8 bytes · b0 / set 0 binding 0 · all agree: D3D12 · DXC, Vulkan · DXC (scalar)");

    // A profile names no target, so the project's are what ships; an option for a target does.
    let target = "target = [\"d3d12\", \"vulkan/scalar\"]";
    folder.write("layoutproof.toml", format!("schema = 1\n{target}\n{shaders}\n").as_bytes());
    folder.run("show shaders/deep/a.hlsl").exits(0).prints("cbuffer S size pad D3D12 · DXC Vulkan · DXC (scalar)");
    let named = shaders.replace("-T cs_6_6", "-T cs_6_6 -spirv -fvk-use-scalar-layout");
    folder.write("layoutproof.toml", format!("schema = 1\ntarget = \"d3d12\"\n{named}\n").as_bytes());
    let answer = folder.run("show shaders/deep/a.hlsl").exits(0);
    answer.prints("24 bytes · set 0 binding 0 · rules: Vulkan · DXC (scalar) · C++: --format cpp");
    folder.write("layoutproof.toml", format!("schema = 1\n{rules}\n{shaders}\n{rules}\n").as_bytes());

    // If the user names the columns, or a program reads the output, the project is ignored.
    for words in ["--rules std140", "--all", "--target d3d12", "--format json"] {
        let answer = folder.run(&format!("show shaders/deep/a.hlsl {words}"));
        assert!(!answer.out.contains("layoutproof.toml") && !answer.out.contains("float c"), "{words}: {answer}");
    }
    folder.write("other.toml", b"schema = 1\nrules = [\"std140\"]\n");
    folder.run("show elsewhere.hlsl --config other.toml").exits(0).prints("columns from other.toml");
    folder.run("show elsewhere.hlsl --config none.toml").exits(2).warns("error: reading none.toml:");
}

#[test]
fn a_project_has_four_columns_at_most_and_may_say_only_how_files_are_read() {
    let six = ["std140", "std430", "scalar", "hlsl-cbuffer", "dx-cbuffer", "native:dxc-dxil"];
    let names = six.map(|name| format!("{name:?}")).join(", ");
    let folder = project(&format!("schema = 1\nrules = [{names}]\n"));
    let answer = folder.run("show elsewhere.hlsl").exits(0);
    answer.prints("columns from layoutproof.toml: the first 4 of 6; --rules shows others");

    let folder = project("schema = 1\n[[shader]]\nfiles = [\"shaders/deep/?.hlsl\"]\ndefines = [\"QUALITY=2\"]\n");
    let answer = folder.run("show shaders/deep/a.hlsl").exits(0).prints("read with the settings of layoutproof.toml");
    assert!(answer.out.contains("D3D12 · DXC"), "{answer}");
    let answer = folder.run("show elsewhere.hlsl").exits(0);
    assert!(!answer.out.contains("layoutproof.toml"), "{answer}");
    folder.write("layoutproof.toml", b"schema = 1\nrules = [\"std14\"]\n");
    let answer = folder.run("show elsewhere.hlsl").exits(2);
    assert!(answer.err.contains("layoutproof.toml:2:9") && answer.err.contains("std140"), "{answer}");
}

/// DXC 1.7.2308, the load of `bare[1][0][1]`: in DXIL it reads byte 8 of the element, with columns
/// of 8 bytes; with -spirv the matrix is `ColMajor` with `MatrixStride 16`, which are rows.
#[test]
fn a_transposed_matrix_differs_everywhere() {
    let text = "StructuredBuffer<row_major float2x3> bare;\n";
    let folder = Folder::with(&[("t.hlsl", text)]);
    let shown = folder.run("show t.hlsl").exits(0);
    let shown = shown.prints("≠ float2x3").prints("matrix order column / row; matrix stride 8 / 16");
    let diff = folder.run("diff t.hlsl native:dxc-dxil native:dxc-spirv --format json").exits(1);
    let diff: Value = serde_json::from_str(&diff.out).unwrap();
    assert_eq!(diff["blocks"][0]["differing"], serde_json::json!([""]), "{shown}");
    let page = folder.run("show t.hlsl --format html").exits(0);
    assert!(page.out.contains("row 0 ≠") && page.out.contains("matrix stride 8 / 16"), "{page}");
}

/// Only the order may differ: in DXIL, DXC 1.7.2308 reads `bare[1][0][1]` at byte 16 of the
/// element; with -spirv the matrix is `ColMajor` with `MatrixStride 16`, so it is at byte 4.
#[test]
fn an_order_is_a_difference_by_itself() {
    let folder = Folder::with(&[("t.hlsl", "StructuredBuffer<row_major float4x4> bare;\n")]);
    let shown = folder.run("show t.hlsl").exits(0);
    shown.prints("≠ float4x4 // matrix 16 64 0 0").prints("matrix order column / row");
    folder.run("diff t.hlsl native:dxc-dxil native:dxc-spirv").exits(1);
}

/// An assumption is reported once, but not if the command line names the value.
#[test]
fn an_assumed_size_of_halves_is_said() {
    let folder = Folder::with(&[("h.hlsl", "cbuffer C { half a; half b; };\n")]);
    let assumed = folder.run("show h.hlsl").exits(0);
    assert!(assumed.err.contains("[assumed-16bit]") && assumed.err.contains("--16bit off"), "{assumed}");
    for words in ["show h.hlsl --16bit on", "show h.hlsl --16bit off"] {
        let said = folder.run(words).exits(0);
        assert!(!said.err.contains("assumed-16bit"), "{said}");
    }
}

/// DXC 1.7.2308: `CBuffer size is 65540 bytes, exceeding maximum of 65536 bytes`. The members stay, as text and as JSON.
/// Contract: uncertain answers say why on the member. A value of an interface makes itself, its holders and what comes
/// after it uncertain.
#[test]
fn members_that_depend_on_the_size_of_an_interface_are_uncertain() {
    let text = "interface I { float f(); }
struct In { float first; I value; };
struct S { float4 before; In in[2]; float after; };
StructuredBuffer<S> list;
StructuredBuffer<float> other;
";
    let folder = Folder::with(&[("a.slang", text)]);
    let json = folder.run("show a.slang --rules scalar@slang --format json").exits(0).json();
    let blocks = json["layouts"][0]["blocks"].as_array().unwrap();
    let members = blocks.iter().flat_map(|block| block["members"].as_array().unwrap());
    let uncertain: Vec<&str> =
        members.filter(|row| row["uncertain"].is_string()).map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(uncertain, ["in", "in[].value", "after"]);
    folder.run("show a.slang").exits(0).prints("float after // uncertain");
}

#[test]
fn a_limit_is_a_warning_with_its_column() {
    let folder = Folder::with(&[("big.hlsl", "cbuffer Big { float list[4097]; };\n")]);
    let shown = folder.run("show big.hlsl").exits(0).prints("float list[4097] // 16 65540/65552 0 c0 0");
    assert!(
        shown.err.contains("65540 bytes are more than the 65536") && shown.err.contains("(D3D12 · DXC)"),
        "{shown}"
    );
    let json = folder.run("show big.hlsl --format json").exits(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let warning = json["warnings"].as_array().unwrap().iter().find(|it| it["code"] == "compiler-limit").unwrap();
    assert_eq!((&warning["line"], &warning["column"]), (&Value::from(1), &Value::from(9)));
    assert_eq!(warning["concerns"], serde_json::json!(["D3D12 · DXC"]));

    let compared = folder.run("diff big.hlsl native:dxc-dxil std140").exits(1);
    assert!(compared.err.contains("65540 bytes are more than the 65536"), "{compared}");
}

#[test]
fn one_block_can_be_shown_alone() {
    let text = "cbuffer Frame { float3 a; float b; }; cbuffer Other { float4 c; }; Texture2D t;";
    let folder = Folder::with(&[("a.hlsl", text), ("a.wgsl", "@group(0) @binding(0) var<uniform> frame: vec4f;\n")]);
    let answer = folder.run("show a.hlsl --block Frame --target d3d12").exits(0);
    assert!(answer.out.contains("Frame") && !answer.out.contains("Other") && !answer.out.contains("t0"), "{answer}");
    let shown = folder.run("show a.hlsl --block Frame --format json").exits(0).json();
    let names: Vec<&str> =
        shown["layouts"][0]["blocks"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names, &shown["account"]["found"]), (vec!["Frame"], &1.into()), "{shown}");
    folder.run("show a.wgsl --block frame").exits(0);
    folder.run("show a.hlsl --block Fram").exits(2).warns("error: no block is called `Fram`: did you mean `Frame`?");
}

/// slangc 2026.14.1, `-target hlsl`: a field without bits ends its unit and has no place, though it has a name. DXC 1.7.2308
/// refuses the name.
#[test]
fn fields_without_bits_end_their_unit_in_slang() {
    let text = "struct S { uint a : 3; uint z : 0; uint b : 4; uint y : 0; uint c : 2; };\nRWStructuredBuffer<S> s;\n";
    let folder = Folder::with(&[("a.slang", text), ("a.hlsl", text)]);
    let shown = folder.run("show a.slang --rules native:slang-d3d12 --format json").exits(0).json();
    let members = shown["layouts"][0]["blocks"][0]["members"].as_array().unwrap();
    let places: Vec<(&str, u64)> =
        members.iter().map(|row| (row["path"].as_str().unwrap(), row["offset"].as_u64().unwrap())).collect();
    assert_eq!(places, [("a", 0), ("b", 4), ("c", 8)]);
    folder.run("show a.hlsl").exits(2).warns("error: a bit-field cannot have 0 bits: use 1 to 32, or 0 without a name");
}

/// `--type` lays a struct out that no block holds. DXC 1.7.2308: an array of floats has a stride of 16 in a constant buffer
/// and begins a register there, and a stride of 4 in a structured buffer.
#[test]
fn structs_are_shown_by_name() {
    let text = "struct Light { float3 dir; float k[2]; }; template<typename T> struct Pair { T one; float3 two; };\n\
                RWStructuredBuffer<float> o;\n[numthreads(1, 1, 1)] void main() { Light l; l.k[0] = 1; o[0] = l.k[0]; }\n";
    let folder = Folder::with(&[("a.hlsl", text), ("a.wgsl", "struct Light { k: f32, dir: vec3f }\n")]);
    let offsets = |words: &str| -> Vec<(String, Vec<u64>)> {
        let answer = folder.run(&format!("show {words} --format json")).exits(0).json();
        let blocks = answer["layouts"][0]["blocks"].as_array().into_iter().flatten().map(|block| {
            let members = block["members"].as_array().into_iter().flatten();
            let offsets = members.map(|member| member["offset"].as_u64().unwrap()).collect();
            (block["name"].as_str().unwrap().to_owned(), offsets)
        });
        blocks.collect()
    };
    let block = |name: &str, offsets: &[u64]| (name.to_owned(), offsets.to_vec());
    let d3d12 = "--rules native:dxc-dxil";
    let light = [block("as_constant_buffer", &[0, 16]), block("as_structured_buffer", &[0, 12])];
    assert_eq!(offsets(&format!("a.hlsl --type Light {d3d12}")), light);
    let pair = [block("as_constant_buffer", &[0, 16]), block("as_structured_buffer", &[0, 8])];
    assert_eq!(offsets(&format!("a.hlsl --type Pair<float2> {d3d12}")), pair);
    // WGSL, 14.4.1: a vec3f is aligned to 16.
    assert_eq!(offsets("a.wgsl --type Light"), [block("as_storage", &[0, 16])]);
    // The problem is the user's word, not a line of the file.
    for (file, word) in [("a.hlsl", "Ligth"), ("a.hlsl", "Light<"), ("a.wgsl", "Ligth")] {
        let refused =
            folder.run(&format!("show {file} --type {word}")).exits(2).warns(&format!("error: --type {word}: "));
        assert!(!refused.err.contains("╭─") && !refused.err.contains("as_"), "{refused}");
    }
    folder.run("show a.hlsl --type a;b").exits(2).warns("error: --type a;b: write the name of a struct of the file");
    folder.run("show vectors --type Light").exits(2).warns("error: --type names a struct of a shader file");
}

/// One name with two layouts is a mistake that no file shows alone.
#[test]
fn blocks_that_differ_between_files_are_named() {
    let file = |members: &str| format!("cbuffer Camera {{ {members} }};\n");
    let (usual, other) = (file("float3 eye; float fov;"), file("float fov; float3 eye;"));
    let host = r#"{"schema":1,"structs":[{"name":"Camera","size":16,"members":[
        {"name":"eye","offset":0,"kind":"float","size":12,"components":3},
        {"name":"fov","offset":12,"kind":"float","size":4}]}]}"#;
    let folder =
        Folder::with(&[("a.hlsl", &usual), ("b.hlsl", &other), ("c.hlsl", &file("float3 eye;")), ("host.json", host)]);
    let told = folder.run("show a.hlsl b.hlsl c.hlsl").exits(0);
    told.warns(
        "warning: `Camera` has 2 layouts in 3 shaders: 16 bytes in a.hlsl, c.hlsl; 16 bytes in b.hlsl; they part at",
    );
    let checked = folder.run("check a.hlsl b.hlsl c.hlsl host.json --format json").json();
    let conflict = checked["conflicts"][0].as_str().unwrap();
    assert!(conflict.starts_with("`Camera` has 2 layouts in 3 shaders: "), "{conflict}");
    // A block may end earlier.
    assert!(folder.run("check a.hlsl c.hlsl host.json --format json").json()["conflicts"].is_null());
    let told = folder.run("show a.hlsl c.hlsl").exits(0);
    assert!(!told.err.contains("layouts"), "{told}");
}

/// DXC 1.7.2308 (`-spirv`) and slangc 2026.14.1 give `uv` and `normal` the locations 0 and 1 in `vs`, and 1 and 0 in `ps` of
/// `order.hlsl`. Direct3D 12 links by semantics.
#[test]
fn inputs_of_pixel_shaders_are_compared_with_the_vertex_shader_by_semantics() {
    let both = |outputs: &str, inputs: &str| {
        format!(
            "cbuffer C {{ float4 k; }};
struct V {{ float4 place : SV_Position; {outputs} }};
struct P {{ float4 place : SV_Position; {inputs} bool front : SV_IsFrontFace; }};
[shader(\"vertex\")] V vs(float3 p : POSITION) {{ V v = (V)0; return v; }}
[shader(\"pixel\")] float4 ps(P p) : SV_Target {{ return k; }}
"
        )
    };
    let written = "float2 uv : TEXCOORD0; float3 normal : NORMAL; uint id : ID;";
    let order = both(written, "float3 normal : NORMAL; float2 uv : TEXCOORD;");
    let absent = both(written, "float2 uv : TEXCOORD1;");
    let longer = both(written, "float4 uv : texcoord0;");
    let integer = both(written, "float2 uv : TEXCOORD; float3 normal : NORMAL; float id : ID;");
    let fewer = both(written, "float2 uv : TEXCOORD0; float2 normal : NORMAL;");
    let placed = both(
        "[[vk::location(1)]] float2 uv : TEXCOORD0; [[vk::location(0)]] float3 normal : NORMAL;",
        "[[vk::location(0)]] float3 normal : NORMAL; [[vk::location(1)]] float2 uv : TEXCOORD;",
    );
    let vertex = "float4 main(float3 p : POSITION, out float2 uv : UV) : SV_Position { uv = 0; return float4(p, 1); }";
    let pixel = "float4 main(float3 colour : COLOR) : SV_Target { return float4(colour, 1); }";
    let folder = Folder::with(&[
        ("order.hlsl", &order),
        ("absent.hlsl", &absent),
        ("longer.hlsl", &longer),
        ("integer.hlsl", &integer),
        ("fewer.hlsl", &fewer),
        ("placed.hlsl", &placed),
        ("sky.vs.hlsl", vertex),
        ("sky.ps.hlsl", pixel),
    ]);
    for (file, sentence) in [
        (
            "order.hlsl",
            "input `float3 normal` (NORMAL) of `ps` in order.hlsl is number 0, the output of `vs` in order.hlsl",
        ),
        ("absent.hlsl", "input `float2 uv` (TEXCOORD1) of `ps` in absent.hlsl has no output in `vs` of absent.hlsl"),
        (
            "longer.hlsl",
            "input `float4 uv` (TEXCOORD) of `ps` in longer.hlsl does not match output `float2 uv` of `vs`",
        ),
        ("integer.hlsl", "input `float id` (ID) of `ps` in integer.hlsl does not match output `uint id` of `vs`"),
        ("sky.vs.hlsl sky.ps.hlsl", "input `float3 colour` (COLOR) of `main` in sky.ps.hlsl has no output in `main`"),
    ] {
        folder.run(&format!("show {file}")).exits(0).warns(&format!("warning: {sentence}"));
    }
    for file in ["fewer.hlsl", "placed.hlsl", "sky.vs.hlsl", "sky.ps.hlsl"] {
        let told = folder.run(&format!("show {file}")).exits(0);
        assert!(!told.err.contains("input `"), "{told}");
    }
}

/// WGSL, 14.4.1: a vec3f is aligned to 16 bytes.
#[test]
fn wgsl_memory_of_a_workgroup_is_shown_with_its_places() {
    let text = "struct Item { centre: vec3f, weight: f32, uv: vec2f }
var<workgroup> items: array<Item, 8>;
@compute @workgroup_size(1) fn main() { items[0].weight = 1.0; }
";
    let folder = Folder::with(&[("a.wgsl", text)]);
    let told = folder.run("show a.wgsl").exits(0);
    assert!(told.out.contains("var<workgroup> items"), "{told}");
    let shown = folder.run("show a.wgsl --format json").exits(0).json();
    let block = &shown["layouts"][0]["blocks"][0];
    assert_eq!((&block["reach"], &block["size"]), (&Value::from("workgroup-memory"), &Value::from(256)));
    let offsets: Vec<_> = block["members"].as_array().unwrap().iter().map(|member| &member["offset"]).collect();
    assert_eq!(offsets, [0, 0, 12, 16]);
}

/// A member that only the second file has is listed by its offset, not at the end.
#[test]
fn an_added_member_is_told_in_its_place() {
    let old = "struct L { float3 p; };\ncbuffer F { float4 a; float t; L l[2]; float z; };\n";
    let folder = Folder::with(&[("old.hlsl", old), ("new.hlsl", &old.replace("L l[2]", "float2 extra; L l[2]"))]);
    let answer = folder.run("diff old.hlsl new.hlsl d3d12").exits(1);
    let at =
        |start: &str| answer.out.lines().position(|line| line.trim_start_matches(['≠', '·', ' ']).starts_with(start));
    let places = ["float4 a", "float  t", "float2 extra", "L      l[2]", "float3 p"].map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {answer}");
}

/// glslang 12.0 gives the block 92 and 80 bytes: `glslangValidator -l`.
#[test]
fn blocks_with_scalar_arrays_or_pointers_have_better_orders() {
    let uniform =
        "layout(set=0, binding=0, std140) uniform B { float w; vec4 v; float k[2]; vec3 p; float q; vec3 r; } b;";
    let pointer = "layout(buffer_reference, std430) buffer Node { vec3 c; Node next; int ids[3]; };\n\
                   layout(push_constant) uniform Push { Node first; } push;";
    let text = |declared| {
        format!("#version 450\n#extension GL_EXT_buffer_reference : require\n{declared}\nvoid main() {{ }}\n")
    };
    let pointer = format!("layout(buffer_reference) buffer Node;\n{pointer}");
    let folder = Folder::with(&[("a.comp", text(uniform).as_str()), ("b.comp", text(&pointer).as_str())]);
    folder.run("show a.comp --padding").prints("Better 96 → 80 bytes (declared); no order is smaller");
    folder.run("show b.comp --padding").prints("Better 48 → 32 bytes (declared); no order is smaller");
}
