//! `layoutproof diff` of compiled shaders with their sources, and of two versions of a source.
//!
//! `frame.spv` and `frame_zpr.spv` are DXC 1.7.4006's for `frame.hlsl`, `-T cs_6_0 -E main -spirv` without and with `-Zpr`;
//! `frame_slang.spv` is slangc 2026.14.1's for `frame.slang`, `-target spirv -O0`. `spirv-dis` lists their decorations.

use serde_json::{Value, json};

use super::folder::Folder;

const FRAME: &[u8] = include_bytes!("../files/diff/frame.spv");
const FRAME_ZPR: &[u8] = include_bytes!("../files/diff/frame_zpr.spv");
const FRAME_SLANG: &[u8] = include_bytes!("../files/diff/frame_slang.spv");

fn compiled() -> Folder {
    let sources = [
        ("frame.hlsl", include_str!("../files/diff/frame.hlsl")),
        ("frame.slang", include_str!("../files/diff/frame.slang")),
    ];
    let folder = Folder::with(&sources);
    for (name, bytes) in [("frame.spv", FRAME), ("zpr.spv", FRAME_ZPR), ("slang.spv", FRAME_SLANG)] {
        folder.write(name, bytes);
    }
    folder.write("bare.spv", &without_source(FRAME));
    folder
}

/// The module without `OpSource` and with an unknown generator.
fn without_source(module: &[u8]) -> Vec<u8> {
    const OP_SOURCE: u32 = 3;
    let words: Vec<u32> = module.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut kept = words[..5].to_vec();
    kept[2] = 0;
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let (own, next) = rest.split_at((first >> 16) as usize);
        if first & 0xffff != OP_SOURCE {
            kept.extend(own);
        }
        rest = next;
    }
    kept.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The members that differ, by block; a block that one side lacks has none.
fn differing(answer: &Value) -> Value {
    let blocks = answer["blocks"].as_array().unwrap().iter().filter(|block| block["differs"] == true);
    blocks.map(|block| json!([block["name"], block["differing"]])).collect()
}

/// HLSL's `column_major` matrices are `RowMajor` in SPIR-V, and its structured buffers are structs with an array.
#[test]
fn a_module_is_compared_in_the_terms_of_its_source() {
    let folder = compiled();
    folder.run("diff frame.hlsl vulkan frame.spv").exits(0).prints("Same frame.hlsl Vulkan · DXC and frame.spv");
    folder.run("diff frame.spv frame.hlsl --target vulkan").exits(0);
    folder.run("diff frame.slang vulkan slang.spv").exits(0);

    // With -Zpr, `view[0][1]` is at byte 4 and not at 16, as for `shadow`; `uv` says row_major itself.
    let moved = json!([["Frame", ["view"]], ["lights", ["shadow"]]]);
    for words in ["diff frame.hlsl vulkan zpr.spv", "diff frame.spv zpr.spv"] {
        let answer = folder.run(&format!("{words} --format json")).exits(1).json();
        assert_eq!(differing(&answer), moved, "{words}");
    }
    folder.run("diff frame.hlsl vulkan zpr.spv --matrix row").exits(0);
}

#[test]
fn a_module_that_names_no_source_language_is_uncertain() {
    let folder = compiled();
    let answer = folder.run("diff frame.hlsl vulkan bare.spv").exits(3);
    answer.prints("Uncertain frame.hlsl Vulkan · DXC and bare.spv: the SPIR-V does not say whether its source is HLSL");
    assert!(folder.run("diff frame.hlsl vulkan bare.spv --format json").exits(3).json()["uncertain"].is_string());
    folder.run("diff bare.spv frame.spv").exits(0);
}

