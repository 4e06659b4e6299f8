//! Records written by hand, one for each kind that a report must show.
//! Most use the struct `cbuffer S { float3 a; float b[2]; float c; float2 d; }`. Its numbers:
//! `hlsl-cbuffer` from DXC 1.7.2308's listing (0, 16, 36, 40, size 48); std140 from OpenGL 4.6,
//! 7.6.2.2 (0, 16, 48, 56, size 64); `relaxed140`, the default of DXC's `-spirv`, from its
//! decorations (0, 16, 48, 52).

use std::collections::BTreeSet;

use layoutproof_core::check::verdict::Validation;
use layoutproof_device::{DeviceInfo, Feature, RunnerKind};
use layoutproof_events::{
    Access, CheckRecord, Culprit, KnownEntry, Outcome, Proves, RecordValue, RecordedLayout, RecordedShader,
    RecordedSource, RerunCommand, Row, Story, StoryBlock, Witnesses,
};
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{MemberRow, Quantity};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_source::sources::LinePlace;

/// A member: path, type, offset and size in bytes, array stride.
pub(crate) fn member(path: &str, type_name: &str, place: [u32; 2], array_stride: Option<u32>) -> MemberRow {
    let [offset, size] = place;
    MemberRow {
        path: path.into(),
        type_name: type_name.into(),
        offset,
        size: Some(size),
        alignment: if array_stride.is_some() { 16 } else { 4 },
        array_stride,
        ..MemberRow::default()
    }
}

/// The struct under `hlsl-cbuffer`.
pub(crate) fn hlsl_members() -> Vec<MemberRow> {
    vec![
        member("a", "float3", [0, 12], None),
        member("b", "float[2]", [16, 20], Some(16)),
        member("c", "float", [36, 4], None),
        member("d", "float2", [40, 8], None),
    ]
}

/// The struct under std140.
pub(crate) fn std140_members() -> Vec<MemberRow> {
    vec![
        member("a", "float3", [0, 12], None),
        member("b", "float[2]", [16, 32], Some(16)),
        member("c", "float", [48, 4], None),
        member("d", "float2", [56, 8], None),
    ]
}

/// Expected, computed, reported, compiled, observed.
type Numbers = [Option<u32>; 5];

fn row(path: &str, what: Quantity, numbers: Numbers) -> Row {
    let [expected, computed, reported, compiled, observed] = numbers.map(|number| number.map(RecordValue::Number));
    let access = observed.is_some().then_some(READ);
    Row { access, ..Row::new(path, what, Witnesses { expected, computed, reported, compiled, observed }) }
}

const READ: Access =
    Access { space: AddressSpace::Uniform, stage: Stage::Compute, direction: Direction::Read, form: Some(Form::Leaf) };

/// A leaf that a device read: the correct offset, the offset in the code, the offset that the
/// device read.
fn leaf(path: &str, home: u32, compiled: u32, observed: u32) -> Row {
    row(path, Quantity::Offset, [Some(home), Some(home), None, Some(compiled), Some(observed)])
}

fn noted(row: Row, note: &str) -> Row {
    Row { note: Some(note.into()), ..row }
}

/// A check of one leaf that agrees.
pub(crate) fn agreeing() -> CheckRecord {
    let id = "cbuffer::array_tail::hlsl-cbuffer::rspirv::lavapipe::ash".parse().expect("this is the name of a check");
    CheckRecord {
        ms: 12,
        leaves: 8,
        rows: vec![leaf("S.c", 36, 36, 36)],
        ..CheckRecord::new(id, Proves::Decorations, Validation::Valid, Outcome::Agrees)
    }
}

/// The id of [`agreeing`] for another case.
fn of_case(case: &str) -> CheckId {
    CheckId { case: case.into(), ..agreeing().id }
}

fn story(verdict: &str) -> Story {
    Story {
        summary: "a scalar takes the space an array leaves behind its last element".into(),
        place: LinePlace { file: "cases/cbuffer/array_tail.toml".to_owned(), line: Some(9) },
        authority: "DXC 1.7.2308, listing of -T cs_6_6".into(),
        blocks: vec![StoryBlock { name: "S".into(), size: Some(48), members: hlsl_members() }],
        hint: None,
        again: RerunCommand::Text("layoutproof run cbuffer/array_tail --rules hlsl-cbuffer -vv".into()),
        verdict: verdict.into(),
        moved_by: [].into(),
        resembles: None,
        shaders: Vec::new(),
    }
}

