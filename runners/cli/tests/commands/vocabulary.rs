//! The words for targets, compilers and APIs, and the older ones that select the same.

use serde_json::{Value, json};

use super::folder::{Folder, keys};

/// Under each rule set `c` has another offset: 36 for D3D12, 48 for Vulkan, 20 when scalar (DXC 1.7.2308's listings).
const FILE: &str = "cbuffer S : register(b0) { float3 a; float b[2]; float c; };\n\
    RWStructuredBuffer<float> o : register(u1);\n\
    [numthreads(1, 1, 1)] void main() { o[0] = a.x + b[1] + c; }\n";

fn folder() -> Folder {
    Folder::without_drivers(&[("a.hlsl", FILE), ("b.hlsl", FILE)])
}

/// The layouts of a JSON answer.
fn layouts(folder: &Folder, words: &str) -> Value {
    folder.run(&format!("{words} --format json")).exits(0).json()["layouts"].clone()
}

#[test]
fn targets_select_the_rule_sets_of_their_compilers() {
    let folder = folder();
    for (targets, rules) in [
        ("vulkan/scalar", "native:dxc-spirv-scalar"),
        ("vulkan/dx", "native:dxc-spirv-dx"),
        ("vulkan/gl", "native:dxc-spirv-gl"),
        ("vulkan/c", "native:slang-vulkan-c"),
        ("vulkan/scalar --compiler slangc", "native:slang-vulkan-scalar"),
        ("d3d12,vulkan --used o", "native:dxc-dxil,native:dxc-spirv"),
        ("d3d12,vulkan --compiler slangc", "native:slang-d3d12,native:slang-vulkan"),
        ("vulkan,webgpu,metal", "native:dxc-spirv,native:slang-webgpu,native:slang-metal"),
    ] {
        let new = layouts(&folder, &format!("show a.hlsl --target {targets}"));
        assert_eq!(new, layouts(&folder, &format!("show a.hlsl --rules {rules}")), "{targets}");
    }
    let scalar = &layouts(&folder, "show a.hlsl --target vulkan/scalar")[0];
    let words = (&scalar["rules"], &scalar["target"], &scalar["compiler"]);
    assert_eq!(words, (&json!("native:dxc-spirv-scalar"), &json!("vulkan/scalar"), &json!("dxc")));
}

#[test]
fn older_words_select_the_same() {
    let folder = folder();
    for (older, newer) in [
        ("diff a.hlsl native:dxc-dxil native:dxc-spirv --format json", "diff a.hlsl d3d12 vulkan --format json"),
        (
            "diff a.hlsl native:dxc-spirv native:slang-vulkan-scalar --format json",
            "diff a.hlsl vulkan vulkan/scalar.slangc --format json",
        ),
        ("show a.hlsl --target d3d12 --convention dxc --format json", "show a.hlsl --target d3d12 --format json"),
        (
            "show a.hlsl --target d3d12 --convention slang --format json",
            "show a.hlsl --target d3d12 --compiler slangc --format json",
        ),
        (
            "run a.hlsl --rules std140 --producer rspirv --runner model",
            "run a.hlsl --rules std140 --compiler rspirv --api model",
        ),
        (
            "show a.hlsl --rules native:dxc-spirv-scalar --format rust",
            "show a.hlsl --target vulkan/scalar --format rust",
        ),
    ] {
        let [older, newer] = [older, newer].map(|words| {
            let answer = folder.run(words);
            // The first line of a run has its time.
            answer.out.lines().filter(|line| !line.starts_with("ok ")).collect::<Vec<_>>().join("\n")
        });
        assert!(!older.is_empty());
        assert_eq!(older, newer);
    }
}

#[test]
fn a_column_has_one_title_everywhere() {
    let folder = folder();
    let shown = folder.run("show a.hlsl --target d3d12,vulkan/scalar").exits(0);
    let shown = shown.prints("cbuffer S size pad D3D12 · DXC Vulkan · DXC (scalar)");
    // Layouts, then bindings.
    assert_eq!(shown.out.matches("D3D12 · DXC  Vulkan · DXC (scalar)\n").count(), 2, "{shown}");
    let json = folder.run("show a.hlsl --target d3d12,vulkan/scalar --format json").exits(0).json();
    assert_eq!(keys(&json), ["account", "layouts", "placements", "schema", "source", "warnings"]);
    let places = json["placements"].as_array().unwrap().iter().map(|place| (&place["target"], &place["compiler"]));
    let dxc = json!("dxc");
    assert_eq!(places.collect::<Vec<_>>(), [(&json!("d3d12"), &dxc), (&json!("vulkan"), &dxc)]);
    folder.run("diff a.hlsl d3d12 vulkan/scalar").exits(1).prints("Differ D3D12 · DXC and Vulkan · DXC (scalar)");
}

