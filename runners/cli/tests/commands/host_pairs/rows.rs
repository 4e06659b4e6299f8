//! One struct of the host fills a block several times.

use super::{compile, folder_of, one_line, pairs};

/// `DiligentFX` has the cameras of two frames in one buffer.
#[test]
fn members_of_one_struct_are_several_of_the_hosts() {
    let shader =
        "struct Camera { float4x4 view; float3 eye; float near; }; cbuffer cbCamera { Camera now; Camera before; };";
    let host = |members: &str| format!("struct Camera {{ float view[16]; {members} }} c;");
    for (members, code, outcome) in
        [("float eye[3]; float near;", 0, "agree"), ("float near; float eye[3];", 1, "differ")]
    {
        let Some(folder) = folder_of(("a.hlsl", shader), &host(members)) else { return };
        let answer = folder.run("check a.hlsl host.o --format json").exits(code);
        assert_eq!(pairs(&answer), [format!("cbCamera Camera[2] {outcome}")]);
    }
    // Another thing with the name.
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Camera { float fov[20]; } c;") else { return };
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(4)), [""; 0]);
}

/// Magnum has a struct for each element of an array of matrices, and one for each dimension.
#[test]
fn elements_of_a_plain_array_are_structs_of_the_host() {
    let shader = "#version 450\nlayout(std140, binding = 0) uniform Transformation { mat4 matrices[4]; };\n\
                  layout(std140, binding = 1) uniform Projection { mat4 matrix; };\nvoid main() {}\n";
    let flat =
        "struct TransformationUniform2D { float matrix[12]; } t2; struct ProjectionUniform2D { float matrix[12]; } p2;";
    let solid =
        "struct TransformationUniform3D { float matrix[16]; } t3; struct ProjectionUniform3D { float matrix[16]; } p3;";
    let Some(folder) = folder_of(("a.vert", shader), &format!("{flat} {solid}")) else { return };
    let found = ["Transformation TransformationUniform3D[4] agree", "Projection ProjectionUniform3D agree"];
    assert_eq!(pairs(&folder.run("check a.vert host.o --format json").exits(0)), found);
}

/// Buffers of plain elements have bytes that a host fills, in each language. g++ 12: `Position` has 16 bytes.
#[test]
fn buffers_of_plain_elements_are_listed() {
    let host =
        "struct View { float planes[6][4], pos[3], near_; } v; struct alignas(16) Position { float x, y, z; } p;";
    let hlsl = "cbuffer View { float4 planes[6]; float3 pos; float near_; };\nStructuredBuffer<float4x4> mats;\n\
                StructuredBuffer<float3> positions;\nRWStructuredBuffer<uint> ids;";
    let Some(folder) = folder_of(("a.hlsl", hlsl), host) else { return };
    let wgsl = "struct View { planes: array<vec4f, 6>, pos: vec3f, near_: f32 }\n\
                @group(0) @binding(0) var<uniform> View_: View;\n@group(0) @binding(1) var<storage> mats: array<mat4x4f>;\n\
                @group(0) @binding(2) var<storage> positions: array<vec3f>;\n@group(0) @binding(3) var<uniform> tint: vec4f;\n";
    folder.write("a.wgsl", wgsl.as_bytes());
    for (file, others) in [("a.hlsl", ["mats", "positions", "ids"]), ("a.wgsl", ["mats", "positions", "tint"])] {
        let answer = folder.run(&format!("check {file} host.o --format json")).exits(0).json();
        assert_eq!((&answer["account"]["found"], &answer["account"]["compared"]), (&4.into(), &1.into()), "{file}");
        let answer = folder.run(&format!("check {file} host.o --strict")).exits(1);
        for name in others {
            assert!(one_line(&answer).contains(&format!("No match {name} ")), "{name}: {answer}");
        }
    }
    // DXC 1.7.2308: the elements are 12 bytes apart; in WGSL, 16.
    folder.run("check a.hlsl host.o --map positions=Position").exits(1).prints("! buffer stride differs");
    folder.run("check a.wgsl host.o --map positions=Position").exits(0);
}

/// What `show --format cpp` writes for an array that only the program ends is one element of it.
#[test]
fn written_elements_of_plain_arrays_agree() {
    let shader = "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer Mats { mat4 m[]; };\n\
                  layout(std430, binding = 1) buffer Vs { vec3 v[]; };\nlayout(std430, binding = 2) buffer Fs { float f[]; };\n\
                  layout(std430, binding = 3) buffer Half { mat3 h[]; };\nvoid main() { f[0] = m[0][0].x + v[0].x + h[0][0].x; }\n";
    let Some(folder) = folder_of(("a.comp", shader), "") else { return };
    let written = folder.run("show a.comp --format cpp").exits(0).out;
    folder.write("host.cpp", format!("{written}\nMats a; Vs b; Fs c; Half d;\n").as_bytes());
    assert!(compile(&folder, "host"));
    let answer = folder.run("check a.comp host.o --strict --format json").exits(0);
    let mut agreeing = pairs(&answer);
    agreeing.sort();
    assert_eq!(agreeing, ["Fs Fs[] agree", "Half Half[] agree", "Mats Mats[] agree", "Vs Vs[] agree"]);
    // Elements of another size are another array.
    folder.write("host.cpp", b"struct Vs { float value[3]; } v;");
    assert!(compile(&folder, "host"));
    folder.run("check a.comp host.o").exits(1);
}