fn differs(culprit: Culprit, story: Story) -> Outcome {
    Outcome::Differs { culprit, broke: None, story: Some(Box::new(story)) }
}

fn shader(form: &str, text: &str, left_out: u64) -> RecordedShader {
    let entries = vec!["read_by_name".to_owned()];
    RecordedShader { block: "S".into(), entries, form: form.into(), text: text.into(), left_out }
}

/// The stored case of most checks: its text, and its layouts under two rule sets.
pub(crate) fn source() -> RecordedSource {
    let layout = |rules: &str, size, members| RecordedLayout {
        rules: rules.into(),
        authority: "DXC 1.7.2308, listing of -T cs_6_6".into(),
        blocks: vec![StoryBlock { name: "S".into(), size: Some(size), members }],
    };
    RecordedSource {
        case: "cbuffer/array_tail".into(),
        summary: "a scalar takes the space an array leaves behind its last element".into(),
        place: LinePlace { file: "cases/cbuffer/array_tail.toml".to_owned(), line: Some(9) },
        declaration: Some("cbuffer S { float3 a; float b[2]; float c; float2 d; };".into()),
        layouts: vec![layout("hlsl-cbuffer", 48, hlsl_members()), layout("std140", 64, std140_members())],
    }
}

/// DXC's `-spirv` without a layout flag, judged by `hlsl-cbuffer`.
pub(crate) fn compiler_differs(device: &str, runner: RunnerKind) -> CheckRecord {
    let rows = vec![
        row("S", Quantity::Size, [Some(48), Some(48), None, None, None]),
        leaf("S.a.x", 0, 0, 0),
        leaf("S.a.y", 4, 4, 4),
        leaf("S.a.z", 8, 8, 8),
        leaf("S.b[0]", 16, 16, 16),
        leaf("S.b[1]", 32, 32, 32),
        noted(leaf("S.c", 36, 48, 48), "read 0xBADD0030, the poison of byte 48; its own word is 0xC0DE0024, byte 36"),
        noted(leaf("S.d.x", 40, 52, 52), "read 0xBADD0034, the poison of byte 52; its own word is 0xC0DE0028, byte 40"),
        noted(leaf("S.d.y", 44, 56, 56), "read 0xBADD0038, the poison of byte 56; its own word is 0xC0DE002C, byte 44"),
    ];
    let verdict = "case and rules agree, the device did what the shader says, the shader's offsets differ";
    let story = Story {
        hint: Some("these offsets equal rule set `relaxed140`; was -fvk-use-dx-layout meant?".into()),
        again: RerunCommand::Text(
            "layoutproof run cbuffer/array_tail --rules hlsl-cbuffer --compiler dxc-1.7 --api vulkan -vv".into(),
        ),
        shaders: vec![shader("HLSL", "cbuffer S { float3 a; float b[2]; float c; float2 d; };\n", 0)],
        ..story(verdict)
    };
    CheckRecord {
        id: CheckId {
            producer: "dxc-1.7 -spirv".into(),
            device: Some(CheckDevice { id: device.into(), runner }),
            ..agreeing().id
        },
        proves: Proves::Compiler,
        outcome: differs(Culprit::Compiler, story),
        rows,
        ..agreeing()
    }
}

/// A device that uses the wrong stride for `b`, and returns zero for `a.z` when it reads the whole
/// vector.
pub(crate) fn device_differs() -> CheckRecord {
    let whole = Row {
        access: Some(Access { form: Some(Form::Whole), ..READ }),
        note: Some("read 0x00000000, which is no word of the image".into()),
        ..row("S.a.z", Quantity::Offset, [Some(8), Some(8), None, Some(8), None])
    };
    let rows = vec![
        row("S", Quantity::Size, [Some(48), Some(48), None, None, Some(48)]),
        row("S.b", Quantity::ArrayStride, [Some(16), Some(16), None, Some(16), None]),
        leaf("S.a.x", 0, 0, 0),
        leaf("S.a.z", 8, 8, 8),
        whole,
        leaf("S.b[0]", 16, 16, 16),
        leaf("S.b[1]", 32, 32, 20),
        leaf("S.c", 36, 36, 36),
        leaf("S.d.x", 40, 40, 40),
    ];
    CheckRecord {
        outcome: differs(Culprit::Device, story("expected, computed and compiled agree, the device read other bytes")),
        rows,
        ..agreeing()
    }
}

