//! D3D constant and structured buffers as DXC 1.7.2308 lists them (`-T cs_6_6 -HV 2021`).

use super::check::{DEFAULT, NO_16_BIT, ROW_MAJOR, accepted, check, check_with, refusals, row, rules};
use super::declare::of_type;
use crate::BlockKind;
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder, Type};

const CBUFFER: &str = "hlsl-cbuffer";
const IN_STRUCT: &str = "hlsl-cbuffer-struct";
const STRUCTURED: &str = "hlsl-structured";

#[test]
fn a_scalar_takes_the_space_an_array_leaves() {
    check(CBUFFER, "cbuffer S { float3 a; float b[2]; float c; float2 d; };", "a 0, b 16, c 36, d 40; size 48");
}

#[test]
fn wide_vectors_start_a_register() {
    check(CBUFFER, "cbuffer S { float a; double3 b; };", "a 0, b 16; size 40");
    check(CBUFFER, "cbuffer S { float a; double4 b; float c; };", "a 0, b 16, c 48; size 52");
    check(CBUFFER, "cbuffer S { float a; double b; half c; half d; };", "a 0, b 8, c 16, d 18; size 20");
}

#[test]
fn members_follow_in_the_tail_of_a_struct() {
    check(
        CBUFFER,
        "struct T { float4 a; float b; }; cbuffer S { T t; float c; };",
        "t 0, t.a 0, t.b 16, c 20; size 24",
    );
    check(CBUFFER, "struct B { float4 a; float b; }; constant S : B { float c; };", "a 0, b 16, c 20; size 24");
}

#[test]
fn matrices_count_sixteen_bit_components_as_four_bytes_at_their_end() {
    check(CBUFFER, "cbuffer S { half3x3 m; half b; };", "m 0, b 44; size 46");
    check(CBUFFER, "cbuffer S { half3x1 m; half b; };", "m 0, b 12; size 14");
    check(CBUFFER, "cbuffer S { double3x3 m; float b; };", "m 0, b 88; size 92");
    check(CBUFFER, "cbuffer S { double2x2 m; float b; };", "m 0, b 32; size 36");
    let stride = |declaration| row(CBUFFER, declaration, "m").matrix_stride;
    assert_eq!(stride("cbuffer S { half3x3 m; };"), Some(16));
    assert_eq!(stride("cbuffer S { double3x3 m; };"), Some(32));
    assert_eq!(stride("cbuffer S { double2x2 m; };"), Some(16));
}

#[test]
fn the_straddle_test_takes_natural_sizes_in_structs_only() {
    let before = "float4 a[4]; float b; float c; float d;";
    check(CBUFFER, &format!("cbuffer S {{ {before} half2x1 m; }};"), "a 0, b 64, c 68, d 72, m 80; size 88");
    check(CBUFFER, &format!("constant S {{ {before} half2x1 m; }};"), "a 0, b 64, c 68, d 72, m 76; size 84");
}

#[test]
fn structs_forget_the_declared_majorness_when_they_start_registers() {
    check(CBUFFER, "cbuffer S { float2 a; row_major float2x1 m; };", "a 0, m 16; size 36");
    check(CBUFFER, "constant S { float2 a; row_major float2x1 m; };", "a 0, m 8; size 28");
    check(CBUFFER, "cbuffer S { float a; row_major float1x3 m; };", "a 0, m 4; size 16");
    check(CBUFFER, "constant S { float a; row_major float1x3 m; };", "a 0, m 16; size 28");
    check_with(ROW_MAJOR, CBUFFER, "constant S { float a; float1x3 m; };", "a 0, m 4; size 16");
    check_with(ROW_MAJOR, CBUFFER, "constant S { float a; column_major float3x1 m; };", "a 0, m 16; size 28");
}

#[test]
fn single_vector_matrices_are_aligned_in_structs_only() {
    check(CBUFFER, "cbuffer S { float a; double1x1 m; };", "a 0, m 4; size 12");
    check(CBUFFER, "constant S { float a; double1x1 m; };", "a 0, m 8; size 16");
}

#[test]
fn enums_are_aligned_to_four_in_structs() {
    let enums = "enum E : uint16_t { }; enum L : uint64_t { };";
    check(CBUFFER, &format!("{enums} cbuffer S {{ float a; E b; E c; }};"), "a 0, b 4, c 6; size 8");
    check(CBUFFER, &format!("{enums} constant S {{ float a; E b; E c; }};"), "a 0, b 4, c 8; size 10");
    check(CBUFFER, &format!("{enums} constant S {{ float a; L b; }};"), "a 0, b 4; size 12");
    check(CBUFFER, &format!("{enums} cbuffer S {{ float a; L b; }};"), "a 0, b 8; size 16");
}

