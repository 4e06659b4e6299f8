//! One struct of the host fills a block several times.

use super::{folder_of, pairs};

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
