//! Tests of buffers of structs, as a whole and by their elements. Offsets and strides of the shader
//! are glslang 12's decorations of the same text (`spirv-dis`): `Counted` has `count` at 0 and
//! `spheres` at 16, whose elements are 32 bytes apart with `place` at 0, `radius` at 12 and
//! `material` at 16; `Vertex` has `place`, `normal` and `uv` at 0, 16 and 32, 48 bytes apart. Those
//! of the host are from GCC 12's debug information.

use super::compared;
use crate::Comparison;

const SPHERE: &str = "struct Sphere { float3 place; float radius; uint material; };";
const COUNTED: &str = "cbuffer Counted { uint count; Sphere spheres[]; };";
const HOST_SPHERE: &str = "{ 0 vec3 place 12 float radius 16 uint material 20 uint pad[3]/4 size 32 }";

fn words(comparison: &Comparison) -> Vec<String> {
    comparison.mismatches.iter().map(|mismatch| format!("{mismatch}; {}", mismatch.hint())).collect()
}

#[track_caller]
fn remarks(shader: &str, host: &str) -> Vec<String> {
    let comparison = compared("std430", shader, host);
    assert_eq!(words(&comparison), [""; 0], "{shader}\n{host}");
    comparison.remarks.iter().map(ToString::to_string).collect()
}

/// Asserts that the first mismatch contains `message`, and its hint `hint`.
#[track_caller]
fn differs(rules: &str, shader: &str, host: &str, message: &str, hint: &str) {
    let comparison = compared(rules, shader, host);
    let Some(first) = comparison.mismatches.first() else { panic!("{shader}\n{host}\nagree") };
    assert_eq!(first.to_string(), message, "{shader}\n{host}\n{:?}", words(&comparison));
    assert!(first.hint().contains(hint), "{shader}\n{host}\nhint: {}", first.hint());
    assert!(!words(&comparison).iter().any(|line| line.contains("alignas(48)")), "{:?}", words(&comparison));
}

/// `T x[]`, its old forms `T x[1]` and `T x[0]`, a fixed number of elements, another name.
#[test]
fn an_array_without_end_has_its_like_in_the_host() {
    let shader = format!("{SPHERE} {COUNTED}");
    for array in ["spheres[]/32 size 16", "spheres[1]/32 size 48", "spheres[0]/32 size 16", "spheres[64]/32 size 2064"]
    {
        assert_eq!(remarks(&shader, &format!("0 uint count 4 uint pad[3]/4 16 {HOST_SPHERE} {array}")), [""; 0]);
    }
    assert_eq!(remarks(&shader, &format!("0 uint count 16 {HOST_SPHERE} items[]/32 size 16")), [""; 0]);
    assert_eq!(remarks(&shader, &format!("0 uint count 16 {HOST_SPHERE} first size 48")), [""; 0]);
    // Numbers: the array of vectors of three has a stride of 16.
    let rates = "cbuffer Rates { uint4 settings; float3 rates[]; };";
    assert_eq!(remarks(rates, "0 uint settings[4]/4 16 vec4 rates[]/16 size 16"), [""; 0]);
    differs(
        "std430",
        rates,
        "0 uint settings[4]/4 16 vec3 rates[]/12 size 16",
        "array stride differs: `rates` has 16 bytes in the shader, 12 in the host",
        "declare `rates` as `float rates[][4]` in the host",
    );
}

#[test]
fn the_header_alone_agrees_and_that_is_said() {
    let shader = format!("{SPHERE} {COUNTED}");
    assert_eq!(
        remarks(&shader, "0 uint count 4 uint pad[3]/4 size 16"),
        ["the host struct covers only the part before the elements of `spheres`, which begin at byte 16"]
    );
    assert_eq!(
        remarks(&shader, "0 uint count size 4"),
        [
            "the host struct covers only the part before the elements of `spheres`: upload them at byte 16, not at 4, where the \
          struct ends"
        ]
    );
    // `n_rates` is the number of the rates, not a namesake of the array.
    let rates = "cbuffer Rates { uint4 settings; uint4 info; uint2 rates[]; };";
    let host = "0 uint frame[2]/4 8 uint rate[2]/4 16 uint max[2]/4 24 uint n_rates 28 uint _pad size 32";
    assert_eq!(
        remarks(rates, host),
        ["the host struct covers only the part before the elements of `rates`, which begin at byte 32"]
    );
    differs(
        "std430",
        &shader,
        "0 float count size 4",
        "class differs: `count` is an unsigned integer in the shader, a float in the host",
        "declare `count` as `uint32_t count` in the host",
    );
}