#[test]
fn empty_members_start_a_register_in_structs_only() {
    let empty = "struct E { };";
    check(CBUFFER, &format!("{empty} cbuffer S {{ float a; E e; float b; }};"), "a 0, e 4, b 4; size 8");
    check(CBUFFER, &format!("{empty} constant S {{ float a; E e; float b; }};"), "a 0, e 16, b 16; size 20");
    check(CBUFFER, "constant S { float a; Texture2D t[2]; float b; };", "a 0, b 16; size 20");
    check(CBUFFER, "constant S { float a; Texture2D t; float b; };", "a 0, b 4; size 8");
    check(CBUFFER, "cbuffer S { float a; Texture2D t[2]; float b; };", "a 0, b 4; size 8");
}

#[test]
fn majorness_counts_on_arrays_of_matrices() {
    check(CBUFFER, "cbuffer S { row_major float4x3 a[2]; float b; };", "a 0, b 124; size 128");
}

#[test]
fn the_struct_path_can_be_forced() {
    check(IN_STRUCT, "cbuffer S { float a; double1x1 m; };", "a 0, m 8; size 16");
}

#[test]
fn minimum_precision_changes_start_rows() {
    let members = "min16float a; float b; min16uint c; min16float d; float e;";
    let direct = format!("cbuffer S {{ {members} }};");
    check_with(NO_16_BIT, CBUFFER, &direct, "a 0, b 16, c 32, d 36, e 48; size 52");
    let in_struct = format!("constant S {{ {members} }};");
    check_with(NO_16_BIT, CBUFFER, &in_struct, "a 0, b 4, c 8, d 12, e 16; size 20");
    check(CBUFFER, &direct, "a 0, b 4, c 8, d 10, e 12; size 16");
}

#[test]
fn arrays_leave_the_precision_of_the_row_and_structs_reset_it() {
    let after_array = "cbuffer S { min16float a[2]; min16float b; };";
    check_with(NO_16_BIT, CBUFFER, after_array, "a 0, b 32; size 36");
    let after_struct = "struct T { float x; }; cbuffer S { min16float a; T t; float b; };";
    check_with(NO_16_BIT, CBUFFER, after_struct, "a 0, t 16, t.x 16, b 20; size 24");
}

#[test]
fn globals_stand_at_their_register_whatever_its_letter() {
    check(
        CBUFFER,
        "globals S { float a : register(c4); float b; float c : register(c1); float2 d; float e; };",
        "a 64, b 68, c 16, d 72, e 80; size 84",
    );
    check(CBUFFER, "globals S { float a : register(b2); };", "a 32; size 36");
    check(CBUFFER, "cbuffer S { float a : register(c3); };", "a 0; size 4");
}

#[test]
fn packoffset_takes_any_order() {
    check(
        CBUFFER,
        "cbuffer S { float4 a : packoffset(c0); float b : packoffset(c12); float c : packoffset(c1.y); };",
        "a 0, b 192, c 20; size 196",
    );
    check(
        CBUFFER,
        "cbuffer S { float a : packoffset(c2); float b : packoffset(c4); float2 c : packoffset(c2.z); };",
        "a 32, b 64, c 40; size 68",
    );
    check(CBUFFER, "tbuffer S { float a : packoffset(c1.x); float b : packoffset(c2.y); };", "a 16, b 36; size 40");
}

#[test]
fn members_without_packoffset_follow_the_highest_end() {
    check(CBUFFER, "cbuffer S { float b; float a : packoffset(c4); float3 c; };", "b 68, a 64, c 80; size 92");
}

#[test]
fn packoffset_is_taken_as_it_is() {
    check(CBUFFER, "cbuffer S { double a : packoffset(c0.w); };", "a 12; size 20");
    check(CBUFFER, "cbuffer S { half a : packoffset(c0); half b : packoffset(c0.y); };", "a 0, b 4; size 6");
    check(CBUFFER, "cbuffer S { float2 a[2] : packoffset(c3.z); };", "a 56; size 80");
}

