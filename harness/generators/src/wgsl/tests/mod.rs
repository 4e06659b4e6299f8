//! Passes hand-made layouts through the generator and naga. The expected offsets come from the
//! examples in WebGPU Shading Language, 14.4.4 Structure Member Layout, or from the layout itself.

mod layouts;
mod properties;

use expect_test::{expect, expect_file};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, Component, LaidOut, LaidOutShape, Refusal};
use layouts::{
    FLOAT, INT, READ, UINT, array, block, entry, generate, laid, matrix, member, naga_offsets, scalar, spirv,
    structure, unsized_array, vector,
};

use super::{ProbePlan, UniformLayout, WgslProbe, module};
use layoutproof_probes::{AddressSpace, Direction, Form};

#[track_caller]
fn refused(space: AddressSpace, laid_out: &LaidOut, expected: &str) {
    let refusal = generate("std430", laid_out, &entry(space, Direction::Read, &[Form::Leaf])).unwrap_err();
    assert_eq!(refusal.to_string(), format!("no probe in WGSL: {}", expected.replacen(": ", ", ", 1)));
}

/// Struct `A` of the specification's examples, at the given offsets.
fn spec_a(offsets: [u32; 4]) -> LaidOut {
    let members = [scalar(FLOAT), scalar(FLOAT), vector(FLOAT, 2), scalar(FLOAT)];
    structure(["u", "v", "w", "x"].iter().zip(offsets).zip(members).map(|((n, o), l)| member(n, o, l)).collect())
}

/// Struct `B` of the specification's examples, at the given offsets.
fn spec_b(offsets: [u32; 8], a: &LaidOut, a_stride: u32) -> LaidOut {
    let members = [
        vector(FLOAT, 2),
        vector(FLOAT, 3),
        scalar(FLOAT),
        scalar(FLOAT),
        a.clone(),
        vector(FLOAT, 3),
        array(a.clone(), 3, a_stride),
        scalar(INT),
    ];
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    structure(names.iter().zip(offsets).zip(members).map(|((n, o), l)| member(n, o, l)).collect())
}

fn pick(laid_out: &LaidOut, offsets: &[u32], paths: &[&str]) -> Vec<u32> {
    let leaves = block("by-hand", laid_out.clone()).leaves();
    let index = |path: &&str| leaves.iter().position(|leaf| leaf.path == **path).unwrap();
    paths.iter().map(|path| offsets[index(path)]).collect()
}

const SPEC_PATHS: [&str; 12] = ["a.x", "b.x", "c", "d", "e.u", "e.v", "e.w.x", "e.x", "f.x", "g[0].u", "g[2].x", "h"];

#[test]
fn plain_members_get_the_offsets_of_the_specification_s_first_example() {
    // The layout's own offsets are wrong on purpose: under a WGSL rule set naga must choose.
    let b = spec_b([4; 8], &spec_a([4; 4]), 4);
    let module = generate("wgsl-storage", &b, &entry(AddressSpace::Storage, Direction::Read, &READ)).unwrap();
    assert!(!module.text.contains("@size") && !module.text.contains("Element"), "{}", module.text);
    // e at 40 with u, v, w, x at 0, 4, 8, 16; g at 80 with stride 24; size 160.
    let expected = [0, 16, 28, 32, 40, 44, 48, 56, 64, 80, 80 + 48 + 16, 152];
    assert_eq!(pick(&b, &naga_offsets(&module), &SPEC_PATHS), expected);
    assert_eq!(module.binding_size, 160);
}

#[test]
fn explicit_sizes_get_the_offsets_of_the_specification_s_second_example() {
    let b = spec_b([0, 16, 28, 32, 48, 80, 96, 192], &spec_a([0, 4, 8, 16]), 32);
    let module = generate("std140", &b, &entry(AddressSpace::Uniform, Direction::Read, &READ)).unwrap();
    // e at 48, g at 96 with stride 32; size 208.
    let expected = [0, 16, 28, 32, 48, 52, 56, 64, 80, 96, 96 + 64 + 16, 192];
    assert_eq!(pick(&b, &naga_offsets(&module), &SPEC_PATHS), expected);
    assert_eq!(module.binding_size, 208);
}