/// An `int` that becomes a `float` is at the same byte, and another value; another register is another binding.
#[test]
fn types_and_registers_are_compared() {
    let old = "cbuffer A : register(b0) { float4 a; int kind; bool on; };";
    let new = "cbuffer A : register(b2) { float4 a; float kind; bool on; };";
    let moved = "cbuffer A : register(b2) { float4 a; int kind; bool on; };";
    let folder = Folder::with(&[("old.hlsl", old), ("new.hlsl", new), ("moved.hlsl", moved)]);
    let answer = folder.run("diff old.hlsl new.hlsl").exits(1);
    assert!(answer.out.contains("type int / float"), "{answer}");
    let answer = folder.run("diff old.hlsl new.hlsl d3d12 --format json").exits(1).json();
    assert_eq!(differing(&answer), json!([["A", ["kind"]]]));
    let answer = folder.run("diff old.hlsl moved.hlsl d3d12 --format json").exits(1).json();
    assert_eq!(
        (differing(&answer), &answer["bindings"]),
        (json!([]), &json!([{"path": "A", "left": "b0", "right": "b2"}]))
    );
    folder.run("diff old.hlsl moved.hlsl").exits(1).prints("≠ A bound at b0 / b2");
    folder.run("diff old.hlsl old.hlsl").exits(0);
}

/// A parameter that only one side has is a difference where no other one moves, too.
#[test]
fn parameters_of_one_side_are_told() {
    let block = "cbuffer A : register(b0) { float4 a; };";
    let wgsl = "struct G { a: vec4f }\n@group(0) @binding(0) var<uniform> g: G;\n";
    let folder = Folder::with(&[
        ("old.hlsl", block),
        ("new.hlsl", &format!("{block} Texture2D<float4> shadow : register(t5);")),
        ("old.wgsl", wgsl),
        ("new.wgsl", &format!("{wgsl}@group(1) @binding(3) var shadow: texture_2d<f32>;\n")),
    ]);
    for (words, place) in [("old.hlsl new.hlsl d3d12", "t5"), ("old.wgsl new.wgsl", "group 1 binding 3")] {
        let answer = folder.run(&format!("diff {words} --format json")).exits(1).json();
        assert_eq!(answer["bindings"], json!([{"path": "shadow", "left": null, "right": place}]), "{words}");
    }
    folder.run("diff new.hlsl old.hlsl").exits(1).prints("≠ shadow bound at t5 / –");
    folder.run("diff new.hlsl new.hlsl").exits(0);
}

/// A block that is compared with one of another name has its binding compared, too.
#[test]
fn a_renamed_block_keeps_its_binding() {
    let text = |name: &str| format!("cbuffer {name} : register(b1) {{ float4 a; }};");
    let folder = Folder::with(&[("old.hlsl", &text("A")), ("new.hlsl", &text("B"))]);
    folder.run("diff old.hlsl new.hlsl d3d12").exits(0);
}

/// Rule sets bind nothing, and bindings of a source and of a module are not compared, which the answer says.
#[test]
fn an_answer_without_bindings_says_so() {
    let folder = compiled();
    let answer = folder.run("diff frame.hlsl vulkan frame.spv").exits(0);
    answer.prints("Same frame.hlsl Vulkan · DXC and frame.spv; bindings are not compared");
    let answer = folder.run("diff frame.hlsl std430 frame.hlsl std430 --format json").json();
    assert!(answer.get("bindings").is_none(), "{answer}");
}

