//! Tests of common mistakes, each with its message and hint.

use super::compared;
use crate::{Mismatch, SideMember};

/// The first mismatch must have this message and hint, and this number of followers.
#[track_caller]
fn differs(rules: &str, shader: &str, host: &str, words: &str, hint: &str, followers: u32) {
    let comparison = compared(rules, shader, host);
    let Some(first) = comparison.mismatches.first() else { panic!("{shader}\n{host}\nagree") };
    assert_eq!(first.to_string(), words, "{shader}\n{host}");
    assert!(first.hint().contains(hint), "{shader}\n{host}\nhint: {}", first.hint());
    let more: Vec<String> = comparison.mismatches[1..].iter().map(ToString::to_string).collect();
    assert!(more.is_empty(), "{shader}\n{host}\n{more:#?}");
    assert_eq!(first.followers, followers, "{shader}\n{host}");
}

/// Offsets of the shader are those of DXC for D3D12 (`hlsl-cbuffer`).
#[test]
fn members_that_have_moved() {
    // A vector of three that takes 16 bytes in C++; the shader packs a number right after it.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4x4 m; float3 eye; float t; float2 jitter; float4 b; };",
        "0 mat4 m 64 vec4 eye 80 float t 84 vec2 jitter 96 vec4 b size 112",
        "offset moved: the shader has `t` at byte 76, the host at byte 80",
        "declare `eye` as `float eye[3]`, then declare `b` as `alignas(16)` or insert 8 bytes before `b` in the host",
        1,
    );
    // A vector of three that must not straddle a register in the shader.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float2 jitter; float3 sunDir; float exposure; };",
        "0 vec2 jitter 8 vec3 sunDir 20 float exposure size 24",
        "offset moved: the shader has `sunDir` at byte 16, the host at byte 8",
        "declare `sunDir` as `alignas(16)` or insert 8 bytes before `sunDir` in the host",
        1,
    );
    // A double that C++ and Slang's scalar layout align to 8; DXC packs nothing before it either.
    differs(
        "scalar",
        "struct S { float a; float b; float c; double d; float e; }; StructuredBuffer<S> s;",
        "0 float a 4 float b 8 float c 12 double d 20 float e size 24",
        "offset moved: the shader has `d` at byte 16, the host at byte 12",
        "insert 4 bytes before `d`",
        1,
    );
    // A nested struct starts a register.
    differs(
        "hlsl-cbuffer",
        "struct Fog { float density; float start; }; cbuffer Frame { float t; Fog fog; };",
        "0 float t 4 { 0 float density 4 float start size 8 } fog size 12",
        "offset moved: the shader has `fog` at byte 16, the host at byte 4",
        "declare `fog` as `alignas(16)` or insert 12 bytes before `fog` in the host",
        2,
    );
    // A member that only the host has.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4 a; float b; float c; };",
        "0 vec4 a 16 float extra 20 float b 24 float c size 28",
        "offset moved: the shader has `b` at byte 16, the host at byte 20",
        "remove `extra` in the host",
        1,
    );
    // A member that only the shader has, before a struct that begins with another, and in one.
    differs(
        "hlsl-cbuffer",
        "struct Curve { int mode; float gray; }; struct Tone { Curve curve; float2 white; float4 more; };
         cbuffer Frame { float4 a; float4 extra; Tone tone; float4 b; };",
        "0 vec4 a 16 { 0 { 0 int mode 4 float gray size 8 } curve 8 vec2 white 16 vec4 more size 32 } tone 48 vec4 b size 64",
        "missing in host: the shader reads `extra` at byte 16, where the host has `tone.curve`",
        "add `float extra[4]` before `tone` in the host",
        5,
    );
    differs(
        "hlsl-cbuffer",
        "struct Tone { int mode; float gray; float2 white; }; cbuffer Frame { float4 a; Tone tone; float4 b; };",
        "0 vec4 a 16 { 0 float gray 4 vec2 white size 12 } tone 32 vec4 b size 48",
        "missing in host: the shader reads `tone.mode` at byte 16, where the host has `tone.gray`",
        "add `int32_t mode` before `tone.gray` in the host",
        2,
    );
    // A member that only the shader has.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4 a; float extra; float b; float c; };",
        "0 vec4 a 16 float b 20 float c size 24",
        "missing in host: the shader reads `extra` at byte 16, where the host has `b`",
        "add `float extra` before `b` in the host",
        2,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4 a; float4 b; };",
        "0 vec4 a size 16",
        "missing in host: the shader reads `b` up to byte 32, but the host struct has 16 bytes",
        "add `float b[4]` at the end of the struct in the host",
        0,
    );
    differs(
        "hlsl-cbuffer",
        "struct S { float e; float f; }; cbuffer Frame { float4 a; float4 b; float c; S d; };",
        "0 vec4 a size 16",
        "missing in host: the shader reads `b` up to byte 32, but the host struct has 16 bytes",
        "add `float b[4]` at the end of the struct, then add `float c` at the end of the struct, then",
        3,
    );
    // The same members, of other types, in another order.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float3 dir; float power; float4 c; };",
        "0 float power 4 vec3 dir 16 vec4 c size 32",
        "offset moved: the shader has `dir` at byte 0, the host at byte 4",
        "move `dir` before `power` in the host",
        1,
    );
}

