//! Tests of rows and leaves: paths, values and limits.

use super::check::{DEFAULT, ROW_MAJOR, accepted, row, rules};
use super::declare::{Scope, block, of_type};
use crate::BlockKind;
use crate::shape::{Count, MatrixOrder, Type};
use crate::tree::{LeafStep, MemberRow};
use crate::{BlockLayout, ElementChoice, LayoutOptions, MAX_LEAVES, lay_out};

fn laid_out(name: &str, declarations: &str, options: LayoutOptions) -> BlockLayout {
    accepted(rules(name), &block(declarations), options)
}

fn paths(name: &str, declarations: &str) -> Vec<String> {
    laid_out(name, declarations, DEFAULT).rows().into_iter().map(|row| row.path).collect()
}

fn leaves(name: &str, declarations: &str) -> Vec<(String, u32)> {
    leaves_with(DEFAULT, name, declarations)
}

fn leaves_with(options: LayoutOptions, name: &str, declarations: &str) -> Vec<(String, u32)> {
    laid_out(name, declarations, options).leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect()
}

fn named(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
    expected.iter().map(|(path, offset)| ((*path).to_owned(), *offset)).collect()
}

/// The example in the command-line reference.
#[test]
fn rows_have_the_documented_keys() {
    let rows = laid_out("hlsl-cbuffer", "cbuffer S { float3 a; float b[2]; float c; float2 d; };", DEFAULT).rows();
    let expected = r#"[
        {"path":"a","type":"float3","offset":0,"size":12,"alignment":4,"array_stride":null,"matrix_stride":null,"matrix_order":null},
        {"path":"b","type":"float[2]","offset":16,"size":20,"alignment":16,"array_stride":16,"matrix_stride":null,"matrix_order":null},
        {"path":"c","type":"float","offset":36,"size":4,"alignment":4,"array_stride":null,"matrix_stride":null,"matrix_order":null},
        {"path":"d","type":"float2","offset":40,"size":8,"alignment":4,"array_stride":null,"matrix_stride":null,"matrix_order":null}]"#;
    let expected: Vec<MemberRow> = serde_json::from_str(expected).unwrap();
    assert_eq!(rows, expected);
    assert_eq!(laid_out("hlsl-cbuffer", "cbuffer S { float a; };", DEFAULT).result.unwrap().alignment, 16);
}

#[test]
fn members_come_once_below_their_arrays() {
    let structs = "struct B { float x; }; struct L : B { float3 p; };";
    let declarations = format!("{structs} cbuffer S {{ L lights[3]; L grid[2][3]; L one; Texture2D t; }};");
    let expected = ["lights", "lights[].x", "lights[].p", "grid", "grid[][].x", "grid[][].p", "one", "one.x", "one.p"];
    assert_eq!(paths("std430", &declarations), expected);
    let grid = row("std430", &declarations, "grid");
    assert_eq!((grid.type_name, grid.array_stride, grid.array_strides), ("L[2][3]".to_owned(), Some(96), vec![96, 32]));
}

