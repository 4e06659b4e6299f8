//! SPIR-V layouts as DXC 1.7.2308 decorates them (`-spirv`, `-enable-16bit-types -HV 2021`).

use super::check::{ROW_MAJOR, check, check_with, refusals, row, rules};
use super::declare::{Scope, of_type};
use crate::BlockKind;
use crate::lay_out;

/// The four layouts of constant buffers, in the order of [`in_constant_buffers`].
const CONSTANT: [&str; 4] = ["relaxed140", "std140@dxc", "dx-cbuffer", "scalar@dxc"];
/// The four layouts of structured buffers, in the order of [`in_structured_buffers`].
const STRUCTURED: [&str; 4] = ["relaxed430", "std430@dxc", "dx-structured", "scalar@dxc"];

fn in_constant_buffers(declarations: &str, expected: [&str; 4]) {
    CONSTANT.iter().zip(expected).for_each(|(name, expected)| check(name, declarations, expected));
}

fn in_structured_buffers(declarations: &str, expected: [&str; 4]) {
    STRUCTURED.iter().zip(expected).for_each(|(name, expected)| check(name, declarations, expected));
}

#[test]
fn relaxed_vectors_stand_at_their_component_unless_they_straddle() {
    in_constant_buffers(
        "cbuffer S { float a; float3 b; float2 c; };",
        ["a 0, b 4, c 16; size 32", "a 0, b 16, c 32; size 48", "a 0, b 4, c 16; size 24", "a 0, b 4, c 16; size 24"],
    );
    check("relaxed140", "cbuffer S { float2 a; float3 b; };", "a 0, b 16; size 32");
    check("relaxed140", "cbuffer S { float a; double2 b; };", "a 0, b 16; size 32");
    check("dx-cbuffer", "cbuffer S { float a; double2 b; };", "a 0, b 16; size 32");
}

#[test]
fn relaxed_blocks_keep_the_vectors_alignment_for_strides() {
    let stride = |name| {
        let element = of_type(BlockKind::StructuredElement, Scope::default().ty("float3"));
        lay_out(&element, rules(name), ROW_MAJOR).stride
    };
    assert_eq!(STRUCTURED.map(stride), [Some(16), Some(16), Some(12), Some(12)]);
}

#[test]
fn one_dimensional_matrices_are_vectors_but_for_dx() {
    in_constant_buffers(
        "cbuffer S { float1x3 m; float b; };",
        ["m 0, b 12; size 16", "m 0, b 12; size 16", "m 0, b 36; size 40", "m 0, b 12; size 16"],
    );
    in_constant_buffers(
        "cbuffer S { float3x1 m; float b; };",
        ["m 0, b 12; size 16", "m 0, b 12; size 16", "m 0, b 12; size 16", "m 0, b 12; size 16"],
    );
    assert_eq!(row("relaxed140", "cbuffer S { float1x3 m; };", "m").matrix_stride, None);
    assert_eq!(row("dx-cbuffer", "cbuffer S { float1x3 m; };", "m").matrix_stride, Some(16));
}

#[test]
fn matrices_of_dx_layout_count_sixteen_bytes_a_vector() {
    let declaration = "cbuffer S { double3x3 m; float b; };";
    check("dx-cbuffer", declaration, "m 0, b 56; size 60");
    assert_eq!(row("dx-cbuffer", declaration, "m").matrix_stride, Some(32));
    check("dx-cbuffer", "cbuffer S { half3x3 m; half b; };", "m 0, b 38; size 40");
    check("dx-cbuffer", "cbuffer S { half3x1 m; half b; };", "m 0, b 6; size 8");
}

#[test]
fn matrix_strides_follow_the_layout() {
    let stride = |name: &str| row(name, "element S { float2x3 m; };", "m").matrix_stride;
    assert_eq!(STRUCTURED.map(stride), [Some(8), Some(8), Some(8), Some(8)]);
    assert_eq!(CONSTANT.map(stride), [Some(16), Some(16), Some(16), Some(8)]);
}

#[test]
fn enums_are_32_bit() {
    let declaration = "enum E : uint64_t { }; cbuffer S { float a; E b; float c; };";
    in_constant_buffers(
        declaration,
        ["a 0, b 4, c 8; size 16", "a 0, b 4, c 8; size 16", "a 0, b 4, c 8; size 12", "a 0, b 4, c 8; size 12"],
    );
}

#[test]
fn bases_are_structs_of_their_own() {
    in_structured_buffers(
        "struct B { float4 a; float b; }; element S : B { float c; };",
        [
            "a 0, b 16, c 32; size 48",
            "a 0, b 16, c 32; size 48",
            "a 0, b 16, c 20; size 24",
            "a 0, b 16, c 20; size 24",
        ],
    );
}

#[test]
fn only_scalar_layout_leaves_structs_and_strides_unpadded() {
    in_structured_buffers(
        "struct T { double a; float b; }; element S { T t[2]; float c; };",
        [
            "t 0, t[].a 0, t[].b 8, c 32; size 40",
            "t 0, t[].a 0, t[].b 8, c 32; size 40",
            "t 0, t[].a 0, t[].b 8, c 32; size 40",
            "t 0, t[].a 0, t[].b 8, c 24; size 28",
        ],
    );
    check(
        "scalar@dxc-1.9",
        "struct T { double a; float b; }; element S { T t[2]; float c; };",
        "t 0, t[].a 0, t[].b 8, c 32; size 40",
    );
}

