//! The use of witnesses by a check: it consults every one, reports every difference, and never
//! takes a missing answer for agreement. `ci/faults` plants faults for these tests.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use layoutproof_core::case::Case;
use layoutproof_core::check::{Check, CompiledAccesses, Settings, Source, Subject, SubjectShaders, share_shaders};
use layoutproof_device::{Batch, Feature, Runner, RunnerError, Shader, ShaderModel};
use layoutproof_events::producer::Generator;
use layoutproof_events::{CheckRecord, Culprit, OutcomeKind, RecordValue, Row};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{BlockRules, ElementChoice, Quantity, find};
use layoutproof_model::Model;
use layoutproof_probes::reserved::Reserved;
use layoutproof_probes::{AddressSpace, Form, Stage};
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_readers::toolchain::{
    CodeTarget, Compilation, CompileOutcome, CompileRequest, CompiledShader, Compilers, Report, Toolchain, toolchains,
    translators,
};
use layoutproof_source::sources::SourceMap;

/// OpenGL 4.6, 7.6.2.2: `a` at 0; `b` at 16, elements 16 bytes apart; `c` at 48.
const ARRAY: &str = "cbuffer S { float3 a; float b[2]; float c; };";

/// The subject of a case with these declarations and expectations.
fn subject(declare: &str, expect: &str, rules: &str) -> Subject {
    let text = format!("schema = 1\nsummary = \"a test\"\ndeclare = \"\"\"\n{declare}\n\"\"\"\n{expect}");
    let mut sources = SourceMap::default();
    let file = sources.add("test.toml", text);
    let case = Case::read("test", file, &mut sources).expect("it is a case");
    let source =
        Source::of_case(&case, &mut sources).expect("the declarations are right").expect("it declares something");
    Subject::new(Arc::new(source), find(rules).expect("a row of the table"))
}

/// An expectation, because a case needs one.
fn expecting(rules: &str, numbers: &str) -> String {
    format!("[expect.{rules}]\nauthority = {{ spec = \"OpenGL 4.6, 7.6.2.2\" }}\npartial = true\n{numbers}\n")
}

fn settings(planted: Option<&str>) -> Settings {
    Settings {
        forms: Form::ALL.into(),
        spaces: Some([AddressSpace::Storage].into()),
        stages: None,
        compiled: CompiledAccesses::All,
        elements: ElementChoice::Sample,
        planted_rules: planted.map(|name| find(name).expect("a row of the table").clone()),
    }
}

fn check(subject: Subject, generator: Generator, planted: Option<&str>) -> Check {
    let produced = SubjectShaders::new(&subject, generator, &settings(planted));
    Check { subject: Arc::new(subject), produced: Arc::new(produced), device: Model::new().device().clone() }
}

fn record(check: &Check) -> CheckRecord {
    let jobs = check.jobs();
    let results = Model::new().run(&Batch { jobs: jobs.jobs().cloned().collect() });
    check.record(&jobs, &results, Duration::ZERO)
}

fn offset_of<'a>(rows: &'a [Row], path: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.path == path && row.what == Quantity::Offset && row.access.is_some())
}

/// naga reads the whole declaration again for each module, and a block like this one would need 64.
#[test]
fn of_a_long_block_naga_probes_members_at_even_distances() {
    let members: Vec<String> = (0..1024).map(|index| format!("float4 v{index};")).collect();
    let subject = subject(
        &format!("cbuffer S {{ {} }};", members.join(" ")),
        &expecting("std140", "offsets = { \"S.v0\" = 0 }"),
        "std140",
    );
    let produced = SubjectShaders::new(&subject, Generator::Naga, &settings(None));

    let leaves = produced.modules.iter().flat_map(|module| &module.plan.leaves);
    let probed: BTreeSet<&str> = leaves.filter_map(|leaf| leaf.path.split('.').next()).collect();
    let at_distances: Vec<String> = (0..1023).step_by(9).chain([1023]).map(|index| format!("v{index}")).collect();
    assert_eq!(probed, at_distances.iter().map(String::as_str).collect());
    assert_eq!(produced.leaves_not_probed, (1024 - 115) * 4);
    assert!(produced.spared.contains(&"leaves not probed (3636 of `S` between others that are)".into()));

    let every = Settings { elements: ElementChoice::Every, ..settings(None) };
    let produced = SubjectShaders::new(&subject, Generator::Naga, &every);
    assert_eq!(produced.leaves_not_probed, 0);
    assert!(produced.modules.len() >= 64, "{} modules", produced.modules.len());
}

