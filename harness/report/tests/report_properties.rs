//! Reports of any records file, even with nonsensical numbers, terminate, do not panic and hide
//! nothing.

use layoutproof_core::check::verdict::Validation;
use layoutproof_events::CheckId;
use layoutproof_events::summary;
use layoutproof_events::{
    Access, CheckRecord, Culprit, Outcome, Proves, RecordValue, Row, Story, StoryBlock, Witnesses,
};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{MemberRow, Quantity};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_report::github::GithubAnnotations;
use layoutproof_report::junit::Junit;
use layoutproof_report::reporter::{FinishedRun, Reporter};
use layoutproof_report::{failures, terminal};
use layoutproof_show::Style;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const PATHS: [&str; 6] = ["a", "lights", "lights[].position", "lights[].m", "lights[].m.x", ""];
const TYPES: [&str; 8] =
    ["float", "half3", "float3x4[2]", "Light[3]", "double2x2[2][3]", "Mo\u{1b}de", "uint[]", "Light[4294967295][0]"];
const ROW_PATHS: [&str; 7] =
    ["S", "S.a", "S.a.\u{1b}x", "S.lights[1].position.z", "S.lights[2].m[0][1]", "S[1]", "other"];
const WHATS: [Quantity; 7] = [
    Quantity::Offset,
    Quantity::ArrayStride,
    Quantity::MatrixStride,
    Quantity::Size,
    Quantity::Alignment,
    Quantity::Binding,
    Quantity::Guard,
];
const CULPRITS: [Culprit; 8] = [
    Culprit::CaseOrRules,
    Culprit::Case,
    Culprit::Rules,
    Culprit::Compiler,
    Culprit::Report,
    Culprit::Module,
    Culprit::Device,
    Culprit::Unclear,
];

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![0..64u32, any::<u32>()]
}

fn member() -> impl Strategy<Value = MemberRow> {
    let numbers = (number(), option::of(number()), number(), option::of(number()));
    let order = option::of(select(vec![MatrixOrder::Row, MatrixOrder::Column]));
    let arrays = (option::of(number()), prop::collection::vec(number(), 0..3));
    (select(&PATHS[..]), select(&TYPES[..]), numbers, order, arrays).prop_map(
        |(path, type_name, (offset, size, alignment, matrix_stride), matrix_order, (array_stride, array_strides))| {
            MemberRow {
                path: path.into(),
                type_name: type_name.into(),
                offset,
                size,
                unbounded: size.is_none(),
                alignment,
                array_stride,
                array_strides,
                matrix_stride,
                matrix_order,
                bit_offset: matrix_stride,
                bit_width: array_stride,
                uncertain: None,
            }
        },
    )
}

fn value() -> impl Strategy<Value = Option<RecordValue>> {
    option::of(prop_oneof![number().prop_map(RecordValue::Number), Just(RecordValue::Text("t1\u{1b}[31m".into()))])
}

fn row() -> impl Strategy<Value = Row> {
    let values = (value(), value(), value(), value(), value());
    (select(&ROW_PATHS[..]), select(&WHATS[..]), values, any::<bool>()).prop_map(|(path, what, values, written)| {
        let (expected, computed, reported, compiled, observed) = values;
        let direction = if written { Direction::Write } else { Direction::Read };
        let access = Access { space: AddressSpace::Storage, stage: Stage::Compute, direction, form: Some(Form::Whole) };
        Row {
            access: Some(access),
            note: written.then(|| "two\nlines\u{7}".into()),
            ..Row::new(path, what, Witnesses { expected, computed, reported, compiled, observed })
        }
    })
}

fn id() -> CheckId {
    "a::b::hlsl-cbuffer::p::d::ash".parse().expect("this is the name of a check")
}

fn check() -> impl Strategy<Value = CheckRecord> {
    let rows = prop::collection::vec(row(), 0..12);
    let members = prop::collection::vec(member(), 0..8);
    (rows, members, option::of(number()), select(&CULPRITS[..])).prop_map(|(rows, members, size, culprit)| {
        let story = Story { blocks: vec![StoryBlock { name: "S".into(), size, members }], ..Story::default() };
        let outcome = Outcome::Differs { culprit, broke: None, story: Some(Box::new(story)) };
        CheckRecord { ms: 1, leaves: 1, rows, ..CheckRecord::new(id(), Proves::Compiler, Validation::Valid, outcome) }
    })
}

proptest! {
    #[test]
    fn any_record_is_reported(check in check()) {
        let checks = [check];
        let text = terminal::failure_report(&checks, Some("records.jsonl"), Style::PLAIN);
        prop_assert!(!text.contains(['\u{1b}', '\u{7}']), "control characters of the record are not passed on");
        prop_assert!(text.lines().all(|line| line == line.trim_end()));
        prop_assert!(text.lines().count() < 400, "a report of one failure has an end");
        prop_assert_eq!(failures(&checks).len(), 1);
        let end = summary::fold(&checks);
        let junit = Junit.text(&FinishedRun::of(&checks, &end));
        prop_assert!(junit.contains("failures=\"1\""));
        // The headline, and the failure.
        prop_assert_eq!(GithubAnnotations.text(&FinishedRun::of(&checks, &end)).lines().count(), 2);
        prop_assert_eq!(end.differ, 1);
    }
}
