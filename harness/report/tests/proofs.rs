//! Judges placements on the model device: agreement, each culprit, and the counts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use layoutproof_bindings::{BindingRequest, Convention, Target};
use layoutproof_core::case::{Authority, BindExpectation, ExpectedPlaces};
use layoutproof_core::check::{BindingCheck, Proof, ProofCheck, Source};
use layoutproof_core::results::known;
use layoutproof_device::{Batch, Feature, Job, Runner, RunnerKind};
use layoutproof_events::summary::fold;
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_events::{CheckRecord, Culprit, Outcome, OutcomeKind, Proves, Reason, RecordValue, SkipKind};
use layoutproof_layout::{LayoutOptions, Span};
use layoutproof_model::{BINDING_MISREADINGS, Misreading, Model};
use layoutproof_probes::reserved::Reserved;
use layoutproof_report::reporter::FinishedRun;
use layoutproof_report::terminal::{failure_report, summary};
use layoutproof_show::Style;
use layoutproof_source::sources::{LinePlace, SourceMap};

use crate::fixture::bound::{EVERYTHING, EVERYWHERE, SWAPPED, SWAPPED_PLACES, bound, module};

/// A placement presented as computed by our rules.
fn placed(text: &str, rows: &[(&str, &str)], target: Target) -> BindingCheck {
    let source = Source {
        id: "bindings/by_hand".to_owned(),
        summary: "a placement by hand".to_owned(),
        place: LinePlace { file: "by_hand.toml".to_owned(), line: Some(3) },
        module: module(text),
        options: LayoutOptions::default(),
        expect: Vec::new(),
        accessed: Vec::new(),
        bind: Vec::new(),
        invocation: layoutproof_bindings::BindingInvocation::default(),
        rejects: Vec::new(),
        warns: Vec::new(),
        text: None,
        included: None,
        reserved: Reserved::default(),
        assumes_sixteen_bit: false,
        is_case: true,
    };
    let request = BindingRequest::new(target, Convention::Slang);
    BindingCheck { source: Arc::new(source), request, bound: Ok(bound(rows)), expected: None }
}

/// The same with a case that expects these places.
fn expecting(placed: BindingCheck, rows: &[(&str, &str)]) -> BindingCheck {
    let entry = |(path, place): &(&str, &str)| ExpectedPlaces {
        path: (*path).to_owned(),
        places: vec![place.parse().expect("a place")],
        span: Span::default(),
    };
    let expectation = BindExpectation {
        target: placed.request.target,
        convention: placed.request.convention,
        version: None,
        span: Span::default(),
        authority: Authority::default(),
        partial: false,
        entries: rows.iter().map(entry).collect(),
    };
    BindingCheck { expected: Some(expectation), ..placed }
}

/// The model's answers, with or without a fault.
fn record(placed: &BindingCheck, misreading: Option<Misreading>) -> CheckRecord {
    let proof = Arc::new(Proof::new(placed).expect("the target has devices"));
    let mut model = misreading.map_or_else(Model::new, Model::with_misreading);
    let check = ProofCheck { proof, device: model.device().clone() };
    let jobs = check.jobs();
    let wanted: Vec<Job> = jobs.jobs().cloned().collect();
    let results = model.run(&Batch { jobs: wanted });
    check.record(&jobs, &results, Duration::ZERO)
}

fn text(value: &str) -> RecordValue {
    RecordValue::Text(value.to_owned())
}

#[test]
fn a_device_that_obeys_agrees_on_every_parameter() {
    let record = record(&expecting(placed(EVERYTHING, EVERYWHERE, Target::Vulkan), EVERYWHERE), None);
    assert_eq!(
        (record.outcome.kind(), record.outcome.culprit(), record.proves),
        (OutcomeKind::Agree, None, Proves::Decorations)
    );
    assert_eq!(record.rows.len(), EVERYWHERE.len());
    for (row, (path, place)) in record.rows.iter().zip(EVERYWHERE) {
        let all = [&row.witnesses.expected, &row.witnesses.computed, &row.witnesses.observed];
        assert_eq!((&row.path[..], all), (*path, [&Some(text(place)); 3]));
    }
    let bound = record.bound.unwrap();
    assert_eq!((bound.read, bound.not_read), (29, BTreeMap::new()));
}