/// Each hint counts from the place to which earlier repairs move the member.
///
/// DXC puts `weights` at 16 with a stride of 16, so that its second element ends at 36, and
/// `exposure` at 36. The host has `float sun[3]` up to 12, `float weights[2][4]` from 12 to 44, and
/// `exposure` at 44. After the first hint moves `weights` to 16, it ends at 48 and `exposure` is
/// there: 48 - 36 = 12 bytes too late, not 44 - 36 = 8.
#[test]
fn a_hint_counts_from_the_repair_before_it() {
    let comparison = compared(
        "hlsl-cbuffer",
        "cbuffer Scene { float3 sun; float weights[2]; float exposure; };",
        "0 float sun[3]/4 12 vec4 weights[2]/16 44 float exposure size 48",
    );
    let found: Vec<String> = comparison.mismatches.iter().map(ToString::to_string).collect();
    let expected = [
        "offset moved: the shader has `weights` at byte 16, the host at byte 12",
        "offset moved: the shader has `exposure` at byte 36, the host at byte 44",
    ];
    assert_eq!(found, expected);
    let hints: Vec<String> = comparison.mismatches.iter().map(Mismatch::hint).collect();
    assert!(hints[0].contains("insert 4 bytes before `weights`"), "{hints:?}");
    assert_eq!(hints[1], "declare `weights` as `alignas(16) float weights[1][4]` and `float weights_last` in the host");
}

#[test]
fn names_that_are_swapped() {
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4x4 view; float4x4 proj; float4 c; };",
        "0 mat4 m_proj 64 mat4 m_view 128 vec4 c size 144",
        "swapped names: `view` of the host fills `proj` of the shader, and the other way round",
        "exchange `m_view` and `m_proj` in the host",
        0,
    );
}

