//! `__spirv__`, which DXC defines where it writes SPIR-V: each target is compared with its own branch.
//!
//! Authority: DXC 1.7.4006. `-T ps_6_6 -spirv`: `morph` at 4 with stride 4, `pad` at 24, `time` at 32; its listing of
//! `-T ps_6_6`: `morph` at 16 with stride 16, `pad` at 84, `time` at 96.

use super::super::folder::Folder;
use super::{compile, one_line};

const SKIN: &str = "struct Skin { uint count; float morph[5]; float2 pad; double time; };
#ifdef __spirv__
[[vk::push_constant]] Skin pc;
#else
ConstantBuffer<Skin> pc : register(b0);
#endif
";

/// The program has the bytes of the push constant, or of the constant buffer.
const PUSHED: &str = "struct Skin { unsigned count; float morph[5]; float pad[2]; double time; }; Skin skin;";
const BUFFER: &str = "struct Skin { unsigned count; alignas(16) float morph[4][4]; float morph_last; float pad[2]; \
                      alignas(16) double time; }; Skin skin;";

fn folder(host: &str, more: &[(&str, &str)]) -> Option<Folder> {
    let files: Vec<(&str, &str)> = [("skin.hlsl", SKIN), ("host.cpp", host)].iter().chain(more).copied().collect();
    let folder = Folder::with(&files);
    compile(&folder, "host").then_some(folder)
}

#[test]
fn all_ways_to_say_vulkan_define_it() {
    let Some(folder) = folder(PUSHED, &[]) else { return };
    for words in
        ["--target vulkan", "--args \"-T cs_6_6 -spirv\"", "--rules native:dxc-spirv", "-D __spirv__ --target vulkan"]
    {
        let answer = folder.run_quoted(&format!("check skin.hlsl host.o {words}")).exits(0);
        assert!(answer.out.contains("Agree pc") && !answer.err.contains("__spirv__"), "{words}\n{answer}");
    }
    for (key, value) in [("args", "-T cs_6_6 -spirv"), ("target", "vulkan"), ("rules", "native:dxc-spirv")] {
        let project =
            format!("schema = 1\nhost = [\"host.o\"]\n[[shader]]\nfiles = [\"skin.hlsl\"]\n{key} = \"{value}\"\n");
        folder.write("layoutproof.toml", project.as_bytes());
        for words in ["check", "check skin.hlsl host.o"] {
            let answer = folder.run(words).exits(0);
            assert!(answer.out.contains("Agree pc") && !answer.err.contains("__spirv__"), "{key} {words}\n{answer}");
        }
        let shown = folder.run("show skin.hlsl").exits(0);
        assert!(shown.out.contains("push_constant") && !shown.err.contains("__spirv__"), "{key}\n{shown}");
    }
}

#[test]
fn each_target_has_its_own_branch() {
    let Some(folder) = folder(PUSHED, &[]) else { return };
    for targets in ["d3d12,vulkan", "vulkan,d3d12"] {
        let answer = folder.run(&format!("check skin.hlsl host.o --target {targets}")).exits(1);
        let text = one_line(&answer);
        assert!(text.contains("Agree pc · Vulkan · DXC") && text.contains("Differ pc · D3D12 · DXC"), "{answer}");
        assert!(!answer.err.contains("__spirv__"), "{answer}");
    }
    let list = "schema = 1\nhost = [\"host.o\"]\n[[shader]]\nfiles = [\"skin.hlsl\"]\ntarget = \"d3d12,vulkan\"\n";
    folder.write("layoutproof.toml", list.as_bytes());
    let answer = folder.run("check").exits(1);
    let text = one_line(&answer);
    assert!(text.contains("Agree pc · Vulkan · DXC") && text.contains("Differ pc · D3D12 · DXC"), "{answer}");
    // Without a target, the language's usual one is compared, and a warning says what that means.
    folder.write("layoutproof.toml", b"schema = 1\n");
    folder.run("check skin.hlsl host.o").exits(1).warns("warning: `__spirv__` is not defined here, as for Direct3D");
}

/// Columns of one table have the branch of their compiler, or are left out. DXC 1.7.4006: `b` at 12 in D3D12's code, at 16
/// in SPIR-V; slangc 2026.14.1, which does not define the macro, has it at 12.
#[test]
fn columns_with_another_branch_are_not_shown() {
    let branches =
        "#ifdef __spirv__\ncbuffer A { float3 a; float2 b; };\n#else\ncbuffer A { float3 a; float b; };\n#endif\n";
    let same = "#ifdef __spirv__\n#define NAME 1\n#endif\ncbuffer A { float3 a; float b; };\n";
    let folder = Folder::with(&[("a.hlsl", branches), ("same.hlsl", same)]);
    let answer = folder.run("show a.hlsl").exits(0).warns("warning: `__spirv__` is not defined here, as for Direct3D");
    assert!(answer.out.contains("all agree: D3D12 · DXC, Vulkan · Slang"), "{answer}");
    let left_out = "Vulkan · DXC: the file declares other blocks there by `__spirv__`: --target vulkan shows them";
    answer.prints(&format!("1 of 1 block laid out; {left_out}"));
    // A column that the user names is missed.
    let answer = folder.run("show a.hlsl --rules native:dxc-dxil,native:dxc-spirv --format json").exits(2).json();
    assert_eq!(answer["account"]["open"], 1, "{answer}");
    let answer = folder.run("show a.hlsl --target vulkan --rules native:dxc-spirv --format json").exits(0).json();
    assert_eq!(answer["layouts"][0]["blocks"][0]["members"][1]["offset"], 16, "{answer}");
    // The branch changes no block, so there is nothing to warn of.
    let answer = folder.run("show same.hlsl").exits(0);
    assert!(answer.out.contains("all agree: D3D12 · DXC, Vulkan · DXC, Vulkan · Slang"), "{answer}");
    assert!(answer.err.is_empty(), "{answer}");
}

#[test]
fn the_other_branch_is_compared_with_direct3d() {
    let Some(folder) = folder(BUFFER, &[]) else { return };
    let answer = folder.run("check skin.hlsl host.o --target d3d12,vulkan").exits(1);
    let text = one_line(&answer);
    assert!(text.contains("Differ pc · Vulkan · DXC") && text.contains("Agree pc · D3D12 · DXC"), "{answer}");
}
