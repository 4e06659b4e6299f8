//! Blocks of WGSL and GLSL texts as naga has them. GLSL's offsets are from the examples in OpenGL 4.6, 7.6.2.2 Standard
//! Uniform Block Layout.

use expect_test::expect;

use super::*;
use crate::block_listing::{error, listing};

#[track_caller]
fn glsl_error(text: &str, line: u32, column: u32, message: &str) {
    assert_eq!(error(text, read_glsl(text, FileId(0))), (line, column, message.to_owned()));
}

#[test]
fn glsl_blocks_have_the_offsets_of_the_specification() {
    let text = "\
#version 450
struct F { int d; ivec2 e; };
struct O { uvec3 j; vec2 k; float l[2]; vec2 m; mat3 n[2]; };
layout(std140, binding = 0) uniform Example { float a; vec2 b; vec3 c; F f; float g; float h[2]; mat2x3 i; O o[2]; };
layout(std430, binding = 1) readonly buffer Named { vec3 first; float rest[]; } named;
layout(local_size_x = 1) in;
void main() {}
";
    let blocks = read_glsl(text, FileId(0)).unwrap();
    expect![[r"
        uniform-block Example Finite(1)
        : Example at 0, 480
        .a: float at 0, 4
        .b: float2 at 8, 8
        .c: float3 at 16, 12
        .f: F at 32, 16
        .f.d: int at 32, 4
        .f.e: int2 at 40, 8
        .g: float at 48, 4
        .h: float[2] at 64, 32
        .h[16]: float at 64, 4
        .i: float3x2 at 96, 32
        .o: O[2] at 128, 352
        .o[176]: O at 128, 176
        .o[176].j: uint3 at 128, 12
        .o[176].k: float2 at 144, 8
        .o[176].l: float[2] at 160, 32
        .o[176].l[16]: float at 160, 4
        .o[176].m: float2 at 192, 8
        .o[176].n: float3x3[2] at 208, 96
        .o[176].n[48]: float3x3 at 208, 48
        storage-block named Finite(1)
        : Named at 0, runtime-sized
        .first: float3 at 0, 12
        .rest: float[] at 12, runtime-sized
        .rest[4]: float at 12, 4"]]
    .assert_eq(&listing(&blocks));
}

/// The numbers are glslang 16.6.0's (`-V`): push constants have std430 unless the text names another layout.
#[test]
fn push_constants_in_glsl_have_std430_by_default() {
    let offsets = |layout: &str| {
        let text = format!(
            "#version 450\n/* push_constant */ layout({layout}) uniform P {{ float a; float v[3]; vec2 b; }} p;\n\
             void main() {{}}\n"
        );
        let block = read_glsl(&text, FileId(0)).unwrap().remove(0);
        ["a", "v[0]", "v[1]", "b.x"].map(|path| block.leaves().iter().find(|leaf| leaf.path == path).unwrap().offset)
    };
    assert_eq!(offsets("push_constant"), [0, 4, 8, 16]);
    assert_eq!(offsets("std430, push_constant"), [0, 4, 8, 16]);
    assert_eq!(offsets("push_constant, std140"), [0, 16, 32, 64]);
    // The place of an error is the file's.
    let text = "#version 450\nlayout(push_constant) uniform P { float a; }; nothing b;\nvoid main() {}\n";
    assert_eq!(read_glsl(text, FileId(0)).unwrap_err()[0].span().start as usize, text.find("nothing").unwrap());
}

/// naga 30.0.2 takes the lengths of `float v[2][3]` in the wrong order, those of `float[3] v[2]` in the right one.
#[test]
fn arrays_of_arrays_in_glsl_are_not_read() {
    for declared in ["float v[2][3]", "float[2][3] v", "float[3] v[2]"] {
        let text = format!("#version 450\nlayout(binding = 0) buffer S {{ {declared}; }} s;\nvoid main() {{}}\n");
        let found = read_glsl(&text, FileId(0)).unwrap_err();
        assert!(found[0].message.contains("array of arrays"), "{declared}: {found:?}");
    }
}

#[test]
fn glsl_stages_are_tried_unless_the_text_names_one() {
    let text = "#version 450\nlayout(binding = 0) uniform U { vec4 a; } u;\nvoid main() { gl_Position = u.a; }\n";
    assert_eq!(read_glsl(text, FileId(0)).unwrap().len(), 1);
    let named = text.replace("layout", "#pragma shader_stage(fragment)\nlayout");
    let message = "Entry point main at Fragment is invalid: \
                   Built-in Position { invariant: false } is not available at this stage";
    // naga gives no place, so the error is at the end of the text.
    glsl_error(&named, 5, 1, message);
}

#[test]
fn errors_stand_where_naga_puts_them() {
    let text = "struct A {\n    a: vec5<f32>,\n}\n";
    let message = "no definition in scope for identifier: `vec5`".to_owned();
    assert_eq!(error(text, read_wgsl(text, FileId(0))), (2, 8, message));
    let text = "var<immediate> big: array<vec4<f32>, 17>;\n@compute @workgroup_size(1) fn f() { _ = big[16]; }\n";
    let message = "naga allows 256 bytes of immediates, but this has 272".to_owned();
    assert_eq!(error(text, read_wgsl(text, FileId(0))), (1, 1, message));
}

#[test]
fn glsl_that_naga_would_lay_out_wrongly_is_an_error() {
    glsl_error(
        "#version 450\nlayout(binding = 0) uniform U { vec4 a; layout(offset = 32) vec4 b; };\nvoid main() {}\n",
        2,
        41,
        "Expected Void, Struct or a type, found Layout",
    );
    glsl_error(
        "#version 450\nlayout(row_major, binding = 0) uniform U { mat4x3 a; };\nvoid main() {}\n",
        2,
        8,
        "Unexpected qualifier",
    );
}

#[test]
fn naga_s_departure_from_std140_is_listed_as_it_is() {
    let offset = |blocks: &[BlockLayout], member: usize| match &blocks[0].result.as_ref().unwrap().shape {
        LaidOutShape::Struct(members) => members[member].offset,
        shape => panic!("{shape:?}"),
    };
    // OpenGL 4.6, 7.6.2.2, rule 9: in std140 a struct's alignment is rounded up to that of a vec4. naga 30 does not.
    let glsl = "#version 450\nstruct F { float d; };\n\
                layout(std140, binding = 0) buffer U { float a; F f; float g; };\nvoid main() {}\n";
    assert_eq!(offset(&read_glsl(glsl, FileId(0)).unwrap(), 1), 4);
}

#[test]
fn types_nest_to_the_limit() {
    let glsl = format!("layout(binding=0) buffer B {{ float b{}; }}; void main() {{}}", "[1]".repeat(DEEPEST + 1));
    assert_eq!(read_glsl(&glsl, FileId(0)).unwrap_err()[0].code, Code::TooDeep);
}

/// naga 30 ignores that an attribute of a member aligns its struct (WGSL, 14.4.1 has 16, 32, 36).
#[test]
fn a_witness_keeps_its_own_numbers() {
    let text = "struct I { a: u32, @align(16) b: f32, c: f32 } struct O { head: u32, i: I, tail: u32 }
        @group(0) @binding(0) var<storage, read_write> s: O;";
    let blocks = read_wgsl(text, FileId(0)).unwrap();
    let leaves: Vec<_> = blocks[0].leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    let expected = [("head", 0), ("i.a", 4), ("i.b", 20), ("i.c", 24), ("tail", 36)];
    assert_eq!(leaves, expected.map(|(path, offset)| (path.to_owned(), offset)));
}
