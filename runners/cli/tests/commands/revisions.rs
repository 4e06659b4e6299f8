//! `layoutproof diff`: with a commit (`HEAD -- FILE`, `main...`), and what counts as a difference.

use super::folder::Folder;
use super::host_check::compiles;

const OLD: &str =
    "// What all draws of a frame share: the eye, and the light that is nearest to it. Others come with each draw.
#include \"../common/light.hlsli\"\ncbuffer Frame { float3 eye; Light light; };\n";
const LIGHT: &str = "struct Light { float3 place; float range; };\n";
const NEW_LIGHT: &str = "struct Light { float3 place; float2 range; };\n";

/// A repository with a commit of two shaders that include a file, which changed since; `None` without git.
fn repository() -> Option<Folder> {
    let other = "cbuffer Other { float4 a; };\n";
    let files = [("shaders/a.hlsl", OLD), ("shaders/b.hlsl", other), ("common/light.hlsli", LIGHT)];
    let folder = Folder::with(&files);
    let git = |words: &str| compiles(&folder, "git", words);
    let set_up = git("init -q -b main .")
        && git("add .")
        && git("-c user.name=Test -c user.email=test@example.org commit -q -m First")
        && git("checkout -q -b work");
    folder.write("common/light.hlsli", NEW_LIGHT.as_bytes());
    set_up.then_some(folder)
}

/// The text of the shader is the same; that of the file which it includes is not.
#[test]
fn a_file_is_compared_with_its_text_in_a_commit() {
    let Some(folder) = repository() else { return };
    let answer = folder.run("diff HEAD -- shaders/a.hlsl").exits(1);
    answer.prints("Differ HEAD:shaders/a.hlsl and shaders/a.hlsl under D3D12 · DXC, Vulkan · DXC, Vulkan · Slang");
    // DXC 1.7.2308, `-T ps_6_0`: `range` has 8 bytes and does not fit behind `place`.
    let answer = folder.run("diff HEAD shaders/a.hlsl d3d12 --format json").exits(1).json();
    assert!(answer.to_string().contains("light.range"), "{answer}");
    folder.run("diff HEAD -- shaders/b.hlsl").exits(0);
    let answer = folder.run("diff HEAD -- shaders/a.hlsl shaders/b.hlsl").exits(1);
    answer.prints("1 of 2 shaders differ; the same: 1, not compared: 0, on one side only: 0");
}

/// Headings leave room for the members: the end of a long name, or which of two states it is.
#[test]
fn long_names_of_files_keep_one_table() {
    let Some(folder) = repository() else { return };
    let answer = folder.run("diff HEAD shaders/a.hlsl d3d12").exits(1);
    assert!(answer.out.contains("pad      old     new\n"), "{answer}");
    let text = "cbuffer Frame { float3 eye; float exposure; };";
    folder.write("frame_constants_of_the_engine_v1.hlsl", text.as_bytes());
    folder.write("frame_constants_of_the_engine_v2.hlsl", text.replace("exposure", "gamma").as_bytes());
    let names = "frame_constants_of_the_engine_v1.hlsl frame_constants_of_the_engine_v2.hlsl";
    let answer = folder.run(&format!("diff {names} d3d12")).exits(1);
    let head = answer.out.lines().find(|line| line.ends_with("_v2.hlsl")).expect("a heading");
    assert!(head.contains("_v1.hlsl") && head.chars().count() <= 80, "{answer}");
}

#[test]
fn what_changed_since_a_branch_left_another_is_compared() {
    let Some(folder) = repository() else { return };
    // The shader that includes the changed file is the same text.
    let answer = folder.run("diff main...").exits(1);
    let answer = answer.prints("Differ main...:shaders/a.hlsl and shaders/a.hlsl under D3D12 · DXC");
    answer.prints("1 of 1 shaders differ; the same: 0, not compared: 0, on one side only: 0");
    folder.write("common/light.hlsli", LIGHT.as_bytes());
    folder.run("diff main...").exits(0).prints("no shader here changed since main..., and no file that one includes");
    folder.write("shaders/b.hlsl", b"cbuffer Other { float4 a; float b; };\n");
    let answer = folder.run("diff main...").exits(1);
    let answer = answer.prints("Differ main...:shaders/b.hlsl and shaders/b.hlsl");
    answer.prints("1 of 1 shaders differ; the same: 0, not compared: 0, on one side only: 0");
    std::fs::remove_file(folder.path("shaders/b.hlsl")).unwrap();
    folder.run("diff main...").exits(1).prints("only in main...: shaders/b.hlsl");
}