#[test]
fn a_read_probe_reads_each_leaf_in_each_form() {
    let laid_out = structure(vec![
        member("tint", 16, vector(FLOAT, 3)),
        member("ids", 32, array(scalar(INT), 2, 16)),
        member("m", 64, matrix(2, 3, MatrixOrder::Row, 16)),
    ]);
    let module = generate("std140", &laid_out, &entry(AddressSpace::Uniform, Direction::Read, &READ)).unwrap();
    expect_file!["golden/read_uniform.wgsl"].assert_eq(&module.text);
    assert_eq!(naga_offsets(&module), [16, 20, 24, 32, 48, 64, 68, 72, 80, 84, 88]);
}

#[test]
fn write_probes_write_each_leaf_once_and_keep_the_filler() {
    let laid_out = structure(vec![
        member("tint", 16, vector(FLOAT, 2)),
        member("ids", 32, array(scalar(UINT), 2, 8)),
        member("m", 48, matrix(2, 2, MatrixOrder::Column, 8)),
    ]);
    let function = |form| {
        let module = generate("std430", &laid_out, &entry(AddressSpace::Storage, Direction::Write, &[form])).unwrap();
        assert_eq!(naga_offsets(&module), [16, 20, 32, 40, 48, 56, 52, 60]);
        module.text[module.text.find("@compute").unwrap()..].to_owned()
    };
    expect_file!["golden/write_leaf.wgsl"].assert_eq(&function(Form::Leaf));
    expect_file!["golden/write_vector.wgsl"].assert_eq(&function(Form::Vector));
    expect_file!["golden/write_whole.wgsl"].assert_eq(&function(Form::Whole));
    expect_file!["golden/write_indexed.wgsl"].assert_eq(&function(Form::Indexed));
}

#[test]
fn each_space_is_declared_as_the_runners_bind_it() {
    let laid_out = structure(vec![member("a", 0, scalar(FLOAT))]);
    let variable = |space, direction| {
        let module = generate("std430", &laid_out, &entry(space, direction, &[Form::Leaf])).unwrap();
        assert_eq!(naga_offsets(&module), [0]);
        module.text.lines().find(|line| line.contains(" block: ")).unwrap().to_owned()
    };
    let read = |space| variable(space, Direction::Read);
    assert_eq!(read(AddressSpace::Uniform), "@group(0) @binding(0) var<uniform> block: Struct0;");
    assert_eq!(read(AddressSpace::Storage), "@group(0) @binding(0) var<storage, read> block: Struct0;");
    assert_eq!(read(AddressSpace::PushConstant), "var<immediate> block: Struct0;");
    let written = variable(AddressSpace::Storage, Direction::Write);
    assert_eq!(written, "@group(0) @binding(0) var<storage, read_write> block: Struct0;");
}

#[test]
fn blocks_that_are_no_structs_bases_and_matrices_of_one_vector_have_their_offsets() {
    let offsets = |laid_out: &LaidOut| {
        naga_offsets(&generate("std430", laid_out, &entry(AddressSpace::Storage, Direction::Read, &READ)).unwrap())
    };
    assert_eq!(offsets(&vector(FLOAT, 3)), [0, 4, 8]);
    assert_eq!(offsets(&scalar(UINT)), [0]);
    assert_eq!(offsets(&array(array(scalar(UINT), 2, 4), 2, 32)), [0, 4, 32, 36]);
    assert_eq!(offsets(&matrix(1, 3, MatrixOrder::Row, 12)), [0, 4, 8]);
    assert_eq!(offsets(&matrix(3, 1, MatrixOrder::Column, 12)), [0, 4, 8]);
    assert_eq!(offsets(&matrix(1, 1, MatrixOrder::Column, 4)), [0]);
    let base = structure(vec![member("a", 0, vector(INT, 1))]);
    let derived = vec![member("", 0, base), member("empty", 4, structure(Vec::new())), member("b", 4, scalar(INT))];
    assert_eq!(offsets(&structure(derived)), [0, 4]);
}

