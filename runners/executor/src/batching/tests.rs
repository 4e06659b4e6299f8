//! Shared modules on the model device: an answered probe needs no job, and every check ends as it
//! would without them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use layoutproof_core::check::{Check, CompiledAccesses, Jobs, ProbeName, Settings, Source, Subject, SubjectShaders};
use layoutproof_device::{Batch, Feature, ReadBack, Runner, RunnerError};
use layoutproof_events::producer::Generator;
use layoutproof_events::{CheckRecord, FaultCause, Outcome, OutcomeKind, Reason, RecordValue, Row, SharedAnswer};
use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};
use layoutproof_model::{MISREADINGS, Misreading, Model};
use layoutproof_probes::{AddressSpace, Direction, Form};
use layoutproof_source::sources::SourceMap;

use super::shared_module::SharedModule;
use super::{CheckProbes, SharedFault, SharedFaultKind, SharedOutcome, is_wrong};

/// Vectors, matrices, arrays and structs of 32-bit numbers.
const BLOCKS: [&str; 3] = [
    "cbuffer S { float3 a; float b; float2 c[2]; uint d; };",
    "struct T { float2 a; int b; }; cbuffer S { float2x3 a; row_major float3x2 b; T c[3]; float d; };",
    "struct T { float3 a; }; StructuredBuffer<T> s;",
];

/// Numbers whose offsets need several dispatches.
const NARROW: &str = "struct T { half2 a; float b; }; cbuffer S { half a; bool b; half3 c[2]; T d; };";

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
        compiled: CompiledAccesses::All,
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

fn modules(checks: &[Check]) -> Vec<SharedModule> {
    SharedModule::all(&checks.iter().enumerate().collect::<Vec<_>>(), &BTreeMap::new())
}

/// A device's answers to a module; `None` if it fails in one of them.
fn run(module: &SharedModule, device: &mut Model) -> Option<Vec<ReadBack>> {
    device.run(&Batch { jobs: module.jobs().to_vec() }).into_iter().collect::<Result<_, _>>().ok()
}

/// The probes that a module answers rightly.
fn right(module: &SharedModule, answers: &[ReadBack]) -> Vec<(usize, ProbeName)> {
    let right = module.judged(answers).right.into_iter();
    right.flat_map(|(check, probes)| probes.into_iter().map(move |probe| (check, probe))).collect()
}

/// The probes that the shared modules of checks answer on a device, by check.
fn answered(checks: &[Check], misreading: Option<Misreading>) -> CheckProbes {
    let mut answered = CheckProbes::new();
    for module in modules(checks) {
        let answers = run(&module, &mut device(misreading));
        for (check, probe) in answers.iter().flat_map(|answers| right(&module, answers)) {
            answered.entry(check).or_default().insert(probe);
        }
    }
    answered
}

/// The records of checks, with separate jobs only for the probes that no shared module has answered.
/// Checks that do not agree then run by themselves.
fn shared(checks: &[Check], misreading: Option<Misreading>) -> Vec<CheckRecord> {
    let answered = answered(checks, misreading);
    let records = checks.iter().enumerate().map(|(index, check)| {
        let rest = check.jobs().without(&answered.get(&index).cloned().unwrap_or_default());
        let shared = record(check, &rest, misreading);
        if is_wrong(&shared) { record(check, &check.jobs(), misreading) } else { shared }
    });
    records.collect()
}

#[test]
fn a_right_device_gives_the_same_records() {
    let checks = [checks(), RULES.map(|rules| check(NARROW, rules, None)).to_vec()].concat();
    for (check, shared) in checks.iter().zip(shared(&checks, None)) {
        let alone = record(check, &check.jobs(), None);
        assert_eq!(
            (alone.outcome.kind(), shared.outcome.kind()),
            (OutcomeKind::Agree, OutcomeKind::Agree),
            "{}",
            check.id()
        );
        assert!(shared.rows.iter().any(|row| row.fused), "no module answered for {}", check.id());
        assert!(!alone.rows.iter().any(|row| row.fused));
        let rows = shared.rows.iter().map(|row| Row { fused: false, ..row.clone() });
        assert_eq!((rows.collect::<Vec<_>>(), shared.leaves), (alone.rows, alone.leaves), "{}", check.id());
    }
}

