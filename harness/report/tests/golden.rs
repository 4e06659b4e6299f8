//! Every text and machine format of the reports, for records written by hand, in plain golden
//! files.
//! `UPDATE_EXPECT=1 cargo test -p layoutproof-core --test all golden` rewrites the files; review
//! the diff before you commit.

#[path = "golden/records.rs"]
mod records;

use std::time::Duration;

use expect_test::{ExpectFile, expect_file};
use layoutproof_core::check::verdict::Validation;
use layoutproof_core::results::coverage::{CoverageCell, CoverageCells};
use layoutproof_device::RunnerKind;
use layoutproof_events::summary;
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_events::{
    CheckRecord, Culprit, Host, KnownEntry, Outcome, Proves, RecordedLayout, RecordedShader, RecordedSource,
    RecordsFilter, RerunCommand, RunEnd, RunHeader, SCHEMA, Story, StoryBlock, ToolBuild,
};
use layoutproof_hostcheck::{
    Arrivals, ByteRun, Comparison, LinePlace, Mismatch, MismatchKind, Repair, RepairStep, SideMember, StrayLeaf,
};
use layoutproof_layout::padding::{Hole, HoleKind};
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{BlockKind, MemberRow, Reach, Refusal, ViewId};
use layoutproof_probes::leaf_kind::After;
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_report::deqp_csv::DeqpCsv;
use layoutproof_report::github::{GithubAnnotations, GithubSummary};
use layoutproof_report::host_check::{
    CheckedPair, CompiledAs, HostCheck, PairOutcome, PairProof, UnmatchedBlock, UnmatchedReason,
};
use layoutproof_report::html::{FuzzFinding, FuzzPageFacts, RunPage};
use layoutproof_report::json_lines::{self, JsonLines};
use layoutproof_report::junit::Junit;
use layoutproof_report::listing::{CaseLine, Finding, RuleSetLine, ToolHealth};
use layoutproof_report::reporter::{FinishedRun, Reporter};
use layoutproof_report::{causes, coverage_table, html, listing, matrix, terminal};
use layoutproof_show::show_json::{ShownBlock, ShownLayout};
use layoutproof_show::shown_columns::{BlockPresence, ColumnName, ShownColumn, ShownColumnBlock};
use layoutproof_show::struct_text::{self, TextOptions};
use layoutproof_show::{
    BetterOrder, ColumnSize, PaddedBlock, PaddedColumn, ReorderedText, Style, diff_text, padding_text,
};
use layoutproof_source::shader_language::ShaderLanguage;
use records::member;

const COLOUR: Style = Style { colour: true, ascii: false };
const ASCII: Style = Style { colour: false, ascii: true };

fn failure_of(check: CheckRecord, style: Style) -> String {
    terminal::failure_report(&[check], None, style)
}

#[test]
fn failure_of_a_compiler() {
    let check = || records::compiler_differs("lavapipe", RunnerKind::Ash);
    expect_file!["golden/failure_compiler.txt"].assert_eq(&failure_of(check(), Style::PLAIN));
    expect_file!["golden/failure_compiler_ascii.txt"].assert_eq(&failure_of(check(), ASCII));
    expect_file!["golden/failure_compiler_colour.txt"].assert_eq(&failure_of(check(), COLOUR));
}

#[test]
fn failure_of_a_device() {
    expect_file!["golden/failure_device.txt"].assert_eq(&failure_of(records::device_differs(), Style::PLAIN));
}

#[test]
fn failure_without_a_culprit_between_case_and_rules() {
    expect_file!["golden/failure_case_or_rules.txt"].assert_eq(&failure_of(records::case_or_rules(), Style::PLAIN));
}

#[test]
fn failure_of_a_binding() {
    expect_file!["golden/failure_binding.txt"].assert_eq(&failure_of(records::binding_differs(), Style::PLAIN));
}

#[test]
fn failure_in_a_large_struct() {
    expect_file!["golden/failure_large.txt"].assert_eq(&failure_of(records::large_struct_differs(), Style::PLAIN));
}

#[test]
fn a_whole_run() {
    let checks = records::all();
    let end = summary::fold(&checks);
    let devices = records::devices();
    let time = Some(Duration::from_millis(6820));
    let run = FinishedRun { devices: &devices, time, ..FinishedRun::of(&checks, &end) };
    let failures = terminal::failure_report(&checks, Some("target/layoutproof/records.jsonl"), Style::PLAIN);
    let verbose: String = checks.iter().map(|check| terminal::check_line(check, Style::PLAIN)).collect();
    let detailed = terminal::summary(&run, true, Style::PLAIN);
    let text = format!("{verbose}\n{failures}\n{detailed}");
    expect_file!["golden/run.txt"].assert_eq(&text);
    let short = terminal::summary(&run, false, Style::PLAIN);
    expect_file!["golden/summary.txt"].assert_eq(&short);
}

