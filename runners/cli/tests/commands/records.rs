//! What a run writes for other programs: records as JSON lines, and a `JUnit` report.

use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use serde_json::{Value, json};

use super::folder::{Folder, keys};

/// Std140 agrees, scalar differs: the model puts array elements 16 bytes apart, as std140 does. Of the textures there is
/// nothing to probe.
const MIXED: &str = "run arrays/scalar_packs_behind_the_last_element textures.hlsl --rules std140,scalar \
                     --device model --plant-misreading array-stride-sixteen";

fn mixed() -> Folder {
    Folder::with(&[("textures.hlsl", "Texture2D a; SamplerState b;")])
}

/// The lines of a records file.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

/// The text with every wall time replaced, the one thing that differs between runs.
pub(crate) fn redacted(text: &str) -> String {
    let mut parts = text.split("\"ms\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "\"ms\":0" + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

#[test]
fn records_have_the_keys_of_the_contract() {
    let folder = mixed();
    folder.run(&format!("{MIXED} --json r.jsonl")).exits(1);
    let lines = lines(&folder.read("r.jsonl"));
    let [run, checks @ .., end] = &lines[..] else { panic!("no lines") };
    let of_run = "arguments cases devices environment inputs layoutproof schema tools type";
    assert_eq!(keys(run).join(" "), of_run);
    assert_eq!((&run["type"], &run["schema"], &run["cases"]), (&json!("run"), &json!(1), &json!(1)));
    for check in checks {
        let always = "case culprit device leaves ms outcome producer proves rows rules runner schema";
        let story = if check["outcome"] == "differ" { " story" } else { "" };
        // Textures have nothing to probe, on any machine.
        let kind = if check["outcome"] == "skipped" { " skip_kind" } else { "" };
        assert_eq!(keys(check).join(" "), format!("{always}{kind} skip_reason{story} type validation"));
        assert!(kind.is_empty() || check["skip_kind"] == "not-applicable", "{check}");
        assert_eq!((&check["type"], &check["schema"], &check["device"]), (&json!("check"), &json!(1), &json!("model")));
        for row in check["rows"].as_array().unwrap() {
            let mut found = keys(row);
            // Left out where there is no note, and in the compute stage.
            found.retain(|key| *key != "note" && *key != "stage");
            let wanted = "compiled computed direction expected form observed path reported space what";
            assert_eq!(found.join(" "), wanted);
        }
    }
    let totals = "agree broken checks devices differ known leaves not_applicable proves schema skipped stale type";
    assert_eq!(keys(end).join(" "), totals);
    assert_eq!((&end["type"], &end["schema"]), (&json!("end"), &json!(1)));
    assert_eq!(end["checks"], checks.len());
    let outcomes = |name: &str| checks.iter().filter(|check| check["outcome"] == name).count();
    for name in ["agree", "differ", "known", "stale", "skipped", "broken"] {
        assert_eq!(end[name], outcomes(name), "{name}");
    }
    assert_eq!(end["not_applicable"], end["skipped"]);
    assert!(outcomes("agree") > 0 && outcomes("differ") > 0 && outcomes("skipped") > 0, "{end}");
    // The model proves nothing about devices.
    assert_eq!((&end["leaves"], &end["devices"], &end["proves"]), (&json!(0), &json!([]), &json!({})));
}

/// Offsets by OpenGL 4.6, 7.6.2.2 for std140; the planted stride of 16 moves `b[1]` from 16 to 28 under scalar.
#[test]
fn records_hold_what_every_witness_said() {
    let folder = mixed();
    folder.run(&format!("{MIXED} --json r.jsonl")).exits(1);
    let lines = lines(&folder.read("r.jsonl"));
    let check = |rules: &str| {
        let found =
            |line: &&Value| line["rules"] == rules && line["case"].as_str().unwrap_or("").starts_with("arrays/");
        lines.iter().find(found).unwrap_or_else(|| panic!("no check under {rules}"))
    };
    let row = |check: &Value, path: &str| {
        let rows = check["rows"].as_array().unwrap().iter();
        let mut read =
            rows.filter(|row| row["space"] == "storage" && row["direction"] == "read" && row["form"] == "leaf");
        let row = read.find(|row| row["path"] == path && row["what"] == "offset").cloned();
        let row = row.unwrap_or_else(|| panic!("no row for {path}"));
        ["expected", "computed", "reported", "compiled", "observed"].map(|witness| row[witness].clone())
    };
    assert_eq!((&check("std140")["outcome"], &check("std140")["culprit"]), (&json!("agree"), &Value::Null));
    assert_eq!(row(check("std140"), "S.c"), [json!(48), json!(48), Value::Null, json!(48), json!(48)]);
    assert_eq!((&check("scalar")["outcome"], &check("scalar")["culprit"]), (&json!("differ"), &json!("device")));
    assert_eq!(row(check("scalar"), "S.b[1]"), [json!(16), json!(16), Value::Null, json!(16), json!(28)]);
}

#[test]
fn the_same_run_writes_the_same_bytes() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run vectors/ --device model --plant-misreading neighbours-swapped";
    let [first, second] = ["a.jsonl", "b.jsonl"].map(|name| {
        folder.run(&format!("{words} --json {name}")).exits(1);
        redacted(&folder.read(name))
    });
    assert!(first.lines().count() > 40, "{} lines", first.lines().count());
    assert!(first == second, "two runs of the same checks wrote different records");
}

#[test]
fn a_junit_report_can_be_read_back() {
    let folder = mixed();
    folder.run(&format!("{MIXED} --junit r.xml")).exits(1);
    let report = Report::deserialize_from_str(&folder.read("r.xml")).unwrap();
    assert_eq!(report.name.as_deref(), Some("layoutproof"));
    let [suite] = &report.test_suites[..] else { panic!("one suite per device and runner: {report:?}") };
    assert_eq!((suite.name.as_str(), suite.failures, suite.errors), ("model via model", 1, 0));
    assert_eq!(suite.tests, suite.test_cases.len());
    let case = |rules: &str| {
        let name = format!("scalar_packs_behind_the_last_element::{rules}::rspirv");
        suite.test_cases.iter().find(|case| case.name.as_str() == name).unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(case("std140").classname.as_deref(), Some("arrays"));
    assert!(matches!(case("std140").status, TestCaseStatus::Success { .. }), "{suite:?}");
    let TestCaseStatus::NonSuccess { kind, ty, description, .. } = &case("scalar").status else { panic!("{suite:?}") };
    assert_eq!((*kind, ty.as_deref()), (NonSuccessKind::Failure, Some("device")));
    let body = description.as_deref().unwrap_or("");
    assert!(body.contains("verdict  device: case, rules and shader agree"), "{body}");
    let skipped = suite.test_cases.iter().filter(|case| matches!(case.status, TestCaseStatus::Skipped { .. }));
    assert_eq!((skipped.count(), suite.skipped), (2, 2), "{suite:?}");
}

/// What GitHub shows beside a change: annotations in the log, a table in the summary.
#[test]
fn github_gets_annotations_and_a_table() {
    let folder = mixed().with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", "s.md");
    let answer = folder.run(MIXED).exits(1);
    let place = "::error file=cases/arrays/scalar_packs_behind_the_last_element.toml,line=4";
    assert!(answer.out.lines().any(|line| line.starts_with(place)), "{answer}");
    assert!(folder.read("s.md").contains("| model via model |"), "{}", folder.read("s.md"));
}