/// All these rule sets place the second `float4` at 16; only std140 gives an array of scalars 16
/// bytes per element. Under WGSL's own rules naga chooses the offsets, so the text differs. The core of the
/// cases has probes of its own, so the case expects another rule set.
#[test]
fn rule_sets_that_agree_on_a_source_share_its_shaders() {
    let source =
        |declare| Arc::clone(&subject(declare, &expecting("scalar", "offsets = { \"S.a\" = 0 }"), "scalar").source);
    let (vectors, array) = (source("cbuffer S { float4 a; float4 b; };"), source("cbuffer S { float a[2]; };"));
    let of = |source: &Arc<Source>, rules| Subject::new(Arc::clone(source), find(rules).expect("a row of the table"));
    for (source, one, other, generator, expected) in [
        (&vectors, "std140", "std430", Generator::Rspirv, true),
        (&vectors, "std140", "std430", Generator::Naga, true),
        (&vectors, "std140", "wgsl-storage", Generator::Rspirv, true),
        (&vectors, "std140", "wgsl-storage", Generator::Naga, false),
        (&array, "std140", "std430", Generator::Rspirv, false),
    ] {
        let shared = share_shaders(&of(source, one), &of(source, other), generator, &settings(None));
        assert_eq!(shared, expected, "{one} {other} {generator}");
    }
}

/// The shader is written for std430, which places the second element of `b` at byte 16; the check
/// is about std140.
#[test]
fn naga_is_asked_where_its_code_reads() {
    let subject = subject(ARRAY, &expecting("std140", "offsets = { \"S.c\" = 48 }"), "std140");
    let check = check(subject, Generator::Naga, Some("std430"));
    let module = check.produced.modules.first().expect("WGSL has such a buffer");
    let second = module.plan.leaves.iter().position(|leaf| leaf.path == "b[1]").expect("it is probed");
    let key = (module.plan.entries[0].name.clone(), Form::Leaf, u32::try_from(second).expect("few leaves"));
    assert_eq!(module.plan.leaves[second].offset, 32);
    assert_eq!(module.compiled.get(&key), Some(&Some(16)), "SPIR-V");
    let glsl = module.glsl_compiled.as_ref().expect("naga writes GLSL of it");
    assert_eq!(glsl.get(&key), Some(&Some(16)), "GLSL");
}

#[test]
fn a_check_without_an_answer_does_not_agree() {
    let expect = expecting("std430", "offsets = { \"S.a\" = 0 }");
    let mut check = check(subject("cbuffer S { double a; };", &expect, "std430"), Generator::Rspirv, None);
    assert_eq!(record(&check).outcome.kind(), OutcomeKind::Agree);
    check.device.features.remove(&Feature::Float64);
    check.device.features.remove(&Feature::Int64);
    let record = record(&check);
    assert_eq!((record.outcome.kind(), record.leaves), (OutcomeKind::Skipped, 0));
    assert!(record.outcome.reasons().is_some_and(|reason| reason.to_string().contains("device lacks shader")));
}