#[test]
fn structured_buffers_pad_structs_under_dx_layout() {
    check("dx-structured", "element S { float a; double b; float c; };", "a 0, b 8, c 16; size 24");
}

#[test]
fn empty_structs_take_space_in_arrays_of_constant_buffers() {
    let empty = "struct Z { }; struct T { Z z; };";
    check("relaxed140", &format!("{empty} cbuffer S {{ float a; Z z[2]; float b; }};"), "a 0, z 16, b 48; size 64");
    check("dx-cbuffer", &format!("{empty} cbuffer S {{ float a; Z z[2]; float b; }};"), "a 0, z 16, b 48; size 52");
    check("relaxed430", &format!("{empty} element S {{ float a; Z z[2]; float b; }};"), "a 0, z 4, b 4; size 8");
    check("dx-cbuffer", &format!("{empty} cbuffer S {{ float a; Z z; float b; }};"), "a 0, z 4, b 4; size 8");
    check(
        "std140@dxc",
        &format!("{empty} cbuffer S {{ float a; T t; float b; }};"),
        "a 0, t 16, t.z 16, b 16; size 32",
    );
}

#[test]
fn packoffset_only_ascends() {
    let ascending = "cbuffer S { float a : packoffset(c1); float b; };";
    in_constant_buffers(
        ascending,
        ["a 16, b 20; size 32", "a 16, b 20; size 32", "a 16, b 20; size 24", "a 16, b 20; size 24"],
    );
    let message = "c: packoffset 0 is before the end of the previous member, 24";
    for name in CONSTANT {
        let descending = "cbuffer S { float2 b : packoffset(c1); float c : packoffset(c0); };";
        assert_eq!(refusals(name, descending), [message], "{name}");
    }
}

#[test]
fn packoffset_into_an_array_tail_needs_a_layout_without_tail_padding() {
    let declaration = "cbuffer S { float b[2] : packoffset(c1); float c : packoffset(c2.y); };";
    check("dx-cbuffer", declaration, "b 16, c 36; size 40");
    check("scalar@dxc", declaration, "b 16, c 36; size 40");
    for name in ["relaxed140", "std140@dxc"] {
        assert_eq!(refusals(name, declaration), ["c: packoffset 36 is before the end of the previous member, 48"]);
    }
}

#[test]
fn globals_stand_at_their_c_register() {
    let declaration = "globals S { float a : register(c4); float b; float c : register(c1); float2 d; };";
    check("relaxed140", declaration, "a 64, b 68, c 16, d 72; size 80");
    check("relaxed140", "globals S { float a : register(b2); };", "a 0; size 16");
}

#[test]
fn vk_offset_is_honoured_and_ends_the_struct_with_the_last_member() {
    check(
        "relaxed140",
        "constant S { float2 a; [[vk::offset(16)]] float2 b; [[vk::offset(8)]] float c; float d; };",
        "a 0, b 16, c 8, d 12; size 16",
    );
    let backwards = "element S { [[vk::offset(16)]] float2 b; [[vk::offset(0)]] float c; float d; };";
    check("relaxed430", backwards, "b 16, c 0, d 4; size 8");
    check("relaxed430", "element S { float2 a; [[vk::offset(8)]] float2 b; };", "a 0, b 8; size 16");
}

#[test]
fn dx_layout_starts_structs_but_not_single_vectors_at_a_register() {
    check("dx-cbuffer", "cbuffer S { float a; float3x1 m; };", "a 0, m 4; size 16");
    check("dx-cbuffer", "cbuffer S { float4 a; double3 b; };", "a 0, b 16; size 40");
    check(
        "dx-cbuffer",
        "struct T { float x; }; cbuffer S { float a; T t; float b; };",
        "a 0, t 16, t.x 16, b 20; size 24",
    );
    check("dx-cbuffer", "cbuffer S { row_major float4x3 a[2]; float b; };", "a 0, b 124; size 128");
}

#[test]
fn bit_fields_share_units_of_one_type_only() {
    let declaration = "element S { uint a : 4; int b : 4; float c; };";
    check("dx-structured", declaration, "a 0, b 4, c 8; size 12");
    check("relaxed430", declaration, "a 0, b 4, c 8; size 12");
}

/// From the source of DXC since 1.9.2602: vectors are aligned to their component.
#[test]
fn scalar_layout_keeps_vectors_at_their_component() {
    check("scalar@dxc-1.9", "element S { float a; float3 b; };", "a 0, b 4; size 16");
}

#[test]
fn column_major_integers_are_refused() {
    let message = "m: is a column-major matrix of int, which relaxed140 does not allow";
    assert_eq!(refusals("relaxed140", "cbuffer S { int2x3 m; };"), [message]);
    check("relaxed140", "cbuffer S { row_major int2x3 m; float a; };", "m 0, a 32; size 48");
    check("relaxed140", "cbuffer S { int3x1 m; float a; };", "m 0, a 12; size 16");
    check_with(ROW_MAJOR, "relaxed140", "cbuffer S { int2x3 m; float a; };", "m 0, a 32; size 48");
}