/// Each pair of names is exchanged in the host. The names differ by prefixes for their types, are in
/// a struct on one side only, or in structs with other names.
#[test]
fn names_are_compared_within_the_nearest_struct() {
    for (shader, host, words) in [
        (
            "cbuffer Frame { int2 iRenderSize; int2 iDisplaySize; };",
            "0 int displaySize[2]/4 8 int renderSize[2]/4 size 16",
            "`iRenderSize` of the host fills `iDisplaySize`",
        ),
        (
            "cbuffer Frame { float fPreExposure; float fTanHalfFov; };",
            "0 float m_tanHalfFov 4 float m_preExposure size 8",
            "`fPreExposure` of the host fills `fTanHalfFov`",
        ),
        ("cbuffer Frame { float4 vSun; float4 vMoon; };", "0 vec4 moon 16 vec4 sun size 32", "`vSun` of the host"),
        ("cbuffer Frame { float4 sun; float4 moon; };", "0 vec4 m_vMoon 16 vec4 m_vSun size 32", "`sun` of the host"),
        // Nested in the host.
        (
            "cbuffer Config { uint width; uint height; uint path_base; uint tag_base; };",
            "0 uint width 4 uint height 8 { 0 uint tag_base 4 uint path_base size 8 } layout size 16",
            "`path_base` of the host fills `tag_base`",
        ),
        (
            "cbuffer Frame { float4 a; float4 b; };",
            "0 { 0 vec4 b 16 vec4 a size 32 } both size 32",
            "`a` of the host fills `b`",
        ),
        (
            "cbuffer Frame { float3 sunColor; float x; float3 sunPlace; };",
            "0 { 0 vec3 place 12 float x 16 vec3 color size 28 } sun size 28",
            "`sunColor` of the host fills `sunPlace`",
        ),
        // Nested in the shader.
        (
            "struct Bases { uint path_base; uint tag_base; }; cbuffer Config { uint2 size; uint2 more; Bases bases; };",
            "0 uint size[2]/4 8 uint more[2]/4 16 uint tag_base 20 uint path_base size 24",
            "`bases.path_base` of the host fills `bases.tag_base`",
        ),
        // Under other names.
        (
            "struct Params { float3 light; float glow; float3 sky; float dark; }; cbuffer Sky { float4 world; Params params; };",
            "0 vec4 world 16 { 0 vec3 sky 12 float glow 16 vec3 light 28 float dark size 32 } p size 48",
            "`params.light` of the host fills `params.sky`",
        ),
        (
            "struct Lamp { float4 place; float4 color; }; cbuffer Scene { Lamp lamps[2]; };",
            "0 { 0 vec4 color 16 vec4 place size 32 } lights[2]/32 size 64",
            "`lamps[].place` of the host fills `lamps[].color`",
        ),
    ] {
        let comparison = compared("hlsl-cbuffer", shader, host);
        let found: Vec<String> = comparison.mismatches.iter().map(ToString::to_string).collect();
        assert!(found.first().is_some_and(|first| first.contains(words)), "{shader}\n{host}\n{found:#?}");
        assert!(found.iter().all(|found| found.starts_with("swapped names")), "{shader}\n{host}\n{found:#?}");
    }
}

/// Bits of fields with one name and with other names.
#[test]
fn bit_fields_that_have_other_bits() {
    let shader = "struct P { uint a : 8; uint b : 24; }; StructuredBuffer<P> p;";
    for host in [
        "0 bits:0:16 a 2 bits:16:16 b size 4",
        "0 bits:0:4 x 0 bits:4:4 y 1 bits:8:24 b size 4",
        "0 bits:0:24 a 3 bits:24:8 b size 4",
        "0 bits:0:24 b 3 bits:24:8 a size 4",
    ] {
        let comparison = compared("hlsl-structured", shader, host);
        let kinds: Vec<&str> = comparison.mismatches.iter().map(|mismatch| mismatch.kind.name()).collect();
        assert!(matches!(kinds.first(), Some(&"bits-differ" | &"offset-moved")), "{host}: {kinds:?}");
    }
    let host = "0 bits:0:16 a 2 bits:16:16 b size 4";
    let first = &compared("hlsl-structured", shader, host).mismatches[0];
    assert_eq!(first.to_string(), "bit-field: `a` has bits 0 to 7 in the shader, bits 0 to 15 in the host");
}

#[test]
fn a_struct_pushed_at_an_offset_has_its_faults() {
    let shader = "struct M { [[vk::offset(12)]] float roughness; [[vk::offset(16)]] float metallic; }; \
                  [[vk::push_constant]] M material;";
    differs(
        "scalar",
        shader,
        "0 float roughness 4 float more 8 float metallic size 12",
        "offset moved: the shader has `metallic` at byte 16, the host at byte 20",
        "remove `more` in the host",
        0,
    );
    differs(
        "scalar",
        shader,
        "0 float roughness size 4",
        "missing in host: the shader reads `metallic` up to byte 20, but the host struct has 4 bytes",
        "add `float metallic` at the end of the struct in the host",
        0,
    );
}

