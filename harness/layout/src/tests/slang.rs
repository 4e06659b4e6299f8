//! Whole blocks as Slang 2026.12 and 2026.14.1 reflect them, row-major.

use super::check::{DEFAULT, ROW_MAJOR, check, check_with, refusals, row, rules};
use super::declare::block;
use crate::LayoutWarningKind;
use crate::lay_out;
use crate::shape::MatrixOrder;

/// The rows under one rule set, for one declaration.
fn under(declarations: &str, expected: &[(&str, &str)]) {
    for (name, expected) in expected {
        check_with(ROW_MAJOR, name, declarations, expected);
    }
}

#[test]
fn members_without_packoffset_follow_the_highest_end() {
    under(
        "cbuffer S { float4 a : packoffset(c2); float b : packoffset(c0.y); float2 d : packoffset(c1.z); float e; };",
        &[
            ("slang-cbuffer", "a 32, b 4, d 24, e 48; size 52"),
            ("std140@slang", "a 32, b 4, d 24, e 48; size 64"),
            ("scalar@slang", "a 32, b 4, d 24, e 48; size 52"),
            ("metal", "a 32, b 4, d 24, e 48; size 64"),
            ("cuda", "a 32, b 4, d 24, e 48; size 64"),
        ],
    );
}

/// Decorations of slangc 2026.14.1 with `-target spirv -O0`, and with `-fvk-use-scalar-layout`.
#[test]
fn offsets_are_rounded_up_to_the_alignment() {
    let declaration = "struct T { half a; [[vk::offset(6)]] float3 b; [[vk::offset(31)]] half z;
        [[vk::offset(42)]] float2x2 m; [[vk::offset(93)]] double d; }; ";
    let standard = "e 0, e.a 0, e.b 16, e.z 32, e.m 48, e.d 96; size 112";
    let scalar = "e 0, e.a 0, e.b 8, e.z 32, e.m 44, e.d 96; size 104";
    let block = format!("{declaration} push S {{ T e; }};");
    under(&block, &[("std140@slang", standard), ("std430@slang", standard), ("scalar@slang", scalar)]);
}

#[test]
fn a_base_is_a_struct_of_its_own() {
    under(
        "struct B { float3 a; }; struct D : B { float b; }; cbuffer S { D d; float e; };",
        &[
            ("slang-cbuffer", "d 0, d.a 0, d.b 12, e 16; size 20"),
            ("std140@slang", "d 0, d.a 0, d.b 16, e 32; size 48"),
            ("scalar@slang", "d 0, d.a 0, d.b 12, e 16; size 20"),
            ("metal", "d 0, d.a 0, d.b 16, e 32; size 48"),
            ("cuda", "d 0, d.a 0, d.b 12, e 16; size 20"),
        ],
    );
}

#[test]
fn majorness_decides_size_and_place() {
    under(
        "cbuffer S { row_major float2x3 r; column_major float2x3 c; float2x3 d; float z; };",
        &[
            ("slang-cbuffer", "r 0, c 32, d 80, z 108; size 112"),
            ("std140@slang", "r 0, c 32, d 80, z 112; size 128"),
            ("scalar@slang", "r 0, c 24, d 48, z 72; size 76"),
            ("metal", "r 0, c 32, d 64, z 96; size 112"),
            ("cuda", "r 0, c 24, d 48, z 72; size 80"),
        ],
    );
}

/// Slang 2026.14.1 with `-matrix-layout-column-major`.
#[test]
fn majorness_does_not_count_on_arrays_of_matrices() {
    let declarations = "cbuffer S { row_major float4x3 a[2]; row_major float4x3 b; column_major float4x3 c[2]; column_major float4x3 d; };";
    check("std140@slang", declarations, "a 0, b 96, c 160, d 256; size 304");
    check_with(ROW_MAJOR, "std140@slang", declarations, "a 0, b 128, c 192, d 320; size 368");
}

/// Slang 2026.14.1 also uses the default order for a `row_major` array in the HLSL text that it
/// writes.
#[test]
fn arrays_of_matrices_have_the_default_order() {
    let declarations = "cbuffer S { row_major float2x3 a[2]; float b; };";
    let expected = [
        ("slang-cbuffer", "a 0, b 88; size 92"),
        ("std140@slang", "a 0, b 96; size 112"),
        ("std430@slang", "a 0, b 48; size 56"),
        ("scalar@slang", "a 0, b 48; size 52"),
        ("hlsl-structured@slang", "a 0, b 48; size 52"),
        ("c", "a 0, b 48; size 52"),
        ("metal", "a 0, b 48; size 56"),
        ("cuda", "a 0, b 48; size 56"),
    ];
    for (name, expected) in expected {
        check(name, declarations, expected);
        assert_eq!(row(name, declarations, "a").matrix_order, Some(MatrixOrder::Column), "{name}");
    }
}

/// Slang 2026.14.1, `$bit_field_backing_0` as a `uint64_t`.
#[test]
fn bit_fields_widen_their_unit_everywhere() {
    let declarations = "push S { uint a : 4; int b : 4; uint64_t c : 20; float d; };";
    for (name, size) in [("slang-cbuffer", 12), ("hlsl-structured@slang", 12), ("std140@slang", 16), ("c", 16)] {
        check(name, declarations, &format!("a 0, b 0, c 0, d 8; size {size}"));
        assert_eq!(row(name, declarations, "a").size, Some(8), "{name}");
        assert_eq!(row(name, declarations, "c").bit_offset, Some(8), "{name}");
    }
}