#[test]
fn a_run_that_no_compiler_saw() {
    let checks = [CheckRecord { id: on("model", RunnerKind::Model), ..records::agreeing() }];
    let end = summary::fold(&checks);
    let run = FinishedRun::of(&checks, &end);
    expect_file!["golden/run_without_compiler.txt"].assert_eq(&terminal::summary(&run, false, Style::PLAIN));
}

/// One bug in many cases makes one block, which lists the other cases by its number.
#[test]
fn failures_of_one_cause_are_one_block() {
    let check = |case: &str| of_case(case, records::compiler_differs("lavapipe", RunnerKind::Ash));
    let mut checks: Vec<CheckRecord> = ["vectors/straddle", "structs/nested", "structs/tail"].map(check).into();
    checks.insert(1, records::device_differs());
    expect_file!["golden/causes.txt"].assert_eq(&terminal::failure_report(&checks, Some("r.jsonl"), Style::PLAIN));

    let causes = causes(&checks);
    let sizes: Vec<usize> = causes.iter().map(|cause| cause.failures.len()).collect();
    assert_eq!(sizes, [3, 1]);
    let listed = causes[0].list(Style::PLAIN);
    assert!(
        listed.ends_with("  Disagree structs/tail · hlsl-cbuffer · dxc-1.7 -spirv · lavapipe via Vulkan\n"),
        "{listed}"
    );
}

#[test]
fn many_failures_are_cut() {
    let check = |(index, cause): (u32, char)| CheckRecord {
        id: CheckId { case: format!("push/nested_{index}"), ..records::broken().id },
        outcome: records::breaks(&format!("device lost: {cause}")),
        ..records::broken()
    };
    let checks: Vec<CheckRecord> = (0..43).zip(('A'..='Z').chain('a'..='g').cycle()).map(check).collect();
    expect_file!["golden/many_failures.txt"].assert_eq(&terminal::failure_report(
        &checks,
        Some("records.jsonl"),
        ASCII,
    ));
}

#[test]
fn the_matrix_of_compilers() {
    let refused = "refused by dxc-spirv: column-major matrices are not supported";
    let more = ["vectors/straddle", "structs/nested", "structs/tail"]
        .map(|case| of_case(case, records::compiler_differs("lavapipe", RunnerKind::Ash)));
    let by = |producer: &str, proves, check: CheckRecord| CheckRecord {
        id: CheckId { producer: producer.into(), ..check.id },
        proves,
        ..check
    };
    let mut checks = records::all();
    checks.extend(more);
    // Two modules that are invalid at different lines have one cause.
    checks.extend([41, 56].map(|line| {
        let check = records::compiler_differs("lavapipe", RunnerKind::Ash);
        let validation = format!("error: line {line}");
        let verdict = format!("the module is not valid, so the device's answer counts for nothing: {validation}");
        let story = check.outcome.story().cloned().map(|story| Story { verdict, hint: None, ..story });
        let outcome = Outcome::Differs { culprit: Culprit::Module, broke: None, story: story.map(Box::new) };
        CheckRecord { outcome, validation: Validation::Invalid(validation), ..check }
    }));
    checks.extend([
        by("dxc-1.7 -spirv", Proves::Compiler, records::skipped(refused)),
        by("dxc-1.7 -spirv", Proves::Compiler, records::skipped("device lacks shaderFloat16: half")),
        by("dxc-dxil", Proves::Native, records::agreeing()),
        by("dxc-dxil", Proves::Native, records::broken()),
    ]);
    let whole = |style| matrix::matrix(&checks, &[], style) + &matrix::differences(&checks, style);
    let text = [Style::PLAIN, ASCII].map(whole).join("\n");
    expect_file!["golden/matrix.txt"].assert_eq(&text);
    expect_file!["golden/matrix.md"].assert_eq(&matrix::markdown(&checks, &[]));
    assert_eq!(matrix::matrix(&[records::agreeing()], &[], Style::PLAIN), "");
}

/// XML 1.0, `Char`: neither as text nor as a character reference.
#[test]
fn junit_has_no_character_that_xml_forbids() {
    let mut check = records::broken();
    check.id.case = "a/\u{fffe}b\u{ffff}\u{b}".to_owned();
    let checks = [check];
    let end = summary::fold(&checks);
    let text = Junit.text(&FinishedRun::of(&checks, &end));
    assert!(!text.contains(['\u{fffe}', '\u{ffff}', '\u{b}']), "{text}");
    assert!(text.contains("\\u{fffe}b\\u{ffff}\\u{b}"), "{text}");
}