#[test]
fn a_runtime_sized_array_is_probed_by_leaf_and_vector_and_not_as_a_whole() {
    let laid_out = structure(vec![member("n", 0, scalar(UINT)), member("v", 16, unsized_array(vector(FLOAT, 2), 16))]);
    let read = |forms: &[Form]| generate("std430", &laid_out, &entry(AddressSpace::Storage, Direction::Read, forms));
    let module = read(&[Form::Leaf, Form::Vector]).unwrap();
    assert_eq!(naga_offsets(&module), [0, 16, 20, 32, 36]);
    assert_eq!(module.binding_size, 32);
    assert_eq!(
        read(&READ).unwrap_err().to_string(),
        "no probe in WGSL: `v`, a block with a runtime-sized array cannot be copied as a whole"
    );
    let length = |laid_out: &LaidOut| {
        let entry = entry(AddressSpace::Storage, Direction::Read, &[Form::Length]);
        let module = generate("std430", laid_out, &entry).unwrap();
        assert!(!naga_offsets(&module).is_empty());
        module.text.lines().find(|line| line.contains("arrayLength")).unwrap().trim().to_owned()
    };
    assert_eq!(length(&laid_out), "output[1] = arrayLength(&block.m1_v);");
    assert_eq!(length(&unsized_array(vector(FLOAT, 2), 8)), "output[1] = arrayLength(&block);");
}

fn members(members: &[(&str, u32, LaidOut)]) -> LaidOut {
    structure(members.iter().map(|(name, offset, layout)| member(name, *offset, layout.clone())).collect())
}

/// Eight bytes, then four, then four of tail padding.
fn padded() -> LaidOut {
    members(&[("x", 0, vector(FLOAT, 2)), ("y", 8, scalar(FLOAT))])
}

#[test]
fn offsets_and_strides_that_wgsl_cannot_give_are_refused_with_the_numbers() {
    let after_array = [("b", 0, array(scalar(FLOAT), 2, 16)), ("c", 20, scalar(FLOAT))];
    for (laid_out, reason) in [
        (
            members(&[("a", 0, scalar(FLOAT)), ("b", 4, vector(FLOAT, 3))]),
            "`b`: the offset of `vec3<f32>` is a multiple of 16 bytes, the layout's is 4",
        ),
        (
            members(&[("m", 0, matrix(2, 2, MatrixOrder::Column, 16))]),
            "`m`: the vectors of `mat2x2<f32>` are 8 bytes apart, those of the layout 16",
        ),
        (members(&after_array), "`c`: `b` ends at 32 bytes in WGSL, the layout's offset is 20"),
        (
            members(&[("i", 0, padded()), ("z", 12, scalar(FLOAT))]),
            "`z`: `i` ends at 16 bytes in WGSL, the layout's offset is 12",
        ),
        (
            members(&[("a", 0, array(vector(FLOAT, 3), 2, 12))]),
            "`a`: the stride of `vec3<f32>` is a multiple of 16 bytes, the layout's is 12",
        ),
        (
            members(&[("a", 0, array(padded(), 2, 12))]),
            "`a`: an element `Struct0` takes 16 bytes, the layout's stride is 12",
        ),
    ] {
        refused(AddressSpace::Storage, &laid_out, reason);
    }
}

#[test]
fn types_that_wgsl_lacks_are_refused() {
    let typed = |scalar_type, size| scalar(Component { scalar: scalar_type, size });
    for (laid_out, reason) in [
        (matrix(3, 1, MatrixOrder::Row, 16), "the block: a matrix of 3 vectors of 1 `float`"),
        (
            members(&[("s", 0, members(&[("d", 0, typed(Scalar::Float64, 8))]))]),
            "`s.d`: a `double` of 8 bytes, which WGSL does not have",
        ),
        (members(&[("f", 0, typed(Scalar::Bool, 4))]), "`f`: a `bool` in memory that a host can see"),
        (members(&[("p", 0, laid(LaidOutShape::Pointer { pointee: None }))]), "`p`: a pointer"),
        (members(&[("t", 0, laid(LaidOutShape::Resource))]), "the block: the block holds no bytes"),
    ] {
        refused(AddressSpace::Storage, &laid_out, reason);
    }
}

#[test]
fn types_larger_than_naga_s_largest_are_refused() {
    let laid_out = members(&[("v", 0, array(vector(FLOAT, 4), 1 << 27, 16))]);
    let read = entry(AddressSpace::Storage, Direction::Read, &[Form::Leaf]);
    let no_leaves = ProbePlan { leaves: Vec::new(), not_probed: Vec::new(), entries: vec![read.clone()] };
    let refusal = module(&block("std430", laid_out), &no_leaves, &read, UniformLayout::Constrained).unwrap_err();
    assert_eq!(refusal.reason, "larger than 2147483647 bytes, the largest type in naga");
}