#[test]
fn doubles_and_arrays_mix_with_floats() {
    under(
        "cbuffer S { float2 a; float2 b; float3 c; float2 d; double e; float f; double2 g; float h; float4 i[2]; float j; };",
        &[
            ("slang-cbuffer", "a 0, b 8, c 16, d 32, e 40, f 48, g 64, h 80, i 96, j 128; size 132"),
            ("std140@slang", "a 0, b 8, c 16, d 32, e 40, f 48, g 64, h 80, i 96, j 128; size 144"),
            ("scalar@slang", "a 0, b 8, c 16, d 28, e 40, f 48, g 56, h 72, i 76, j 108; size 112"),
        ],
    );
}

#[test]
fn empty_members_and_pointers_take_no_bytes_on_d3d() {
    under(
        "struct Z { }; cbuffer S { float a; Z b[2]; float c; Z d; int* p; float e; };",
        &[
            ("slang-cbuffer", "a 0, b 4, c 4, d 8, p 8, e 8; size 12"),
            ("std140@slang", "a 0, b 4, c 4, d 8, p 8, e 16; size 32"),
            ("scalar@slang", "a 0, b 4, c 4, d 8, p 8, e 16; size 20"),
        ],
    );
}

#[test]
fn one_dimensional_matrices_are_arrays_of_vectors() {
    under(
        "cbuffer S { float1x3 a; float b; float3x1 c; float d; };",
        &[
            ("slang-cbuffer", "a 0, b 12, c 16, d 52; size 56"),
            ("std140@slang", "a 0, b 16, c 32, d 80; size 96"),
            ("scalar@slang", "a 0, b 12, c 16, d 28; size 32"),
            ("metal", "a 0, b 16, c 20, d 32; size 48"),
        ],
    );
}

#[test]
fn push_constants_and_entry_uniforms_follow_their_rule_sets() {
    let push = "struct P { float3 a; float b; float2 c[2]; }; push S { float3 a; float b; float2 c[2]; };";
    under(push, &[("std430@slang", "a 0, b 12, c 16; size 32"), ("slang-cbuffer", "a 0, b 12, c 16; size 40")]);
    check("std430@slang", "entry S { float4 x; float3 y; float z; };", "x 0, y 16, z 28; size 32");
    check("std430@slang", "entry S { float4 x; float3 y; };", "x 0, y 16; size 32");
    check("cuda", "push S { float4 x; float3 y; };", "x 0, y 16; size 32");
    check("cuda", "entry S { float4 x; float3 y; };", "x 0, y 16; size 28");
}

#[test]
fn unsized_arrays_are_pointers_on_cpus_and_cuda() {
    check("c", "push S { float a; float b[]; float c; };", "a 0, b 8, c 24; size 32");
    check("std430@slang", "entry S { float4 x; float3 y; };", "x 0, y 16; size 32");
    check("cuda", "push S { float a; float b[]; float c; };", "a 0, b 8, c 16; size 24");
}

/// From the offset decorations of slangc: its code honours `[[vk::offset]]`, and the next member
/// follows.
#[test]
fn vk_offset_is_honoured_in_spirv() {
    check(
        "std140",
        "constant S { [[vk::offset(4)]] float a; [[vk::offset(64)]] float3 b; float c; };",
        "a 4, b 64, c 76; size 80",
    );
}

/// `ArrayStride` 8 in the SPIR-V of Slang 2026.14.1.
#[test]
fn a_struct_ends_with_its_last_declared_member() {
    let block = block("element S { [[vk::offset(16)]] float2 b; [[vk::offset(0)]] float c; float d; };");
    assert_eq!(lay_out(&block, rules("std430@slang"), DEFAULT).stride, Some(8));
}

#[test]
fn vk_offset_is_ignored_with_a_warning_where_it_is_not_vulkans() {
    let block = block("constant S { float4 a; [[vk::offset(64)]] float b; };");
    for name in ["slang-cbuffer", "hlsl-structured", "wgsl-storage", "c", "metal", "cuda"] {
        let layout = lay_out(&block, rules(name), DEFAULT);
        assert_eq!(layout.rows()[1].offset, 16, "{name}");
        let [warning] = &layout.warnings[..] else { panic!("{:?}", layout.warnings) };
        let expected = ("b", LayoutWarningKind::Ignored, "[[vk::offset]] is ignored");
        assert_eq!((&*warning.path, warning.kind, &*warning.message), expected);
    }
}

#[test]
fn packoffset_is_refused_where_no_constant_buffer_can_be() {
    for name in ["hlsl-structured", "dx-structured", "wgsl-uniform", "wgsl-storage"] {
        let message = format!("a: packoffset has no meaning under {name}");
        assert_eq!(refusals(name, "cbuffer S { float a : packoffset(c1); };"), [message]);
    }
}

#[test]
fn overlapping_packoffsets_are_laid_out_with_a_warning() {
    let block = block("cbuffer S { float4 a : packoffset(c0); float b : packoffset(c0.w); };");
    let layout = lay_out(&block, rules("hlsl-cbuffer"), DEFAULT);
    assert!(layout.result.is_ok());
    let [warning] = &layout.warnings[..] else { panic!("{:?}", layout.warnings) };
    assert_eq!((&*warning.path, warning.kind), ("b", LayoutWarningKind::OffsetOverlap));
    assert_eq!(warning.message, "at offset 12 overlaps `a`, which ends at 16");
}

/// slangc refuses the register class: error E39007.
#[test]
fn slang_has_no_c_registers() {
    let message = "a: register(c4) has no meaning under slang-cbuffer";
    assert_eq!(refusals("slang-cbuffer", "globals S { float a : register(c4); };"), [message]);
}