#[test]
fn machine_formats() {
    let checks = records::all();
    let devices = records::devices();
    let end = summary::fold(&checks);
    let time = Some(Duration::from_millis(6820));
    let run = FinishedRun { devices: &devices, hostname: Some("ci-1"), time, ..FinishedRun::of(&checks, &end) };
    expect_file!["golden/junit.xml"].assert_eq(&Junit.text(&run));
    expect_file!["golden/deqp.csv"].assert_eq(&DeqpCsv.text(&run));
    expect_file!["golden/github_annotations.txt"].assert_eq(&GithubAnnotations.text(&run));
    expect_file!["golden/github_summary.md"].assert_eq(&GithubSummary.text(&run));
}

#[test]
fn records_survive_their_file() {
    let checks = records::all();
    let header = RunHeader {
        schema: SCHEMA,
        layoutproof: "0.1.0".into(),
        host: Host { system: "linux x86_64".to_owned(), machine: Some("rack-3".to_owned()) },
        devices: records::devices(),
        tools: [("spirv-val".to_owned(), ToolBuild::of_version("SPIRV-Tools v2023.1"))].into(),
        environment: [("LP_NUM_THREADS".to_owned(), "2".to_owned())].into(),
        cases: 6,
        records: RecordsFilter::Full,
        arguments: [("rules".to_owned(), vec!["std140".to_owned(), "scalar".to_owned()])].into(),
        outputs: Vec::new(),
        inputs: "85944171f73967e8".to_owned(),
    };
    let end = RunEnd { sources: vec![records::source()], ..summary::fold(&checks) };
    let run = FinishedRun { runs: std::slice::from_ref(&header), ..FinishedRun::of(&checks, &end) };
    let text = JsonLines.text(&run);
    expect_file!["golden/records.jsonl"].assert_eq(&text);
    let read = json_lines::read(&text).unwrap();
    assert_eq!(read.runs, [header]);
    assert_eq!(read.checks, checks);
    assert_eq!(read.ends, [end]);
}

fn block(size: Option<u32>, members: Vec<MemberRow>) -> ShownBlock {
    ShownBlock {
        view: ViewId::default(),
        name: "S".into(),
        kind: BlockKind::Cbuffer,
        reach: Reach::Parameter,
        size,
        alignment: Some(16),
        stride: None,
        count: Count::Finite(1),
        errors: Vec::new(),
        forbidden: Vec::new(),
        members,
    }
}

fn layout(rules: &str, block: ShownBlock) -> ShownLayout {
    ShownLayout::of_rules(rules, vec![block])
}

fn hlsl() -> ShownLayout {
    layout("hlsl-cbuffer", block(Some(48), records::hlsl_members()))
}

fn std140() -> ShownLayout {
    layout("std140", block(Some(64), records::std140_members()))
}

/// The finding of `wgsl-uniform` for the struct: an array's stride must be a multiple of 16 bytes
/// (WGSL, "Address space layout constraints").
fn forbidden() -> ShownLayout {
    let message = "stride 4 of a uniform array is no multiple of 16 (bytes)".into();
    let errors = vec![Refusal { path: "b".into(), message }];
    let members = Vec::new();
    layout("wgsl-uniform", ShownBlock { errors, alignment: None, size: None, ..block(None, members) })
}

/// Nested structs, a matrix, bit-fields, tail padding and an unsized array, by std430's rules (OpenGL 4.6, 7.6.2.2).
fn nested() -> ShownLayout {
    let matrix = |row: MemberRow| MemberRow { matrix_stride: Some(16), matrix_order: Some(MatrixOrder::Column), ..row };
    let bits = |row: MemberRow, first, width| MemberRow { bit_offset: Some(first), bit_width: Some(width), ..row };
    let members = vec![
        bits(member("flags", "uint", [0, 4], None), 0, 3),
        bits(member("level", "uint", [0, 4], None), 3, 7),
        member("lights", "Light[2]", [16, 64], Some(32)),
        member("lights[].position", "float3", [16, 12], None),
        member("lights[].scale", "float2", [32, 8], None),
        matrix(member("m", "float3x3", [80, 48], None)),
        MemberRow {
            size: None,
            unbounded: true,
            array_strides: vec![48, 16],
            ..member("tail", "float3[][3]", [128, 0], Some(48))
        },
    ];
    let sb = ShownBlock {
        view: ViewId::default(),
        name: "sb".into(),
        kind: BlockKind::StorageBlock,
        count: Count::Finite(4),
        ..block(None, members)
    };
    let element = ShownBlock {
        view: ViewId(1),
        name: "vectors".into(),
        kind: BlockKind::StructuredElement,
        stride: Some(16),
        ..block(Some(12), vec![member("", "float3", [0, 12], None)])
    };
    ShownLayout::of_rules("std430", vec![sb, element])
}