#[test]
fn strides_and_counts() {
    // An array of numbers in a constant buffer has one in each register.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float weights[4]; float4 c; };",
        "0 float weights[4]/4 16 vec4 c size 32",
        "array stride differs: `weights` has 16 bytes in the shader, 4 in the host",
        "declare `weights` as `float weights[4][4]` in the host",
        1,
    );
    // A vector of three in an array.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float3 probes[4]; };",
        "0 vec3 probes[4]/12 size 48",
        "array stride differs: `probes` has 16 bytes in the shader, 12 in the host",
        "declare `probes` as `float probes[4][4]` in the host",
        0,
    );
    // A matrix of three vectors.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float3x3 normal; };",
        "0 mat3 normal size 36",
        "matrix stride differs: `normal` has 16 bytes in the shader, 12 in the host",
        "declare `normal` as `float normal[3][4]` in the host",
        0,
    );
    // Missing padding at the end of an element.
    differs(
        "std430",
        "struct P { float3 pos; float4 c; float t; }; StructuredBuffer<P> ps;",
        "0 vec3 pos 16 vec4 c 32 float t size 36",
        "buffer stride differs: this block has 48 bytes in the shader, 36 in the host",
        "insert 12 bytes at the end of `engine::Frame` or declare `engine::Frame` as `alignas(16)` in the host",
        0,
    );
    differs(
        "std140",
        "struct Light { float3 pos; }; struct S { Light lights[3]; }; ConstantBuffer<S> s;",
        "0 { 0 vec3 pos size 12 } lights[3]/12 size 36",
        "array stride differs: `lights` has 16 bytes in the shader, 12 in the host",
        "insert 4 bytes at the end of `lightsStruct` or declare `lightsStruct` as `alignas(16)` in the host",
        0,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4 lights[8]; };",
        "0 vec4 lights[4]/16 size 64",
        "array count differs: `lights` has 8 elements in the shader, 4 in the host",
        "give `lights` 8 elements in the host",
        0,
    );
}

/// DXC 1.7.4006: `float3x4` is four columns of three (`OpMemberDecorate ... MatrixStride 12` with `-fvk-use-dx-layout`, 16
/// without), `row_major float3x4` three rows of four.
#[test]
fn a_matrix_by_columns_is_no_array_of_its_rows() {
    let shader = "struct Bone { float3x4 rows; uint id; }; StructuredBuffer<Bone> bones;";
    let words = "matrix order: `rows` is 4 columns of 3 in the shader, 3 vectors of 4 in the host";
    let hint = "declare `rows` as `row_major` in the shader";
    for host in [
        "0 vec4 rows[3]/16 48 uint id size 52",
        "0 { 0 vec4 r[3]/16 size 48 } rows 48 uint id size 52",
        "0 { 0 vec4 x 16 vec4 y 32 vec4 z size 48 } rows 48 uint id size 52",
        "0 { 0 { 0 float x 4 float y 8 float z 12 float w size 16 } r[3]/16 size 48 } rows 48 uint id size 52",
        "0 { 0 { union 0 { 0 float x 4 float y 8 float z 12 float w size 16 } - 0 float v[4]/4 size 16 } r[3]/16 size 48 } \
         rows 48 uint id size 52",
        "0 { union 0 vec4 r[3]/16 0 float f[12]/4 size 48 } rows 48 uint id size 52",
    ] {
        differs("hlsl-structured", shader, host, words, hint, 0);
    }
    // The other way round, and in a constant buffer.
    differs(
        "hlsl-cbuffer",
        "cbuffer C { row_major float3x4 m; float4 t; };",
        "0 vec3 m[4]/12 48 vec4 t size 64",
        "matrix order: `m` is 3 rows of 4 in the shader, 4 vectors of 3 in the host",
        "declare `m` as `column_major` in the shader",
        0,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer C { float4x3 m; float4 t; };",
        "0 vec3 m[4]/12 48 vec4 t size 64",
        "matrix order: `m` is 3 columns of 4 in the shader, 4 vectors of 3 in the host",
        "declare `m` as `row_major` in the shader",
        0,
    );
    // With other strides, too: the host's vectors are 16 bytes apart.
    differs(
        "relaxed430",
        "struct Bone { float3x4 rows; uint id; }; StructuredBuffer<Bone> bones;",
        "0 { 0 vec4 r[3]/16 size 48 } rows 48 uint id 52 uint pad[3]/4 size 64",
        words,
        hint,
        1,
    );
}

