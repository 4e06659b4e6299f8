//! Faults in the shape of a member come before the places that follow from them.

use super::{compile, folder_of};

/// A member that is too long is at fault, and not the one that it moves: GCC has `eye` at 128 after `float viewProj[2][16]`,
/// at 96 after `float viewProj[24]`, and `time` at 96 after `float eye[8]`.
#[test]
fn a_member_that_is_too_long_comes_before_the_one_that_it_moves() {
    let shader = "cbuffer PerFrame { float4x4 viewProj; float3 eye; float time; float4 fog[2]; float4 last; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "") else { return };
    for (members, path, size) in [
        ("float viewProj[2][16]; float eye[3], time, fog[2][4], last[4];", "viewProj", 128),
        ("float viewProj[24]; float eye[3], time, fog[2][4], last[4];", "viewProj", 96),
        ("float viewProj[16]; float eye[8]; float time, fog[2][4], last[4];", "eye", 32),
        ("float viewProj[16]; float eye[3], time, fog[2][8], last[4];", "fog", 0),
    ] {
        folder.write("host.cpp", format!("struct PerFrame {{ {members} }} f;").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.hlsl host.o --target d3d12 --format json").exits(1).json();
        let first = &answer["pairs"][0]["mismatches"][0];
        assert_eq!(first["path"], path, "{members}");
        if size > 0 {
            let message = first["message"].as_str().unwrap();
            assert!(message.starts_with("size differs") && message.contains(&size.to_string()), "{message}");
        }
    }
}
