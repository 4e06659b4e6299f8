//! Screens on the model device: what they answer needs no jobs, and no check ends otherwise than without them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use layoutproof_core::check::{
    AnsweredEntries, Check, Generator, Jobs, Screen, Settings, Source, Subject, SubjectShaders,
};
use layoutproof_core::declare::DeclareOptions;
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::model::{MISREADINGS, Misreading, Model};
use layoutproof_core::probe::{AddressSpace, FUSED_ENTRY, Form, REGIONS_ENTRY};
use layoutproof_core::results::record::{CheckRecord, Outcome, Row};
use layoutproof_device::{Batch, BufferKind, Feature, Runner};
use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};

/// Vectors, matrices, arrays and structs of 32-bit numbers.
const BLOCKS: [&str; 3] = [
    "cbuffer S { float3 a; float b; float2 c[2]; uint d; };",
    "struct T { float2 a; int b; }; cbuffer S { float2x3 a; row_major float3x2 b; T c[3]; float d; };",
    "struct T { float3 a; }; StructuredBuffer<T> s;",
];

/// What a ramp cannot tell.
const NARROW: &str = "cbuffer S { half a; float b; };";

const RULES: [&str; 3] = ["std140", "hlsl-cbuffer", "scalar"];

fn check(text: &str, rules: &str, planted: Option<&str>) -> Check {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).expect("a short text");
    let file = sources.add("blocks.hlsl", text);
    let span = Span { file, start: 0, end };
    let (layout, declare) = (LayoutOptions::default(), DeclareOptions::default());
    let source = Source::of_file(span, layout, &declare, &mut sources).expect("the text is HLSL");
    let row = |name| find(name).expect("a row of the table");
    let subject = Subject::new(Arc::new(source), row(rules));
    let settings = Settings {
        forms: Form::ALL.into(),
        spaces: Some(AddressSpace::ALL.into()),
        stages: None,
        elements: ElementChoice::Sample,
        planted_rules: planted.map(|name| row(name).clone()),
    };
    let produced = SubjectShaders::new(&subject, Generator::Rspirv, &settings);
    Check { subject: Arc::new(subject), produced: Arc::new(produced), device: Model::new().device().clone() }
}

fn checks() -> Vec<Check> {
    BLOCKS.iter().flat_map(|text| RULES.map(|rules| check(text, rules, None))).collect()
}

fn device(misreading: Option<Misreading>) -> Model {
    misreading.map_or_else(Model::new, Model::with_misreading)
}

fn record(check: &Check, jobs: &Jobs, misreading: Option<Misreading>) -> CheckRecord {
    let batch = Batch { jobs: jobs.jobs().cloned().collect() };
    check.record(jobs, &device(misreading).run(&batch), Duration::ZERO)
}

fn screens(checks: &[Check]) -> Vec<Screen> {
    Screen::all(&checks.iter().enumerate().collect::<Vec<_>>())
}

/// What the screens of checks answer on a device, by check.
fn answered(checks: &[Check], misreading: Option<Misreading>) -> BTreeMap<usize, AnsweredEntries> {
    let mut answered: BTreeMap<usize, AnsweredEntries> = BTreeMap::new();
    for screen in screens(checks) {
        let answers = device(misreading).run(&Batch { jobs: vec![screen.job().clone()] });
        let [Ok(read_back)] = &answers[..] else { panic!("one answer: {answers:?}") };
        for probe in screen.answered(read_back) {
            answered.entry(probe.check).or_default().add(probe);
        }
    }
    answered
}

/// The records of checks that are left with what no screen has answered.
fn screened(checks: &[Check], misreading: Option<Misreading>) -> Vec<CheckRecord> {
    let answered = answered(checks, misreading);
    let left = |index: usize, check: &Check| check.jobs().without(&answered.get(&index).cloned().unwrap_or_default());
    let records = checks.iter().enumerate().map(|(index, check)| record(check, &left(index, check), misreading));
    records.collect()
}

#[test]
fn a_right_device_gives_the_same_records() {
    let checks = checks();
    for (check, screened) in checks.iter().zip(screened(&checks, None)) {
        let alone = record(check, &check.jobs(), None);
        assert_eq!((alone.outcome, screened.outcome), (Outcome::Agree, Outcome::Agree), "{}", check.name());
        assert!(screened.rows.iter().any(|row| row.fused), "nothing of {} was screened", check.name());
        assert!(!alone.rows.iter().any(|row| row.fused));
        let rows = screened.rows.iter().map(|row| Row { fused: false, ..row.clone() });
        assert_eq!((rows.collect::<Vec<_>>(), screened.leaves), (alone.rows, alone.leaves), "{}", check.name());
    }
}

/// Faults of one store of a dispatch: where checks share it, only one of them has that store.
const OF_A_DISPATCH: [&str; 2] = ["write-lost", "last-write-lost"];

/// Whatever a device does wrong, a check that differs without a screen differs with one: what it answers wrongly runs by
/// itself, and what a hash does not see shows in the jobs that are left.
#[test]
fn no_misreading_slips_through() {
    let checks = [(BLOCKS[1], "std140"), (BLOCKS[1], "scalar"), (BLOCKS[0], "std140")];
    let checks = checks.map(|(text, rules)| check(text, rules, None));
    for misreading in MISREADINGS {
        let alone = checks.iter().map(|check| record(check, &check.jobs(), Some(*misreading)).outcome);
        let screened = screened(&checks, Some(*misreading)).into_iter().map(|record| record.outcome);
        let (alone, screened): (Vec<_>, Vec<_>) = alone.zip(screened).unzip();
        if OF_A_DISPATCH.contains(&misreading.name) {
            assert!(screened.contains(&Outcome::Differ), "{}", misreading.name);
        } else {
            assert_eq!(alone, screened, "{}", misreading.name);
        }
    }
}