#[test]
fn faults_in_an_element_have_the_members_name() {
    let shader = format!("{SPHERE} {COUNTED}");
    differs(
        "std430",
        &shader,
        "0 uint count 16 { 0 vec3 place 12 uint material 16 float radius size 32 } spheres[]/32 size 16",
        "offset moved: the shader has `spheres[].radius` at byte 28, the host at byte 32",
        "move `spheres[].radius` before `spheres[].material` in the host",
    );
    differs(
        "std430",
        &shader,
        "0 uint count 16 { 0 vec3 place 12 float radius 16 uint material size 20 } spheres[]/20 size 16",
        "array stride differs: `spheres` has 32 bytes in the shader, 20 in the host",
        "insert 12 bytes at the end of `spheresStruct` or declare `spheresStruct` as `alignas(16)` in the host",
    );
    differs(
        "std430",
        &shader,
        "0 uint count 16 { 0 vec3 place 12 float radius 16 uint material size 20 } items[1]/20 size 36",
        "array stride differs: `spheres` has 32 bytes in the shader, 20 in the host",
        "insert 12 bytes at the end of `itemsStruct` or declare `itemsStruct` as `alignas(16)` in the host",
    );
}

/// The host fills a buffer that has only structs with the struct of its elements.
#[test]
fn elements_are_compared_with_the_struct_of_the_host() {
    let shader = format!("{SPHERE} cbuffer Spheres {{ Sphere spheres[]; }};");
    assert_eq!(remarks(&shader, "0 vec3 place 12 float radius 16 uint material 20 uint pad[3]/4 size 32"), [""; 0]);
    assert_eq!(remarks(&shader, &format!("0 {HOST_SPHERE} spheres[16]/32 size 512")), [""; 0]);
    assert_eq!(remarks(&shader, &format!("0 {HOST_SPHERE} all[16]/32 size 512")), [""; 0]);
    differs(
        "std430",
        &shader,
        "0 vec3 place 12 float radius 16 uint material size 20",
        "buffer stride differs: this block has 32 bytes in the shader, 20 in the host",
        "insert 12 bytes at the end of `engine::Frame` or declare `engine::Frame` as `alignas(16)` in the host",
    );
    differs(
        "std430",
        &shader,
        "0 uint material 4 vec3 place 16 float radius size 32",
        "offset moved: the shader has `place` at byte 0, the host at byte 4",
        "move `place` before `material`, then move `radius` before `material` in the host",
    );
    // DXC 1.7.2308, listing: a stride of 20. The host's alignment makes it 32.
    differs(
        "hlsl-structured",
        &format!("{SPHERE} StructuredBuffer<Sphere> spheres;"),
        "0 vec3 place 12 float radius 16 uint material size 32",
        "buffer stride differs: this block has 20 bytes in the shader, 32 in the host",
        "lower the alignment of `engine::Frame` to 4 bytes in the host",
    );
}

/// An alignment is a power of two; the hint suggests one only if it gives the stride.
#[test]
fn the_way_to_a_stride_is_one_that_compiles() {
    let shader = "struct Vertex { float3 place; float3 normal; float2 uv; }; cbuffer Vertices { Vertex mesh[]; };";
    let vertex = "0 vec3 place 16 vec3 normal 32 float uv[2]/4 size 40";
    differs(
        "std430",
        shader,
        &format!("0 {{ {vertex} }} mesh[3]/40 size 120"),
        "array stride differs: `mesh` has 48 bytes in the shader, 40 in the host",
        "insert 8 bytes at the end of `meshStruct` or declare `meshStruct` as `alignas(16)` in the host",
    );
    differs(
        "std430",
        shader,
        vertex,
        "buffer stride differs: this block has 48 bytes in the shader, 40 in the host",
        "insert 8 bytes at the end of `engine::Frame` or declare `engine::Frame` as `alignas(16)` in the host",
    );
    // Numbers have no type that could be aligned.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float weights[4]; };",
        "0 float weights[4]/4 size 16",
        "array stride differs: `weights` has 16 bytes in the shader, 4 in the host",
        "declare `weights` as `float weights[4][4]` in the host",
    );
}

