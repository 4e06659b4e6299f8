//! Blocks of WGSL and GLSL texts. Offsets are from the examples in WebGPU Shading Language, 14.4.4
//! Structure Member Layout, and OpenGL 4.6, 7.6.2.2 Standard Uniform Block Layout.

use expect_test::expect;

use super::*;
use layoutproof_source::sources::SourceMap;

const SPEC_WGSL: &str = "\
struct A { u: f32, v: f32, w: vec2<f32>, @size(16) x: f32 }
struct B {
    a: vec2<f32>, b: vec3<f32>, c: f32, d: f32,
    @align(16) e: A,
    f: vec3<f32>, g: array<A, 3>, h: i32
}
@group(0) @binding(0) var<uniform> uniform_buffer: B;
@group(0) @binding(1) var<storage, read> counts: array<array<vec2<u32>, 3>>;
@group(0) @binding(2) var picture: texture_2d<f32>;
var<immediate> turn: mat4x3<f32>;
";

/// Path, type, absolute offset and size of every member at any depth.
fn rows(path: &str, start: u32, laid_out: &LaidOut, rows: &mut Vec<String>) {
    let size = laid_out.size.finite().map_or("no end".to_owned(), |size| size.to_string());
    rows.push(format!("{path}: {} at {start}, {size}", laid_out.type_name));
    match &laid_out.shape {
        LaidOutShape::Struct(members) => {
            for member in members {
                self::rows(&format!("{path}.{}", member.name), start + member.offset, &member.layout, rows);
            }
        }
        LaidOutShape::Array { element, stride, .. } => {
            self::rows(&format!("{path}[{stride}]"), start, element, rows);
        }
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Pointer
        | LaidOutShape::Resource => {}
    }
}

fn listing(blocks: &[BlockLayout]) -> String {
    let mut lines = Vec::new();
    for block in blocks {
        lines.push(format!("{} {} {:?}", block.kind, block.name, block.count));
        rows("", 0, block.result.as_ref().unwrap(), &mut lines);
    }
    lines.join("\n")
}

/// Line, column and message of the only error.
#[track_caller]
fn error(text: &str, result: Result<Vec<BlockLayout>, Vec<Diagnostic>>) -> (u32, u32, String) {
    let mut sources = SourceMap::default();
    sources.add("a", text);
    let diagnostics = result.unwrap_err();
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code, Code::BadModule);
    let position = sources.position(diagnostics[0].span());
    (position.line, position.column, diagnostics[0].message.clone())
}

#[track_caller]
fn wgsl_error(text: &str, line: u32, column: u32, message: &str) {
    assert_eq!(error(text, read_wgsl(text, FileId(0))), (line, column, message.to_owned()));
}

#[track_caller]
fn glsl_error(text: &str, line: u32, column: u32, message: &str) {
    assert_eq!(error(text, read_glsl(text, FileId(0))), (line, column, message.to_owned()));
}

