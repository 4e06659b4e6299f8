//! Blocks that a compiler's code has at other bytes than its rules: they are not compared, and each answer says so.
//!
//! Authority: DXC 1.7.4006, the decorations of `-T cs_6_6 -spirv` and the loads in the DXIL of `-T cs_6_6`, as vkd3d runs them.

use super::super::folder::Folder;
use super::{folder_of, one_line};

/// A block and the host struct with the bytes of the rules, the target, and what DXC does.
const ELSEWHERE: [[&str; 4]; 7] = [
    [
        "cbuffer Post { float4 tint; static const int TAPS = 4; float4 kernel[TAPS]; float gain; };",
        "struct Post { float tint[4]; float kernel[4][4]; float gain; };",
        "vulkan",
        "DXC's SPIR-V gives this static member space: `kernel` is at 32, not 16, `gain` is at 96, not 80",
    ],
    [
        "struct C { uint a; uint x : 8; uint y : 8; float z; }; StructuredBuffer<C> Post;",
        "struct C { unsigned a; unsigned x : 8; unsigned y : 8; float z; };",
        "vulkan",
        "the stride is 16, not 12",
    ],
    [
        "cbuffer Post { float2 a; float1x3 dir; float3x1 col; float w; };",
        "struct Post { float a[2]; float pad0[2]; float dir[9]; float col[3]; float w; };",
        "d3d12",
        "`col` is at 52, and DXC's code reads it at 48",
    ],
    [
        "cbuffer Post { float a; row_major float1x3 dir; float w; };",
        "struct Post { float a; float dir[3]; float w; };",
        "d3d12",
        "`dir` is at 4, and DXC's code reads it at 0",
    ],
    [
        "struct P { float q; float3x1 col; }; cbuffer Post { float4 a; P ps[2]; };",
        "struct P { float q; float col[3]; }; struct Post { float a[4]; P ps[2]; };",
        "d3d12",
        "`ps[].col` is at 20, and DXC's code reads it at 16",
    ],
    [
        "cbuffer Post { double2x2 m; };",
        "struct Post { double m[2][2]; };",
        "d3d12",
        "`m` has its second vector at 16, and DXC's code reads that at 32",
    ],
    [
        "cbuffer Post { float a; double1x1 m; };",
        "struct __attribute__((packed)) Post { float a; double m; };",
        "d3d12",
        "`m` is at 4, and DXC's code reads it at 0",
    ],
];

#[test]
fn what_a_compiler_has_elsewhere_never_agrees() {
    for [shader, host, target, says] in ELSEWHERE {
        let name = if host.contains("struct C ") { "C" } else { "Post" };
        let host = format!("{host}\n{name} variable;\n");
        let Some(folder) = folder_of(("post.hlsl", shader), &host) else { return };
        let answer = folder.run(&format!("check post.hlsl host.o --target {target}")).exits(4);
        assert!(one_line(&answer).contains(says), "{shader}\n{answer}");
        assert!(!answer.out.contains("Agree"), "{shader}\n{answer}");
        let shown = folder.run(&format!("show post.hlsl --target {target}")).exits(0);
        let warned = shown.err.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        // There, the name of the block is before that of the member.
        let says = says.split_once("` ").map_or(says, |(_, says)| says);
        assert!(warned.contains(says), "{shown}");
    }
}

/// The other target has the bytes of its rules, and so have such members where nothing moves.
#[test]
fn what_stays_at_its_place_is_compared() {
    let [shader, host, ..] = ELSEWHERE[0];
    let Some(folder) = folder_of(("post.hlsl", shader), &format!("{host}\nPost variable;\n")) else { return };
    folder.run("check post.hlsl host.o --target d3d12").exits(0).prints("Agree Post");
    let shader = "struct P { float4 q; float3x1 col; float3x3 m; }; StructuredBuffer<P> Post;";
    let host = "struct P { float q[4]; float col[3]; float m[3][3]; }; P variable;";
    let Some(folder) = folder_of(("post.hlsl", shader), host) else { return };
    folder.run("check post.hlsl host.o --target d3d12").exits(0).prints("Agree Post");
    let Some(folder) = folder_of(
        ("post.hlsl", "cbuffer Post { float4 a; float3x1 col; float w; };"),
        "struct Post { float a[4]; float col[3]; float w; }; Post variable;",
    ) else {
        return;
    };
    folder.run("check post.hlsl host.o --target d3d12").exits(0).prints("Agree Post");
}

#[test]
fn devices_prove_nothing_of_code_that_they_do_not_run() {
    let [shader, host, target, says] = ELSEWHERE[0];
    let Some(folder) = folder_of(("post.hlsl", shader), &format!("{host}\nPost variable;\n")) else { return };
    let answer = folder.run(&format!("check post.hlsl host.o --target {target} --run")).exits(4);
    assert!(one_line(&answer).contains(says) && !answer.out.contains("arrived"), "{answer}");
}

/// The generated structs have the bytes of the rules, and say where the code has others.
#[test]
fn generated_structs_carry_the_warning() {
    let folder = Folder::with(&[("post.hlsl", ELSEWHERE[0][0]), ("m.hlsl", ELSEWHERE[3][0])]);
    for format in ["cpp", "c", "rust", "ts"] {
        let answer = folder.run(&format!("show post.hlsl --target vulkan --compiler dxc --format {format}")).exits(0);
        answer
            .prints("// Warning: `Post.TAPS`: DXC's SPIR-V gives this static member space: `kernel` is at 32, not 16");
    }
    let answer = folder.run("show m.hlsl --target d3d12 --format cpp").exits(0);
    answer.prints("// Warning: `Post.dir`: is at 4, and DXC's code reads it at 0");
}