#[test]
fn what_an_address_space_forbids_is_refused_with_the_numbers() {
    use AddressSpace::{PushConstant, Uniform};
    for (space, laid_out, reason) in [
        (
            Uniform,
            members(&[("a", 0, array(scalar(FLOAT), 4, 4))]),
            "`a`: an array stride in a uniform block is a multiple of 16 bytes, this is 4",
        ),
        (
            Uniform,
            members(&[("a", 0, scalar(FLOAT)), ("i", 8, padded())]),
            "`i`: the offset of a struct in a uniform block is a multiple of 16 bytes, this is 8",
        ),
        (
            Uniform,
            members(&[("i", 0, members(&[("x", 0, scalar(FLOAT))])), ("y", 4, scalar(FLOAT))]),
            "`y`: a member after struct `i` in a uniform block is at least 16 bytes from its start, this is 4",
        ),
        (Uniform, unsized_array(vector(FLOAT, 4), 16), "the block: a runtime-sized array in address space `uniform`"),
        (
            PushConstant,
            members(&[("v", 0, unsized_array(scalar(FLOAT), 4))]),
            "`v`: a runtime-sized array in address space `immediate`",
        ),
        (
            PushConstant,
            array(vector(FLOAT, 4), 17, 16),
            "the block: immediates hold 256 bytes in naga, the block takes 272",
        ),
    ] {
        refused(space, &laid_out, reason);
    }
}

/// Source: WGSL, language extension `uniform_buffer_standard_layout`: a uniform block may have the layout of a storage buffer.
#[test]
fn standard_layout_lifts_the_rules_of_uniform_blocks_alone() {
    let standard = |space, laid_out: &LaidOut| {
        let (block, entry) = (block("std430", laid_out.clone()), entry(space, Direction::Read, &[Form::Leaf]));
        let plan = ProbePlan { leaves: block.leaves(), not_probed: Vec::new(), entries: vec![entry.clone()] };
        module(&block, &plan, &entry, UniformLayout::Standard).map(|module| module.text)
    };
    for laid_out in [
        members(&[("a", 0, array(scalar(FLOAT), 4, 4))]),
        members(&[("a", 0, scalar(FLOAT)), ("i", 8, padded())]),
        members(&[("i", 0, members(&[("x", 0, scalar(FLOAT))])), ("y", 4, scalar(FLOAT))]),
    ] {
        let stored = standard(AddressSpace::Storage, &laid_out).unwrap();
        let expected = stored.replace("var<storage, read> block", "var<uniform> block");
        assert_eq!(standard(AddressSpace::Uniform, &laid_out).unwrap(), expected);
    }
    let unsized_block = unsized_array(vector(FLOAT, 4), 16);
    assert!(standard(AddressSpace::Uniform, &unsized_block).is_err());
}

#[test]
fn uniform_blocks_are_not_written_and_forbidden_blocks_not_generated() {
    let laid_out = structure(vec![member("a", 0, scalar(FLOAT))]);
    let write = entry(AddressSpace::Uniform, Direction::Write, &[Form::Leaf]);
    let refusal = generate("std140", &laid_out, &write).unwrap_err();
    assert_eq!(refusal.reason, "address space `uniform` cannot be written");
    let reason = Refusal { path: "t".to_owned(), message: "no bytes for 4".to_owned() };
    let forbidden = BlockLayout { result: Err(vec![reason]), ..block("std140", laid_out) };
    let plan = ProbePlan { leaves: Vec::new(), not_probed: Vec::new(), entries: Vec::new() };
    let refusal = module(&forbidden, &plan, &write, UniformLayout::Constrained).unwrap_err();
    assert_eq!(refusal.to_string(), "no probe in WGSL: `t`, rule set `std140` forbids the block: no bytes for 4");
}

#[test]
fn naga_s_refusal_is_an_error_with_its_numbers() {
    let laid_out = structure(vec![member("a", 0, array(scalar(FLOAT), 4, 4))]);
    let storage = generate("std430", &laid_out, &entry(AddressSpace::Storage, Direction::Read, &[Form::Leaf])).unwrap();
    let text = storage.text.replace("var<storage, read> block", "var<uniform> block");
    let error = spirv(&WgslProbe { text, ..storage }).unwrap_err();
    expect!["naga refuses the module: Global variable [0] 'block' is invalid: Alignment requirements for address space Uniform are not met by [1]: The array stride 4 is not a multiple of the required alignment 16"].assert_eq(&error.to_string());
}