#[test]
fn sizes_and_meanings_of_numbers() {
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { bool on; float t; };",
        "0 bool on 4 float t size 8",
        "bool size: a bool has 4 bytes in the shader, but `on` has 1 in the host",
        "declare `on` as `uint32_t on` in the host",
        0,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { uint mode; float t; };",
        "0 enum8 mode 4 float t size 8",
        "size differs: enum `mode` has 4 bytes in the shader, 1 in the host",
        "declare `mode` as `uint32_t mode` in the host",
        0,
    );
    // Padding after it does not make it larger.
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { uint mode; float t; };",
        "0 enum8 mode 1 u8 _pad_1[3]/1 4 float t size 8",
        "size differs: enum `mode` has 4 bytes in the shader, 1 in the host",
        "declare `mode` as `uint32_t mode`, then remove `_pad_1` in the host",
        0,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { int count; float t; };",
        "0 float count 4 float t size 8",
        "class differs: `count` is a signed integer in the shader, a float in the host",
        "declare `count` as `int32_t count` in the host",
        0,
    );
    differs(
        "hlsl-structured",
        "struct P { float16_t2 uv; float t; }; StructuredBuffer<P> ps;",
        "0 vec2 uv 8 float t size 12",
        "size differs: float `uv` has 2 bytes in the shader, 4 in the host",
        "declare `uv` as `uint16_t uv[2]` in the host",
        1,
    );
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { uint flags; float t; };",
        "0 bits:0:8 flags 1 bits:8:8 layer 4 float t size 8",
        "bit-field: the host has the bit-field `flags` where the shader reads all of `flags`",
        "declare `flags` as `uint32_t flags`",
        0,
    );
}

/// The second element of the host's arrays is elsewhere too, but only the cause is reported.
#[test]
fn the_cause_is_told_and_not_what_follows() {
    let comparison = compared(
        "hlsl-cbuffer",
        "struct Light { float2 size; float3 pos; float power; }; cbuffer Frame { Light lights[3]; float t; };",
        "0 { 0 vec2 size 8 vec3 pos 20 float power size 24 } lights[3]/24 72 float t size 76",
    );
    let found: Vec<String> = comparison.mismatches.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["offset moved: the shader has `lights[].pos` at byte 16, the host at byte 8",]);
    assert_eq!(comparison.mismatches[0].followers, 2);
    assert_eq!(comparison.mismatches[0].host_at.as_ref().and_then(|place| place.line), Some(3));
    assert_eq!(comparison.mismatches[0].shader_at.as_ref().and_then(|place| place.line), Some(1));
}

/// For diagrams: marks the bytes that are elsewhere on the other side, on both sides, and nothing
/// else. Offsets of the shader are those of DXC for D3D12 (`hlsl-cbuffer`).
#[test]
fn bytes_that_have_moved_are_marked_on_both_sides() {
    let shader = "cbuffer Frame { float3 sun; float weights[2]; float exposure; };";
    let host = "0 vec3 sun 16 vec4 weights[2]/16 48 float exposure size 52";
    let comparison = compared("hlsl-cbuffer", shader, host);
    let runs = |members: &[SideMember]| -> Vec<(String, u32, u32, bool)> {
        let runs = members.iter().flat_map(|member| &member.runs);
        runs.map(|run| (run.label.clone(), run.offset, run.size, run.differs)).collect()
    };
    let exposure = |offset| ("exposure".to_owned(), offset, 4, true);
    let of_shader = runs(&comparison.shader_members);
    assert_eq!(of_shader[0], ("sun".to_owned(), 0, 12, false));
    assert_eq!(of_shader[1].0, "weights[0]");
    assert_eq!(of_shader.last(), Some(&exposure(36)));
    assert_eq!(runs(&comparison.host_members).last(), Some(&exposure(48)));

    let alike = compared("hlsl-cbuffer", "cbuffer Frame { float3 eye; float t; };", "0 vec3 eye 12 float t size 16");
    let marked = alike.shader_members.iter().chain(&alike.host_members).flat_map(|member| &member.runs);
    assert_eq!(marked.filter(|run| run.differs).count(), 0);
}

