//! The output of a run for other programs: records as JSON lines, and a `JUnit` report.

use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use serde_json::{Value, json};

use super::folder::{Answer, Folder, keys};
use super::survival::untimed;

/// Std140 agrees, scalar differs: the model puts array elements 16 bytes apart, as std140 does. The
/// textures have nothing to probe.
const MIXED: &str = "run arrays/scalar_packs_behind_the_last_element textures.hlsl --rules std140,scalar \
                     --device model --plant-misreading array-stride-sixteen";

fn mixed() -> Folder {
    Folder::with(&[("textures.hlsl", "Texture2D a; SamplerState b;")])
}

/// The lines of a records file.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

/// Number of check records in the text of a records file.
pub(crate) fn checks(records: &str) -> usize {
    records.lines().filter(|line| line.starts_with("{\"type\":\"check\"")).count()
}

/// The records without what differs between runs: wall times, the use of the cache, and other outputs.
pub(crate) fn redacted(text: &str) -> String {
    let redacted = lines(text).into_iter().map(|mut line| {
        if let Some(record) = line.as_object_mut() {
            record.retain(|key, _| !["ms", "cached", "cache", "outputs"].contains(&key.as_str()));
        }
        line.to_string()
    });
    redacted.collect::<Vec<_>>().join("\n")
}