#[test]
fn what_the_build_passes_to_its_compiler_selects_columns() {
    let folder = Folder::without_drivers(&[("a.hlsl", "cbuffer S { float3 a; float b[N]; float c; };")]);
    let shown = folder.run("show a.hlsl --args=-Tps_6_0\t-spirv\t-fvk-use-scalar-layout\t-DN=2");
    shown.exits(0).prints("24 bytes · rules: Vulkan · DXC (scalar)").prints("float c 4 20");
    // Options that builds for several targets share.
    let shared =
        folder.run("show a.hlsl --target d3d12,vulkan --args=-Tps_6_0\t-fvk-use-scalar-layout\t-DN=2").exits(0);
    shared.prints("cbuffer S size pad D3D12 · DXC Vulkan · DXC (scalar)");
    let slang = folder.run("show a.hlsl --target vulkan --args=-target\tspirv\t-fvk-use-c-layout\t-DN=2").exits(0);
    slang.prints("24 bytes · rules: Vulkan · Slang (c)");
    let warned = folder.run("show a.hlsl --args=-Tps_6_0\t-DN=2\t-frobnicate").exits(0);
    let warned = warned.prints("40 bytes · padding 16 · rules: D3D12 · DXC").prints("float c 4 36 c2.y");
    assert!(warned.err.contains("warning: --args: `-frobnicate` is not known"), "{warned}");
    folder.run("show a.hlsl --args=-D").exits(2).warns("error: --args: `-D` has no value");
}

#[test]
fn a_target_selects_layouts_and_bindings_of_a_run() {
    let folder = folder();
    let answer = folder.run("run a.hlsl --target vulkan --bindings --device model -v").exits(0);
    let answer = answer.prints("Agree a.hlsl · vulkan.dxc · rspirv");
    let answer = answer.prints("Agree a.hlsl · relaxed140 · rspirv").prints("Agree a.hlsl · relaxed430 · rspirv");
    assert!(!answer.out.contains("std140"), "{answer}");
}

/// A program in place of DXC says which build it is.
#[cfg(unix)]
#[test]
fn a_build_is_named_by_its_file() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    for (name, version) in [("old", "1.7.2308.16"), ("new", "1.9.2602.17")] {
        folder.write(name, format!("#!/bin/sh\necho 'dxcompiler.dll: {version}'\n").as_bytes());
        set_permissions(folder.path(name), Permissions::from_mode(0o755)).unwrap();
    }
    let shown = folder.run("show a.hlsl --compiler dxc=./old,dxc=./new").exits(0);
    let titles = ["D3D12 · DXC 1.7.2308.16", "D3D12 · DXC 1.9.2602.17", "Vulkan · DXC 1.9.2602.17"];
    assert!(titles.iter().all(|title| shown.out.contains(title)), "{shown}");
    folder
        .run("show a.hlsl --compiler dxc=./none")
        .exits(3)
        .warns("error: compiler `dxc=./none`: ./none: no such file");
    folder.run("run a.hlsl --compiler dxc=./none").exits(3).warns("error: compiler `dxc=./none`: ./none: no such file");
    folder.run("show a.hlsl --compiler dxc=").exits(2);
}

#[test]
fn the_project_file_takes_the_same_words() {
    let folder = folder();
    for (older, newer) in [
        ("rules = [\"native:dxc-dxil\", \"native:dxc-spirv-scalar\"]", "target = [\"d3d12\", \"vulkan/scalar\"]"),
        ("rules = [\"native:slang-d3d12\"]", "target = \"d3d12\"\ncompiler = \"slangc\""),
        ("rules = [\"native:dxc-dxil\", \"native:dxc-spirv\"]", "compiler = \"dxc\""),
    ] {
        let shown = [older, newer].map(|words| {
            folder.write("layoutproof.toml", format!("schema = 1\n{words}\n").as_bytes());
            folder.run("show a.hlsl").exits(0).out
        });
        assert_eq!(shown[0], shown[1], "{newer}");
    }
    folder.write("layoutproof.toml", b"schema = 1\ntarget = [\"d3d12\", \"vulcan\"]\n");
    let answer = folder.run("show a.hlsl").exits(2);
    assert!(answer.err.contains("layoutproof.toml:2:10") && answer.err.contains("did you mean `vulkan`?"), "{answer}");
}

#[test]
fn files_accept_the_targets_of_their_own_language() {
    let folder = Folder::without_drivers(&[
        ("a.wgsl", "struct S { a: vec3f, b: f32 }\n@group(0) @binding(0) var<uniform> s: S;"),
        ("a.vert", "#version 450\nlayout(std140, binding = 0) uniform S { vec3 a; float b; } s;\nvoid main() {}"),
    ]);
    folder.run("show a.wgsl --target webgpu").exits(0);
    folder.run("show a.wgsl --target vulkan").exits(2);
    folder.run("show a.vert --target vulkan").exits(0);
    let opengl = folder.run("show a.vert --target opengl").exits(0);
    assert!(opengl.err.contains("the driver lays out the others"), "{opengl}");
}