/// Faults of one store per dispatch. If checks share the dispatch, only one of them has that store.
const OF_A_DISPATCH: [&str; 2] = ["write-lost", "last-write-lost"];

/// Under any fault, a check that differs by itself differs with shared modules: probes with wrong
/// answers run separately, and the remaining jobs reveal what a hash misses.
#[test]
fn no_misreading_slips_through() {
    let checks = [(BLOCKS[1], "std140"), (BLOCKS[1], "scalar"), (BLOCKS[0], "std140"), (NARROW, "std430")];
    let checks = checks.map(|(text, rules)| check(text, rules, None));
    let ends_alike = |misreading: &Misreading| {
        let alone = checks.iter().map(|check| record(check, &check.jobs(), Some(*misreading)).outcome.kind());
        let shared = shared(&checks, Some(*misreading)).into_iter().map(|record| record.outcome.kind());
        let (alone, shared): (Vec<_>, Vec<_>) = alone.zip(shared).unzip();
        if OF_A_DISPATCH.contains(&misreading.name) {
            assert!(shared.contains(&OutcomeKind::Differ), "{}", misreading.name);
        } else {
            assert_eq!(alone, shared, "{}", misreading.name);
        }
    };
    thread::scope(|scope| {
        for misreading in MISREADINGS {
            scope.spawn(|| ends_alike(misreading));
        }
    });
}

/// The check expects std140's offsets, but the shader has scalar's: the second leaf of `c` is at
/// byte 24, not 32.
#[test]
fn a_planted_layout_is_not_answered() {
    let moved = "cbuffer S { float2 a; float2 c[2]; };";
    let right = check(BLOCKS[1], "std140", None);
    let checks = [right.clone(), check(moved, "std140", Some("scalar")), right];
    assert_eq!(answered(&checks, None).into_keys().collect::<Vec<_>>(), [0, 2]);
    let records = shared(&checks, None);
    assert_eq!(records[1].outcome.kind(), OutcomeKind::Differ);
    assert_eq!(records[1], record(&checks[1], &checks[1].jobs(), None));
}

#[test]
fn rule_sets_that_agree_share_an_answer() {
    let pairs = "cbuffer S { float2 a; float2 b; };";
    let agreeing = ["std140", "hlsl-cbuffer", "std430"].map(|rules| check(pairs, rules, None));
    let checks = [&agreeing[..], &[check(BLOCKS[0], "std140", None)]].concat();
    let modules = modules(&checks);
    // Some entry points only the other case has: those of its array.
    let of_both = modules.iter().filter(|module| module.checks().count() > 1);
    assert!(of_both.clone().count() > 5, "{} modules", of_both.count());
    for module in of_both {
        assert_eq!((module.regions(), module.checks().collect::<Vec<_>>()), (2, vec![0, 1, 2, 3]));
    }
}

#[test]
fn what_gains_nothing_has_no_shared_module() {
    // A single probe: a hash costs less than one store per leaf. Probes that store anyway would
    // gain nothing.
    let alone = modules(&[check(BLOCKS[0], "std140", None)]);
    let entries =
        alone.iter().flat_map(SharedModule::jobs).map(|job| job.draw.as_ref().map_or(&job.entry, |it| &it.fragment));
    let stores = |entry: &&String| entry.starts_with("write") || entry.contains("copied");
    assert_eq!(entries.filter(stores).count(), 0);
    // Under scalar, `b` is at byte 8 and crosses a 16-byte line, which Vulkan 1.1 forbids without a
    // feature.
    let crossing = "cbuffer S { float2 a; float3 b; };";
    let mut weak = ["scalar", "std140", "std430"].map(|rules| check(crossing, rules, None)).to_vec();
    weak.push(check(BLOCKS[0], "std140", None));
    for check in &mut weak {
        check.device.features.remove(&Feature::ScalarBlockLayout);
    }
    let taken: BTreeSet<usize> = modules(&weak).iter().flat_map(SharedModule::checks).collect();
    assert_eq!(taken, [1, 2, 3].into(), "without scalar block layout");
}