#[test]
fn a_probe_that_broke_breaks_its_check() {
    let expect = expecting("std140", "offsets = { \"S.c\" = 48 }");
    let check = check(subject(ARRAY, &expect, "std140"), Generator::Rspirv, None);
    let jobs = check.jobs();
    let mut results = Model::new().run(&Batch { jobs: jobs.jobs().cloned().collect() });
    results[0] = Err(RunnerError::DeviceLost("it is gone".to_owned()));
    let record = check.record(&jobs, &results, Duration::ZERO);
    assert_eq!(record.outcome.kind(), OutcomeKind::Broken);
    assert!(record.outcome.reasons().is_some_and(|reason| reason.to_string().contains("it is gone")));
}

/// DXC 1.7.2308, listing: an element of `{ float3 a; uint b; float c; }` takes 20 bytes.
#[test]
fn the_second_element_of_a_structured_buffer_is_read() {
    let declare = "struct T { float3 a; uint b; float c; }; StructuredBuffer<T> S;";
    let expect = expecting("hlsl-structured", "strides = { \"S\" = 20 }\noffsets = { \"S.c\" = 16 }");
    let record = record(&check(subject(declare, &expect, "hlsl-structured"), Generator::Rspirv, None));
    assert_eq!(record.outcome.kind(), OutcomeKind::Agree);
    let second = offset_of(&record.rows, "S[1].c").expect("the second element is probed");
    assert_eq!(second.witnesses.observed, Some(RecordValue::Number(20 + 16)));
    assert_eq!(second.witnesses.expected, Some(RecordValue::Number(20 + 16)));
}

/// Records the names of its requests and rejects them.
#[derive(Debug, Default)]
struct Listener(Mutex<Vec<String>>);