/// The only struct in a block is compared by the names of its members.
#[test]
fn a_struct_in_a_block_is_looked_through() {
    let shader = "struct Data { float4x4 view; float4x4 model; float a; float b; }; cbuffer Wrap { Data data; };";
    let right = "0 mat4 view 64 mat4 model 128 float a 132 float b size 136";
    let comparison = compared("hlsl-cbuffer", shader, right);
    assert_eq!(words(&comparison), [""; 0]);
    differs(
        "hlsl-cbuffer",
        shader,
        "0 mat4 model 64 mat4 view 128 float a 132 float b size 136",
        "swapped names: `view` of the host fills `model` of the shader, and the other way round",
        "exchange `view` and `model` in the host",
    );
    let comparison = compared("hlsl-cbuffer", shader, &format!("0 {{ {right} }} data size 136"));
    assert_eq!(words(&comparison), [""; 0]);
    differs(
        "hlsl-cbuffer",
        shader,
        "0 { 0 mat4 model 64 mat4 view 128 float a 132 float b size 136 } data size 136",
        "swapped names: `data.view` of the host fills `data.model` of the shader, and the other way round",
        "exchange `data.view` and `data.model` in the host",
    );
}

/// DXC 1.7.2308, listing: `weights` at 16 and `exposure` at 36; `lights` at 48 with a stride of 32, `last` at 108.
#[test]
fn the_last_element_may_be_a_member_of_its_own() {
    let shader = "struct Light { float3 pos; float range; float3 color; };
        cbuffer Frame { float3 sun; float weights[2]; float exposure; Light lights[2]; float last; };";
    let host = |weights: &str, light: &str| {
        format!(
            "0 vec3 sun 16 vec4 weights[1]/16 {weights} 36 float exposure \
             48 {{ 0 vec3 pos 12 float range 16 vec3 color 28 u8 _pad[4]/1 size 32 }} lights[1]/32 80 {light} 108 float last size 112"
        )
    };
    let last = "{ 0 vec3 pos 12 float range 16 vec3 color size 28 } lights_last";
    let comparison = compared("hlsl-cbuffer", shader, &host("32 float weights_last", last));
    assert_eq!(words(&comparison), [""; 0]);
    // Another member is not a continuation, and one of another type is wrong.
    for (weights, light, message) in [
        ("32 float gain", last, "array count differs: `weights` has 2 elements in the shader, 1 in the host"),
        (
            "32 int weights_last",
            last,
            "class differs: `weights` is a float in the shader, a signed integer in the host",
        ),
        (
            "32 float weights_last",
            "{ 0 vec3 pos 12 float range 16 vec3 color size 28 } fog",
            "array count differs: `lights` has 2 elements in the shader, 1 in the host",
        ),
    ] {
        differs("hlsl-cbuffer", shader, &host(weights, light), message, "");
    }
}

/// DXC 1.7.2308, listing: `m` has columns at 16, 32, 48 and 64, and ends at 76; `w` has elements at 0 and 16, and ends
/// at 28.
#[test]
fn a_short_last_element_is_named() {
    for (shader, host, message, hint) in [
        (
            "cbuffer Frame { float a; float3x4 m; };",
            "0 float a 16 vec4 m[3]/16 64 vec2 m_last size 72",
            "size differs: member `m` has 60 bytes in the shader, 56 in the host",
            "declare `m_last` as `float m_last[3]` in the host",
        ),
        (
            "cbuffer Frame { float3 w[2]; };",
            "0 vec4 w[1]/16 16 vec2 w_last size 24",
            "size differs: member `w` has 28 bytes in the shader, 24 in the host",
            "declare `w_last` as `float w_last[3]` in the host",
        ),
        (
            "cbuffer Frame { float a; float3x4 m; };",
            "0 float a 16 vec4 m[3]/16 size 64",
            // As many vectors as the matrix has rows, and as long.
            "matrix order: `m` is 4 columns of 3 in the shader, 3 vectors of 4 in the host",
            "declare `m` as `row_major` in the shader",
        ),
    ] {
        differs("hlsl-cbuffer", shader, host, message, hint);
    }
}
