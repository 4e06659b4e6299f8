//! A struct that alone has the members of a block stays its struct, whatever mistake it gets.

use super::{compile, folder_of, pairs};

const SHADER: &str = "cbuffer PerFrame { float4x4 viewProj; float3 eye; float time; float4 fog; uint count; float2 jitter; }; \
                      struct Mat { float4 albedo; float rough; float metal; uint tex; uint flags; }; \
                      StructuredBuffer<Mat> materials;";

/// DXC has `viewProj` at 0, `eye` at 64, `time` at 76, `fog` at 80, `count` at 96 and `jitter` at 100. `offsetof` of GCC gives
/// 8 for `viewProj` after the pointer of a virtual function table, 104 for `jitter` after `pad`.
#[test]
fn a_mistake_that_moves_all_members_does_not_part_a_pair() {
    let Some(folder) = folder_of(("a.hlsl", SHADER), "") else { return };
    let rest = "float eye[3]; float time; float fog[4]; unsigned count; float jitter[2];";
    for (host, path) in [
        (format!("struct FrameData {{ virtual ~FrameData() {{}} float viewProj[16]; {rest} }} f;"), "viewProj"),
        (
            format!(
                "struct Base {{ virtual void f(); float x; }}; struct FrameData : Base {{ float viewProj[16]; {rest} }}; \
                 void Base::f() {{}} FrameData f;"
            ),
            "viewProj",
        ),
        (format!("struct FrameData {{ float *viewProj; {rest} }} f;"), "viewProj"),
        (
            format!("#include <vector>\nstruct FrameData {{ std::vector<float> viewProj; {rest} }};\nFrameData f;"),
            "viewProj",
        ),
        (
            "struct FrameData { float viewProj[16]; float (&eye)[3]; float time; float fog[4]; unsigned count; float jitter[2]; };\n\
             void g(FrameData *p) { p->time = 1; }"
                .to_owned(),
            "eye",
        ),
        (
            "struct Cam { float viewProj[16]; float eye[3]; float time; }; \
             struct FrameData { Cam cam; float fog[4]; unsigned count; unsigned pad; float jitter[2]; } f;"
                .to_owned(),
            "jitter",
        ),
    ] {
        folder.write("host.cpp", host.as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.hlsl host.o --target d3d12 --format json").exits(1);
        assert_eq!(pairs(&answer), ["PerFrame FrameData differ"], "{host}");
        assert_eq!(answer.json()["pairs"][0]["mismatches"][0]["path"], path, "{host}");
    }
    // Elements of a buffer.
    let rest = "float rough; float metal; unsigned tex; unsigned flags; } m;";
    for host in [
        format!("struct Material {{ float *albedo; {rest}"),
        format!("struct Material {{ virtual void q() {{}} float albedo[4]; {rest}"),
    ] {
        folder.write("host.cpp", host.as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.hlsl host.o --target d3d12 --format json").exits(1);
        assert_eq!(pairs(&answer), ["materials Material differ"], "{host}");
        assert_eq!(answer.json()["pairs"][0]["mismatches"][0]["path"], "albedo", "{host}");
    }
}

/// GCC puts `position` at 8, after the pointer; std430 has it at 0 of each element.
#[test]
fn elements_after_a_header_keep_their_struct() {
    let shader = "#version 450\nstruct Particle { vec3 position; float age; vec3 drift; float mass; };\n\
                  layout(std430, binding = 0) buffer Particles { uint count; Particle items[]; };\nvoid main() {}\n";
    let host = "struct Spark { virtual void f() {} float position[3], age, drift[3], mass; } s;";
    let Some(folder) = folder_of(("a.comp", shader), host) else { return };
    let answer = folder.run("check a.comp host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Particles Spark differ"]);
    assert_eq!(answer.json()["pairs"][0]["mismatches"][0]["path"], "position");
}

/// A class of the program with members of its own, one with few of the block's, one of two with all of them, and one whose
/// names many structs have: none of these is taken.
#[test]
fn classes_that_only_resemble_a_block_are_not_taken() {
    let shader = "cbuffer PerFrame { float4x4 viewProj; float3 eye; float time; float4 fog; uint count; float2 jitter; }; \
                  struct Point { float3 position; float size; float3 color; float time; }; StructuredBuffer<Point> points;";
    let Some(folder) = folder_of(("a.hlsl", shader), "") else { return };
    let all = "virtual void f() {} float viewProj[16]; float eye[3]; float time; float fog[4]; unsigned count; float jitter[2];";
    for host in [
        format!("struct Frame_ {{ {all} int id; bool dirty; }} f;"),
        "struct Camera { virtual void f() {} float viewProj[16]; float eye[3]; float time; } c;".to_owned(),
        format!("struct Frame1 {{ {all} }} f; struct Frame2 {{ {all} }} g;"),
        "struct Dot { virtual void f() {} float position[3]; float size; float color[3]; float time; } d;".to_owned(),
    ] {
        folder.write("host.cpp", host.as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.hlsl host.o --target d3d12 --format json").exits(4);
        assert!(pairs(&answer).is_empty(), "{host}");
    }
    // A struct that fits is uploaded, whatever the class next to it is.
    let plain = "float viewProj[16]; float eye[3]; float time; float fog[4]; unsigned count; float jitter[2];";
    folder.write("host.cpp", format!("struct Frame1 {{ {all} }} f; struct Frame2 {{ {plain} }} g;").as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.hlsl host.o --target d3d12 --format json").exits(0);
    assert_eq!(pairs(&answer), ["PerFrame Frame2 agree"]);
}
