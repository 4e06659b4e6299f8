//! Blocks of WGSL texts. Offsets are from the examples in WebGPU Shading Language, 14.4.4 Structure Member Layout, and
//! from the clauses that each test names.

use expect_test::expect;

use layoutproof_layout::FileId;
use layoutproof_layout::shape::Count;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_wgsl::WgslLayouts;

use super::*;
use crate::block_listing::{error, listing};

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

#[track_caller]
fn wgsl_error(text: &str, line: u32, column: u32, message: &str) {
    assert_eq!(error(text, read_wgsl(text, FileId(0))), (line, column, message.to_owned()));
}

/// The blocks of a text that WGSL allows.
fn read_wgsl(text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    WgslLayouts::read(text, file).and_then(WgslLayouts::allowed).map(|read| read.blocks)
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
        : uint2[][3] at 0, runtime-sized
        [24]: uint2[3] at 0, 24
        [24][8]: uint2 at 0, 8
        push-constant turn Finite(1)
        : float3x4 at 0, 64"]]
    .assert_eq(&listing(&blocks));
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
/// `@size` at least its size.
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
        ("@align(4)", "`s.i` has @align(4), which is no multiple of its type's alignment 16"),
        ("@size(24)", "`s.i` has @size(24), which is less than the 32 bytes of its type"),
    ] {
        wgsl_error(&text(attribute), 3, 30, message);
    }
}

/// WGSL, 14.4.5 Address Space Layout Constraints.
#[test]
fn what_a_uniform_buffer_may_not_hold_is_named() {
    let uniform = |structs: &str| format!("{structs}\n@group(0) @binding(0) var<uniform> u: U;\n");
    for (structs, column, message) in [
        ("struct U { a: array<f32, 4> }", 12, "`u.a` has array stride 4, but wgsl-uniform requires a multiple of 16"),
        (
            "struct I { a: f32 } struct U { b: vec2<f32>, i: I }",
            46,
            "`u.i` is at offset 8, but wgsl-uniform requires a multiple of 16",
        ),
        (
            "struct I { a: f32 } struct U { i: I, b: f32 }",
            38,
            "`u.b` is at offset 4 after a struct, but wgsl-uniform requires 16",
        ),
        (
            "struct I { a: array<vec2<f32>, 2> } struct U { b: f32, @align(16) i: I }",
            12,
            "`u.i.a` has array stride 8, but wgsl-uniform requires a multiple of 16",
        ),
        ("struct U { b: f32, a: array<vec4<f32>> }", 20, "`u.a` has no length, which wgsl-uniform does not allow"),
    ] {
        wgsl_error(&uniform(structs), 1, column, message);
    }
    // Tint does the same; naga 30 places `i` at byte 4.
    let text = uniform("struct I { @align(16) a: f32 } struct U { b: f32, i: I, c: f32 }");
    wgsl_offsets(&text, &[("b", 0), ("i.a", 16), ("c", 32)]);
}

/// WGSL, 4.1.2 Language Extensions: with `uniform_buffer_standard_layout`, uniform buffers have the constraints of storage
/// buffers (14.4.5).
#[test]
fn the_standard_layout_lifts_the_constraints_of_uniform_buffers() {
    let text = "requires uniform_buffer_standard_layout;
        struct I { a: f32 }
        struct U { b: vec2<f32>, i: I, list: array<f32, 3>, c: f32 }
        @group(0) @binding(0) var<uniform> u: U;";
    wgsl_offsets(
        text,
        &[("b.x", 0), ("b.y", 4), ("i.a", 8), ("list[0]", 12), ("list[1]", 16), ("list[2]", 20), ("c", 24)],
    );
    // Tint of Dawn for Node 0.6.2, which has the feature, takes the text without `requires`.
    let plain = text.trim_start_matches("requires uniform_buffer_standard_layout;");
    let plain = format!(
        "{plain}\n@group(0) @binding(1) var<uniform> v: array<f32, 5>; @group(0) @binding(2) var<uniform> w: I;"
    );
    let read = WgslLayouts::read(&plain, FileId(0)).unwrap();
    let leaves: Vec<_> = read.blocks.iter().flat_map(BlockLayout::leaves).map(|leaf| leaf.offset).collect();
    assert_eq!(leaves, [0, 4, 8, 12, 16, 20, 24, 0, 4, 8, 12, 16, 0]);
    let needing: Vec<usize> = read.blocks.iter().map(|block| block.warnings.len()).collect();
    // `i` and `list` at 8 and 12, `list` at 12 after a struct, its stride 4; the stride of `v`.
    assert_eq!((needing, read.forbidden.len(), read.restricted.len()), (vec![4, 1, 0], 0, 5));
    assert_eq!(read.allowed().unwrap_err().len(), 5);
    let unsized_array = text.replace("array<f32, 3>, c: f32", "array<f32>");
    let message = "`u.list` has no length, which wgsl-uniform does not allow";
    assert_eq!(read_wgsl(&unsized_array, FileId(0)).unwrap_err()[0].message, message);
}