impl Compilers for Listener {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        let (_, block) = request.name.rsplit_once('/').expect("a folder of its own");
        self.0.lock().expect("no listener panics").push(block.to_owned());
        CompileOutcome::Rejected("it only listens".to_owned()).into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

#[test]
fn compilers_are_asked_for_the_second_element_of_a_structured_buffer() {
    let declare = "struct T { float3 a; uint b; float c; }; StructuredBuffer<T> S;";
    for (toolchain, rules) in
        [("dxc-dxil", "hlsl-structured"), ("dxc-spirv", "relaxed430"), ("glslang", "scalar"), ("tint", "wgsl-storage")]
    {
        let subject = subject(declare, &expecting(rules, "offsets = { \"S.b\" = 12 }"), rules);
        let toolchain = toolchains().iter().find(|one| one.name == toolchain).expect("a toolchain");
        let listener = Listener::default();
        SubjectShaders::compiled(&subject, toolchain, &listener, CodeTarget::Newest, &settings(None));
        let names = listener.0.into_inner().expect("no listener panics");
        assert!(names.iter().any(|name| name.starts_with("S[1].a")), "{toolchain}: {names:?}");
    }
}

/// The listener compiles nothing, so that no compiler sees these declarations.
#[test]
fn compilers_are_not_asked_for_what_ends_them() {
    let textures = "struct P { float a; Texture2D t; }; ConstantBuffer<P> S;";
    let inside = "struct P { float a; Texture2D t[2]; }; cbuffer S { P p; float b; };";
    let direct = "cbuffer S { float a; Texture2D t; };";
    let empty = "struct E {}; struct P { E e; float b; }; cbuffer S { float a; P p; };";
    let member = "struct E {}; cbuffer S { float a; E e; float b; };";
    let element = "struct E {}; struct P { float a; E e; }; StructuredBuffer<P> S;";
    let one = "struct T { float3x2 m; float a; }; cbuffer S { float a; T t[1]; };";
    let two = "struct T { float3x2 m; float a; }; cbuffer S { float a; T t[2]; };";
    for (declare, toolchain, rules, is_asked) in [
        (textures, "fxc", "hlsl-cbuffer", false),
        (inside, "fxc", "hlsl-cbuffer", false),
        (direct, "fxc", "hlsl-cbuffer", true),
        (textures, "dxc-dxil", "hlsl-cbuffer", true),
        (empty, "clang-dxil", "hlsl-cbuffer", false),
        (empty, "dxc-dxil", "hlsl-cbuffer", true),
        (member, "clang-dxil", "hlsl-cbuffer", true),
        (element, "clang-dxil", "hlsl-structured", true),
        (one, "naga-d3d12", "wgsl-storage", false),
        (two, "naga-d3d12", "wgsl-storage", true),
    ] {
        let subject = subject(declare, &expecting(rules, "offsets = { \"S.a\" = 0 }"), rules);
        let toolchain = toolchains().iter().find(|one| one.name == toolchain).expect("a toolchain");
        let listener = Listener::default();
        let produced = SubjectShaders::compiled(&subject, toolchain, &listener, CodeTarget::Newest, &settings(None));
        let names = listener.0.into_inner().expect("no listener panics");
        assert_eq!(!names.is_empty(), is_asked, "{toolchain}: {declare}");
        let is_told = produced.gaps.iter().any(|gap| {
            gap.reason.to_string().contains("s without an answer at")
                || gap.reason.to_string().starts_with("Clang 23.1.4 crashes")
        });
        assert_eq!(is_told, !is_asked, "{toolchain}: {declare}");
    }
}

/// naga splits a matrix of two rows into columns only among the members of the block itself.
#[test]
fn naga_gets_no_index_into_a_matrix_that_it_does_not_split() {
    let inner = "struct T { float2x2 m; }; cbuffer S { float a; T t; };";
    let own = "cbuffer S { float a; float2x2 m; };";
    let wide = "struct T { float4x4 m; }; cbuffer S { float a; T t; };";
    for (declare, has_index) in [(inner, false), (own, true), (wide, true)] {
        let subject = subject(declare, &expecting("wgsl-uniform", "offsets = { \"S.a\" = 0 }"), "wgsl-uniform");
        let uniform = Settings { spaces: Some([AddressSpace::Uniform].into()), ..settings(None) };
        let produced = SubjectShaders::new(&subject, Generator::Naga, &uniform);
        assert_eq!(produced.broken, Vec::<String>::new(), "{declare}");
        let entries = produced.modules.iter().flat_map(|module| &module.plan.entries);
        let mut indexed = entries.filter(|entry| entry.forms.contains(&Form::Indexed)).map(|entry| entry.space);
        assert_eq!(indexed.any(|space| space == AddressSpace::Uniform), has_index, "{declare}: {produced:?}");
    }
}

/// The names of the first requests to a compiler for the block of a case, without repeats in fewer
/// forms.
fn asked_first(id: &str, compiled: CompiledAccesses) -> BTreeSet<String> {
    let declare = "struct T { float3 a; uint b[2]; float c; }; RWStructuredBuffer<T> S;";
    let expect = expecting("hlsl-structured", "offsets = { \"S.b\" = 12 }");
    let Subject { source, .. } = subject(declare, &expect, "hlsl-structured");
    let named = Source { id: id.to_owned(), ..Arc::unwrap_or_clone(source) };
    let subject = Subject::new(Arc::new(named), find("hlsl-structured").expect("a row of the table"));
    let toolchain = toolchains().iter().find(|one| one.name == "dxc-dxil").expect("a toolchain");
    let listener = Listener::default();
    let asked = Settings { compiled, ..settings(None) };
    SubjectShaders::compiled(&subject, toolchain, &listener, CodeTarget::Newest, &asked);
    let heard = listener.0.into_inner().expect("no listener panics");
    heard.into_iter().filter(|name| !name.contains("_leaf")).collect()
}

#[test]
fn cases_take_turns_with_kinds_of_access() {
    let all = asked_first("case", CompiledAccesses::All);
    let turns: Vec<_> =
        (0..64).map(|number| asked_first(&format!("case/{number}"), CompiledAccesses::OneInTurn)).collect();
    assert!(turns.iter().all(|asked| asked.len() == 1), "{turns:?}");
    assert_eq!(turns.into_iter().flatten().collect::<BTreeSet<_>>(), all);
    assert!(all.len() > 3, "{all:?}");
}

/// Answers every request with one SPIR-V module.
#[derive(Debug)]
struct Writer(Vec<u32>);

impl Compilers for Writer {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, _: &CompileRequest<'_>) -> Compilation {
        CompileOutcome::Compiled(CompiledShader {
            shader: Shader::Spirv(self.0.clone()),
            container: None,
            report: Report::None,
        })
        .into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

/// Answers every request with the metadata of a library whose only payload has this size.
#[derive(Debug)]
struct PayloadWriter(u32);

impl Compilers for PayloadWriter {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, _: &CompileRequest<'_>) -> Compilation {
        let listing = format!(
            "!dx.entryPoints = !{{!1}}
!1 = !{{void (%struct.Pay*)* @\"miss\", !\"miss\", null, null, !2}}
!2 = !{{i32 8, i32 11, i32 6, i32 {}, i32 5, !3}}
!3 = !{{i32 0}}
",
            self.0
        );
        let shader = Shader::DxilListing(listing);
        CompileOutcome::Compiled(CompiledShader { shader, container: None, report: Report::None }).into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

/// DXC 1.7.2308, metadata: a payload of `{ float3 a; uint b; double c; }` takes 24 bytes. No device executes it, so that the
/// right size proves nothing.
#[test]
fn a_payload_of_another_size_is_no_agreement() {
    let declare = "struct Pay { float3 a; uint b; double c; };\n[shader(\"miss\")] void miss(inout Pay p) {}";
    let toolchain = toolchains().iter().find(|one| one.name == "dxc-dxil").expect("a toolchain");
    let outcome = |size| {
        let subject = subject(declare, &expecting("hlsl-structured", "sizes = { \"Pay\" = 24 }"), "hlsl-structured");
        let compilers = PayloadWriter(size);
        let produced = SubjectShaders::compiled(&subject, toolchain, &compilers, CodeTarget::Newest, &settings(None));
        let device = Model::new().device().clone();
        let check = Check { subject: Arc::new(subject), produced: Arc::new(produced), device };
        check.record(&check.jobs(), &[], Duration::ZERO).outcome.kind()
    };
    assert_eq!(outcome(24), OutcomeKind::Skipped);
    assert_eq!(outcome(20), OutcomeKind::Differ);
}

/// Records the stages of its requests.
#[derive(Debug, Default)]
struct StageListener(Mutex<BTreeSet<&'static str>>);

impl Compilers for StageListener {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        self.0.lock().expect("no listener panics").insert(request.stage.as_str());
        CompileOutcome::Rejected("it only listens".to_owned()).into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

#[test]
fn devices_of_direct3d_are_drawn_with_and_nothing_else_is() {
    let model = ShaderModel { major: 6, minor: 2 };
    let direct3d = CodeTarget::Direct3d { model, sixteen_bit: SixteenBit::Off };
    let stages = |asked: &[Stage]| Settings { stages: Some(asked.iter().copied().collect()), ..settings(None) };
    let all = stages(&Stage::ALL);
    for (toolchain, target, asked, expected) in [
        ("dxc-dxil", direct3d, &all, &["compute", "fragment", "vertex"][..]),
        ("slang-d3d12", direct3d, &all, &["compute", "fragment", "vertex"]),
        ("dxc-dxil", direct3d, &stages(&[Stage::Fragment]), &["compute", "fragment"]),
        ("fxc", direct3d, &all, &["compute"]),
        ("dxc-dxil", CodeTarget::Newest, &all, &["compute"]),
        ("dxc-spirv", CodeTarget::Newest, &all, &["compute"]),
    ] {
        let toolchain = toolchains().iter().find(|one| one.name == toolchain).expect("a toolchain");
        let rules = match toolchain.name {
            "dxc-spirv" => "relaxed140",
            "slang-d3d12" => "slang-cbuffer",
            _ => "hlsl-cbuffer",
        };
        let subject = subject("cbuffer S { float a; };", &expecting(rules, "offsets = { \"S.a\" = 0 }"), rules);
        let listener = StageListener::default();
        SubjectShaders::compiled(&subject, toolchain, &listener, target, asked);
        let found = listener.0.into_inner().expect("no listener panics");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{toolchain} {target:?}");
    }
}

/// A module with the probe's buffers at the bindings that compilers get for them.
fn rebound(words: &[u32]) -> Vec<u32> {
    // SPIR-V specification, "OpDecorate": opcode and length, target, decoration, literal.
    const OP_DECORATE: u32 = 0x0004_0047;
    const DECORATION_BINDING: u32 = 33;
    let mut rebound = words.to_vec();
    for at in 0..rebound.len().saturating_sub(3) {
        let is_binding = rebound[at] == OP_DECORATE && rebound[at + 2] == DECORATION_BINDING;
        if is_binding && (1..=2).contains(&rebound[at + 3]) {
            rebound[at + 3] += Reserved::BINDING - 1;
        }
    }
    rebound
}

/// By default, DXC lays out a `ConstantBuffer` within Vulkan 1.1's rules, but `[[vk::offset]]` can
/// break them. slangc rounds the offset up under std140, so that its default promises no less.
#[test]
fn an_option_promises_the_same_whatever_a_block_needs() {
    let declare = "struct C { float r, i; }; struct O { float2 a; [[vk::offset(8)]] C b; }; ConstantBuffer<O> S;";
    for (toolchain, rules, promised, needed) in [
        ("dxc-spirv", "relaxed140", BlockRules::Relaxed, Feature::UniformBufferStandardLayout),
        ("dxc-spirv-gl", "std140@dxc", BlockRules::Relaxed, Feature::UniformBufferStandardLayout),
        ("dxc-spirv-dx", "dx-cbuffer", BlockRules::Scalar, Feature::ScalarBlockLayout),
        ("dxc-spirv-scalar", "scalar@dxc", BlockRules::Scalar, Feature::ScalarBlockLayout),
        ("slang-vulkan-scalar", "scalar@slang", BlockRules::Scalar, Feature::ScalarBlockLayout),
    ] {
        let quoted = format!("\"{rules}\"");
        let subject = subject(declare, &expecting(&quoted, "offsets = { \"S.b\" = 8 }"), rules);
        let by_name =
            Settings { forms: [Form::Leaf].into(), spaces: Some([AddressSpace::Uniform].into()), ..settings(None) };
        let written = SubjectShaders::new(&subject, Generator::Rspirv, &by_name);
        let words = rebound(written.modules[0].code.spirv().expect("it is SPIR-V"));
        let toolchain = toolchains().iter().find(|one| one.name == toolchain).expect("a toolchain");
        let produced =
            SubjectShaders::compiled(&subject, toolchain, &Writer(words), CodeTarget::Newest, &settings(None));
        let module = produced.modules.first().unwrap_or_else(|| panic!("{toolchain}: {produced:?}"));
        assert_eq!(module.block_rules, promised, "{toolchain}");
        assert!(module.requires.contains(&needed), "{toolchain}: {:?}", module.requires);
    }
}

/// OpenGL 4.6, 7.6.2.2: under std140 the columns of `float2x3` are 16 bytes apart, not 8.
#[test]
fn an_expected_matrix_stride_is_compared() {
    for (stride, culprit) in [(16, None), (8, Some(Culprit::CaseOrRules))] {
        let expect = expecting("std140", &format!("matrix_strides = {{ \"S.m\" = {stride} }}"));
        let subject = subject("cbuffer S { float2x3 m; };", &expect, "std140");
        let record = record(&check(subject, Generator::Rspirv, None));
        assert_eq!(record.outcome.culprit(), culprit, "{stride}");
    }
}

/// A device that claims more leaves than it answered would raise a floor that it has not reached.
#[test]
fn the_model_is_no_device() {
    let expect = expecting("std140", "offsets = { \"S.c\" = 48 }");
    let record = record(&check(subject(ARRAY, &expect, "std140"), Generator::Rspirv, None));
    let end = layoutproof_events::summary::fold(&[record]);
    assert_eq!((end.agree, end.leaves, end.devices), (1, 0, Vec::<String>::new()));
}

/// Translates a module to itself. With a fault, it moves the offset or stride with this number among those of the block.
#[derive(Debug)]
struct Mover(Option<usize>);

/// The places of the block's offsets and strides in a module: those of our own buffers are 0 and 4.
fn places_of_numbers(words: &[u32]) -> Vec<usize> {
    // SPIR-V specification, "OpDecorate" and "OpMemberDecorate": opcode and length, target, member, decoration, literal.
    const OP_DECORATE: u32 = 0x0004_0047;
    const OP_MEMBER_DECORATE: u32 = 0x0005_0048;
    const ARRAY_STRIDE: u32 = 6;
    const MATRIX_STRIDE: u32 = 7;
    const OFFSET: u32 = 35;
    let instructions = std::iter::successors(Some(5), |at| Some(at + (*words.get(*at)? >> 16) as usize));
    let mut places = Vec::new();
    for at in instructions.take_while(|at| *at < words.len()) {
        match words[at..] {
            [OP_DECORATE, _, ARRAY_STRIDE, stride, ..] if stride > 4 => places.push(at + 3),
            [OP_MEMBER_DECORATE, _, _, MATRIX_STRIDE, ..] => places.push(at + 4),
            [OP_MEMBER_DECORATE, _, _, OFFSET, offset, ..] if offset > 0 => places.push(at + 4),
            _ => {}
        }
    }
    places
}

impl Compilers for Mover {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        let mut words = request.words.to_vec();
        if let Some(fault) = self.0 {
            words[places_of_numbers(request.words)[fault]] += 4;
        }
        CompileOutcome::Compiled(CompiledShader { shader: Shader::Spirv(words), container: None, report: Report::None })
            .into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

/// OpenGL 4.6, 7.6.2.2: `b` at 8, `i` at 160 with elements of 64 bytes.
#[test]
fn each_number_that_a_translator_moves_is_seen() {
    let declare = "struct I { float p; float3 q; float2x3 m; float r; };
        cbuffer S { float a; float2 b; float c[3]; float3x3 d; float3 e; float f; I i[2]; row_major float2x4 g; float h[2]; \
        float4 j; int k; uint2 l; float n; float3 o; };";
    let toolchain = translators().iter().find(|one| one.name == "spirv-opt:O").expect("a translator");
    let translated = |fault| {
        let subject = subject(declare, &expecting("std140", "offsets = { \"S.b\" = 8 }"), "std140");
        let produced =
            SubjectShaders::translated(&subject, toolchain, &Mover(fault), CodeTarget::Newest, &settings(None));
        Check { subject: Arc::new(subject), produced: Arc::new(produced), device: Model::new().device().clone() }
    };

    let sound = translated(None);
    let record_of_sound = record(&sound);
    assert_eq!(record_of_sound.outcome.kind(), OutcomeKind::Agree);
    assert!(offset_of(&record_of_sound.rows, "S.i[1].m[1][2]").is_some_and(|row| row.witnesses.compiled.is_some()));

    let words = sound.produced.modules[0].code.spirv().expect("it is SPIR-V");
    let faults = places_of_numbers(words).len();
    assert!(faults >= 20, "{faults} places");
    for fault in 0..faults {
        let record = record(&translated(Some(fault)));
        // A number that moves onto another member's bytes also contradicts the device's answer.
        let is_seen = matches!(record.outcome.culprit(), Some(Culprit::Compiler | Culprit::Unclear));
        assert!(is_seen && record.outcome.kind() == OutcomeKind::Differ, "fault {fault}: {:?}", record.outcome.kind());
    }
}