/// The same elements by the scalar rules, which align a vector like its component (Vulkan, "Offset
/// and Stride Assignment").
fn scalar() -> ShownLayout {
    let elements = nested().blocks.into_iter().filter(|block| block.kind == BlockKind::StructuredElement);
    let packed = elements.map(|block| ShownBlock { stride: Some(12), ..block });
    ShownLayout::of_rules("scalar", packed.collect())
}

#[test]
fn annotated_structs() {
    let check = |layouts: &[ShownLayout], style, expected: ExpectFile| {
        expected.assert_eq(&struct_text::show(&columns(layouts), ShaderLanguage::Hlsl, &TextOptions::plain(style)));
    };
    check(&[hlsl()], Style::PLAIN, expect_file!["golden/show.txt"]);
    check(&[nested()], Style::PLAIN, expect_file!["golden/show_nested.txt"]);
    check(&[forbidden()], Style::PLAIN, expect_file!["golden/show_forbidden.txt"]);
    check(&[hlsl(), std140(), forbidden()], Style::PLAIN, expect_file!["golden/show_side_by_side.txt"]);
    let alike = ShownLayout { rules: "relaxed430".into(), ..nested() };
    let of_elements = |layout: ShownLayout| {
        let elements = layout.blocks.into_iter().filter(|block| block.kind == BlockKind::StructuredElement);
        ShownLayout::of_rules(layout.rules, elements.collect())
    };
    let elements = [nested(), alike].map(of_elements);
    check(&[&elements[..], &[scalar()]].concat(), ASCII, expect_file!["golden/show_nested_side_by_side.txt"]);
}

#[test]
fn layouts_for_browsers() {
    let layouts = columns(&[hlsl(), std140(), forbidden()]);
    let [hlsl, std140, _] = &layouts[..] else { unreachable!("three layouts") };
    let language = ShaderLanguage::Hlsl;
    expect_file!["golden/show.html"].assert_eq(&html_content(&html::show_page("<script>.hlsl", &layouts, language)));
    expect_file!["golden/show.svg"].assert_eq(&html::layout_sheet(&layouts, language));
    expect_file!["golden/show_nested.svg"].assert_eq(&html::layout_sheet(&columns(&[nested()]), language));
    let difference = diff_text::diff(hlsl, std140, ShaderLanguage::Hlsl, &TextOptions::plain(Style::PLAIN));
    expect_file!["golden/diff.html"].assert_eq(&html_content(&html::diff_page([hlsl, std140], &difference, None)));
}

#[test]
fn a_run_for_browsers() {
    let checks = records::all();
    let end = RunEnd { sources: vec![records::source()], ..summary::fold(&checks) };
    let devices = records::devices();
    let page = RunPage.text(&FinishedRun { devices: &devices, ..FinishedRun::of(&checks, &end) });
    expect_file!["golden/run.html"].assert_eq(&html_content(&page));
}

/// A finding of `fuzz`, with its smallest declaration and the command that reproduces it.
#[test]
fn findings_for_browsers() {
    let record = records::compiler_differs("lavapipe", RunnerKind::Ash);
    let finding = FuzzFinding {
        heading: "number 7: dxc-1.7 -spirv on lavapipe differs (compiler); 9 members, 4 after 12 attempts".into(),
        declaration: "cbuffer S { float3 a; float b[2]; float c; float2 d; };".into(),
        record,
        folder: "fuzz-found/7-dxc".into(),
    };
    let tallies = "  dxc-1.7 -spirv  31 agree, 1 differs";
    let facts = FuzzPageFacts { drawn: "seed 0, 32 declarations from number 0", tallies, findings: &[finding] };
    expect_file!["golden/fuzz.html"].assert_eq(&html_content(&html::fuzz_page(&facts)));

    let nothing = html::fuzz_page(&FuzzPageFacts { findings: &[], ..facts });
    assert!(nothing.contains("No differences other than known ones."), "{nothing}");
}

/// Two members of a host struct are at other bytes than in the block.
#[test]
fn host_structs_for_browsers() {
    expect_file!["golden/check.html"]
        .assert_eq(&html_content(&html::check_page(&host_check("S"), "layoutproof check")));
}