/// The case and our rules differ, and no compiler has compiled the case.
pub(crate) fn case_or_rules() -> CheckRecord {
    let rows = vec![
        row("S", Quantity::Size, [Some(64), Some(48), None, None, None]),
        row("S.a", Quantity::Offset, [Some(0), Some(0), None, None, None]),
        row("S.b", Quantity::Offset, [Some(16), Some(16), None, None, None]),
        row("S.c", Quantity::Offset, [Some(48), Some(36), None, None, None]),
        row("S.d", Quantity::Offset, [Some(56), Some(40), None, None, None]),
    ];
    CheckRecord {
        id: CheckId { device: None, ..agreeing().id },
        outcome: differs(
            Culprit::CaseOrRules,
            story("expected and computed differ, and no compiler has seen the case"),
        ),
        leaves: 0,
        rows,
        ..agreeing()
    }
}

/// A std430 block of forty matrices and a struct array. The code swaps rows and columns of one
/// matrix and stores the second element's radius elsewhere.
pub(crate) fn large_struct_differs() -> CheckRecord {
    let matrix = |index: u32| MemberRow {
        matrix_stride: Some(8),
        matrix_order: Some(MatrixOrder::Column),
        ..member(&format!("m{index}"), "float2x2", [index * 16, 16], None)
    };
    let mut members: Vec<MemberRow> = (0..40).map(matrix).collect();
    members.push(member("lights", "Light[3]", [640, 48], Some(16)));
    members.push(member("lights[].position", "float2", [640, 8], None));
    members.push(member("lights[].radius", "float", [648, 4], None));
    let mut rows: Vec<Row> =
        (0..40).map(|index| leaf(&format!("S.m{index}[0][0]"), index * 16, index * 16, index * 16)).collect();
    let swapped = |home, found| row("", Quantity::Offset, [Some(home), Some(home), None, Some(found), Some(found)]);
    rows.push(Row { path: "S.m20[0][1]".into(), ..swapped(328, 324) });
    rows.push(Row { path: "S.m20[1][0]".into(), ..swapped(324, 328) });
    rows.push(leaf("S.lights[0].radius", 648, 648, 648));
    let stored = leaf("S.lights[1].radius", 664, 664, 668);
    let write = Access { space: AddressSpace::Storage, direction: Direction::Write, ..READ };
    rows.push(Row { access: Some(write), ..stored });
    let story = Story {
        blocks: vec![StoryBlock { name: "S".into(), size: Some(688), members }],
        ..story("no single source is at fault")
    };
    CheckRecord {
        id: CheckId { rules: "std430".into(), ..agreeing().id },
        outcome: differs(Culprit::Unclear, story),
        rows,
        ..agreeing()
    }
}

/// A register that differs between the compiler's listing and its code.
pub(crate) fn binding_differs() -> CheckRecord {
    let binding = |path: &str, values: [Option<&str>; 5]| {
        let [expected, computed, reported, compiled, observed] =
            values.map(|text| text.map(|t| RecordValue::Text(t.into())));
        Row::new(path, Quantity::Binding, Witnesses { expected, computed, reported, compiled, observed })
    };
    let rows = vec![
        binding("A", [Some("t0"), Some("t0"), Some("t0"), Some("t0"), None]),
        binding("B", [Some("t1 space2"), Some("t1 space2"), Some("t1 space2"), Some("t3 space2"), None]),
    ];
    let story = Story {
        summary: "an implicit register is taken from its own space".into(),
        place: LinePlace { file: "cases/bind/implicit_in_space.toml".to_owned(), line: Some(7) },
        blocks: Vec::new(),
        ..story("case and rules agree, the code addresses another register")
    };
    CheckRecord {
        id: "bind::implicit_in_space::d3d12.dxc::dxc-1.7::none::none".parse().expect("this is the name of a check"),
        proves: Proves::Compiler,
        outcome: differs(Culprit::Compiler, story),
        leaves: 0,
        rows,
        ..agreeing()
    }
}