/// One case of 320 loads and many small ones. The large one gets a separate module, where a hash is
/// cheaper than one store per load.
#[test]
fn modules_are_no_larger_than_the_device_compiles_well() {
    let large = check("cbuffer S { float4x4 a[7]; };", "std140", None);
    let small = (1..=40).map(|count| check(&format!("cbuffer S {{ float4 a[{count}]; }};"), "std140", None));
    let checks: Vec<Check> = small.chain([large]).collect();
    let modules = modules(&checks);
    assert!(modules.len() > 4, "{} modules", modules.len());
    for module in &modules {
        let cases: BTreeSet<usize> = module.checks().collect();
        let is_large = cases == BTreeSet::from([40]);
        assert!(is_large || cases.len() < 40 && !cases.contains(&40), "{cases:?}");
    }
}

/// The checks that a module answers when one byte of its result is wrong.
fn answered_but_for(module: &SharedModule, buffer: usize, byte: usize) -> Vec<usize> {
    let mut answers = run(module, &mut Model::new()).expect("a right device runs everything");
    answers[0].buffers[buffer].bytes[byte] ^= 1;
    right(module, &answers).into_iter().map(|(check, _)| check).collect()
}

/// Regions begin at multiples of 256 bytes. The block has 36 bytes, of which those after `a` are
/// padding, and 64 guard bytes twice.
#[test]
fn a_region_answers_for_its_case_alone() {
    let padded = "cbuffer S { float a; float4 b; float c; };";
    let modules = modules(&[padded, BLOCKS[0]].map(|text| check(text, "std140", None)));
    let whole = modules.iter().find(|module| module.jobs()[0].entry == "write_storage_whole");
    let whole = whole.expect("a module of writes");
    for (byte, answered) in [(0, vec![1]), (4, vec![1]), (40, vec![1]), (160, vec![1]), (200, vec![]), (256, vec![0])] {
        assert_eq!(answered_but_for(whole, 0, byte), answered, "byte {byte}");
    }
}

/// If numbers need several dispatches, each case takes part in as many as its offsets need. A wrong
/// answer to one of them leaves all cases in it unanswered.
#[test]
fn narrow_numbers_are_asked_in_every_ink() {
    let modules = modules(&[NARROW, "cbuffer S { float4 a; half b; };"].map(|text| check(text, "std430", None)));
    let reads = modules.iter().find(|module| module.jobs()[0].entry == "read_storage");
    let reads = reads.expect("a module of reads");
    let all = run(reads, &mut Model::new()).expect("a right device runs everything");
    // Blocks with guards end below 256 bytes: eight digits and one for data, each twice, for halves
    // and for bools; then words.
    assert_eq!(all.len(), 37);
    let checks = |answers: &[ReadBack]| right(reads, answers).into_iter().map(|(check, _)| check).collect::<Vec<_>>();
    assert_eq!(checks(&all), [0, 1]);
    for dispatch in 0..all.len() {
        let mut wrong = all.clone();
        wrong[dispatch].buffers[1].bytes[0] ^= 1;
        assert_eq!(checks(&wrong), [0; 0], "dispatch {dispatch}");
    }
    assert_eq!(checks(&all[1..]), [0; 0], "an answer is missing");
}

/// Eight cases share a hash, and each block has a region: a fault in one does not affect the cases
/// next to it.
#[test]
fn a_wrong_hash_leaves_its_eight_cases_unanswered() {
    let pairs =
        ["int a; int b", "int a; uint b", "int a; float b", "uint a; int b", "uint a; uint b", "uint a; float b"];
    let members = ["int a", "uint a", "float a", "float a; int b"].into_iter().chain(pairs);
    let blocks = members.map(|members| check(&format!("cbuffer S {{ {members}; }};"), "std430", None));
    let modules = modules(&blocks.collect::<Vec<_>>());
    let reads = modules.iter().find(|module| module.jobs()[0].entry == "read_storage_private");
    let reads = reads.expect("a module of reads");
    let cases: Vec<usize> = reads.checks().collect();
    assert_eq!(answered_but_for(reads, 1, 0), cases[8..], "the first hash");
    assert_eq!(answered_but_for(reads, 1, 4), cases[..8], "the second hash");
    assert_eq!(answered_but_for(reads, 0, 256), [&cases[..1], &cases[2..]].concat(), "the second block");
    assert_eq!(answered_but_for(reads, 2, 0), [0; 0], "the input");
}