/// The shader has scalar's offsets where the check expects std140's; the second leaf of `c` is at byte 24 for 32.
#[test]
fn a_planted_layout_is_not_answered() {
    let moved = "cbuffer S { float2 a; float2 c[2]; };";
    let right = check(BLOCKS[1], "std140", None);
    let checks = [right.clone(), check(moved, "std140", Some("scalar")), right];
    assert_eq!(answered(&checks, None).into_keys().collect::<Vec<_>>(), [0, 2]);
    let records = screened(&checks, None);
    assert_eq!(records[1].outcome, Outcome::Differ);
    assert_eq!(records[1], record(&checks[1], &checks[1].jobs(), None));
}

#[test]
fn rule_sets_that_agree_share_an_answer() {
    let pairs = "cbuffer S { float2 a; float2 b; };";
    let agreeing = ["std140", "hlsl-cbuffer", "std430"].map(|rules| check(pairs, rules, None));
    let checks = [&agreeing[..], &[check(BLOCKS[0], "std140", None)]].concat();
    for screen in screens(&checks).iter().filter(|screen| screen.job().entry == FUSED_ENTRY) {
        let answers = screen.job().buffers[1].bytes.len() / 4;
        assert_eq!((answers, screen.probes().count()), (2, 4));
    }
    // Reads of two kinds of buffers; of the rest whatever both blocks have, which is no index from memory.
    let entries = screens(&checks).into_iter().map(|screen| screen.job().entry.clone());
    assert_eq!(entries.filter(|entry| entry == FUSED_ENTRY).count(), 2);
}

#[test]
fn what_gains_nothing_has_no_screen() {
    assert_eq!(screens(&[check(BLOCKS[0], "std140", None)]).len(), 0, "a probe alone");
    let narrow = ["scalar", "std140"].map(|rules| check(NARROW, rules, None));
    assert_eq!(screens(&narrow).len(), 0, "leaves that a ramp cannot tell");
    // Under scalar, `b` is at byte 8 and crosses a 16-byte line, which Vulkan 1.1 allows nowhere by itself.
    let crossing = "cbuffer S { float2 a; float3 b; };";
    let mut weak = ["scalar", "std140", "std430"].map(|rules| check(crossing, rules, None)).to_vec();
    weak.push(check(BLOCKS[0], "std140", None));
    for check in &mut weak {
        check.device.features.remove(&Feature::ScalarBlockLayout);
    }
    let screens = screens(&weak);
    let taken: BTreeSet<usize> = screens.iter().flat_map(Screen::probes).map(|probe| probe.check).collect();
    assert_eq!(taken, [1, 2, 3].into(), "without scalar block layout");
}

/// Of one case of 320 loads and many small ones, the large one is alone in its module, where a hash is cheaper than a store
/// for each load.
#[test]
fn modules_are_no_larger_than_the_device_compiles_well() {
    let large = check("cbuffer S { float4x4 a[7]; };", "std140", None);
    let small = (1..=40).map(|count| check(&format!("cbuffer S {{ float4 a[{count}]; }};"), "std140", None));
    let checks: Vec<Check> = small.chain([large]).collect();
    let screens = screens(&checks);
    assert!(screens.len() > 4, "{} screens", screens.len());
    for screen in &screens {
        let cases: BTreeSet<usize> = screen.probes().map(|probe| probe.check).collect();
        let is_large = cases == BTreeSet::from([40]);
        assert!(is_large || (2..40).contains(&cases.len()) && !cases.contains(&40), "{cases:?}");
    }
}

/// What a screen answers, by check, where a byte of what comes back has changed.
fn answered_but_for(screen: &Screen, buffer: usize, byte: usize) -> Vec<usize> {
    let mut answers = Model::new().run(&Batch { jobs: vec![screen.job().clone()] });
    let Some(Ok(mut read_back)) = answers.pop() else { panic!("no answer") };
    read_back.buffers[buffer].bytes[byte] ^= 1;
    screen.answered(&read_back).map(|probe| probe.check).collect()
}

/// Regions begin at multiples of 256 bytes. The block has 36 bytes, of which those behind `a` are
/// padding, and 64 guard bytes twice.
#[test]
fn a_region_answers_for_its_case_alone() {
    let padded = "cbuffer S { float a; float4 b; float c; };";
    let screens = screens(&[padded, BLOCKS[0]].map(|text| check(text, "std140", None)));
    let writes = |screen: &&Screen| {
        screen.job().push_constants.is_empty() && screen.job().buffers[0].kind == BufferKind::Storage
    };
    let whole = screens.iter().find(writes).expect("a screen of writes");
    assert_eq!(whole.job().entry, REGIONS_ENTRY);
    for (byte, answered) in [(0, vec![1]), (4, vec![1]), (40, vec![1]), (160, vec![1]), (200, vec![]), (256, vec![0])] {
        assert_eq!(answered_but_for(whole, 0, byte), answered, "byte {byte}");
    }
}
