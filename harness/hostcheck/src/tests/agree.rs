//! Tests of correct structs in various declarations: they must raise no false alarm.

use super::compared;

#[track_caller]
fn agrees(rules: &str, shader: &str, host: &str) -> Vec<String> {
    let comparison = compared(rules, shader, host);
    let found: Vec<String> =
        comparison.mismatches.iter().map(|mismatch| format!("{mismatch}; {}", mismatch.hint())).collect();
    assert!(found.is_empty(), "{shader}\n{host}\n{found:#?}");
    comparison.remarks.iter().map(ToString::to_string).collect()
}

/// Constant buffers under `hlsl-cbuffer`, as DXC lays them out for D3D12.
#[test]
fn constant_buffers_without_a_mistake() {
    for (shader, host) in [
        // The same names and types.
        (
            "cbuffer Frame { float4x4 viewProj; float3 eye; float t; float2 jitter; uint frame; int mode; };",
            "0 mat4 viewProj 64 vec3 eye 76 float t 80 vec2 jitter 88 uint frame 92 int mode size 96",
        ),
        // Other naming conventions.
        (
            "cbuffer Frame { float4x4 view_proj; float3 Eye; float exposure; };",
            "0 mat4 m_viewProj 64 vec3 m_eye 76 float m_exposure size 80",
        ),
        // Bytes before names: a vector of four in place of a vector of three and a number.
        ("cbuffer Frame { float4 camPosNear; float4 b; };", "0 vec3 pos 12 float nearPlane 16 vec4 b size 32"),
        ("cbuffer Frame { float3 pos; float nearPlane; };", "0 vec4 camPosNear size 16"),
        // A vector of four fills the register of the last member.
        ("cbuffer Frame { float4 a; float3 b; };", "0 vec4 a 16 vec4 b size 32"),
        ("cbuffer Frame { float4 a; float b; };", "0 vec4 a 16 vec4 b size 32"),
        // A matrix as numbers, as an array of rows, as vectors.
        ("cbuffer Frame { float4x4 m; };", "0 float m[16]/4 size 64"),
        ("cbuffer Frame { float4x4 m; };", "0 vec4 rows[4]/16 size 64"),
        ("cbuffer Frame { float4x4 m; float t; };", "0 vec4 r0 16 vec4 r1 32 vec4 r2 48 vec4 r3 64 float t size 80"),
        // Vectors of four in place of packed scalars, and the other way round.
        ("cbuffer Frame { float4 weights[4]; };", "0 float weights[16]/4 size 64"),
        ("cbuffer Frame { float4 a; float4 b; };", "0 float v[8]/4 size 32"),
        // Padding that both sides declare, or only one.
        ("cbuffer Frame { float3 a; float _pad0; float4 b; };", "0 vec3 a 12 float pad 16 vec4 b size 32"),
        ("cbuffer Frame { float3 a; float4 b; };", "0 vec3 a 12 float _padding 16 vec4 b size 32"),
        ("cbuffer Frame { float3 a; float4 b; };", "0 vec3 a 16 vec4 b size 32"),
        ("cbuffer Frame { float a; float _pad[1]; float4 b; };", "0 float a 32 vec4 b size 48"),
        // An array of numbers, each in a register, in place of vectors or padded structs.
        ("cbuffer Frame { float a[4]; };", "0 vec4 a[4]/16 size 64"),
        ("cbuffer Frame { float a[2]; };", "0 { 0 float value 4 float pad[3]/4 size 16 } a[2]/16 size 32"),
        // A matrix of three columns, each in a register.
        ("cbuffer Frame { float3x3 n; float4 b; };", "0 float n[12]/4 48 vec4 b size 64"),
        ("cbuffer Frame { float3x3 n; float4 b; };", "0 vec4 n[3]/16 48 vec4 b size 64"),
        // Booleans as numbers, enums of four bytes, addresses.
        ("cbuffer Frame { bool on; uint mode; };", "0 int on 4 enum32 mode size 8"),
        ("cbuffer Frame { uint2 handle; };", "0 u64 handle size 8"),
        // Nested structs, and arrays of them.
        (
            "struct Light { float3 pos; float radius; float3 color; }; cbuffer Frame { Light lights[2]; float t; };",
            "0 { 0 vec3 pos 12 float radius 16 vec3 color size 32 } lights[2]/32 60 float t size 64",
        ),
        // Unions and anonymous structs.
        (
            "cbuffer Frame { float4 color; float t; };",
            "0 { union 0 vec4 color 0 float v[4]/4 size 16 } - 16 { 0 float t size 4 } - size 20",
        ),
        // The block is a prefix.
        ("cbuffer Frame { float4 a; };", "0 vec4 a 16 vec4 later 32 u64 cookie size 48"),
        // Structs with other names, and on one side only.
        (
            "struct P { float3 light; float glow; float3 sky; }; cbuffer Frame { float4 a; P params; };",
            "0 vec4 a 16 { 0 vec3 light 12 float glow 16 vec3 sky size 28 } p size 44",
        ),
        ("cbuffer Frame { float4 a; float4 b; };", "0 { 0 vec4 a 16 vec4 b size 32 } both size 32"),
        (
            "struct Sun { float3 color; float power; }; cbuffer Frame { Sun sun; float t; };",
            "0 vec3 sun_color 12 float sun_power 16 float t size 20",
        ),
        // One name of a struct elsewhere is no namesake: `x` of `place` is not `x`.
        (
            "cbuffer Frame { float x; float y; float4 place; };",
            "0 float left 4 float top 16 { 0 float x 4 float y 8 float z 12 float w size 16 } spot size 32",
        ),
        // Prefixes for types; a prefix is no convention if two names differ in nothing else.
        (
            "cbuffer Frame { int2 iSize; float fExposure; float uScale; float vScale; float4 vSun; };",
            "0 int size[2]/4 8 float exposure 12 float scaleU 16 float scaleV 32 vec4 sun size 48",
        ),
        ("cbuffer Frame { uint n_lights; uint lights; };", "0 uint nLights 4 uint lights size 8"),
    ] {
        agrees("hlsl-cbuffer", shader, host);
    }
}