#[test]
fn records_have_the_keys_of_the_contract() {
    let folder = mixed();
    folder.run(&format!("{MIXED} --json r.jsonl")).exits(1);
    let lines = lines(&folder.read("r.jsonl"));
    let [run, checks @ .., end] = &lines[..] else { panic!("no lines") };
    let of_run = "arguments cases devices environment host inputs layoutproof schema tools type";
    assert_eq!(keys(run).join(" "), of_run);
    assert_eq!((&run["type"], &run["schema"], &run["cases"]), (&json!("run"), &json!(1), &json!(1)));
    for check in checks {
        let always = "case culprit device leaves ms outcome producer proves rows rules runner schema";
        let story = if check["outcome"] == "differ" { " story" } else { "" };
        // On every machine, textures have nothing to probe.
        let kind = if check["outcome"] == "skipped" { " skip_kind" } else { "" };
        assert_eq!(keys(check).join(" "), format!("{always}{kind} skip_reason{story} type validation"));
        assert!(kind.is_empty() || check["skip_kind"] == "not-applicable", "{check}");
        assert_eq!((&check["type"], &check["schema"], &check["device"]), (&json!("check"), &json!(1), &json!("model")));
        for row in check["rows"].as_array().unwrap() {
            let mut found = keys(row);
            // Omitted without a note, and in the compute stage.
            found.retain(|key| *key != "note" && *key != "stage");
            let wanted = "compiled computed direction expected form observed path reported space what";
            assert_eq!(found.join(" "), wanted);
        }
    }
    let totals = "account agree broken checks devices differ known leaves ms not_applicable proves schema skipped sources stale type";
    let mut found = keys(end);
    // Present only if spirv-val is installed.
    found.retain(|key| *key != "cache");
    assert_eq!(found.join(" "), totals);
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

/// The folder of the user's home is `~` in records, and a resumed run and a folder for a failure find its files again.
#[test]
fn records_have_no_name_of_the_user() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; float b[2]; };")]);
    let home = folder.path("").canonicalize().unwrap().display().to_string();
    let home = home.trim_end_matches('/');
    let folder = folder.with_variable("HOME", home);
    let words =
        format!("run {home}/a.hlsl --rules std140,scalar --device model --plant-misreading array-stride-sixteen");
    folder.run(&format!("{words} --json r.jsonl")).exits(1);
    let records = folder.read("r.jsonl");
    assert!(!records.contains(home), "{records}");
    assert!(records.contains(r#""case":"~/a.hlsl""#), "{records}");

    let cut: Vec<&str> = records.lines().take(2).collect();
    folder.write("cut.jsonl", format!("{}\n", cut.join("\n")).as_bytes());
    folder.run(&format!("{words} --resume cut.jsonl")).exits(1);
    assert_eq!(checks(&folder.read("cut.jsonl")), checks(&records));
    let check = "~/a.hlsl::scalar::rspirv::model::model";
    folder.run(&format!("report r.jsonl --repro {home}{} --out out", &check[1..])).exits(1);
    assert!(folder.read("out/README.md").contains("a.hlsl"));
}

#[test]
fn a_junit_report_can_be_read_back() {
    let folder = mixed();
    folder.run(&format!("{MIXED} --junit r.xml")).exits(1);
    let report = Report::deserialize_from_str(&folder.read("r.xml")).unwrap();
    assert_eq!(report.name.as_deref(), Some("layoutproof"));
    let [suite, account] = &report.test_suites[..] else { panic!("a suite per device and runner: {report:?}") };
    assert_eq!((account.name.as_str(), account.errors), ("account", 0));
    assert_eq!((suite.name.as_str(), suite.failures, suite.errors), ("model via model", 1, 0));
    assert_eq!(suite.tests, suite.test_cases.len());
    let case = |rules: &str| {
        let name = format!("scalar_packs_behind_the_last_element::{rules}::rspirv::model::model");
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

/// What GitHub shows next to a change: annotations in the log, a table in the summary.
#[test]
fn github_gets_annotations_and_a_table() {
    let folder = mixed().with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", "s.md");
    let answer = folder.run(MIXED).exits(1);
    let place = "::error file=cases/arrays/scalar_packs_behind_the_last_element.toml,line=4";
    assert!(answer.out.lines().any(|line| line.starts_with(place)), "{answer}");
    let summary = folder.read("s.md");
    let failing = "| arrays/scalar_packs_behind_the_last_element · scalar · rspirv · model via model |";
    assert!(summary.contains("| model via model |") && summary.contains(failing), "{summary}");
}

/// The report without its times and without the name of its file.
fn report_of(answer: &Answer) -> String {
    let line = |line: &str| line.split(" (list: ").next().unwrap_or_default().to_owned();
    let is_of_file = |line: &&str| line.starts_with("repro ");
    untimed(&answer.out).lines().filter(|line| !is_of_file(line)).map(line).collect::<Vec<_>>().join("\n")
}

/// One check agrees, one differs, two have nothing to probe, and this device cannot run one.
#[test]
fn a_file_of_failures_has_the_totals_of_all() {
    let folder = mixed();
    folder.write("wide.hlsl", b"struct W { float a[9]; }; [[vk::push_constant]] W w;");
    let words = format!("{MIXED} wide.hlsl");
    folder.run(&format!("{words} --json all.jsonl --records full")).exits(1);
    folder.run(&format!("{words} --json few.jsonl --records failures")).exits(1);
    folder.run(&format!("{words} --json few.jsonl.zst --records failures")).exits(1);

    let [all, few] = ["all.jsonl", "few.jsonl"].map(|name| lines(&folder.read(name)));
    let is_kept = |line: &&Value| {
        let is_plain = line["outcome"] == "agree" || line["skip_kind"] == "not-applicable";
        line["type"] == "check" && !is_plain
    };
    let names = |lines: &[Value]| {
        let checks = lines.iter().filter(|line| line["type"] == "check");
        checks.map(|check| format!("{} {}", check["case"], check["rules"])).collect::<Vec<_>>()
    };
    let kept: Vec<Value> = all.iter().filter(is_kept).cloned().collect();
    assert!(!kept.is_empty() && kept.len() + 2 < all.len(), "{all:?}");
    assert_eq!(names(&few), names(&kept));
    assert_eq!((all[0].get("records"), &few[0]["records"]), (None, &json!("failures")));
    let (whole, end) = (all.last().unwrap(), few.last().unwrap());
    for key in keys(whole).into_iter().filter(|key| !["sources", "ms"].contains(key)) {
        assert_eq!(whole[key], end[key], "{key}");
    }
    // The sources of omitted checks are omitted too.
    let is_of_kept = |source: &&Value| kept.iter().any(|check| check["case"] == source["case"]);
    let sources: Vec<&Value> = whole["sources"].as_array().unwrap().iter().filter(is_of_kept).collect();
    assert_eq!(end["sources"].as_array().unwrap().iter().collect::<Vec<_>>(), sources);
    let left_out: u64 = end["left_out"].as_array().unwrap().iter().map(|group| group["checks"].as_u64().unwrap()).sum();
    assert_eq!(left_out, end["checks"].as_u64().unwrap() - kept.len() as u64);

    let report = report_of(&folder.run("report all.jsonl").exits(1).prints("FAIL "));
    for name in ["few.jsonl", "few.jsonl.zst"] {
        assert_eq!(report_of(&folder.run(&format!("report {name}")).exits(1)), report, "{name}");
    }
}

#[test]
fn a_file_of_failures_is_not_resumed_nor_put_together_with_others() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };"), ("b.hlsl", "cbuffer S { float2 a; };")]);
    let words = "--rules std140 --device model";
    folder.run(&format!("run a.hlsl {words} --json a.jsonl --records failures")).exits(0);
    folder.run(&format!("run b.hlsl {words} --json b.jsonl")).exits(0);
    let answer = folder.run(&format!("run a.hlsl {words} --resume a.jsonl")).exits(2);
    answer.warns("error: cannot resume: a.jsonl leaves out the checks that agreed (--records failures)");
    let answer = folder.run("report a.jsonl b.jsonl").exits(2);
    answer.warns("error: a.jsonl leaves out the checks that agreed (--records failures), so it cannot be merged");
    // Only all shards together determine which list entries are stale.
    let answer = folder.run(&format!("run a.hlsl {words} --shard 1/2 --json c.jsonl --records failures")).exits(2);
    answer.warns("error: a part of a run must keep the checks that agree");
    folder
        .run(&format!("run a.hlsl {words} --records failures"))
        .exits(2)
        .warns("error: --records needs the file: --json FILE");
}

/// Without leaves, the numbers are all that shows what the device answered.
#[test]
fn checks_of_lengths_alone_are_read_again() {
    let folder = Folder::with(&[]);
    folder.run("run structured/array_of_vertices --form length --device model --json r.jsonl").exits(0);
    folder.run("report r.jsonl").exits(0);
}

/// Every check is there, those that differ with their numbers, and reports and floors are the same.
#[test]
fn records_of_cases_have_the_numbers_of_what_differs() {
    let folder = Folder::with(&[]).with_drivers();
    folder.write("known.toml", b"");
    let words = "run vectors/two_pairs_fill_a_register arrays/scalar_packs_behind_the_last_element --rules std140,scalar --form leaf --device lavapipe --runner ash --known known.toml";
    folder.run(&format!("{words} --json few.jsonl")).exits(0);
    folder.run(&format!("{words} --json full.jsonl --records full")).exits(0);
    let [few, full] = ["few.jsonl", "full.jsonl"].map(|name| lines(&folder.read(name)));
    assert_eq!((&few[0]["records"], full[0].get("records")), (&json!("outcomes"), None));
    assert_eq!(few.len(), full.len());
    for (few, full) in few.iter().zip(&full).filter(|(check, _)| check["type"] == "check") {
        assert_eq!((&few["outcome"], &few["leaves"]), (&full["outcome"], &full["leaves"]));
        assert_eq!(few["rows"], json!([]), "{few}");
        assert!(full["leaves"].as_u64() == Some(0) || !full["rows"].as_array().unwrap().is_empty(), "{full}");
    }
    let report = |name: &str, floors: &str| folder.run(format!("report {name} {floors}").trim_end());
    assert_eq!(report_of(&report("few.jsonl", "").exits(0)), report_of(&report("full.jsonl", "").exits(0)));
    // Leaves by type: the same counts from the last line as from the rows.
    let cells = |name: &str| {
        let floor = "[[floor]]\ndevice = \"lavapipe\"\nrunner = \"ash\"\nproves = \"decorations\"\ntype = \"float\"\nleaves = 99999\n";
        folder.write("f.toml", floor.as_bytes());
        let missed = report(name, "--floors f.toml").exits(3).err;
        missed.lines().find(|line| line.starts_with("error: floor not met")).map(str::to_owned).unwrap()
    };
    assert_eq!(cells("few.jsonl"), cells("full.jsonl"));
    assert!(!cells("few.jsonl").contains("answered for 0 leaves"), "{}", cells("few.jsonl"));
    // The counts of two files with the same checks cannot be added.
    report("few.jsonl full.jsonl", "--floors f.toml").exits(2).warns("error: floors by type of leaf need the numbers");
    report("few.jsonl full.jsonl", "").exits(0);

    // A line with numbers that the first line rules out, and a run that was cut short.
    let text = folder.read("few.jsonl");
    let full = folder.read("full.jsonl");
    let planted = text.lines().next().unwrap().to_owned() + "\n" + full.lines().nth(1).unwrap() + "\n";
    folder.write("planted.jsonl", planted.as_bytes());
    let refused = report("planted.jsonl", "").exits(2).err;
    assert!(refused.contains("contradicts itself: the first line says that such rows are left out"), "{refused}");
    let first: Vec<&str> = text.lines().take(3).collect();
    folder.write("cut.jsonl", (first.join("\n") + "\n").as_bytes());
    let resume = |options: &str| folder.run(format!("{words} --resume cut.jsonl {options}").trim_end());
    resume("--records full --json other.jsonl")
        .exits(2)
        .warns("error: cannot resume: cut.jsonl leaves out the numbers of checks that agree");
    resume("--floors f.toml").exits(2).warns("error: the records to resume have no numbers");
    resume("").exits(0);
    assert_eq!(lines(&folder.read("cut.jsonl")).len(), few.len());

    // Complete records stay complete.
    let first: Vec<&str> = full.lines().take(3).collect();
    folder.write("cut.jsonl", (first.join("\n") + "\n").as_bytes());
    resume("").exits(0);
    let resumed = lines(&folder.read("cut.jsonl"));
    assert!(resumed[0].get("records").is_none(), "{}", resumed[0]);
    assert!(
        resumed
            .iter()
            .filter(|line| line["leaves"].as_u64() > Some(0))
            .all(|line| line["type"] == "end" || line["rows"] != json!([]))
    );
}

/// A file of failures whose end counts other checks, or that contains checks which it claims to
/// leave out, is refused.
#[test]
fn a_file_of_failures_that_contradicts_itself_is_refused() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };")]);
    folder.run("run a.hlsl --rules std140 --device model --json all.jsonl").exits(0);
    folder.run("run a.hlsl --rules std140 --device model --json few.jsonl --records failures").exits(0);
    let (all, few) = (folder.read("all.jsonl"), folder.read("few.jsonl"));
    let [all, few] = [&all, &few].map(|text| text.lines().collect::<Vec<_>>());
    for (lines, message) in [
        (
            [few[0], all[1], few[1]].as_slice(),
            "error: bad.jsonl: line 2: `a.hlsl::std140::rspirv::model::model` contradicts itself: the first line says that such \
             checks are left out",
        ),
        (
            &[all[0], few[1]],
            "error: bad.jsonl: line 2: the end has totals of checks that are left out, but the first line says that none is",
        ),
        (&[few[0], all[2]], "error: bad.jsonl: line 2: the totals do not match the checks: `checks` is 1, not 0"),
    ] {
        folder.write("bad.jsonl", (lines.join("\n") + "\n").as_bytes());
        folder.run("report bad.jsonl").exits(2).warns(message);
    }
}

