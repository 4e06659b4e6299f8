//! The compiled witness on foreign modules: naga's SPIR-V for WGSL.

use layoutproof_device::{Shader, words_of};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, LaidOutShape, Leaf};
use layoutproof_model::{CompiledError, compiled};
use layoutproof_probes::{AddressSpace, Direction, Form, Interface, ProbeEntry, ProbePlan, Stage};
use layoutproof_readers::spirv::declared;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::fixture::{FLOAT, INT, UINT, array, block, matrix, scalar, structure, vector};

/// One entry point with the interface of probes.
const WGSL: &str = "
struct S {
    a: vec3<f32>,
    b: f32,
    m: mat3x2<f32>,
    c: array<vec2<i32>, 2>,
    d: u32,
}
@group(0) @binding(0) var<storage, read> s: S;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

fn cell(column: u32, row: u32) -> u32 {
    return bitcast<u32>(s.m[column][row]);
}

@compute @workgroup_size(1)
fn read_storage() {
    output[0] = input[0];
    let a = s.a;
    for (var i = 0u; i < 3u; i++) {
        output[1u + i] = bitcast<u32>(a[i]);
    }
    output[4] = bitcast<u32>(s.b);
    for (var row = 0u; row < 2u; row++) {
        for (var column = 0u; column < 3u; column++) {
            output[5u + row * 3u + column] = cell(column, row);
        }
    }
    output[11] = bitcast<u32>(s.c[0].x);
    output[12] = bitcast<u32>(s.c[0].y);
    output[13] = bitcast<u32>(s.c[1].x);
    output[14] = bitcast<u32>(s.c[1].y);
    output[15] = s.d;
}
";

fn spirv(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("the text is WGSL");
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).expect("it is valid");
    let options = spv::Options { flags: spv::WriterFlags::DEBUG, ..spv::Options::default() };
    spv::write_vec(&module, &info, &options, None).expect("naga writes it")
}

/// WGSL specification, "Alignment and Size": a 0, b 12, m 16 (columns 8 bytes apart), c 40 (stride 8), d 56.
fn wgsl_layout() -> BlockLayout {
    block(structure(
        "S",
        vec![
            ("a", 0, vector(FLOAT, 3)),
            ("b", 12, scalar(FLOAT)),
            ("m", 16, matrix(FLOAT, 2, 3, MatrixOrder::Column, 8)),
            ("c", 40, array(vector(INT, 2), 2, 8)),
            ("d", 56, scalar(UINT)),
        ],
    ))
}

fn plan(layout: &BlockLayout) -> ProbePlan {
    let read = ProbeEntry {
        name: "read_storage".into(),
        space: AddressSpace::Storage,
        stage: Stage::Compute,
        direction: Direction::Read,
        forms: vec![Form::Leaf],
    };
    ProbePlan { leaves: layout.leaves(), not_probed: Vec::new(), entries: vec![read] }
}

#[test]
fn modules_with_loops_and_calls_are_followed() {
    let layout = wgsl_layout();
    let observed = compiled(&layout, &plan(&layout), &Shader::Spirv(spirv(WGSL)), Interface::default()).unwrap();
    for (probe, observed) in &observed {
        let offsets: Vec<u32> = observed.observations.iter().map(|it| it.offset.unwrap()).collect();
        let matrix_rows = [16, 24, 32, 20, 28, 36];
        assert_eq!(offsets, [&[0, 4, 8, 12][..], &matrix_rows, &[40, 44, 48, 52, 56]].concat(), "{:?}", probe.range);
        assert_eq!(observed.problems, []);
    }
    assert_eq!(observed.len(), 2, "with guards and with the exact range");
}

/// FXC's code selects a matrix row like this.
#[test]
fn a_member_that_a_table_chooses_by_a_factor_is_followed() {
    let chosen = "output[4] = bitcast<u32>(dot(vec2<f32>(s.a.x, s.b), unit[input[0] & 0u]));";
    let table = "var<private> unit: array<vec2<f32>, 2> = array(vec2<f32>(0.0, 1.0), vec2<f32>(1.0, 0.0));";
    let text = WGSL.replace("output[4] = bitcast<u32>(s.b);", chosen);
    let layout = wgsl_layout();
    let module = spirv(&format!("{table}\n{text}"));
    let observed = compiled(&layout, &plan(&layout), &Shader::Spirv(module), Interface::default()).unwrap();
    assert_eq!(observed[0].1.observations[3].offset, Some(12));
}

#[test]
fn module_that_addresses_other_bytes_is_seen() {
    let moved = WGSL.replace("b: f32,", "@align(16) b: f32,");
    let layout = wgsl_layout();
    let observed = compiled(&layout, &plan(&layout), &Shader::Spirv(spirv(&moved)), Interface::default()).unwrap();
    let b = &observed[0].1.observations[3];
    // b moves from byte 12 to byte 16, where the uploaded layout has m[0][0].
    assert_eq!(b.offset, Some(16));
    assert_eq!(b.note.as_deref(), Some("read 0xC0DE0010, data at byte 16, which is `m[0][0]`"));
}