/// What a pull request says about the shaders that it changes.
#[test]
fn changes_are_told_in_markdown() {
    let Some(folder) = repository() else { return };
    let answer = folder.run("diff main... --format markdown").exits(1);
    let answer = answer
        .prints("### main...:shaders/a.hlsl and shaders/a.hlsl differ under D3D12 · DXC, Vulkan · DXC, Vulkan · Slang")
        .prints("| block | member | main...:shaders/a.hlsl | shaders/a.hlsl |")
        // DXC 1.7.2308, `-T ps_6_0` and `-spirv`: 12 + 8 bytes.
        .prints("| `Frame` | `light.range` | 28, 4 bytes, float | 32, 8 bytes, float2 |")
        .prints("1 of 1 shaders differ; the same: 0, not compared: 0, on one side only: 0");
    assert!(!answer.out.contains("shaders/b.hlsl"), "{answer}");
    folder.write("shaders/[b].hlsl", b"cbuffer Other { float4 a; };\n");
    assert!(compiles(&folder, "git", "add shaders"));
    folder.run("diff main... --format markdown").exits(1).prints("not in main...: shaders/\\[b\\].hlsl");
    folder.run("diff main... --format html").exits(2);
}

/// Two commits, a range, and a branch since it left another.
#[test]
fn two_commits_are_compared() {
    let Some(folder) = repository() else { return };
    let commit = "-c user.name=Test -c user.email=test@example.org commit -q -a -m Second";
    assert!(compiles(&folder, "git", commit));
    // What is in the working tree counts for neither.
    folder.write("common/light.hlsli", b"struct Light { float4 other; };\n");
    for words in
        ["main work -- shaders/a.hlsl", "main..work shaders/a.hlsl", "main...work", "HEAD~1 HEAD shaders/a.hlsl"]
    {
        let answer = folder.run(&format!("diff --target d3d12 {words}")).exits(1);
        // DXC 1.7.2308, `-T ps_6_0`.
        assert!(answer.out.contains("type float / float2") && !answer.out.contains("other"), "{words}: {answer}");
    }
    folder.run("diff work..work shaders/a.hlsl").exits(0).prints("Same work:shaders/a.hlsl and work:shaders/a.hlsl");
}

#[test]
fn words_that_are_no_commit_are_inputs() {
    let Some(folder) = repository() else { return };
    folder.run("diff shaders/a.hlsl shaders/b.hlsl d3d12").exits(1);
    let answer = folder.run("diff nothing -- shaders/a.hlsl").exits(2);
    assert!(answer.err.contains("nothing"), "{answer}");
    folder.write("shaders/new.hlsl", OLD.as_bytes());
    assert!(compiles(&folder, "git", "add shaders/new.hlsl"));
    let answer = folder.run("diff HEAD -- shaders/new.hlsl").exits(2);
    assert!(answer.err.contains("HEAD has no shaders/new.hlsl"), "{answer}");

    // git lists no difference for files that it does not track, or that the commit has elsewhere.
    folder.write("shaders/untracked.frag", b"#version 450\nvoid main() {}\n");
    folder.write(".gitignore", b"*.slang\n");
    folder.write("made.slang", OLD.as_bytes());
    for file in ["shaders/untracked.frag", "made.slang"] {
        for commit in ["HEAD", "main..."] {
            let answer = folder.run(&format!("diff {commit} -- {file}")).exits(2);
            assert!(answer.err.contains(&format!("{commit} has no {file}")), "{answer}");
        }
    }
    let answer = folder.run("diff HEAD -- shaders/b.hlsl made.slang").exits(1).prints("not in HEAD: made.slang");
    answer.prints("0 of 1 shaders differ; the same: 1, not compared: 0, on one side only: 1");
    for (words, said) in [
        ("HEAD -- shaders/c.hlsl", "error: HEAD is a commit, but `shaders/c.hlsl` is no file here"),
        ("HEAD shaders", "error: `shaders` is a folder: name files, or none for all shaders that changed since HEAD"),
        (
            "HEAD -- shaders/a.hlsl --target vulkan",
            "error: `--target` follows `--`, where options are names: write it before",
        ),
    ] {
        folder.run(&format!("diff {words}")).exits(2).warns(said);
    }
}