/// WGSL, 14.4.1: `time` ends at 128, where `exposure` is; the array after it begins at 144.
#[test]
fn padding_is_on_the_row_of_the_member_before_it() {
    let start = "struct G { camera: vec3f, time: f32,";
    let end = " lights: array<vec4f, 2> }\n@group(0) @binding(0) var<uniform> g: G;\n";
    let folder =
        Folder::with(&[("a.wgsl", &format!("{start}{end}")), ("b.wgsl", &format!("{start} exposure: f32,{end}"))]);
    let answer = folder.run("diff a.wgsl b.wgsl").exits(1);
    let line = |name: &str| {
        let line = answer.out.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {answer}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(line("time"), ["time:", "f32", "4", "12", "12"]);
    assert_eq!(line("exposure"), ["≠", "exposure:", "f32", "4", "0/12", "·", "16"]);
}

/// Macros of `--args` are on both sides; those of `-D` make the permutation.
#[test]
fn a_permutation_has_the_macros_of_the_arguments_on_both_sides() {
    let text =
        "#ifndef N\n#error N\n#endif\ncbuffer M { float a[N];\n#if MODE == 2\nfloat extra;\n#endif\nfloat4 b; };\n";
    let folder = Folder::with(&[("a.hlsl", text)]);
    let answer = folder.run_quoted("diff a.hlsl d3d12 a.hlsl d3d12 --args \"-D N=4 -D MODE=1\" -D MODE=2").exits(1);
    answer.prints("Differ a.hlsl D3D12 · DXC and a.hlsl -D MODE=2 D3D12 · DXC");
}

#[test]
fn compilers_without_a_target_get_a_spelling() {
    let folder = Folder::with(&[("a.hlsl", "float4 a;")]);
    folder.run("diff a.hlsl dxc slangc").exits(2).warns(
        "error: `dxc` is a compiler: name it after a target, as `layoutproof diff a.hlsl vulkan.dxc vulkan.slangc`",
    );
    folder.run("diff dxc slangc a.hlsl").exits(2).warns(
        "error: `dxc` is a compiler: name it after a target, as `layoutproof diff a.hlsl vulkan.dxc vulkan.slangc`",
    );
}

/// naga 30 puts each block that is no struct into one.
#[test]
fn a_file_in_wgsl_is_the_module_that_naga_makes_of_it() {
    let text = "struct Light { pos: vec3f, radius: f32, ids: array<u32, 2>, m: array<vec3f, 3> }\n\
                @group(0) @binding(0) var<storage> lights: array<Light>;\n\
                @group(0) @binding(1) var<storage, read_write> grid: array<vec3u, 6>;\n\
                @group(0) @binding(2) var<uniform> sun: Light2;\nstruct Light2 { tint: vec3f, power: f32 }\n\
                @compute @workgroup_size(1) fn main() { grid[0].x = u32(lights[0].radius + sun.power); }\n";
    let folder = Folder::with(&[("a.wgsl", text), ("b.wgsl", &text.replace("pos: vec3f,", "@size(32) pos: vec3f,"))]);
    folder.run("naga-spirv a.wgsl a.spv").exits(0);
    folder.run("diff a.wgsl a.spv").exits(0);
    folder.run("diff b.wgsl a.spv").exits(1);
}

/// std140 in HLSL and in GLSL: glslang 16.6 gives the block no size, DXC 1.7.2308 ends it at a register. Both are one layout.
#[test]
fn the_rounded_end_of_a_constant_block_is_no_difference() {
    let hlsl = "cbuffer A { float4x4 m; float3 a; float b; uint flags; };";
    let glsl = "#version 450\nlayout(std140, set = 0, binding = 0) uniform A { mat4 m; vec3 a; float b; uint flags; };\n\
                void main() {}\n";
    let folder = Folder::with(&[("a.hlsl", hlsl), ("a.frag", glsl), ("b.hlsl", &hlsl.replace("flags;", "flags[2];"))]);
    for words in ["a.hlsl vulkan a.frag", "a.frag a.hlsl vulkan"] {
        folder.run(&format!("diff {words}")).exits(0).prints("Same ");
    }
    folder.run("diff a.frag b.hlsl vulkan").exits(1);
}

/// Types are in the words of a language that both files have.
#[test]
fn members_are_in_the_words_of_both_files() {
    let wgsl = "struct P { a: vec3f, b: array<f32, 4> }\n@group(0) @binding(0) var<storage> p: P;\n";
    let glsl = "#version 450\nlayout(std430, binding = 0) buffer P { vec3 a; float b[4]; } p;\nvoid main() {}\n";
    let wide = |text: &str| text.replace("vec3", "vec4");
    let folder = Folder::with(&[("a.wgsl", wgsl), ("b.wgsl", &wide(wgsl)), ("a.frag", glsl), ("b.frag", &wide(glsl))]);
    // WGSL, 14.4.1, and GLSL 4.60, 7.6.2.2: the array begins at 12 and at 16.
    let answer = folder.run("diff a.wgsl b.wgsl").exits(1);
    assert!(answer.out.contains("b: array<f32, 4>") && answer.out.contains("type vec3<f32> / vec4<f32>"), "{answer}");
    assert!(answer.out.contains("var<storage> p"), "{answer}");
    let answer = folder.run("diff a.frag b.frag").exits(1);
    assert!(answer.out.contains("float b[4]") && answer.out.contains("type vec3 / vec4"), "{answer}");
    let answer = folder.run("diff a.wgsl b.frag").exits(1);
    assert!(answer.out.contains("type float3 / float4"), "{answer}");
}