#[test]
fn wgsl_blocks_have_the_offsets_of_the_specification() {
    let blocks = read_wgsl(SPEC_WGSL, FileId(0)).unwrap();
    expect![[r"
        uniform-block uniform_buffer Finite(1)
        : B at 0, 208
        .a: float2 at 0, 8
        .b: float3 at 16, 12
        .c: float at 28, 4
        .d: float at 32, 4
        .e: A at 48, 32
        .e.u: float at 48, 4
        .e.v: float at 52, 4
        .e.w: float2 at 56, 8
        .e.x: float at 64, 4
        .f: float3 at 80, 12
        .g: A[3] at 96, 96
        .g[32]: A at 96, 32
        .g[32].u: float at 96, 4
        .g[32].v: float at 100, 4
        .g[32].w: float2 at 104, 8
        .g[32].x: float at 112, 4
        .h: int at 192, 4
        storage-block counts Finite(1)
        : uint2[][3] at 0, no end
        [24]: uint2[3] at 0, 24
        [24][8]: uint2 at 0, 8
        push-constant turn Finite(1)
        : float3x4 at 0, 64"]]
    .assert_eq(&listing(&blocks));
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
        : Named at 0, no end
        .first: float3 at 0, 12
        .rest: float[] at 12, no end
        .rest[4]: float at 12, 4"]]
    .assert_eq(&listing(&blocks));
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
    wgsl_error("struct A {\n    a: vec5<f32>,\n}\n", 2, 8, "no definition in scope for identifier: `vec5`");
    wgsl_error(
        "var<immediate> big: array<vec4<f32>, 17>;\n@compute @workgroup_size(1) fn f() { _ = big[16]; }\n",
        1,
        1,
        "naga allows 256 bytes of immediates, but this has 272",
    );
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

/// Offsets of the leaves of the first block.
#[track_caller]
fn wgsl_offsets(text: &str, expected: &[(&str, u32)]) {
    let blocks = read_wgsl(text, FileId(0)).unwrap();
    let leaves: Vec<_> = blocks[0].leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    let expected: Vec<_> = expected.iter().map(|(path, offset)| ((*path).to_owned(), *offset)).collect();
    assert_eq!(leaves, expected, "{text}");
}

/// WGSL, 14.4.1: `AlignOf` of a struct is the largest `AlignOfMember`, which is the value of
/// `@align` if a member has one. naga 30 ignores `@align` here.
#[test]
fn a_struct_is_aligned_as_its_most_aligned_member_says() {
    let storage = "@group(0) @binding(0) var<storage, read_write> s: O;";
    wgsl_offsets(
        &format!(
            "struct I {{ a: u32, @align(16) b: f32, c: f32 }} struct O {{ head: u32, i: I, tail: u32 }} {storage}"
        ),
        &[("head", 0), ("i.a", 16), ("i.b", 32), ("i.c", 36), ("tail", 48)],
    );
    // Two levels, and an alias between them.
    wgsl_offsets(
        &format!(
            "struct A {{ @align(32) x: f32 }} alias B = A; struct C {{ p: f32, b: B }}
             struct O {{ head: u32, c: C, list: array<C, 2>, tail: u32 }} {storage}"
        ),
        &[
            ("head", 0),
            ("c.p", 32),
            ("c.b.x", 64),
            ("list[0].p", 96),
            ("list[0].b.x", 128),
            ("list[1].p", 160),
            ("list[1].b.x", 192),
            ("tail", 224),
        ],
    );
    // An array has the alignment of its elements; `@size` does not change the alignment.
    wgsl_offsets(
        &format!(
            "const N = 8; struct A {{ @size(20) x: f32, @align(N * 2) y: f32 }}
             struct O {{ head: u32, list: array<A, 2>, @align(64) n: atomic<u32>, v: vec3<f32>, t: f32 }} {storage}"
        ),
        &[
            ("head", 0),
            ("list[0].x", 16),
            ("list[0].y", 48),
            ("list[1].x", 64),
            ("list[1].y", 96),
            ("n", 128),
            ("v.x", 144),
            ("v.y", 148),
            ("v.z", 152),
            ("t", 156),
        ],
    );
}

/// WGSL, 12.1 and 12.10: the value of `@align` is a multiple of the type's alignment, that of
/// `@size` at least its size. naga compares both with the numbers that it computed itself.
#[test]
fn attributes_that_are_less_than_their_type_are_refused() {
    let text = |attribute: &str| {
        format!(
            "struct I {{ @align(16) a: f32, b: f32 }}\nstruct M {{ x: f32, i: I, }}\n\
             struct O {{ x: f32, {attribute} i: M }}\n@group(0) @binding(0) var<storage> s: O;"
        )
    };
    assert!(read_wgsl(&text("@align(16) @size(48)"), FileId(0)).is_ok());
    for (attribute, message) in [
        ("@align(4)", "`O`: @align(4) of `i` is not a multiple of its type's alignment 16"),
        ("@size(24)", "`O`: @size(24) of `i` is less than its type's size 32"),
    ] {
        let found = read_wgsl(&text(attribute), FileId(0)).unwrap_err();
        assert_eq!(found[0].code, Code::BadModule);
        assert_eq!(found[0].message, message);
    }
}

/// WGSL, 14.4.5 Address Space Layout Constraints.
#[test]
fn what_a_uniform_buffer_may_not_hold_is_named() {
    let uniform = |structs: &str| format!("{structs}\n@group(0) @binding(0) var<uniform> u: U;\n");
    for (structs, message) in [
        (
            "struct U { a: array<f32, 4> }",
            "`u.a` breaks a rule for uniform buffers: array elements must be a multiple of 16 bytes apart, these are 4",
        ),
        (
            "struct I { a: f32 } struct U { b: vec2<f32>, i: I }",
            "`u.i` breaks a rule for uniform buffers: a struct must be at a multiple of 16 bytes, this one is at 8",
        ),
        (
            "struct I { a: f32 } struct U { i: I, b: f32 }",
            "`u.b` breaks a rule for uniform buffers: the member after struct `i` must be at byte 16 or later, \
             this one is at 4",
        ),
        (
            "struct I { a: array<vec2<f32>, 2> } struct U { b: f32, @align(16) i: I }",
            "`u.i.a` breaks a rule for uniform buffers: array elements must be a multiple of 16 bytes apart, \
             these are 8",
        ),
    ] {
        wgsl_error(&uniform(structs), 2, 23, message);
    }
    // Tint does the same; naga 30 places `i` at byte 4.
    let text = uniform("struct I { @align(16) a: f32 } struct U { b: f32, i: I, c: f32 }");
    wgsl_offsets(&text, &[("b", 0), ("i.a", 16), ("c", 32)]);
}

/// 2^19 members in 20 structs.
#[test]
fn what_would_take_too_long_to_list_is_refused_at_its_variable() {
    let doubled = (1..20).map(|level| format!("struct S{level} {{ a: S{0}, b: S{0} }}\n", level - 1));
    let text = format!(
        "struct S0 {{ a: f32 }}\n{}@group(0) @binding(0) var<storage> first: S0;\n\
         @group(0) @binding(1) var<storage> second: S19;\n",
        doubled.collect::<String>()
    );
    let found = read_wgsl(&text, FileId(0)).unwrap_err();
    assert_eq!(found[0].code, Code::LimitExceeded);
    assert_eq!(found[0].message, "the blocks up to this one take more than 16777216 bytes to list");
    assert_eq!(found[0].span().start as usize, text.rfind("var<storage>").unwrap());
}

#[test]
fn types_nest_to_the_limit() {
    let array = |levels: usize| {
        let (open, close) = ("array<".repeat(levels), ", 1>".repeat(levels));
        format!("@group(0) @binding(0) var<storage> b: {open}f32{close};")
    };
    assert!(read_wgsl(&array(DEEPEST), FileId(0)).is_ok());
    let found = read_wgsl(&array(DEEPEST + 1), FileId(0)).unwrap_err();
    assert_eq!(found[0].code, Code::TooDeep);
    assert_eq!(found[0].message, "its type is nested more than 64 levels deep");
    let glsl = format!("layout(binding=0) buffer B {{ float b{}; }}; void main() {{}}", "[1]".repeat(DEEPEST + 1));
    assert_eq!(read_glsl(&glsl, FileId(0)).unwrap_err()[0].code, Code::TooDeep);
}