/// Another number of components is a fault of the member, not of its neighbour. Offsets of the shader are
/// those of DXC for D3D12 and of `std140`.
#[test]
fn other_components_are_the_members_own_fault() {
    let shader = "cbuffer Frame { float4 m; float3 eye; float t; float4 tints[2]; float gain; float bias; };";
    for (host, member, words, followers) in [
        (
            "0 vec4 m 16 vec2 eye 24 float t 32 vec4 tints[2]/16 64 float gain 68 float bias size 80",
            "eye",
            "size differs: member `eye` has 12 bytes in the shader, 8 in the host",
            1,
        ),
        (
            "0 vec4 m 16 vec3 eye 28 float t 32 vec4 tints[2]/16 64 vec2 gain 72 float bias size 80",
            "gain",
            "size differs: member `gain` has 4 bytes in the shader, 8 in the host",
            1,
        ),
        // The bytes of the last member agree, and the host goes on.
        (
            "0 vec4 m 16 vec3 eye 28 float t 32 vec4 tints[2]/16 64 float gain 68 vec3 bias size 80",
            "bias",
            "size differs: member `bias` has 4 bytes in the shader, 12 in the host",
            0,
        ),
    ] {
        differs("hlsl-cbuffer", shader, host, words, &format!("declare `{member}` as `float {member}"), followers);
    }
    differs(
        "hlsl-cbuffer",
        shader,
        "0 vec4 m 16 vec3 eye 28 float t 32 vec3 tints[2]/12 56 float gain 60 float bias size 64",
        "array stride differs: `tints` has 16 bytes in the shader, 12 in the host",
        "declare `tints` as `float tints[2][4]` in the host",
        2,
    );
}

/// A wider number is aligned further on, which is not the fault to mend.
#[test]
fn a_wider_number_that_has_moved_is_declared_otherwise() {
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float3 eye; float t; float2 jitter; };",
        "0 vec3 eye 16 double t 24 vec2 jitter size 32",
        "size differs: float `t` has 4 bytes in the shader, 8 in the host",
        "declare `t` as `float t` in the host",
        1,
    );
}

/// The host's padding has taken the place of a member, whose bytes are numbers all the same.
#[test]
fn a_member_under_displaced_padding_is_missing() {
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float2 step; float scale; float weight; float3 padding; float samples; };",
        "0 vec2 step 8 float scale 12 vec3 padding 24 float samples size 28",
        "missing in host: the shader reads `weight` at byte 12, where the host has `padding`",
        "add `float weight` before `padding` in the host",
        1,
    );
}

/// The host aligns `b` after `t` has moved, so `b` moves further and is still no fault of its own.
#[test]
fn alignment_after_a_displaced_member_is_no_fault() {
    differs(
        "hlsl-cbuffer",
        "cbuffer Frame { float4 m; float t; float2 jitter; float u; float4 b; };",
        "0 vec4 m 16 float extra 20 float t 24 vec2 jitter 32 float u 48 vec4 b size 64",
        "offset moved: the shader has `t` at byte 16, the host at byte 20",
        "remove `extra` in the host",
        3,
    );
}

/// Kinds and paths of the mismatches, and the bytes that members have on both sides.
#[track_caller]
fn kinds(rules: &str, shader: &str, host: &str) -> Vec<String> {
    let found = compared(rules, shader, host).mismatches;
    found.iter().map(|mismatch| format!("{} {}", mismatch.kind.name(), mismatch.path)).collect()
}