#[test]
fn elements_that_are_no_structs_have_one_row() {
    let row_of = |spelling: &str| {
        let block = of_type(BlockKind::StructuredElement, Scope::new("struct T { float a; };").ty(spelling));
        accepted(rules("std430"), &block, DEFAULT)
    };
    assert_eq!(row_of("float3").rows().iter().map(|row| &*row.path).collect::<Vec<_>>(), [""]);
    assert_eq!(row_of("T[2]").rows().iter().map(|row| &*row.path).collect::<Vec<_>>(), ["", "[].a"]);
    assert_eq!(row_of("float2").leaves().iter().map(|leaf| &*leaf.path).collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(row_of("T[2]").leaves().iter().map(|leaf| &*leaf.path).collect::<Vec<_>>(), ["[0].a", "[1].a"]);
}

#[test]
fn matrices_say_their_order_and_stride() {
    let matrix = |declaration: &str| {
        let row = row("std140", &format!("cbuffer S {{ {declaration}; }};"), "m");
        (row.matrix_order, row.matrix_stride, row.array_stride)
    };
    assert_eq!(matrix("float3x4 m"), (Some(MatrixOrder::Column), Some(16), None));
    assert_eq!(matrix("row_major double3x4 m[2]"), (Some(MatrixOrder::Row), Some(32), Some(96)));
    assert_eq!(matrix("row_major float1x3 m"), (Some(MatrixOrder::Row), None, None));
    assert_eq!(matrix("float m[2]"), (None, None, Some(16)));
}

#[test]
fn unsized_arrays_have_no_size() {
    let row = row("std430", "push S { float a; float b[]; };", "b");
    assert_eq!((row.size, row.unbounded, row.array_stride), (None, true, Some(4)));
    let expected = [("a", 0), ("b[0]", 4), ("b[1]", 8)];
    assert_eq!(leaves("std430", "push S { float a; float b[]; };"), named(&expected));
}

/// Matrix paths are row, column, whatever is contiguous. OpenGL 4.6, 7.6.2.2 gives the strides.
#[test]
fn cells_are_named_by_row_and_column() {
    let expected = [("m[0][0]", 0), ("m[0][1]", 16), ("m[0][2]", 32), ("m[1][0]", 4), ("m[1][1]", 20), ("m[1][2]", 36)];
    assert_eq!(leaves("std140", "cbuffer S { float2x3 m; };"), named(&expected));
    let expected = [("m[0][0]", 0), ("m[0][1]", 4), ("m[0][2]", 8), ("m[1][0]", 16), ("m[1][1]", 20), ("m[1][2]", 24)];
    assert_eq!(leaves_with(ROW_MAJOR, "std140", "cbuffer S { float2x3 m; };"), named(&expected));
}

/// `half3x3`: vectors every 16 bytes, elements 2 bytes apart (DXC 1.7.2308, cbufferLoadLegacy of both).
#[test]
fn sixteen_bit_cells_are_two_bytes_apart_in_registers() {
    let leaves = leaves("hlsl-cbuffer", "cbuffer S { half3x3 m; };");
    assert_eq!(leaves[5], ("m[1][2]".to_owned(), 34));
}

#[test]
fn one_dimensional_matrices_are_contiguous_where_they_are_vectors() {
    assert_eq!(leaves("relaxed140", "cbuffer S { float1x2 m; };"), named(&[("m[0][0]", 0), ("m[0][1]", 4)]));
    assert_eq!(leaves("hlsl-cbuffer", "cbuffer S { float1x2 m; };"), named(&[("m[0][0]", 0), ("m[0][1]", 16)]));
}

#[test]
fn steps_lead_through_the_tree_bases_included() {
    let declarations = "struct B { float x; }; struct T : B { float2 v; }; cbuffer S { float a; T t[2]; };";
    let leaves = laid_out("std430", declarations, DEFAULT).leaves();
    let [_, x, .., last] = &leaves[..] else { panic!() };
    let into = [LeafStep::Member(1), LeafStep::Element(0), LeafStep::Member(0), LeafStep::Member(0)];
    assert_eq!((&*x.path, &x.steps[..]), ("t[0].x", &into[..]));
    let steps = [LeafStep::Member(1), LeafStep::Element(1), LeafStep::Member(1), LeafStep::Component(1)];
    assert_eq!((&*last.path, &last.steps[..], last.offset), ("t[1].v.y", &steps[..], 36));
}

#[test]
fn bit_fields_pointers_and_resources_are_no_leaves() {
    let declarations = "push S { uint a : 3; uint b : 5; int* p; Texture2D t[]; float c; };";
    assert_eq!(leaves("std430", declarations), named(&[("c", 16)]));
    assert_eq!(paths("std430", declarations), ["a", "b", "p", "c"]);
}

#[test]
fn a_sample_has_the_first_second_middle_and_last_element() {
    let table: [(u32, &[u32]); 8] = [
        (0, &[]),
        (1, &[0]),
        (2, &[0, 1]),
        (3, &[0, 1, 2]),
        (4, &[0, 1, 2, 3]),
        (5, &[0, 1, 2, 4]),
        (6, &[0, 1, 3, 5]),
        (256, &[0, 1, 128, 255]),
    ];
    for (count, indices) in table {
        assert_eq!(ElementChoice::Sample.indices(count), indices, "of {count}");
        assert_eq!(ElementChoice::Every.indices(count), (0..count).collect::<Vec<_>>());
    }
}

/// The paths of the leaves for a sample of the elements, and their number.
fn sample(declarations: &str) -> (Vec<String>, u64) {
    let layout = laid_out("std430", declarations, DEFAULT);
    let leaves = layout.leaves_in(ElementChoice::Sample);
    (leaves.into_iter().map(|leaf| leaf.path).collect(), layout.leaf_count())
}

#[test]
fn every_dimension_has_a_sample_of_its_own() {
    let (paths, all) = sample("push S { float a[5][6]; float b; };");
    let expected = [0, 1, 2, 4].iter().flat_map(|outer| [0, 1, 3, 5].map(|inner| format!("a[{outer}][{inner}]")));
    assert_eq!(paths, expected.chain(["b".to_owned()]).collect::<Vec<_>>());
    assert_eq!(all, 31);
}

#[test]
fn arrays_in_structs_in_arrays_have_samples_of_their_own() {
    let (paths, all) = sample("struct T { float2 v[7]; float2x2 m; }; push S { T t[9]; };");
    let of_element = |t: &u32| {
        let vectors = [0, 1, 3, 6].iter().flat_map(move |v| ["x", "y"].map(|name| format!("t[{t}].v[{v}].{name}")));
        // A matrix has no array elements, so all of its cells are leaves.
        let cells = ["[0][0]", "[0][1]", "[1][0]", "[1][1]"].map(|cell| format!("t[{t}].m{cell}"));
        vectors.chain(cells).collect::<Vec<_>>()
    };
    assert_eq!(paths, [0, 1, 4, 8].iter().flat_map(of_element).collect::<Vec<_>>());
    assert_eq!((paths.len(), all), (4 * 12, 9 * 18));
}

#[test]
fn an_array_without_a_length_has_its_first_two_elements() {
    let (paths, all) = sample("struct T { uint u[6]; }; push S { float a; T t[]; };");
    let expected = [0, 1].iter().flat_map(|t| [0, 1, 3, 5].map(|u| format!("t[{t}].u[{u}]")));
    assert_eq!(paths, ["a".to_owned()].into_iter().chain(expected).collect::<Vec<_>>());
    assert_eq!(all, 13);
}

#[test]
fn the_last_element_of_an_array_beyond_all_leaves_is_in_a_sample() {
    let layout = laid_out("std430", "push S { float4 a[100000]; float b; };", DEFAULT);
    let leaves = layout.leaves_in(ElementChoice::Sample);
    let paths: Vec<&str> = leaves.iter().map(|leaf| leaf.path.as_str()).collect();
    assert_eq!(paths[12..], ["a[99999].x", "a[99999].y", "a[99999].z", "a[99999].w", "b"]);
    assert_eq!(leaves.last().map(|leaf| leaf.offset), Some(1_600_000));
}

#[test]
fn a_byte_names_its_leaf() {
    let declarations = "struct T { float3 v; row_major float2x3 r; float h; }; \
                        push S { uint a : 3; float b; T t[3]; float4x3 m[2][2]; double d; float e[]; };";
    for name in ["std140", "std430", "scalar", "hlsl-cbuffer", "c"] {
        let layout = laid_out(name, declarations, DEFAULT);
        for leaf in layout.leaves() {
            let last = leaf.offset + leaf.component.size - 1;
            let found = [leaf.offset, last].map(|offset| layout.leaf_path_at(offset));
            assert_eq!(found, [Some(leaf.path.clone()), Some(leaf.path.clone())], "{name}");
        }
    }
    let padded = laid_out("std140", "push S { float3 v; float4 w; };", DEFAULT);
    assert_eq!([12, 15, 16, 32].map(|offset| padded.leaf_path_at(offset)), [None, None, Some("w.x".into()), None]);
}

#[test]
fn leaves_are_bounded_and_counted() {
    let layout = laid_out("std430", "struct Z { }; push S { float4 a[100000]; Z z[4000000000]; };", DEFAULT);
    assert_eq!((layout.leaves().len(), layout.leaf_count()), (MAX_LEAVES, 400_000));
}

#[test]
fn sizes_beyond_two_gibibytes_are_refused_at_their_path() {
    let refused = |declarations: &str| {
        let layout = lay_out(&block(declarations), rules("std140"), DEFAULT);
        layout.result.unwrap_err().into_iter().map(|refusal| refusal.path).collect::<Vec<_>>()
    };
    assert_eq!(refused("cbuffer S { float a[200000000]; float b; double c[4000000000]; };"), ["a", "c"]);
    assert_eq!(refused("struct T { float4 a[100000000]; }; cbuffer S { T b; T c; };"), ["c"]);
    assert_eq!(refused("cbuffer S { float a : packoffset(c134217728); };"), ["a"]);
    let last = laid_out("slang-cbuffer", "cbuffer S { float4 a : packoffset(c134217727); };", DEFAULT);
    assert_eq!(last.result.unwrap().size.finite(), Some(1 << 31));
}

/// Thirty levels of two members each would make a thousand million rows.
#[test]
fn doubling_structs_are_refused() {
    let mut ty = Scope::new("struct T { };").ty("T");
    for level in 0..30 {
        let Type::Struct(inner) = &ty else { panic!() };
        let mut pair = block("cbuffer S { float a; float b; };").element;
        let Type::Struct(both) = &mut pair else { panic!() };
        let mut both = std::sync::Arc::unwrap_or_clone(both.clone());
        both.name = format!("T{level}");
        both.members.iter_mut().for_each(|member| member.ty = Type::Struct(inner.clone()));
        ty = Type::Struct(both.into());
    }
    let layout = lay_out(&of_type(BlockKind::ConstantBuffer, ty), rules("std140"), DEFAULT);
    assert_eq!(layout.result.unwrap_err().len(), 1);
}

#[test]
fn a_block_keeps_its_name_kind_and_count() {
    let block = crate::Block { count: Count::Unbounded, ..block("element S { float3 a; };") };
    let layout = lay_out(&block, rules("relaxed430"), DEFAULT);
    let identity = (&*layout.rules, &*layout.name, layout.kind, layout.count, layout.stride);
    assert_eq!(identity, ("relaxed430", "S", BlockKind::StructuredElement, Count::Unbounded, Some(16)));
}