#[test]
fn every_misreading_names_the_device_and_what_it_read() {
    let found = [
        ("swapped-bindings", [("a", "set 0 binding 5"), ("b", "set 0 binding 1")]),
        ("swapped-sets", [("a", "set 2 binding 0"), ("c", "set 0 binding 1")]),
        ("swapped-elements", [("a", "set 0 binding 1 element 1"), ("b", "set 0 binding 5")]),
    ];
    assert_eq!(BINDING_MISREADINGS.len(), found.len());
    let placed = expecting(placed(SWAPPED, SWAPPED_PLACES, Target::Vulkan), SWAPPED_PLACES);
    for (name, observed) in found {
        let record = record(&placed, Misreading::find(name));
        assert_eq!(
            (record.outcome.kind(), record.outcome.culprit()),
            (OutcomeKind::Differ, Some(Culprit::Device)),
            "{name}"
        );
        for (path, place) in observed {
            let row = record.rows.iter().find(|row| row.path == path).unwrap();
            assert_eq!(row.witnesses.observed, Some(text(place)), "{name}: {path}");
        }
    }
}

#[test]
fn a_record_keeps_the_shaders_that_read_the_wrong_places() {
    let placed = expecting(placed(SWAPPED, SWAPPED_PLACES, Target::Vulkan), SWAPPED_PLACES);
    let shaders = record(&placed, Misreading::find("swapped-bindings")).outcome.story().unwrap().shaders.clone();
    assert!((1..=2).contains(&shaders.len()), "{shaders:?}");
    for shader in &shaders {
        assert_eq!(
            (&shader.form[..], &shader.entries[..]),
            ("SPIR-V (disassembly)", &["read_bindings".to_owned()][..])
        );
        assert!(shader.block.starts_with("a, b"), "{}", shader.block);
        assert!(shader.text.contains("OpDecorate") && shader.text.contains("Binding 5"), "{}", shader.text);
    }
    assert_eq!(record(&placed, None).outcome, Outcome::Agrees);
}

#[test]
fn where_the_case_differs_the_shaders_are_those_that_bind_its_parameter() {
    let rows = [("a", "set 0 binding 0"), ("b", "set 0 binding 1")];
    let computed = placed("Texture2D a, b;", &rows, Target::Webgpu);
    let record = record(&expecting(computed, &[("a", "set 0 binding 0"), ("b", "set 0 binding 2")]), None);
    let shaders = record.outcome.story().unwrap().shaders.clone();
    assert!(shaders.iter().all(|shader| shader.form == "WGSL" && shader.text.contains("@binding(1)")), "{shaders:?}");
    assert!(!shaders.is_empty());
}

#[test]
fn a_case_that_differs_from_our_rules_is_no_fault_of_the_device() {
    let computed = placed("Texture2D a, b;", &[("a", "set 0 binding 0"), ("b", "set 0 binding 1")], Target::Vulkan);
    let record = record(&expecting(computed, &[("a", "set 0 binding 0"), ("b", "set 0 binding 2")]), None);
    assert_eq!((record.outcome.kind(), record.outcome.culprit()), (OutcomeKind::Differ, Some(Culprit::CaseOrRules)));
    assert_eq!(
        [&record.rows[1].witnesses.computed, &record.rows[1].witnesses.observed],
        [&Some(text("set 0 binding 1")); 2]
    );
}

#[test]
fn what_is_not_read_is_counted_and_agrees_with_nobody() {
    let text = "RaytracingAccelerationStructure scene; RaytracingAccelerationStructure other; Texture2D map;";
    let rows = [("scene", "set 0 binding 0"), ("other", "set 0 binding 1"), ("map", "set 0 binding 2")];
    let record = record(&placed(text, &rows, Target::Vulkan), None);
    assert_eq!(record.outcome.kind(), OutcomeKind::Agree);
    assert_eq!(record.rows[0].witnesses.observed, None);
    let bound = record.bound.unwrap();
    assert_eq!((bound.read, bound.not_read), (1, BTreeMap::from([("an acceleration structure".into(), 2)])));
}

