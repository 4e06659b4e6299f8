//! GLSL's layouts as glslang 12 decorates them, and WGSL's as its specification tabulates them.

use super::check::{DEFAULT, accepted, check, refusals, row, rules, summary};
use super::declare::{Scope, block, of_type};
use crate::BlockKind;
use crate::lay_out;
use crate::tree::Extent;

/// The members of `layout(scalar) buffer`, `layout(std430) buffer` and `layout(std140) uniform`,
/// with `m` as `mat3x2` and `n` as `layout(row_major) mat3x2`.
const MEMBERS: &str = "struct T { double d; float f; }; struct U { float3 a; float b[2]; };
    push S { T t; float g; T s[2]; float h; double3 i; column_major float2x3 m; float j; U u; float k; };";

/// Offsets of the block's own members.
fn offsets(name: &str) -> Vec<u32> {
    let rows = accepted(rules(name), &block(MEMBERS), DEFAULT).rows();
    rows.iter().filter(|row| !row.path.contains(['.', '['])).map(|row| row.offset).collect()
}

#[test]
fn members_stand_where_glslang_puts_them() {
    assert_eq!(offsets("scalar"), [0, 12, 16, 44, 48, 72, 96, 100, 120]);
    assert_eq!(offsets("std430"), [0, 16, 24, 56, 64, 88, 112, 128, 160]);
    assert_eq!(offsets("std140"), [0, 16, 32, 64, 96, 128, 176, 192, 240]);
}

#[test]
fn strides_are_glslangs() {
    let strides = |name| (row(name, MEMBERS, "s").array_stride, row(name, MEMBERS, "m").matrix_stride);
    assert_eq!(strides("scalar"), (Some(16), Some(8)));
    assert_eq!(strides("std430"), (Some(16), Some(8)));
    assert_eq!(strides("std140"), (Some(16), Some(16)));
    let row_major = "push S { row_major float2x3 n; };";
    assert_eq!(row("std430", row_major, "n").matrix_stride, Some(16));
}

#[test]
fn structs_and_their_arrays_follow_glslang() {
    let declarations = "struct T { float x; }; push S { T t; float b; T u[2]; float c; };";
    check("std140", declarations, "t 0, t.x 0, b 16, u 32, u[].x 32, c 64; size 80");
    check("std430", declarations, "t 0, t.x 0, b 4, u 8, u[].x 8, c 16; size 20");
}

/// The table in WGSL, Alignment and Size: type, alignment, size.
#[test]
fn types_have_wgsls_alignment_and_size() {
    let table = [
        ("int", 4, 4),
        ("float", 4, 4),
        ("half", 2, 2),
        ("float2", 8, 8),
        ("half2", 4, 4),
        ("float3", 16, 12),
        ("half3", 8, 6),
        ("float4", 16, 16),
        ("half4", 8, 8),
        ("float2x2", 8, 16),
        ("half2x2", 4, 8),
        ("float2x3", 8, 24),
        ("half2x3", 4, 12),
        ("float2x4", 8, 32),
        ("half2x4", 4, 16),
        ("float3x2", 16, 32),
        ("half3x2", 8, 16),
        ("float3x3", 16, 48),
        ("half3x3", 8, 24),
        ("float3x4", 16, 64),
        ("half3x4", 8, 32),
        ("float4x2", 16, 32),
        ("half4x2", 8, 16),
        ("float4x3", 16, 48),
        ("half4x3", 8, 24),
        ("float4x4", 16, 64),
        ("half4x4", 8, 32),
    ];
    for (spelling, alignment, size) in table {
        let block = of_type(BlockKind::StorageBlock, Scope::default().ty(spelling));
        let layout = lay_out(&block, rules("wgsl-storage"), DEFAULT).result.unwrap();
        assert_eq!((layout.alignment, layout.size), (alignment, Extent::Finite(size)), "{spelling}");
    }
}

/// The structs in WGSL, Structure Member Layout: `A` and `B` with their offsets, sizes and strides.
#[test]
fn structs_are_laid_out_as_in_the_wgsl_specification() {
    let a = "struct A { float u; float v; float2 w; float x; };";
    let b = "push B { float2 a; float3 b; float c; float d; A e; float3 f; A g[3]; int h; };";
    let layout = accepted(rules("wgsl-storage"), &block(&format!("{a} {b}")), DEFAULT);
    let expected = "a 0, b 16, c 28, d 32, e 40, e.u 40, e.v 44, e.w 48, e.x 56, f 64, g 80, g[].u 80, g[].v 84, \
                    g[].w 88, g[].x 96, h 152; size 160";
    assert_eq!(summary(&layout), expected);
    assert_eq!(row("wgsl-storage", &format!("{a} {b}"), "g").array_stride, Some(24));
}

#[test]
fn uniform_buffers_want_steps_of_sixteen_bytes() {
    assert_eq!(
        refusals("wgsl-uniform", "push S { float a[4]; float2 b[2]; };"),
        [
            "a: has array stride 4, but wgsl-uniform requires a multiple of 16",
            "b: has array stride 8, but wgsl-uniform requires a multiple of 16",
        ]
    );
    let inner = "struct T { float x; };";
    assert_eq!(
        refusals("wgsl-uniform", &format!("{inner} push S {{ float a; T t; float b; }};")),
        [
            "t: is at offset 4, but wgsl-uniform requires a multiple of 16",
            "b: is at offset 8 after a struct, but wgsl-uniform requires 16",
        ]
    );
    check("wgsl-uniform", "push S { float3 a[2]; float2x2 m; };", "a 0, m 32; size 48");
}

#[test]
fn wgsl_shares_only_its_own_types_with_the_host() {
    let messages = refusals(
        "wgsl-storage",
        "struct E { }; push S { bool a; double b; int16_t c; float1 d; int2x2 e; float1x3 f; E g; float* h; uint i : 3; };",
    );
    let expected = [
        "a: is made of bool",
        "b: is made of double",
        "c: is made of int16_t",
        "d: is a vector of one component",
        "e: is a matrix of integers",
        "f: is a matrix with one row or column",
        "g: is an empty struct",
        "h: is a pointer",
        "i: is a bit-field",
    ];
    assert_eq!(messages, expected.map(|reason| format!("{reason}, which wgsl-storage does not allow")));
}

#[test]
fn unsized_arrays_end_a_storage_buffer() {
    check("wgsl-storage", "push S { float3 a; float b[]; };", "a 0, b 12; size unbounded");
    assert_eq!(
        refusals("wgsl-uniform", "push S { float4 a[]; };"),
        ["a: has no length, which wgsl-uniform does not allow"]
    );
    assert_eq!(refusals("std430", "push S { float a[]; float b; };"), ["b: follows an array without end"]);
    assert_eq!(refusals("std430", "push S { float a[3][]; };"), ["a: is an array of elements without end"]);
}
