//! `layoutproof show --format slang-json|slang-yaml` and `llvm|llvm-layout`, as users see them.
//!
//! The places are those of slangc 2026.14.1, `-target hlsl -profile sm_6_6 -reflection-json`.

use serde_json::json;

use super::folder::{Folder, keys};

const PROGRAM: &str = "struct View { float4x4 m; TextureCube sky; };\n\
    ConstantBuffer<View> view;\n\
    RWStructuredBuffer<float> result;\n\
    [shader(\"compute\")] [numthreads(8, 4, 1)]\n\
    void main() { result[0] = view.m[0][0]; }\n";

fn folder() -> Folder {
    Folder::without_drivers(&[
        ("a.slang", PROGRAM),
        ("a.wgsl", "@group(0) @binding(0) var<uniform> s: vec4f;\n"),
        ("vertex.slang", "[shader(\"vertex\")] float4 main(float3 normal : NORMAL) : SV_Position { return 1; }\n"),
        ("a.hlsl", "cbuffer C { float2 a; float3 b; };\n"),
    ])
}

const D3D: &str = "show a.slang --target d3d12 --convention slang --profile sm_6_6";

#[test]
fn the_json_is_that_of_slangc() {
    let answer = folder().run(&format!("{D3D} --format slang-json")).exits(0).json();
    assert_eq!(keys(&answer), ["bindlessSpaceIndex", "entryPoints", "parameters"]);
    let view = json!([{"kind": "constantBuffer", "index": 0}, {"kind": "shaderResource", "index": 0}]);
    assert_eq!(answer["parameters"][0]["bindings"], view);
    let entry = &answer["entryPoints"][0];
    assert_eq!((&entry["stage"], &entry["threadGroupSize"]), (&json!("compute"), &json!([8, 4, 1])));
    let used: Vec<_> = entry["bindings"][0]["bindings"].as_array().unwrap().iter().map(|it| &it["used"]).collect();
    assert_eq!(used, [1, 1], "slangc counts all that a buffer takes as used where its bytes are");
}

#[test]
fn yaml_is_that_of_the_guide() {
    let yaml = format!("{D3D} --format slang-yaml");
    folder().run(&yaml).exits(0).prints("- name: \"view\"").prints("unit: ConstantBuffer # constant buffer slots");
    folder().run(&yaml).exits(0).prints("matrix layout mode: COLUMN_MAJOR");
    folder().run(&format!("{yaml} --matrix row")).exits(0).prints("matrix layout mode: ROW_MAJOR");
}

/// Slang user guide, Using the Reflection API, Varying Parameters.
#[test]
fn entry_points_alone_are_a_program() {
    let answer = folder().run("show vertex.slang --target vulkan --convention slang --format slang-json").exits(0);
    let normal = &answer.json()["entryPoints"][0]["parameters"][0];
    assert_eq!((&normal["semanticName"], &normal["binding"]["kind"]), (&json!("NORMAL"), &json!("varyingInput")));
}

#[test]
fn other_questions_have_no_such_answer() {
    for (words, reason) in [
        ("a.slang", "error: reflection needs exactly one target"),
        ("a.slang --target d3d12 --convention dxc", "error: dxc has no such reflection"),
        ("a.slang --target d3d12 --convention slang,slang-documented", "error: reflection needs exactly one target"),
        ("a.wgsl --target d3d12 --convention slang", "error: a.wgsl declares its own layout"),
        ("a.slang a.hlsl --target d3d12", "error: reflection is written for one file: name one"),
        ("a.slang --target d3d12 --padding", "error: reflection follows Slang's rules: leave --rules,"),
    ] {
        folder().run(&format!("show {words} --format slang-json")).exits(2).warns(reason);
    }
}

/// wg-hlsl, Types with explicit layouts in DXIL and SPIR-V; Clang 22.1.8.
#[test]
fn layouts_are_llvm_types() {
    let padded = "%__cblayout_C = type <{ <2 x float>, target(\"dx.Padding\", 8), <3 x float> }>";
    folder().run("show a.hlsl --format llvm").exits(0).prints(padded);
    let layout = "target(\"dx.Layout\", { <2 x float>, <3 x float> }, 28, 0, 16)";
    folder().run("show a.hlsl --format llvm-layout").exits(0).prints(layout);
    folder().run("show a.hlsl --format llvm-seed").exits(0).prints(layout);
    let spirv = "target(\"spirv.Layout\", { <2 x float>, <3 x float> }, 32, 0, 16)";
    folder().run("show a.hlsl --format llvm-layout --rules std140").exits(0).prints(spirv);
    folder().run("show a.hlsl --format llvm --padding").exits(2);
}