/// The file that the repository keeps of a device: its totals are those of the run, and it has no environment variables.
#[test]
fn results_of_devices_have_what_they_got_wrong_and_all_totals() {
    let folder = mixed().with_variable("VK_DRIVER_FILES", "/nowhere/of_this_machine.json");
    let run = folder.run(&format!("{MIXED} --json r.jsonl")).exits(1);
    folder.run("report r.jsonl --device-results d.jsonl").exits(1);

    let kept = lines(&folder.read("d.jsonl"));
    assert_eq!(kept[0]["records"], "devices");
    assert_eq!(kept[0]["environment"], json!({}));
    let outcomes: Vec<&Value> = kept[1..kept.len() - 1].iter().map(|check| &check["outcome"]).collect();
    assert_eq!(outcomes, ["differ"]);
    assert_eq!(kept[1]["story"].get("shaders"), None);

    let summary = |answer: &Answer| answer.out.lines().last().map(|line| line.split("   ").next().map(str::to_owned));
    let again = folder.run("report d.jsonl").exits(1);
    assert_eq!(summary(&again), summary(&run));
    folder
        .write("f.toml", b"[[floor]]\ndevice = \"lavapipe\"\nrunner = \"ash\"\nproves = \"decorations\"\nleaves = 1\n");
    folder.run("report d.jsonl --floors f.toml").exits(2).warns("error: floors need the records of all checks");
}