/// DXC 1.7.2308 puts `splits` at 32 with a stride of 16, `on` at 84 and `n` at 88; those of GCC 12 are 20, 36 and 40.
#[test]
fn faults_of_shape_are_not_hidden_behind_what_moved() {
    let shader = "cbuffer S { float3 cam; float2 jitter; float splits[4]; bool on; uint n; };";
    let host = "0 vec3 cam 12 vec2 jitter 20 float splits[4]/4 36 bool on 40 uint n size 44";
    assert_eq!(kinds("hlsl-cbuffer", shader, host), ["stride-differs splits", "bool-size on", "offset-moved jitter"],);
    let hints: Vec<String> = compared("hlsl-cbuffer", shader, host).mismatches.iter().map(Mismatch::hint).collect();
    assert!(hints.iter().all(|hint| !hint.is_empty()), "{hints:#?}");

    for (shader, host, expected) in [
        // A matrix of three rows, after a member that is missing.
        (
            "cbuffer S { float4 a; float4 b; float4x4 m; float4 c; };",
            "0 vec4 a 16 float m[3][4] 64 vec4 c size 80",
            vec!["missing-in-host b"],
        ),
        // An enum of one byte and a float for an integer, both 16 bytes earlier.
        (
            "cbuffer S { float4 a; float4 b; uint mode; int count; float4 c; };",
            "0 vec4 a 16 enum8 mode 20 float count 32 vec4 c size 48",
            vec!["size-differs mode", "class-differs count", "missing-in-host b"],
        ),
        // Too few elements of structs, after a member that the shader lacks.
        (
            "struct L { float3 p; float r; }; cbuffer S { float4 a; L ls[3]; float4 c; };",
            "0 vec4 a 16 vec4 extra 32 { 0 vec3 p 12 float r size 16 } ls[2]/16 64 vec4 c size 80",
            vec!["count-differs ls"],
        ),
    ] {
        let found = kinds("hlsl-cbuffer", shader, host.replace("float m[3][4]", "vec4 m[3]/16").as_str());
        for fault in expected {
            assert!(found.iter().any(|found| found == fault), "{shader}\n{host}\n{fault}: {found:?}");
        }
    }
}

/// What the shader reads as one member is not made of others: these agreed by their bytes.
#[test]
fn members_of_one_name_have_one_shape() {
    for (rules, shader, host, expected) in [
        (
            "hlsl-cbuffer",
            "cbuffer Draw { float4x4 world; float4 tint; };",
            "0 vec4 world[3]/16 48 vec4 inserted 64 vec4 tint size 80",
            "size-differs world",
        ),
        (
            "hlsl-cbuffer",
            "cbuffer Draw { float4x4 world; float4 tint; };",
            "0 vec4 world[3]/16 48 vec4 _pad 64 vec4 tint size 80",
            "size-differs world",
        ),
        (
            "hlsl-cbuffer",
            "cbuffer Draw { float3x3 world; float4 tint; };",
            "0 vec4 world[2]/16 32 vec4 inserted 48 vec4 tint size 64",
            "size-differs world",
        ),
        (
            "hlsl-structured",
            "struct B { float3 center; uint2 range; float radius; }; StructuredBuffer<B> bounds;",
            "0 vec3 center 12 u16 range[2]/2 16 uint more 20 float radius size 24",
            "size-differs range",
        ),
        (
            "hlsl-structured",
            "struct B { uint4 joints; float radius; }; StructuredBuffer<B> bounds;",
            "0 u16 joints[4]/2 8 u16 more[4]/2 16 float radius size 20",
            "size-differs joints",
        ),
        (
            "hlsl-structured",
            "struct B { uint id; float radius; }; StructuredBuffer<B> bounds;",
            "0 u16 id 2 u16 more 4 float radius size 8",
            "size-differs id",
        ),
        // Padding is no element.
        (
            "hlsl-cbuffer",
            "cbuffer Frame { float4 lights[4]; float4 fog; };",
            "0 vec4 lights[3]/16 48 vec4 _pad 64 vec4 fog size 80",
            "count-differs lights",
        ),
    ] {
        assert_eq!(kinds(rules, shader, host), [expected], "{shader}\n{host}");
    }
}

/// Members named by numbers, such as those of a matrix class, are no elements of the array before them.
#[test]
fn an_array_is_short_before_members_with_numbers_for_names() {
    let shader = "struct Spot { float3 position; float ax; float3 direction; float ay; };
        cbuffer Lights { Spot lights[3]; float4x4 shadow[1]; };";
    let numbers: Vec<String> = (0..16).map(|index| format!("{} float _{index}", 4 * index)).collect();
    let spot = "{ 0 vec3 position 12 float ax 16 vec3 direction 28 float ay size 32 }";
    let host = format!("0 {spot} lights[2]/32 64 {{ {} size 64 }} shadow[1]/64 size 128", numbers.join(" "));
    let found = compared("hlsl-cbuffer", shader, &host).mismatches;
    assert_eq!((found[0].kind.name(), found[0].path.as_str()), ("count-differs", "lights"), "{found:#?}");
    assert_eq!(found[0].hint(), "give `lights` 3 elements in the host");
}