#[test]
fn spared_probes_have_no_shared_module() {
    let checks = [check(BLOCKS[0], "std140", None), check(BLOCKS[1], "std140", None)];
    let numbered: Vec<(usize, &Check)> = checks.iter().enumerate().collect();
    let probes = |modules: &[SharedModule]| {
        let right = modules.iter().flat_map(|module| {
            let answers = run(module, &mut Model::new()).expect("a right device runs everything");
            right(module, &answers)
        });
        right.collect::<Vec<_>>()
    };
    let all = probes(&modules(&checks));
    let one = all.iter().find(|(check, _)| *check == 1).expect("each check is in a module");
    let spared = CheckProbes::from([(1, BTreeSet::from([one.1.clone()]))]);
    let rest = probes(&SharedModule::all(&numbered, &spared));
    assert!(!rest.contains(one) && rest.len() + 1 == all.len());
}

/// The record of the first of two checks whose shared module had this failure, or one wrong byte in the
/// region of the first check. `change` alters the record of the check's own jobs before.
fn with_shared_fault(kind: SharedFaultKind, change: impl Fn(&mut CheckRecord)) -> CheckRecord {
    let checks = [check(BLOCKS[0], "std430", None), check(BLOCKS[1], "std430", None)];
    let module = modules(&checks).into_iter().find(|module| module.jobs()[0].entry == "write_storage_whole");
    let module = module.expect("a module of writes");
    let mut answers = run(&module, &mut Model::new()).expect("a right device runs everything");
    answers[0].buffers[0].bytes[0] ^= 1;
    let mut wrong = module.judged(&answers).wrong;
    assert_eq!(wrong.len(), 1);
    let probes = wrong.remove(0);
    let index = *probes.keys().next().expect("the answer is about a check");
    let mut outcome =
        SharedOutcome { faults: vec![SharedFault { probes, kind, is_shown: false }], ..SharedOutcome::default() };
    let mut record = record(&checks[index], &checks[index].jobs(), None);
    assert_eq!(record.outcome.kind(), OutcomeKind::Agree);
    change(&mut record);
    outcome.with_faults(index, &checks[index], record)
}

#[test]
fn a_shared_answer_that_is_not_confirmed_is_a_changed_answer() {
    let record = with_shared_fault(SharedFaultKind::Wrong, |_| ());
    assert!(record.is_flaky(), "{:?}", record.faults);
}

/// Alters the answer to a write.
fn misread_write(record: &mut CheckRecord, observed: Option<RecordValue>) {
    let writes = |row: &&mut Row| {
        row.access.is_some_and(|access| (access.space, access.direction) == (AddressSpace::Storage, Direction::Write))
    };
    let row = record.rows.iter_mut().find(writes).expect("a row of a write");
    row.witnesses.observed = observed;
}

/// The device is always wrong there, which the outcome shows.
#[test]
fn a_shared_answer_that_is_confirmed_is_no_fault() {
    for observed in [Some(RecordValue::Number(4096)), None] {
        let record = with_shared_fault(SharedFaultKind::Wrong, |record| misread_write(record, observed.clone()));
        assert_eq!(record.faults, []);
    }
}

/// Another wrong answer of the device does not hide it.
#[test]
fn a_shared_answer_that_changed_is_a_fault_although_the_device_is_wrong_elsewhere() {
    let kind = SharedFaultKind::Changed { first: SharedAnswer::Wrong, repeat: SharedAnswer::Right };
    let record = with_shared_fault(kind, |record| misread_write(record, Some(RecordValue::Number(4096))));
    assert!(record.is_flaky(), "{:?}", record.faults);
}