#[test]
fn declared_lists_the_offsets_that_naga_decorates() {
    let blocks = declared(&spirv(WGSL)).unwrap();
    let s = blocks.iter().find(|block| block.binding == Some(0)).unwrap();
    let listed: Vec<(String, u32)> = s.layout.leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    let expected = wgsl_layout().leaves();
    assert_eq!(listed, expected.into_iter().map(|leaf| (leaf.path, leaf.offset)).collect::<Vec<_>>());
    assert_eq!((s.set, s.layout.rules.as_str()), (Some(0), "declared"));
}

#[test]
fn entry_point_that_is_not_there_is_named() {
    let layout = wgsl_layout();
    let renamed = WGSL.replace("fn read_storage", "fn other");
    let error = compiled(&layout, &plan(&layout), &Shader::Spirv(spirv(&renamed)), Interface::default()).unwrap_err();
    assert!(matches!(error, CompiledError::NotRun { .. }));
    assert_eq!(error.to_string(), "entry `read_storage`: shader refused: no compute entry point `read_storage`");
}

/// OpenGL 4.6, "Standard Uniform Block Layout" (std140): a 0, b 16 (stride 16), c 48 (columns 16 apart), r 80 (rows 16
/// apart), s 128 (stride 16), m 160 (stride 32, rows 16 apart).
#[test]
fn both_matrix_orders_of_a_glslang_module_are_followed() {
    let bytes = include_bytes!("frozen/std140_matrices.spv");
    let words = words_of(bytes);
    let leaf = |path: &str, offset| Leaf { path: path.into(), steps: Vec::new(), component: FLOAT, offset };
    let leaves = vec![
        leaf("a.z", 8),
        leaf("b[1]", 16 + 16),
        leaf("c column 1 row 2", 48 + 16 + 8),
        leaf("r column 1 row 2", 80 + 2 * 16 + 4),
        leaf("r column 1 row 1", 80 + 16 + 4),
        leaf("s[1].q", 128 + 16 + 12),
        leaf("m[1] column 2 row 1", 160 + 32 + 16 + 8),
    ];
    let layout = block(array(scalar(FLOAT), 224 / 4, 4));
    let read = ProbeEntry {
        name: "main".into(),
        space: AddressSpace::Uniform,
        stage: Stage::Compute,
        direction: Direction::Read,
        forms: vec![Form::Leaf],
    };
    let plan = ProbePlan { leaves: leaves.clone(), not_probed: Vec::new(), entries: vec![read] };
    let observed = compiled(&layout, &plan, &Shader::Spirv(words.clone()), Interface::default()).unwrap();
    // The image has data only at the planned leaves, so each answer must be one of them.
    let found: Vec<(String, Option<u32>)> =
        observed[0].1.observations.iter().map(|it| (leaves[it.leaf as usize].path.clone(), it.offset)).collect();
    let expected: Vec<(String, Option<u32>)> = leaves.into_iter().map(|leaf| (leaf.path, Some(leaf.offset))).collect();
    assert_eq!(found, expected);

    let blocks = declared(&words).unwrap();
    let listed = blocks[2].layout.result.as_ref().unwrap();
    let LaidOutShape::Struct(members) = &listed.shape else { panic!("a block is a struct") };
    let types: Vec<(&str, u32)> = members.iter().map(|it| (it.layout.type_name.as_str(), it.offset)).collect();
    assert_eq!(
        types,
        [("float3", 0), ("float[2]", 16), ("float3x2", 48), ("float3x2", 80), ("Inner[2]", 128), ("float2x3[2]", 160)]
    );
}

/// WGSL, 14.4.1 Alignment and Size: a 0, v 16, m 32 (columns 16 apart), c 80 (columns 8 apart),
/// lights 96 (stride 16, power at 12), t 128. Tint turns the block into an array of `vec4<u32>` and
/// adds up the offsets in functions and loops.
#[test]
fn what_tint_computes_of_an_offset_is_followed() {
    let bytes = include_bytes!("frozen/tint_uniform.spv");
    let words = words_of(bytes);
    let leaf = |path: &str, offset| Leaf { path: path.into(), steps: Vec::new(), component: FLOAT, offset };
    let leaves = vec![
        leaf("a", 0),
        leaf("v.y", 16 + 4),
        leaf("m[1].z", 32 + 16 + 8),
        leaf("c[1].x", 80 + 8),
        leaf("lights[1].power", 96 + 16 + 12),
        leaf("t", 128),
    ];
    let layout = block(array(scalar(FLOAT), 144 / 4, 4));
    let read = ProbeEntry {
        name: "read_uniform".into(),
        space: AddressSpace::Uniform,
        stage: Stage::Compute,
        direction: Direction::Read,
        forms: vec![Form::Leaf, Form::Whole],
    };
    let plan = ProbePlan { leaves: leaves.clone(), not_probed: Vec::new(), entries: vec![read] };
    let observed = compiled(&layout, &plan, &Shader::Spirv(words), Interface::default()).unwrap();
    let offsets = leaves.iter().map(|leaf| Some(leaf.offset));
    let expected: Vec<_> = offsets.clone().chain(offsets).collect();
    let found: Vec<_> = observed[0].1.observations.iter().map(|it| it.offset).collect();
    assert_eq!(found, expected);
}
