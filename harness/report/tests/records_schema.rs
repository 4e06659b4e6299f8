//! The published JSON schema of records matches the written records: the schema knows every key,
//! and every line has every required key.
//! This checks the few keywords that the schema uses. It is stricter than JSON schema: an unknown
//! key is an error, so the schema must list every new key.

use std::borrow::Cow;
use std::collections::BTreeSet;

use layoutproof_device::RunnerKind;
use layoutproof_events::left_out::{DeviceResults, left_out, left_out_cases};
use layoutproof_events::summary::fold;
use layoutproof_events::{
    BoundCount, CellRow, DeviceCells, Event, Outcome, OutcomeKind, Proves, RecordedCacheUse, RecordsFilter, RunEnd,
    RunHeader, SkipKind,
};
use layoutproof_probes::leaf_kind::After;
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_report::RECORDS_SCHEMA;
use layoutproof_report::json_lines::{self, JsonLines};
use layoutproof_report::reporter::Reporter;
use serde_json::Value;

const RECORDS: &str = include_str!("golden/records.jsonl");

fn problems(schema: &Value, root: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("the schema defines what it refers to");
        return problems(target, root, value, place);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| problems(choice, root, value, place).is_empty()).count();
        if fitting != 1 {
            found.push(format!("{place}: fits {fitting} alternatives"));
        }
    }
    if schema.get("const").is_some_and(|constant| constant != value) {
        found.push(format!("{place}: {value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        found.push(format!("{place}: {value} is none of {}", schema["enum"]));
    }
    if !is_of_type(&schema["type"], value) {
        found.push(format!("{place}: {value} is no {}", schema["type"]));
    }
    if value.is_null() {
        return found;
    }
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(key).is_none() {
            found.push(format!("{place}: no key {key}"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(key).or(schema.get("additionalProperties")) {
            Some(schema) => found.extend(problems(schema, root, inner, &format!("{place}.{key}"))),
            None if schema["type"] == "object" => found.push(format!("{place}: key {key} is not described")),
            None => {}
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        found.extend(problems(&schema["items"], root, inner, &format!("{place}[]")));
    }
    found
}

fn is_of_type(ty: &Value, value: &Value) -> bool {
    match ty {
        Value::Array(types) => types.iter().any(|ty| is_of_type(ty, value)),
        Value::String(name) => match name.as_str() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_u64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("this test does not know the type {other}"),
        },
        Value::Null => true,
        other => panic!("no type: {other}"),
    }
}

#[test]
fn every_line_fits_the_schema() {
    let schema: Value = serde_json::from_str(RECORDS_SCHEMA).unwrap();
    for line in RECORDS.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind = record["type"].as_str().unwrap();
        assert_eq!(problems(&schema["$defs"][kind], &schema, &record, kind), Vec::<String>::new());
        assert_eq!(problems(&schema, &schema, &record, kind), Vec::<String>::new());
    }
}

#[test]
fn what_a_check_of_bindings_says_fits_too() {
    let schema: Value = serde_json::from_str(RECORDS_SCHEMA).unwrap();
    let mut lines: Vec<Event<'_>> = RECORDS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut told = 0;
    for line in &mut lines {
        match line {
            Event::RunStarted(_) => continue,
            Event::CheckFinished(check) => {
                let check = check.to_mut();
                let not_read = [("an input attachment".into(), 1)].into();
                check.bound = Some(BoundCount { read: 3, not_read });
                if let Outcome::Skipped { kind, .. } = &mut check.outcome {
                    *kind = Some(SkipKind::NotApplicable);
                }
                check.retries = 1;
                check.cached = true;
                check.fast = true;
                check.thorough = vec!["read_storage".to_owned()];
                check.driver_messages = vec!["fixme:vkd3d:resource_init: flags".to_owned()];
                if let Outcome::Known { entry, .. } = &mut check.outcome {
                    entry.untried = true;
                }
            }
            Event::RunFinished(end) => {
                let end = end.to_mut();
                end.bound.insert("lavapipe via ash".to_owned(), 3);
                let used = RecordedCacheUse { compilations: 3, compilations_cached: 2, ..RecordedCacheUse::default() };
                end.cache = Some(Box::new(used));
                (end.not_applicable, end.untried) = (1, 1);
                (end.not_done, end.fail_fast) = (1, true);
            }
        }
        let record = serde_json::to_value(&*line).unwrap();
        assert!(record["bound"].is_object());
        assert_eq!(problems(&schema, &schema, &record, "line"), Vec::<String>::new());
        told += 1;
    }
    assert!(told > 1);
}

#[test]
fn the_schema_lists_every_api() {
    let schema: Value = serde_json::from_str(RECORDS_SCHEMA).unwrap();
    let listed: BTreeSet<&str> =
        schema["$defs"]["runner"]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(listed, RunnerKind::ALL.iter().map(|api| api.as_str()).collect());
}

#[test]
fn lines_that_do_not_fit_are_found() {
    let schema: Value = serde_json::from_str(RECORDS_SCHEMA).unwrap();
    let end = RECORDS.lines().last().unwrap();
    for (from, to, problem) in [
        (r#""agree":2"#, r#""agree":"2""#, r#"end.agree: "2" is no "integer""#),
        (r#""agree":2"#, r#""agreed":2"#, "end: no key agree"),
        (r#""schema":1"#, r#""schema":2"#, "end.schema: 2 is not 1"),
    ] {
        assert!(end.contains(from), "{from} in {end}");
        let record: Value = serde_json::from_str(&end.replace(from, to)).unwrap();
        let found = problems(&schema["$defs"]["end"], &schema, &record, "end");
        assert_eq!(found[0], problem);
    }
}

/// The golden records contain no such run. The schema also describes what a filtered file says
/// about the checks that it omits.
#[test]
fn the_lines_of_a_file_of_failures_fit_the_schema() {
    let schema: Value = serde_json::from_str(RECORDS_SCHEMA).unwrap();
    let checks = json_lines::read(RECORDS).unwrap().checks;
    let filter = RecordsFilter::Failures;
    let left_out = left_out(&checks, filter);
    assert!(left_out.iter().any(|group| group.outcome == OutcomeKind::Agree), "{left_out:?}");

    let row = CellRow {
        rules: "std140".to_owned(),
        space: AddressSpace::Uniform,
        stage: Stage::Compute,
        direction: Direction::Read,
        form: Form::Leaf,
        proves: Proves::Decorations,
        leaves: [("float3".to_owned(), [(After::Scalar, 3)].into())].into(),
    };
    let cells = vec![row];
    let end = RunEnd {
        left_out,
        left_out_cases: left_out_cases(&checks, filter),
        cells: vec![DeviceCells { device: "lavapipe".to_owned(), runner: RunnerKind::Ash, cells }],
        ..fold(&checks)
    };
    let header = RunHeader { records: filter, ..json_lines::read(RECORDS).unwrap().runs[0].clone() };
    let DeviceResults { run, end: of_devices, .. } = DeviceResults::of(&header, &checks, &end);
    assert!(of_devices.cells.is_empty() && of_devices.checks == end.checks);
    let started = [header, run].map(|run| Event::RunStarted(Cow::Owned(run)));
    let finished = [end, of_devices].map(|end| Event::RunFinished(Cow::Owned(end)));
    for event in started.into_iter().chain(finished) {
        let text = JsonLines.on_event(&event);
        let value: Value = serde_json::from_str(&text).unwrap();
        let kind = value["type"].as_str().unwrap();
        assert_eq!(problems(&schema["$defs"][kind], &schema, &value, kind), Vec::<String>::new());
        assert_eq!(serde_json::from_str::<Event<'_>>(&text).unwrap(), event);
    }
}