#[test]
fn structured_buffers_without_a_mistake() {
    for (shader, host) in [
        (
            "struct P { float3 pos; float life; uint color; }; StructuredBuffer<P> ps;",
            "0 vec3 pos 12 float life 16 uint color size 20",
        ),
        ("struct P { uint color; float t; }; StructuredBuffer<P> ps;", "0 u8 rgba[4]/1 4 float t size 8"),
        (
            "struct P { float16_t2 uv; uint flags; }; StructuredBuffer<P> ps;",
            "0 u16 uv[2]/2 4 bits:32:8 layer 5 bits:40:24 mesh size 8",
        ),
        ("struct P { double d; float f; }; StructuredBuffer<P> ps;", "0 double d 8 float f size 16"),
    ] {
        agrees("hlsl-structured", shader, host);
    }
}

/// The vectors of the host tell the order of a matrix that is not square; numbers in a row tell nothing.
#[test]
fn rows_that_the_shader_declares_agree() {
    let shader = "struct Bone { row_major float3x4 rows; uint id; }; StructuredBuffer<Bone> bones;";
    let told = agrees("hlsl-structured", shader, "0 vec4 rows[3]/16 48 uint id size 52");
    assert_eq!(told, Vec::<String>::new());
    let told = agrees("hlsl-structured", shader, "0 float rows[12]/4 48 uint id size 52");
    assert_eq!(told, ["whether `rows` is transposed is not checked: debug information does not record it"]);
    let shader = "struct Bone { float3x4 columns; uint id; }; StructuredBuffer<Bone> bones;";
    let told = agrees("hlsl-structured", shader, "0 vec3 columns[4]/12 48 uint id size 52");
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn what_is_not_checked_is_said_once() {
    let shader = "cbuffer Frame { float4x4 a; float4x4 b; };";
    let remarks = agrees("hlsl-cbuffer", shader, "0 mat4 a 64 mat4 b size 128");
    assert_eq!(remarks, ["whether `a` and 1 more are transposed is not checked: debug information does not record it"]);
    let remarks = agrees("hlsl-cbuffer", "cbuffer Frame { uint a; float3 c; };", "0 int a 4 vec3 c size 16");
    assert_eq!(remarks, ["`a` is signed on one side and unsigned on the other"]);
    let remarks =
        agrees("hlsl-cbuffer", "cbuffer Frame { float3 a; float4 c; };", "0 vec3 a 12 float t 16 vec4 c size 32");
    assert_eq!(remarks, ["the shader does not read `t` of the host, at byte 12"]);
}

/// The shader does not read padding, whatever its type and size on each side.
#[test]
fn padding_of_another_type_raises_no_alarm() {
    let shader = "cbuffer Scene { float time; uint mode; uint lanes; float4 padding[2]; };";
    agrees("hlsl-cbuffer", shader, "0 float time 4 uint mode 8 uint lanes 12 uint padding[9]/4 size 48");
    agrees("hlsl-cbuffer", shader, "0 float time 4 uint mode 8 uint lanes 12 float padding size 48");
    let shader = "cbuffer Scene { float3 a; float _pad0; float4 b; };";
    agrees("hlsl-cbuffer", shader, "0 vec3 a 12 u8 _pad0[4]/1 16 vec4 b size 32");
}

/// Padding of any type, on one side or both, in the middle or at the end.
#[test]
fn padding_is_never_compared() {
    for (shader, host) in [
        ("cbuffer S { float a; float3 fPad; float4 b; };", "0 float a 4 uint pad[3]/4 16 vec4 b size 32"),
        ("cbuffer S { float a; bool _unused; float2 b; };", "0 float a 4 u8 _unused 8 vec2 b size 16"),
        ("cbuffer S { float3 a; float padding; };", "0 vec3 a size 12"),
        ("cbuffer S { float4 a; float4 m_vReserved[4]; };", "0 vec4 a 16 u64 m_reserved[8]/8 size 80"),
        (
            "cbuffer S { float4 a; uint2 dummy; uint2 b; };",
            "0 vec4 a 16 { 0 u8 x 1 u8 y size 8 } filler 24 uint b[2]/4 size 32",
        ),
        (
            "struct P { uint a : 8; uint pad : 8; uint b : 16; }; ConstantBuffer<P> p;",
            "0 bits:0:8 a 1 u8 pad 2 bits:16:16 b size 4",
        ),
    ] {
        agrees("hlsl-cbuffer", shader, host);
    }
    let remarks = agrees("hlsl-cbuffer", "cbuffer S { float3 a; float exposure; };", "0 vec3 a 12 float pad size 16");
    assert_eq!(remarks, ["the shader reads `exposure` where the host has only the padding `pad`"]);
}

/// DXC 1.7.2308 with `-HV 2021` and GCC 12 put the bits of these at the same places: `material` at bit 32, `sampler_` at 56.
#[test]
fn bit_fields_are_compared_by_their_bits() {
    let shader =
        "struct P { uint geometry; uint material : 24; uint sampler_ : 8; int instances; }; StructuredBuffer<P> p;";
    agrees(
        "hlsl-structured",
        shader,
        "0 uint geometry 4 bits:32:24 material 7 bits:56:8 sampler_ 8 int instances size 12",
    );
    // The same bits under other names, in a number of one byte, and packed by hand.
    let shader = "struct P { uint a : 8; uint b : 24; }; StructuredBuffer<P> p;";
    for host in ["0 bits:0:8 x 1 bits:8:24 y size 4", "0 u8 a 1 bits:8:24 b size 4", "0 uint packed size 4"] {
        agrees("hlsl-structured", shader, host);
    }
}

/// The shapes that slangc 2025 and 2026 write for matrices and arrays in SPIR-V and GLSL.
#[test]
fn wrappers_of_slangc_are_undone() {
    let storage = "struct _MatrixStorage_float4x4_ColMajorstd140 { float4 data[4]; };";
    let shader = format!("{storage} cbuffer S {{ _MatrixStorage_float4x4_ColMajorstd140 view; float t; }};");
    let remarks = agrees("hlsl-cbuffer", &shader, "0 mat4 view 64 float t size 68");
    assert_eq!(remarks, ["whether `view` is transposed is not checked: debug information does not record it"]);
    let shader =
        "struct _Array_std140_float4_2 { float4 data[2]; }; cbuffer S { _Array_std140_float4_2 sh; float t; };";
    agrees("hlsl-cbuffer", shader, "0 vec4 sh[2]/16 32 float t size 36");
    let shader = "struct Light { float3 place; float power; }; struct _Array_std140_Light_2 { Light data[2]; }; \
                  cbuffer S { _Array_std140_Light_2 lights; float t; };";
    agrees("hlsl-cbuffer", shader, "0 { 0 vec3 place 12 float power size 16 } lights[2]/16 32 float t size 36");
}

/// A stage's push constants, after those of another stage. The host pushes the struct at 12, as
/// `vkCmdPushConstants(..., 12, sizeof(Material), &material)` does.
#[test]
fn a_struct_may_be_pushed_at_an_offset() {
    let shader = "struct M { [[vk::offset(12)]] float roughness; [[vk::offset(16)]] float metallic; }; \
                  [[vk::push_constant]] M material;";
    for host in
        ["0 float roughness 4 float metallic size 8", "0 float m_roughness 4 float m_metallic 8 float more size 12"]
    {
        let remarks = agrees("scalar", shader, host);
        let start = "the host struct fills the bytes from 12 on: upload or push it at offset 12";
        assert!(remarks.iter().any(|remark| remark == start), "{remarks:?}");
    }
    // A struct with the members of both stages is pushed at 0.
    let remarks = agrees("scalar", shader, "0 vec3 offset 12 float roughness 16 float metallic size 20");
    assert_eq!(remarks, ["the shader does not read `offset` of the host, at byte 0"]);
}

#[test]
fn members_that_agree_by_bytes_alone_are_counted() {
    for (shader, host, count) in [
        ("cbuffer F { float4 camPosNear; float4 b; };", "0 vec3 pos 12 float nearPlane 16 vec4 b size 32", (2, 1)),
        ("cbuffer F { float3 a; float _pad; float4 b; };", "0 vec3 m_a 16 vec4 b size 32", (2, 0)),
        ("struct L { float3 a; float b; }; cbuffer F { L l; };", "0 float l[4]/4 size 16", (2, 0)),
        ("struct L { float3 a; float b; }; cbuffer F { L l; float t; };", "0 vec4 x 16 float y size 20", (3, 3)),
    ] {
        let comparison = compared("hlsl-cbuffer", shader, host);
        assert_eq!((comparison.members, comparison.members_by_bytes), count, "{shader}\n{host}");
    }
}

/// GCC 12 gives no member for an unnamed bit-field, nor for the padding of `alignas(16)`.
#[test]
fn a_vector_may_end_in_padding_without_a_name() {
    let shader = "cbuffer M { float4 color; float4 scaleShininessMaskReserved; };";
    let remarks = agrees("std140", shader, "0 vec4 color 16 float scale 20 float shininess 24 float mask size 32");
    assert_eq!(remarks, ["the last component of `scaleShininessMaskReserved` is padding without a name in the host"]);
    let remarks =
        agrees("std140", "cbuffer M { float4 color; float3 scales; };", "0 vec4 color 16 float x 20 float y size 32");
    assert_eq!(remarks, ["the last component of `scales` is padding without a name in the host"]);
}

/// More padding, or padding instead of half a vector, is a member that the host lacks.
#[test]
fn half_a_vector_is_no_padding() {
    for (member, host) in [
        ("float4 scaleReserved", "16 float scale size 32"),
        ("float4 scaleAndShininess", "16 float scale 20 float shininess size 32"),
        ("float3 scales", "16 float scale size 32"),
        ("float2 scaleAndShininess", "16 float scale size 32"),
    ] {
        let shader = format!("cbuffer M {{ float4 color; {member}; }};");
        let found = compared("std140", &shader, &format!("0 vec4 color {host}")).mismatches;
        assert_eq!(found.first().map(|found| found.kind.name()), Some("missing-in-host"), "{member} over {host}");
    }
}

/// Numbers that the host packs into the words of one member, padding among them.
#[test]
fn words_may_be_packed_by_hand() {
    let shader = "cbuffer D { uint4 materialObjectLightJoint; };";
    let host =
        "0 u16 material 2 u16 reserved 4 uint object 8 u16 light 10 u16 lights 12 u16 joint 14 u16 joints size 16";
    let remarks = agrees("std140", shader, host);
    assert!(remarks.iter().any(|remark| remark.contains("is stored as raw bits in")), "{remarks:?}");
}

/// What the shader reads of a component counts more than its type: it may take the bits as another kind of number, some of
/// them, or none.
#[test]
fn the_code_tells_what_a_component_is() {
    let raw = |member: &str, host: &str| {
        format!("`{member}` is stored as raw bits in `{host}`: their meaning is not checked")
    };
    let unread = |member: &str| {
        format!("no shader reads the components of `{member}` for which the host has padding or another kind of number")
    };
    for (declared, code, host, remarks) in [
        (
            "float4 offsetLayer",
            "asuint(offsetLayer.z) + offsetLayer.x",
            "0 vec2 offset 8 uint layer size 16",
            vec![raw("offsetLayer", "layer"), unread("offsetLayer")],
        ),
        (
            "float4 offsetLayer",
            "float4 copy = offsetLayer; return asint(copy.w)",
            "0 vec3 offset 12 int layer size 16",
            vec![raw("offsetLayer", "layer")],
        ),
        ("float layer", "asuint(layer)", "0 uint layer size 16", vec![raw("layer", "layer")]),
        (
            "uint4 idScale",
            "asfloat(idScale.y) + idScale.x + idScale.zw",
            "0 uint id 4 float scale 8 uint b 12 uint c size 16",
            vec![raw("idScale", "scale")],
        ),
        (
            "uint4 materialObject",
            "(materialObject.x & 0xffff) + materialObject.y + materialObject.zw",
            "0 u16 material 4 uint object 8 u16 a 10 u16 b 12 uint c size 16",
            vec![raw("materialObject", "a"), raw("materialObject", "material")],
        ),
        (
            "uint4 lightOther",
            "(lightOther.x >> 16) + lightOther.yzw",
            "2 u16 light 4 uint a 8 uint b 12 uint c size 16",
            vec![raw("lightOther", "light")],
        ),
        ("float4 maskReserved", "maskReserved.x", "0 float mask size 16", vec![unread("maskReserved")]),
        (
            "float4 masks[2]",
            "masks[1].x + masks[0].y",
            "0 { 0 float mask 4 float bias size 16 } masks[2]/16 size 32",
            vec![unread("masks")],
        ),
    ] {
        let code = if code.contains("return") { code.to_owned() } else { format!("return {code}") };
        let shader = format!("cbuffer B {{ {declared}; }}; float4 main() : SV_Target {{ {code}; }}");
        let mut found = agrees("std140", &shader, host);
        found.sort();
        let mut remarks = remarks;
        remarks.sort();
        assert_eq!(found, remarks, "{shader}");
    }
}

/// Nothing of what the shader reads may be missing or of another kind.
#[test]
fn what_the_code_reads_must_be_there() {
    for (declared, code, host, kind) in [
        (
            "float4 offsetLayer",
            "asuint(offsetLayer.w) + offsetLayer.z",
            "0 vec2 offset 8 uint layer 12 int w size 16",
            "class-differs",
        ),
        ("float4 offsetLayer", "uint(offsetLayer.z)", "0 vec2 offset 8 uint layer size 16", "class-differs"),
        ("uint4 flags", "flags.x & 1", "0 float flag 4 uint a 8 uint b 12 uint c size 16", "class-differs"),
        (
            "uint4 materialObject",
            "(materialObject.x & 0x1ffff) + materialObject.yzw",
            "0 u16 material 4 uint object 8 uint b 12 uint c size 16",
            "size-differs",
        ),
        (
            "uint4 materialObject",
            "materialObject",
            "0 u16 material 4 uint object 8 uint b 12 uint c size 16",
            "size-differs",
        ),
        ("float4 maskReserved", "maskReserved.x * maskReserved.y", "0 float mask size 16", "missing-in-host"),
        ("float4 maskReserved", "dot(maskReserved, 1)", "0 float mask size 16", "missing-in-host"),
        ("float4 mask", "1", "0 float other size 16", "missing-in-host"),
        // Names of padding fill space only if no code mentions them. In std140 an array takes steps of 16 bytes.
        ("float a; uint pad[2]", "a + pad[1]", "0 float a 4 uint pad[2]/4 size 12", "stride-differs"),
        ("float a; float reserved", "a + reserved", "0 float a size 4", "host-too-short"),
        ("float4 paddingColor", "1", "0 float a size 16", "missing-in-host"),
        ("float4x4 spareTransform; float a", "a", "0 float a size 16", "missing-in-host"),
    ] {
        let shader = format!("cbuffer B {{ {declared}; }}; float4 main() : SV_Target {{ return {code}; }}");
        let found = compared("std140", &shader, host).mismatches;
        assert_eq!(found.first().map(|found| found.kind.name()), Some(kind), "{shader} over {host}");
    }
}

/// A comparison of each member with all others would take minutes.
#[test]
fn thousands_of_elements_are_compared() {
    let shader =
        "struct L { float3 position; uint kind; float3 color; float range; }; cbuffer Frame { L lights[8000]; };";
    let host = "0 { 0 vec3 position 12 uint kind 16 vec3 color 28 float range size 32 } lights[8000]/32 size 256000";
    assert!(agrees("std140", shader, host).is_empty());
}