fn host_check(name: &str) -> HostCheck {
    let run = |label: &str, offset, differs| ByteRun { label: label.to_owned(), offset, size: 4, step: 4, differs };
    let side = |offset| {
        let side = |path: &str, offset, differs| SideMember {
            path: path.to_owned(),
            type_name: "float".to_owned(),
            offset,
            size: Some(4),
            runs: vec![run(path, offset, differs)],
        };
        vec![side(name, 0, false), side("c", offset, true)]
    };
    let mismatch = Mismatch {
        path: "c".into(),
        kind: MismatchKind::OffsetMoved { shader_offset: 4, host_offset: 16 },
        host_path: Some("c".into()),
        repairs: vec![RepairStep {
            repair: Repair::Pad { before: format!("c of {name}"), bytes: 12 },
            alternative: None,
        }],
        followers: 0,
        shader_at: Some(LinePlace { file: name.into(), line: Some(3) }),
        host_at: None,
    };
    let comparison = Comparison {
        shader_members: side(4),
        host_members: side(16),
        mismatches: vec![mismatch],
        shader_size: Some(8),
        host_size: 20,
        ..Comparison::default()
    };
    let pair = CheckedPair {
        part: String::new(),
        block: name.into(),
        kind: BlockKind::Cbuffer,
        target: "std140".into(),
        shader: "s.hlsl".into(),
        compiled: CompiledAs::default(),
        host: name.into(),
        host_file: "engine.o".into(),
        comparison: comparison.into(),
        known: Vec::new(),
        other_layouts: None,
        by_members: None,
        alternatives: Vec::new(),
        proofs: Vec::new(),
    };
    let unmatched = UnmatchedBlock {
        block: name.into(),
        target: "std140".into(),
        shader: name.into(),
        compiled: CompiledAs::default(),
        place: None,
        reason: UnmatchedReason::NoType(vec![name.into()]),
        is_stated: false,
        proposals: Vec::new(),
    };
    HostCheck { pairs: vec![pair], unmatched: vec![unmatched], complaints: vec![name.into()], ..HostCheck::default() }
}

/// A device reads `c` elsewhere. The known difference covers that only if it is about `c`.
#[test]
fn a_known_difference_covers_no_other_arrival() {
    let mut pair = host_check("S").pairs.remove(0);
    pair.known = vec!["meant".to_owned()];
    let mut outcome_with = |is_expected| {
        let stray = StrayLeaf { path: "c".to_owned(), offset: Some(8), reads: None, home: None, is_expected };
        let arrivals = Arrivals { strays: vec![stray], ..Arrivals::default() };
        let (device, runner, producer) = ("gpu".to_owned(), RunnerKind::Ash, "rspirv".to_owned());
        pair.proofs = vec![PairProof { device, runner, producer, result: Ok(arrivals) }];
        pair.outcome()
    };
    assert_eq!((outcome_with(true), outcome_with(false)), (PairOutcome::Known, PairOutcome::Differ));
}

/// A page without its style and script, with one line per opening tag.
fn html_content(page: &str) -> String {
    let without = |text: &str, element: &str| {
        let (open, close) = (format!("<{element}>"), format!("</{element}>"));
        let parts = text.split_once(&open).zip(text.rsplit_once(&close));
        parts.map_or_else(|| text.to_owned(), |((start, _), (_, end))| format!("{start}{end}"))
    };
    let mut text = without(&without(page, "style"), "script");
    for element in
        ["section", "h2", "h3", "table", "tr", "details", "summary", "figure", "svg", "g", "dl", "dt", "p", "li"]
    {
        for open in [format!("<{element}>"), format!("<{element} ")] {
            text = text.replace(&open, &format!("\n{open}"));
        }
    }
    text
}

/// The id of the agreeing check on a device.
fn on(device: &str, runner: RunnerKind) -> CheckId {
    CheckId { device: Some(CheckDevice { id: device.into(), runner }), ..records::agreeing().id }
}

fn of_case(case: &str, check: CheckRecord) -> CheckRecord {
    CheckRecord { id: CheckId { case: case.into(), ..check.id }, ..check }
}