/// A renamed shader is compared with the commit's, and one that a commit includes is read there, whatever became of it.
#[test]
fn renamed_files_are_compared() {
    let Some(folder) = repository() else { return };
    folder.write("common/light.hlsli", LIGHT.as_bytes());
    assert!(compiles(&folder, "git", "mv common/light.hlsli common/lamp.hlsli"));
    let renamed = OLD.replace("light.hlsli", "lamp.hlsli");
    folder.write("shaders/a.hlsl", renamed.as_bytes());
    folder.run("diff HEAD -- shaders/a.hlsl").exits(0).prints("Same HEAD:shaders/a.hlsl and shaders/a.hlsl");
    assert!(compiles(&folder, "git", "mv shaders/a.hlsl a.hlsl"));
    assert!(compiles(&folder, "git", "mv common/lamp.hlsli light.hlsli"));
    let moved = OLD.replace("../common/", "").replace("float3 eye", "float4 eye");
    folder.write("a.hlsl", format!("{moved}// One more line.\n").as_bytes());
    let answer = folder.run("diff HEAD -- a.hlsl d3d12").exits(1);
    // DXC 1.7.2308, `-T ps_6_0`: `light` begins a register; `eye` had 12 bytes, and has 16.
    answer.prints("Differ HEAD:shaders/a.hlsl D3D12 · DXC and a.hlsl D3D12 · DXC");
    let answer = folder.run("diff HEAD").exits(1);
    answer.prints("1 of 1 shaders differ; the same: 0, not compared: 0, on one side only: 0");
}

/// A file that is added is not there for the commit, which reads the next one of that name.
#[test]
fn an_added_file_hides_none_of_the_commit() {
    let Some(folder) = repository() else { return };
    folder.write("common/light.hlsli", LIGHT.as_bytes());
    folder.write("shaders/a.hlsl", OLD.replace("../common/", "").as_bytes());
    let commit = "-c user.name=Test -c user.email=test@example.org commit -q -a -m Second";
    assert!(compiles(&folder, "git", commit));
    folder.write("shaders/light.hlsli", NEW_LIGHT.as_bytes());
    assert!(compiles(&folder, "git", "add shaders/light.hlsli"));
    folder.run("diff -I common HEAD d3d12 -- shaders/a.hlsl").exits(1).prints("type float / float2");
}

/// A member that only the branch of `__spirv__` has. DXC 1.7.4006, `-T ps_6_6 -spirv`: `gust` at 28, after the change at 24.
const V1: &str = "struct Push { float4 tint;
#ifdef __spirv__
float3 wind; float gust;
#endif
float end; }; [[vk::push_constant]] ConstantBuffer<Push> push;";

/// Two versions that differ in the branch of `__spirv__` alone.
fn versions() -> (Folder, String) {
    let new = V1.replace("float3 wind", "float2 wind");
    (Folder::with(&[("v1.hlsl", V1), ("v2.hlsl", &new)]), new)
}