/// A device that writes to one byte of `buffer` once, and a device that always does.
#[test]
fn a_module_that_runs_again_tells_a_changed_answer_from_a_wrong_one() {
    let modules = modules(&[check(BLOCKS[0], "std430", None), check(BLOCKS[1], "std430", None)]);
    let module = modules.iter().find(|module| module.jobs()[0].entry == "read_storage").expect("a module of reads");
    let judged = |places: &[(usize, usize)]| {
        let mut answers = run(module, &mut Model::new()).expect("a right device runs everything");
        for (buffer, byte) in places {
            answers[0].buffers[*buffer].bytes[*byte] ^= 1;
        }
        module.judged(&answers)
    };
    let kinds = |first: &[(usize, usize)], repeat: &[(usize, usize)]| {
        let mut outcome = SharedOutcome::default();
        outcome.add(module, judged(first), Some(Ok(judged(repeat))));
        outcome.faults.into_iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    let (hash, input) = ((1, 0), (2, 0));
    let (wrong, right) = (SharedAnswer::Wrong, SharedAnswer::Right);
    assert_eq!(kinds(&[hash], &[hash]), [SharedFaultKind::Wrong]);
    assert_eq!(kinds(&[hash], &[]), [SharedFaultKind::Changed { first: wrong, repeat: right }]);
    assert_eq!(kinds(&[input], &[input]), [SharedFaultKind::Wrong]);
}

/// A probe with several dispatches takes all its results, also if the first has none.
#[test]
fn a_failed_dispatch_leaves_the_other_probes_their_answers() {
    let check = check(NARROW, "std430", None);
    let jobs = check.jobs();
    let mut results = Model::new().run(&Batch { jobs: jobs.jobs().cloned().collect() });
    results[0] = Err(RunnerError::DeviceLost("worker died of SIGABRT".to_owned()));
    let record = check.record(&jobs, &results, Duration::ZERO);
    assert_eq!(record.outcome.kind(), OutcomeKind::Broken);
    assert!(!record.rows.iter().any(Row::is_misread), "{:?}", record.outcome);
}

#[test]
fn a_failed_module_is_absorbed_where_no_check_fails() {
    let died = || SharedFaultKind::Failed(FaultCause::WorkerDied { how: "worker died of SIGABRT".to_owned() });
    let record = with_shared_fault(died(), |_| ());
    assert!(record.faults.iter().map(|fault| fault.absorbed).eq([true]) && !record.is_flaky(), "{:?}", record.faults);
    let record = with_shared_fault(died(), |record| {
        let reasons = Reason::from(RunnerError::DeviceLost("worker died of SIGABRT".to_owned())).into();
        record.outcome = Outcome::Broken { reasons, culprit: None, story: None };
    });
    assert!(record.faults.iter().map(|fault| fault.absorbed).eq([false]), "{:?}", record.faults);
}

#[test]
fn an_answer_that_is_no_byte_of_the_block_changes_if_the_repeat_is_right() {
    let check = check(BLOCKS[0], "std430", None);
    let right = || record(&check, &check.jobs(), None);
    let mut first = right();
    misread_write(&mut first, None);
    let repeated = right().after(first);
    assert!(repeated.is_flaky(), "{:?}", repeated.faults);
}

/// The jobs before it have the fault.
#[test]
fn a_job_that_was_not_run_has_no_fault() {
    let check = check(BLOCKS[0], "std430", None);
    let faults_after = |error: RunnerError| {
        let right = || record(&check, &check.jobs(), None);
        let outcome = Outcome::Broken { reasons: Reason::from(error).into(), culprit: None, story: None };
        right().after(CheckRecord { outcome, ..right() }).faults
    };
    assert_eq!(faults_after(RunnerError::NotRun("the device no longer responds".to_owned())), []);
    let failed = RunnerError::Api { call: "vkCreateBuffer".to_owned(), reason: "ERROR_OUT_OF_HOST_MEMORY".to_owned() };
    assert_eq!(faults_after(failed).len(), 1);
}