/// WGSL, 14.4.1: f16 has 2 bytes, `vec3<f16>` 6 at multiples of 8, `mat3x2<f16>` columns 4 apart.
const BUFFERS: &str = "requires buffer_view;
struct Item { at: vec3f, id: u32, w: array<f32, 3> }
struct Tail { n: u32, w: array<vec3f> }
const AT = 32;
@group(0) @binding(0) var<storage, read_write> pool: buffer;
@group(0) @binding(1) var<uniform> small: buffer<64>;
var<workgroup> local: buffer<64>;
";

/// The language extension `buffer_view`. A program of Chromium 153 on `SwiftShader` reads `Item` at 32 from bytes 32, 44 and
/// 56. Tint of Dawn for Node 0.6.2 takes these calls.
#[test]
fn views_give_buffers_their_types() {
    let views = |body: &str| -> Vec<(String, Vec<u32>)> {
        let text = format!("{BUFFERS}@compute @workgroup_size(1) fn main() {{ {body} }}");
        let blocks = read_wgsl(&text, FileId(0)).unwrap_or_else(|found| panic!("{body}: {found:?}"));
        let offsets = |block: &BlockLayout| block.rows().iter().map(|row| row.offset).collect();
        blocks.iter().map(|block| (block.name.clone(), offsets(block))).collect()
    };
    let item = |name: &str, offsets: &[u32]| (name.to_owned(), offsets.to_vec());
    assert_eq!(
        views(
            "let x = bufferView<Item>(&pool, 32); bufferView<Item>(&small, 2 * AT - 32).id; bufferView<Item>(&pool, AT);"
        ),
        [item("pool as Item at 32", &[0, 12, 16]), item("small as Item at 32", &[0, 12, 16])]
    );
    assert_eq!(views("bufferView<Tail>(&pool, AT).n = 1;"), [item("pool as Tail at 32", &[0, 16])]);
    assert_eq!(
        views("let x = bufferArrayView<array<f32>>(&small, 4, 16)[1];"),
        [item("small as array<f32> at 4", &[0])]
    );
    // Only a run knows the offset; the last name hides a constant.
    assert_eq!(views("bufferView<f32>(&pool, bufferLength(&pool));"), [item("pool as f32", &[0])]);
    assert_eq!(views("let AT = x; bufferView<f32>(&pool, AT);"), [item("pool as f32", &[0])]);
    assert_eq!(views("let p = &pool; bufferView<f32>(p, 4);"), [item("p as f32 at 4", &[0])]);
    assert_eq!(views("bufferView<f32>(&local, 4);"), []);
}

/// Tint: "the offset argument of bufferView must evenly divide the alignment of the return type (16)", and "the offset
/// argument of bufferView plus the minimum size of the return type must be less than or equal to the buffer size".
#[test]
fn views_lie_in_their_buffers() {
    for (call, message) in [
        (
            "bufferView<Item>(&pool, 20)",
            "`pool as Item at 20`: the offset is no multiple of 16, the alignment of the type",
        ),
        ("bufferView<Item>(&small, 48)", "`small as Item at 48`: 32 bytes at 48 end after the buffer's 64"),
    ] {
        let text = format!("{BUFFERS}fn f() {{ let x = {call}; }}");
        wgsl_error(&text, 8, 18, message);
    }
}

/// Tint: "return type of bufferArrayView cannot have a fixed footprint".
#[test]
fn views_of_arrays_have_no_fixed_size() {
    let text = format!("{BUFFERS}fn f() {{ let x = bufferArrayView<Item>(&pool, 32, 32); }}");
    let read = WgslLayouts::read(&text, FileId(0)).unwrap();
    assert_eq!(read.blocks.iter().map(|block| block.name.as_str()).collect::<Vec<_>>(), ["pool as array<Item> at 32"]);
    assert_eq!(read.module.warnings.len(), 1);
}

#[test]
fn halves_take_two_bytes() {
    let text = "enable f16; struct S { a: f16, b: vec3<f16>, c: f16, m: mat3x2<f16>, d: array<f16, 3>, e: vec2h }
        @group(0) @binding(0) var<storage> s: S;";
    let blocks = read_wgsl(text, FileId(0)).unwrap();
    let rows: Vec<_> = blocks[0].rows().into_iter().map(|row| (row.path, row.offset)).collect();
    let expected = [("a", 0), ("b", 8), ("c", 14), ("m", 16), ("d", 28), ("e", 36)];
    assert_eq!(rows, expected.map(|(path, offset)| (path.to_owned(), offset)));
}