/// Pages escape the names and texts of users everywhere.
#[test]
fn nothing_of_users_is_markup() {
    let evil = "<script>alert(1)</script>\" onload='x'";
    let evil_entry = |entry: KnownEntry| KnownEntry {
        file: evil.into(),
        bug: Some(evil.into()),
        reason: evil.into(),
        link: Some("javascript:alert(1)".into()),
        ..entry
    };
    let evil_story = |story: Box<Story>| Story {
        summary: evil.into(),
        place: LinePlace::of_file(evil),
        authority: evil.into(),
        hint: Some(evil.into()),
        again: RerunCommand::Text(evil.into()),
        verdict: evil.into(),
        moved_by: story.moved_by.clone(),
        resembles: story.resembles.clone().map(evil_entry),
        shaders: vec![RecordedShader {
            block: evil.into(),
            entries: vec![evil.into()],
            form: evil.into(),
            text: evil.into(),
            left_out: 1,
        }],
        blocks: story.blocks.into_iter().map(|block| StoryBlock { members: evil_members(evil), ..block }).collect(),
    };
    let evil_story = |story: Option<Box<Story>>| story.map(evil_story).map(Box::new);
    let evil_outcome = |outcome: Outcome| match outcome {
        Outcome::Agrees => Outcome::Agrees,
        Outcome::Differs { culprit, story, .. } => {
            Outcome::Differs { culprit, broke: Some(evil.into()), story: evil_story(story) }
        }
        Outcome::Known { entry, culprit, story, .. } => {
            Outcome::Known { entry: evil_entry(entry), culprit, broke: Some(evil.into()), story: evil_story(story) }
        }
        Outcome::Stale(entry) => Outcome::Stale(evil_entry(entry)),
        Outcome::Skipped { kind, .. } => Outcome::Skipped { reasons: evil.into(), kind },
        Outcome::Broken { culprit, story, .. } => {
            Outcome::Broken { reasons: evil.into(), culprit, story: evil_story(story) }
        }
    };
    let rename = |check: CheckRecord| CheckRecord {
        id: CheckId {
            case: evil.into(),
            rules: evil.into(),
            producer: evil.into(),
            device: check.id.device.map(|device| CheckDevice { id: evil.into(), ..device }),
        },
        outcome: evil_outcome(check.outcome),
        validation: Validation::Invalid(evil.into()),
        ..check
    };
    let checks: Vec<CheckRecord> = records::all().into_iter().map(rename).collect();
    let layout_of_source = RecordedLayout {
        rules: evil.into(),
        authority: evil.into(),
        blocks: vec![StoryBlock { name: evil.into(), size: Some(16), members: evil_members(evil) }],
    };
    let source = RecordedSource {
        case: evil.into(),
        summary: evil.into(),
        place: LinePlace::of_file(evil),
        declaration: Some(evil.into()),
        layouts: vec![layout_of_source],
    };
    let end = RunEnd { sources: vec![source], failed_listings: vec![evil.into()], ..summary::fold(&checks) };
    let mut devices = records::devices();
    for device in &mut devices {
        (device.name, device.driver) = (evil.into(), evil.into());
    }
    let block = ShownBlock { name: evil.into(), ..block(Some(16), evil_members(evil)) };
    let columns = columns(&[layout(evil, block)]);
    let language = ShaderLanguage::Hlsl;

    let finding = FuzzFinding {
        heading: evil.into(),
        declaration: evil.into(),
        record: checks.iter().find(|check| check.outcome.story().is_some()).cloned().unwrap(),
        folder: evil.into(),
    };

    for page in [
        html::fuzz_page(&FuzzPageFacts { drawn: evil, tallies: evil, findings: &[finding] }),
        html::check_page(&host_check(evil), evil),
        RunPage.text(&FinishedRun { devices: &devices, ..FinishedRun::of(&checks, &end) }),
        html::show_page(evil, &columns, language),
        html::layout_sheet(&columns, language),
    ] {
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
        assert!(!page.contains("<script>alert"), "{page}");
        assert!(!page.contains("\" onload='x'"), "{page}");
        assert!(!page.contains("href=\"javascript:"), "{page}");
    }
}

fn evil_members(name: &str) -> Vec<MemberRow> {
    vec![member(name, name, [0, 4], None), member("b", "float", [4, 4], None)]
}

/// A page loads nothing: its addresses are places on the page, or links to follow.
#[test]
fn pages_load_nothing() {
    let checks = records::all();
    let page = RunPage.text(&FinishedRun::of(&checks, &summary::fold(&checks)));
    assert!(!page.contains(" src=") && !page.contains("@import") && !page.contains("<link"), "{page}");
    let links: Vec<&str> = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let elsewhere: Vec<&&str> = links.iter().filter(|link| !link.starts_with('#')).collect();
    assert_eq!(elsewhere, [&"https://example.com/dxc/1"]);
}

/// As in the terminal, entries that differ only in their conditions are one difference.
#[test]
fn known_differences_of_one_reason_are_told_once() {
    let known = records::known();
    let entry = known.outcome.entry().unwrap().clone();
    let elsewhere = KnownEntry { line: entry.line + 9, ..entry.clone() };
    let other = KnownEntry { reason: "another reason".into(), ..elsewhere.clone() };
    let entries = [entry, elsewhere, other].into_iter();
    let checks: Vec<CheckRecord> = entries
        .map(|entry| {
            let mut check = records::compiler_differs("swiftshader", RunnerKind::Ash);
            check.excuse(entry);
            check
        })
        .collect();

    let page = RunPage.text(&FinishedRun::of(&checks, &summary::fold(&checks)));
    let part = page.split("<section id=\"known\">").nth(1).unwrap();
    assert_eq!(part.matches("<details id=\"known-").count(), 2, "{part}");
    let first = part.split("</details>").next().unwrap();
    for words in ["2 checks", "entries", "ci/known/dxc-spirv.toml:4<", "ci/known/dxc-spirv.toml:13<"] {
        assert!(first.contains(words), "{words}: {first}");
    }
}