#[test]
fn vulkan_reads_the_branch_of_spirv() {
    let (folder, _) = versions();
    for words in [
        "diff v1.hlsl v2.hlsl --target vulkan",
        "diff v1.hlsl v2.hlsl vulkan",
        "diff v1.hlsl v2.hlsl native:dxc-spirv",
        "diff v1.hlsl v2.hlsl --args \"-T cs_6_6 -spirv\"",
        "diff v1.hlsl v2.hlsl -D __spirv__ --target vulkan",
    ] {
        let answer = folder.run_quoted(words).exits(1);
        assert!(answer.out.contains("wind") && !answer.err.contains("__spirv__"), "{words}\n{answer}");
        assert!(!answer.out.contains("D3D12") && !answer.out.contains("Slang"), "{words}\n{answer}");
    }
    let answer = folder.run("diff v1.hlsl v2.hlsl --target d3d12").exits(0);
    assert!(!answer.err.contains("__spirv__"), "{answer}");
    // Without a target, each compiler has its own branch; slangc 2026.14.1 does not define the macro.
    let answer = folder.run("diff v1.hlsl v2.hlsl").exits(1);
    let answer =
        answer.prints("Differ v1.hlsl and v2.hlsl under Vulkan · DXC; the same under D3D12 · DXC, Vulkan · Slang");
    assert!(!answer.err.contains("__spirv__"), "{answer}");
    // One file under two targets.
    let answer = folder.run("diff v1.hlsl d3d12 vulkan").exits(1);
    assert!(answer.out.contains("wind") && !answer.err.contains("__spirv__"), "{answer}");
}

#[test]
fn commits_are_compared_under_the_target_of_an_option() {
    let (folder, new) = versions();
    let git = |words: &str| compiles(&folder, "git", words);
    let set_up = git("init -q -b main .")
        && git("add .")
        && git("-c user.name=Test -c user.email=test@example.org commit -q -m First");
    if !set_up {
        return;
    }
    folder.write("v1.hlsl", new.as_bytes());
    for words in ["diff HEAD --target vulkan", "diff HEAD v1.hlsl --target vulkan", "diff HEAD -- v1.hlsl vulkan"] {
        let answer = folder.run(words).exits(1);
        assert!(answer.out.contains("wind") && !answer.err.contains("__spirv__"), "{words}\n{answer}");
    }
    folder.run("diff HEAD --target d3d12").exits(0);
    for word in ["nosuch...", "HEAD~3", "HEAD^^"] {
        folder.run(&format!("diff {word}")).exits(2).warns(&format!("error: git knows no such commit here: {word}"));
    }
    folder.run("diff v1x v2x").exits(2).warns("error: neither `v1x` nor `v2x` is a file here");
}

/// What a name is bound to counts, not only where. The rules are those of the languages.
#[test]
fn another_resource_at_the_same_binding_is_a_difference() {
    let wgsl = |memory: &str, sampler: &str| {
        format!("@group(0) @binding(0) var<{memory}> u: vec4f;\n@group(0) @binding(1) var s: {sampler};\n")
    };
    let hlsl = |texture: &str, length: u32| {
        format!("{texture} t : register(t1); StructuredBuffer<float4> b[{length}] : register(t2);")
    };
    let folder = Folder::with(&[
        ("a.wgsl", &wgsl("uniform", "sampler")),
        ("memory.wgsl", &wgsl("storage", "sampler")),
        ("sampler.wgsl", &wgsl("uniform", "sampler_comparison")),
        ("a.hlsl", &hlsl("Texture2D", 4)),
        ("same.hlsl", &hlsl("Texture2D<float4>", 4)),
        ("cube.hlsl", &hlsl("TextureCube", 4)),
        ("longer.hlsl", &hlsl("Texture2D", 8)),
    ]);
    folder.run("diff a.wgsl memory.wgsl").exits(1).prints("≠ uniform buffer / storage buffer");
    folder.run("diff a.wgsl sampler.wgsl").exits(1).prints("≠ s var s: sampler / var s: sampler_comparison");
    folder.run("diff a.hlsl cube.hlsl d3d12").exits(1).prints("≠ t Texture2D t / TextureCube t");
    folder.run("diff a.hlsl longer.hlsl vulkan").exits(1).prints("≠ 4 buffers / 8 buffers");
    folder.run("diff a.hlsl same.hlsl").exits(0);
}

/// Files without a block and without a binding are not called the same.
#[test]
fn files_of_structs_alone_are_not_compared() {
    let folder =
        Folder::with(&[("a.hlsli", "struct S { float3 a; };"), ("b.hlsli", "struct S { float4x4 k; float3 a; };")]);
    let answer = folder
        .run("diff a.hlsli b.hlsli")
        .exits(4)
        .prints("nothing to compare: neither has a block or a binding; `show --type NAME` lays a struct out");
    assert!(!answer.out.contains("Same"), "{answer}");
}