/// naga has 64-bit scalars and `binding_array`: aligned to 8 as naga's `Layouter` has them.
#[test]
fn extensions_of_naga_are_laid_out() {
    let text = "struct S { a: f32, b: u64, c: vec3<i64>, d: f64 }
        @group(0) @binding(0) var<storage, read_write> list: binding_array<S, 4>;";
    let text = &format!("enable wgpu_binding_array; {text}");
    let blocks = read_wgsl(text, FileId(0)).unwrap();
    let rows: Vec<_> = blocks[0].rows().into_iter().map(|row| (row.path, row.offset)).collect();
    assert_eq!(rows, [("a", 0), ("b", 8), ("c", 32), ("d", 56)].map(|(path, offset)| (path.to_owned(), offset)));
    let naga = crate::naga::read_wgsl(text, FileId(0)).unwrap();
    assert_eq!(differences(&blocks, &naga), []);
    assert_eq!((blocks[0].count, naga[0].count), (Count::Finite(4), Count::Finite(4)));
}

/// naga 30 ignores that an attribute of a member aligns its struct.
#[test]
fn a_witness_with_another_offset_is_found() {
    let text = "struct I { a: u32, @align(16) b: f32 } struct O { head: u32, i: I, tail: u32 }
        @group(0) @binding(0) var<storage> s: O; @group(0) @binding(1) var<storage> t: array<u32, 3>;";
    let naga = crate::naga::read_wgsl(text, FileId(0)).unwrap();
    let found = differences(&read_wgsl(text, FileId(0)).unwrap(), &naga);
    let expected =
        WitnessDifference { block: "s".to_owned(), path: "i".to_owned(), what: "offset", ours: 16, theirs: 4 };
    assert_eq!(found, [expected]);
}

/// 2^15 leaves in each of these variables.
#[test]
fn what_would_take_too_long_to_list_is_refused_at_its_variable() {
    let doubled = (1..20).map(|level| format!("struct S{level} {{ a: S{0}, b: S{0} }}\n", level - 1));
    let structs = format!("struct S0 {{ a: f32 }}\n{}", doubled.collect::<String>());
    let variables = (0..8).map(|index| format!("@group(0) @binding({index}) var<storage> v{index}: S15;\n"));
    let found = read_wgsl(&format!("{structs}{}", variables.collect::<String>()), FileId(0)).unwrap_err();
    assert_eq!(found[0].code, Code::LimitExceeded);
    assert_eq!(found[0].message, "the blocks up to this one take more than 16777216 bytes to list");

    let found = read_wgsl(&format!("{structs}@group(0) @binding(0) var<storage> v: S19;"), FileId(0)).unwrap_err();
    assert!(found[0].message.ends_with("more than 131072 members"), "{found:?}");
}

#[test]
fn types_nest_to_the_limit() {
    let array = |levels: usize| {
        let (open, close) = ("array<".repeat(levels), ", 1>".repeat(levels));
        format!("@group(0) @binding(0) var<storage> b: {open}f32{close};")
    };
    assert!(read_wgsl(&array(64), FileId(0)).is_ok());
    let found = read_wgsl(&array(65), FileId(0)).unwrap_err();
    assert_eq!(found[0].code, Code::TooDeep);
    assert_eq!(found[0].message, "its type is nested more than 64 levels deep");
}

/// WGSL, 14.4.1 Alignment and Size: a bool takes 4 bytes, a vec3 16 in an array. A pipeline sets `COUNT`, and a number alone has
/// nothing to lay out. No host sees any of them.
#[test]
fn memory_of_a_workgroup_has_the_sizes_of_its_types() {
    let text = "override COUNT = 4;
var<workgroup> tile: array<vec3f, 16>;
var<workgroup> items: array<Item, 8>;
var<workgroup> one: Item;
var<workgroup> hits: atomic<u32>;
var<workgroup> sized: array<f32, COUNT>;
struct Item { centre: vec3f, is_lit: bool, uv: vec2f, hits: atomic<u32> }
@compute @workgroup_size(1) fn main() { tile[0] = items[0].centre + one.centre; }
";
    let layouts = WgslLayouts::read(text, FileId::default()).unwrap();
    assert!(layouts.blocks.is_empty());
    let shared = layouts.shared_blocks();
    let facts: Vec<_> = shared
        .iter()
        .map(|block| {
            let root = block.result.as_ref().unwrap();
            let offsets: Vec<u32> = block.rows().iter().map(|row| row.offset).collect();
            (block.name.as_str(), block.reach.word(), root.size.finite(), offsets)
        })
        .collect();
    let word = Some("workgroup-memory");
    assert_eq!(
        facts,
        [
            ("tile", word, Some(256), vec![0]),
            ("items", word, Some(256), vec![0, 0, 12, 16, 24]),
            ("one", word, Some(32), vec![0, 12, 16, 24]),
        ]
    );
}