/// Reads a reason as a saved record holds it.
pub(crate) fn saved<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(text.into()).expect("every text is a reason")
}

/// A check for which the device lacks a feature.
pub(crate) fn skipped(reason: &str) -> CheckRecord {
    CheckRecord {
        id: of_case("scalar/half"),
        outcome: Outcome::Skipped { reasons: saved(reason), kind: None },
        leaves: 0,
        rows: Vec::new(),
        ..agreeing()
    }
}

/// A difference that a list of known differences contains.
pub(crate) fn known() -> CheckRecord {
    let entry = KnownEntry {
        file: "ci/known/dxc-spirv.toml".into(),
        line: 4,
        bug: Some("DXC-17".into()),
        reason: "relaxed layout is DXC's default for Vulkan".into(),
        link: Some("https://example.com/dxc/1".into()),
        untried: false,
    };
    let mut check = compiler_differs("swiftshader", RunnerKind::Ash);
    check.excuse(entry);
    check
}

/// A known difference that no longer differs.
pub(crate) fn stale() -> CheckRecord {
    let entry = KnownEntry {
        file: "ci/known/lavapipe.toml".into(),
        line: 14,
        bug: Some("LAVAPIPE-1".into()),
        reason: "row_major ignored".into(),
        link: None,
        untried: false,
    };
    CheckRecord { id: of_case("matrix/row_major"), outcome: Outcome::Stale(entry), ..agreeing() }
}

/// The outcome of a check that broke for this reason.
pub(crate) fn breaks(reason: &str) -> Outcome {
    let story =
        Story { again: RerunCommand::Text("layoutproof run push/nested --api vulkan -vv".into()), ..Story::default() };
    Outcome::Broken { reasons: reason.into(), culprit: None, story: Some(Box::new(story)) }
}

/// A check during which the device was lost.
pub(crate) fn broken() -> CheckRecord {
    CheckRecord {
        id: of_case("push/nested"),
        outcome: breaks("device lost: vkQueueSubmit: ERROR_DEVICE_LOST"),
        leaves: 0,
        rows: Vec::new(),
        ..agreeing()
    }
}

pub(crate) fn all() -> Vec<CheckRecord> {
    vec![
        agreeing(),
        CheckRecord {
            id: CheckId { producer: "dxc-1.7 -fvk-use-dx-layout".into(), ..agreeing().id },
            proves: Proves::Compiler,
            not_checked: vec![saved("not in every form (refused by dxc-1.7: no index)")],
            ..agreeing()
        },
        compiler_differs("lavapipe", RunnerKind::Ash),
        compiler_differs("lavapipe", RunnerKind::Wgpu),
        compiler_differs("swiftshader", RunnerKind::Ash),
        device_differs(),
        case_or_rules(),
        binding_differs(),
        skipped("device lacks shaderFloat16: half"),
        skipped("device lacks shaderFloat16: half"),
        skipped("not in WGSL: double"),
        known(),
        stale(),
        broken(),
    ]
}

fn device(id: &str, name: &str, runner: RunnerKind) -> DeviceInfo {
    DeviceInfo {
        id: id.into(),
        name: name.into(),
        driver: "Mesa 22.3.6".into(),
        api: "Vulkan 1.3.230".into(),
        runner,
        index: 0,
        hardware: false,
        features: BTreeSet::from([Feature::ScalarBlockLayout, Feature::Int16]),
        lacks: BTreeSet::new(),
        max_uniform_range: 65536,
        max_push_constants: 256,
        direct3d: None,
        webgpu: None,
    }
}

/// Two devices, one of them through two APIs.
pub(crate) fn devices() -> Vec<DeviceInfo> {
    let model =
        DeviceInfo { driver: String::new(), api: String::new(), ..device("model", "CPU model", RunnerKind::Model) };
    vec![
        device("lavapipe", "llvmpipe (LLVM 15.0.6, 256 bits)", RunnerKind::Ash),
        device("lavapipe", "llvmpipe (LLVM 15.0.6, 256 bits)", RunnerKind::Wgpu),
        DeviceInfo { features: BTreeSet::new(), max_push_constants: 0, ..model },
    ]
}