#[test]
fn a_check_that_reads_nothing_is_skipped_with_the_reason() {
    let placed = placed("RaytracingAccelerationStructure scene;", &[("scene", "set 0 binding 0")], Target::Vulkan);
    let record = record(&placed, None);
    assert_eq!(
        record.outcome,
        Outcome::Skipped { reasons: "an acceleration structure".into(), kind: Some(SkipKind::NotApplicable) }
    );
}

#[test]
fn a_device_without_arrays_reads_the_rest() {
    let rows = [("a", "set 0 binding 0"), ("b", "set 0 binding 1")];
    let placed = placed("ByteAddressBuffer a[2]; ByteAddressBuffer b;", &rows, Target::Vulkan);
    let proof = Arc::new(Proof::new(&placed).unwrap());
    let mut device = Model::new().device().clone();
    device.features.remove(&Feature::StorageBufferArray);
    let check = ProofCheck { proof, device };
    let jobs = check.jobs();
    let wanted: Vec<Job> = jobs.jobs().cloned().collect();
    let record = check.record(&jobs, &Model::new().run(&Batch { jobs: wanted }), Duration::ZERO);
    let observed: Vec<_> = record.rows.iter().map(|row| row.witnesses.observed.clone()).collect();
    assert_eq!(observed, [None, Some(text("set 0 binding 1"))]);
    let not_read = BTreeMap::from([(Reason::DeviceLacks("arrays of storage buffers".to_owned()), 1)]);
    assert_eq!(record.bound.unwrap().not_read, not_read);
}

#[test]
fn targets_without_devices_have_no_proof() {
    for (target, has_proof) in
        [(Target::Vulkan, true), (Target::Webgpu, true), (Target::D3d12, false), (Target::Metal, false)]
    {
        let placed = placed("Texture2D a;", &[("a", "set 0 binding 0")], target);
        assert_eq!(Proof::new(&placed).is_some(), has_proof, "{target}");
    }
}

#[test]
fn a_failure_says_what_was_read() {
    let placed = expecting(placed(SWAPPED, SWAPPED_PLACES, Target::Vulkan), SWAPPED_PLACES);
    let record = record(&placed, Misreading::find("swapped-bindings"));
    let report = failure_report(&[record], None, Style::PLAIN);
    expect_test::expect_file!["golden/binding_differs.txt"].assert_eq(&report);
}

#[test]
fn the_summary_says_how_many_resources_each_device_read() {
    let text = "RaytracingAccelerationStructure scene; Texture2D map[2];";
    let rows = [("scene", "set 0 binding 0"), ("map", "set 0 binding 1")];
    let on_model = record(&placed(text, &rows, Target::Vulkan), None);
    let on = |device: &str, runner| {
        let device = Some(CheckDevice { id: device.to_owned(), runner });
        CheckRecord { id: CheckId { device, ..on_model.id.clone() }, ..on_model.clone() }
    };
    let checks = [on("lavapipe", RunnerKind::Ash), on("lavapipe", RunnerKind::Ash), on("swiftshader", RunnerKind::Ash)];
    let end = fold(&checks);
    let expected = [("lavapipe via ash".to_owned(), 4), ("swiftshader via ash".to_owned(), 2)];
    assert_eq!(end.bound, BTreeMap::from(expected));
    let summary = summary(&FinishedRun::of(&checks, &end), true, Style::PLAIN);
    let lines: Vec<&str> = summary.lines().filter(|line| line.contains("read")).collect();
    let expected = [
        "    Proved 6 resources read back",
        "     Bound 6 resources read back: 4 by lavapipe via Vulkan, 2 by swiftshader via Vulkan",
        "           not read: 3    an acceleration structure (3)",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_known_difference_covers_placements_only_where_it_names_them() {
    let placed = expecting(placed(SWAPPED, SWAPPED_PLACES, Target::Vulkan), SWAPPED_PLACES);
    let differs = record(&placed, Misreading::find("swapped-sets"));
    for (rules, outcome) in [("", OutcomeKind::Differ), ("rules = \"vulkan.*\"\n", OutcomeKind::Known)] {
        let mut sources = SourceMap::default();
        let list = format!("[[known]]\n{rules}device = \"model\"\nreason = \"planted\"\n");
        let file = sources.add("known.toml", &list);
        let mut checks = [differs.clone()];
        known::apply(&known::read(file, &sources).unwrap(), &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{list}");
    }
}