/// A page of 3,000 checks in 500 cases has at most 2 MB.
#[test]
fn a_page_of_many_checks_is_small() {
    let mut checks = Vec::new();
    let mut sources = Vec::new();
    for number in 0..500 {
        let case = format!("arrays/a_case_with_a_name_of_usual_length_{number}");
        sources.push(RecordedSource { case: case.clone(), ..records::source() });
        let devices = ["lavapipe", "swiftshader", "vkd3d"].into_iter();
        checks.extend(devices.flat_map(|device| {
            ["rspirv", "naga"].map(|producer| CheckRecord {
                id: CheckId { case: case.clone(), producer: producer.into(), ..on(device, RunnerKind::Ash) },
                ..records::agreeing()
            })
        }));
    }
    let end = RunEnd { sources, ..summary::fold(&checks) };
    let devices = records::devices();
    let page = RunPage.text(&FinishedRun { devices: &devices, ..FinishedRun::of(&checks, &end) });
    assert_eq!(checks.len(), 3000);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

/// If a page has no room for the byte maps of all cases, the last cases name the command that draws
/// theirs.
#[test]
fn a_page_has_byte_maps_as_far_as_there_is_room() {
    let cases: Vec<String> = (0..700).map(|number| format!("arrays/a_case_with_a_name_{number:04}")).collect();
    let sources = cases.iter().map(|case| RecordedSource { case: case.clone(), ..records::source() });
    let sources: Vec<RecordedSource> = sources.collect();
    let checks = cases.iter().map(|case| of_case(case, records::agreeing()));
    let checks: Vec<CheckRecord> = checks.collect();
    let end = RunEnd { sources, ..summary::fold(&checks) };
    let page = RunPage.text(&FinishedRun::of(&checks, &end));

    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let part = |case: &str| page.split("<details class=\"case\"").find(|part| part.contains(case)).unwrap().to_owned();
    let (first, last) = (part("a_case_with_a_name_0000"), part("a_case_with_a_name_0699"));
    assert!(first.contains("<svg") && !last.contains("<svg"));
    assert!(last.contains("layoutproof show arrays/a_case_with_a_name_0699 --all --format html"), "{last}");
}

/// Layouts as columns of the text, without padding.
fn columns(layouts: &[ShownLayout]) -> Vec<ShownColumn> {
    let block = |shown: &ShownBlock| ShownColumnBlock::new(shown.clone(), BlockPresence::Present);
    let column = |layout: &ShownLayout| ShownColumn {
        name: ColumnName::of_rules(&layout.rules),
        blocks: layout.blocks.iter().map(block).collect(),
    };
    layouts.iter().map(column).collect()
}

#[test]
fn differences_of_two_rule_sets() {
    let difference = |left: ShownLayout, right: ShownLayout| {
        let [left, right] = [left, right].map(|layout| columns(&[layout]).remove(0));
        let difference = diff_text::diff(&left, &right, ShaderLanguage::Hlsl, &TextOptions::plain(Style::PLAIN));
        (difference.with_verdict(&left.name, &right.name, Style::PLAIN), difference.differs)
    };
    let different = difference(hlsl(), std140());
    expect_file!["golden/diff.txt"].assert_eq(&different.0);
    assert!(different.1);
    let same = difference(std140(), ShownLayout { rules: "relaxed".into(), ..std140() });
    expect_file!["golden/diff_same.txt"].assert_eq(&same.0);
    assert!(!same.1);
    let refused = difference(std140(), forbidden());
    expect_file!["golden/diff_forbidden.txt"].assert_eq(&refused.0);
    assert!(refused.1);
    let empty = ShownLayout::of_rules("empty", Vec::new());
    assert!(difference(empty, std140()).1);
}

#[test]
fn listings() {
    let rules = RuleSetLine {
        name: "std140".into(),
        what: "GLSL and Vulkan uniform blocks".into(),
        source: "OpenGL 4.6, 7.6.2.2".into(),
        example: "float b[2]; float c: b at 0, stride 16, c at 32".into(),
    };
    let cases = ["cbuffer/array_tail", "scalar/half"]
        .map(|id| CaseLine { id: id.into(), summary: "a scalar takes the space an array leaves".into() });
    let found = |health, name: &str, detail: &str, advice: &str| Finding {
        health,
        name: name.into(),
        detail: detail.into(),
        advice: advice.into(),
    };
    let findings = [
        found(ToolHealth::Good, "Vulkan loader", "1.3.239", ""),
        found(ToolHealth::Missing, "dxc", "not on PATH", "ci/setup fetches one"),
        found(ToolHealth::Broken, "spirv-val", "ended with signal 11", ""),
    ];
    let text = [
        listing::rule_sets(&[rules], Style::PLAIN),
        listing::cases(&cases, Style::PLAIN),
        listing::devices(&records::devices(), Style::PLAIN),
        listing::doctor(&findings, Style::PLAIN),
    ];
    expect_file!["golden/listings.txt"].assert_eq(&text.join("\n"));
}

#[test]
fn ascii_texts_are_ascii() {
    let checks = records::all();
    let end = summary::fold(&checks);
    let run = FinishedRun::of(&checks, &end);
    for text in [
        terminal::failure_report(&checks, Some("records.jsonl"), ASCII),
        terminal::summary(&run, false, ASCII),
        struct_text::show(&columns(&[hlsl(), forbidden()]), ShaderLanguage::Hlsl, &TextOptions::plain(ASCII)),
        diff_text::diff(
            &columns(&[hlsl()])[0],
            &columns(&[std140()])[0],
            ShaderLanguage::Hlsl,
            &TextOptions::plain(ASCII),
        )
        .tables,
    ] {
        assert!(text.is_ascii(), "{text}");
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    let checks = records::all();
    let coloured = terminal::failure_report(&checks, Some("records.jsonl"), COLOUR);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some(start) = rest.find('\u{1b}') {
        plain += &rest[..start];
        let end = rest[start..].find('m').unwrap();
        rest = &rest[start + end + 1..];
    }
    plain += rest;
    let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = terminal::failure_report(&checks, Some("records.jsonl"), Style::PLAIN);
    assert_eq!(lines, expected.lines().collect::<Vec<_>>());
}

#[test]
fn coverage_of_a_rule_set() {
    let cell = |ty: &str, after, space, direction, form| CoverageCell {
        rules: "std140".to_owned(),
        ty: ty.to_owned(),
        after,
        space,
        stage: Stage::Compute,
        direction,
        form,
        proves: Proves::Decorations,
    };
    let cells: CoverageCells = [
        (cell("float", After::Start, AddressSpace::Uniform, Direction::Read, Form::Leaf), 1200),
        (cell("row float2x3", After::Vector, AddressSpace::Storage, Direction::Write, Form::Whole), 24),
        (cell("float3[]", After::Scalar, AddressSpace::Storage, Direction::Read, Form::Vector), 9),
        (
            CoverageCell {
                stage: Stage::Vertex,
                ..cell("float", After::Start, AddressSpace::Uniform, Direction::Read, Form::Leaf)
            },
            7,
        ),
        (cell("float", After::Start, AddressSpace::UniformElement, Direction::Read, Form::Leaf), 3),
    ]
    .into();
    let text = coverage_table::coverage_table(&cells, &["hlsl-cbuffer", "std140"], Style::PLAIN);
    expect_file!["golden/coverage.txt"].assert_eq(&text);
}

// A struct with a better order and its diff, one whose declaration could not be split, a block whose
// members stay, and one without padding.
#[test]
fn padding_of_a_block() {
    let hole =
        |member: &str, [offset, size]: [u32; 2]| Hole { kind: HoleKind::Inside, member: member.into(), offset, size };
    let column = |names: &[&str], [size, padding, percent]: [u32; 3], inside| PaddedColumn {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        size,
        padding,
        percent,
        inside,
    };
    let size = |name: &str, [declared, reordered]: [u32; 2]| ColumnSize {
        names: vec![name.to_owned()],
        declared,
        reordered,
        has_registers: false,
    };
    let whole = BetterOrder {
        type_name: String::new(),
        members: ["b", "a"].map(String::from).to_vec(),
        sizes: vec![size("std140", [144, 128]), size("std430", [128, 128])],
        is_minimal: true,
        edit: Some(ReorderedText {
            file: "lamp.hlsl".to_owned(),
            body: 11..39,
            text: "\n    float3 b;\n    float a;\n".into(),
            diff: "--- a.hlsl\n+++ a.hlsl\n@@ -1,2 +1,2 @@\n-    float a;\n     float3 b;\n+    float a;\n".into(),
        }),
    };
    let light = BetterOrder {
        type_name: "Light".into(),
        members: ["l", "m", "a"].map(String::from).to_vec(),
        sizes: vec![size("std140", [48, 32])],
        is_minimal: false,
        edit: None,
    };
    let block = |name: &str, columns, is_fixed, better| PaddedBlock { name: name.into(), columns, is_fixed, better };
    let inside = vec![hole("m", [80, 12]), hole("n", [16, 4])];
    let several = vec![
        column(&["std140", "relaxed140"], [144, 52, 36], inside),
        column(&["std430"], [128, 36, 28], vec![hole("m", [80, 12])]),
    ];
    let blocks = [
        block("S", several, false, vec![whole, light]),
        block("placed", vec![column(&["std140"], [16, 4, 25], Vec::new())], true, Vec::new()),
        block("tight", vec![column(&["std140"], [16, 4, 25], Vec::new())], false, Vec::new()),
        block("full", vec![column(&["std140"], [64, 0, 0], Vec::new())], false, Vec::new()),
    ];
    expect_file!["golden/padding.txt"].assert_eq(&padding_text::text(&blocks, Style::PLAIN));
}