#[test]
fn structured_elements_are_laid_out_as_in_c() {
    check(STRUCTURED, "element S { float a; double b; float c; };", "a 0, b 8, c 16; size 24");
    check(STRUCTURED, "element S { half a; half3x3 m; };", "a 0, m 2; size 20");
    check(
        STRUCTURED,
        "struct T { double a; float b; }; element S { T t; float c; };",
        "t 0, t.a 0, t.b 8, c 16; size 24",
    );
    check(STRUCTURED, "struct B { double a; float b; }; element S : B { float c; };", "a 0, b 8, c 16; size 24");
    check(STRUCTURED, "struct E { }; element S { float a; E e; float b; };", "a 0, e 4, b 4; size 8");
    check(STRUCTURED, "element S { half a; bool b; half c[3]; };", "a 0, b 4, c 8; size 16");
}

/// Byte offsets in DXC's loads. The default order is row-major with `-Zpr`, column-major without;
/// DXC ignores `#pragma pack_matrix`.
#[test]
fn a_matrix_that_is_the_element_takes_the_default_order() {
    let matrix = |order| Type::Matrix { scalar: Scalar::Float32, rows: 2, columns: 3, order };
    for declared in [None, Some(MatrixOrder::Row), Some(MatrixOrder::Column)] {
        let element = matrix(declared);
        let array = Type::Array { element: Box::new(element.clone()), count: Count::Finite(2) };
        let offset = |element: &Type, path: &str, options| {
            let block = of_type(BlockKind::StructuredElement, element.clone());
            let leaves = accepted(rules(STRUCTURED), &block, options).leaves();
            leaves.into_iter().find(|leaf| leaf.path == path).map(|leaf| leaf.offset)
        };
        assert_eq!(offset(&element, "[0][1]", DEFAULT), Some(8), "{declared:?}");
        assert_eq!(offset(&element, "[0][1]", ROW_MAJOR), Some(4), "{declared:?}");
        assert_eq!(offset(&array, "[1][0][1]", DEFAULT), Some(32), "{declared:?}");
        assert_eq!(offset(&array, "[1][0][1]", ROW_MAJOR), Some(28), "{declared:?}");
    }
    let member = "element S { float a; row_major float2x3 m; float b; };";
    check(STRUCTURED, member, "a 0, m 4, b 28; size 32");
    assert_eq!(row(STRUCTURED, member, "m").matrix_stride, Some(12));
}

#[test]
fn bit_fields_share_units_of_one_size() {
    let declaration = "element S { uint a : 3; uint b : 7; uint c : 30; float d; };";
    check(STRUCTURED, declaration, "a 0, b 0, c 4, d 8; size 12");
    let b = row(STRUCTURED, declaration, "b");
    assert_eq!((b.size, b.bit_offset, b.bit_width), (Some(4), Some(3), Some(7)));
    check(STRUCTURED, "element S { uint a : 4; int b : 4; float c; };", "a 0, b 0, c 4; size 8");
    check(
        CBUFFER,
        "constant S { uint a : 4; int b : 4; uint64_t c : 5; uint d : 3; float e; };",
        "a 0, b 0, c 8, d 16, e 20; size 24",
    );
    check(CBUFFER, "constant S { uint a : 3; uint : 0; uint b : 3; float e; };", "a 0, b 4, e 8; size 12");
}

/// DXC has `vk::BufferPointer` for SPIR-V alone, and refuses other pointers: `pointers are unsupported in HLSL`.
#[test]
fn pointers_have_no_place() {
    for (name, declaration) in [
        ("hlsl-cbuffer", "cbuffer S { float a; int* p; };"),
        ("hlsl-cbuffer-struct", "struct T { float a; int* p; }; push S { T t; };"),
        ("hlsl-structured", "push S { float a; int* p; };"),
    ] {
        let found = refusals(name, declaration);
        assert!(found.len() == 1 && found[0].contains("p: is a pointer, which hlsl-"), "{name}: {found:?}");
    }
}

/// The listing ignores the attribute, with a warning; `-spirv` refuses it.
#[test]
fn vk_offset_on_a_member_of_a_cbuffer_is_ignored_in_dxil() {
    let declaration = "cbuffer S { float a; [[vk::offset(8)]] float b; };";
    check(CBUFFER, declaration, "a 0, b 4; size 8");
    let message = "b: [[vk::offset]] only applies to members of a struct";
    assert_eq!(refusals("relaxed140", declaration), [message]);
}
