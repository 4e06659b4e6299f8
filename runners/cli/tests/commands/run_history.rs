//! `layoutproof runs`. A misreading that is planted in the model stands for what a driver changed; the driver's name is
//! written into the first line.

use serde_json::{Value, json};

use super::folder::Folder;

const RUN: &str =
    "run arrays/scalar_packs_behind_the_last_element --rules std140,scalar --form leaf --device model --no-known";

struct Fleet {
    folder: Folder,
    /// The records of a driver that is right, and of one that is wrong under `scalar`.
    right: String,
    wrong: String,
}

fn fleet() -> Fleet {
    let folder = Folder::with(&[("fleet/notes.txt", "no records")]);
    folder.run(&format!("{RUN} --json right.jsonl")).exits(0);
    folder.run(&format!("{RUN} --json wrong.jsonl --plant-misreading array-stride-sixteen")).exits(1);
    // The first line would name the misreading as an argument of the run.
    let (right, wrong) = (folder.read("right.jsonl"), folder.read("wrong.jsonl"));
    Fleet { folder, right, wrong }
}

impl Fleet {
    /// Adds a run of a device with a driver. `number` is its place in the folder and keeps the files apart.
    fn add(&self, number: u32, records: &str, device: &str, driver: &str) {
        let mut lines: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines[0]["devices"][0]["driver"] = json!(driver);
        lines[0]["devices"][0]["id"] = json!(device);
        lines[0]["devices"][0]["name"] = json!(format!("GPU {device}"));
        for line in lines.iter_mut().filter(|line| line["type"] == "check") {
            line["device"] = json!(device);
            line["ms"] = json!(number);
        }
        let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        self.folder.write(&format!("fleet/run-{number}.jsonl"), text.as_bytes());
    }
}

/// Run 10 comes after run 9. Another GPU had the driver between the last good and the first bad one.
#[test]
fn the_first_bad_driver_is_told_and_the_next_one_to_try() {
    let fleet = fleet();
    fleet.add(1, &fleet.right, "a", "Mesa 1.0");
    fleet.add(2, &fleet.right, "a", "Mesa 1.1");
    fleet.add(3, &fleet.right, "b", "Mesa 1.2");
    fleet.add(9, &fleet.wrong, "a", "Mesa 1.3");
    fleet.add(10, &fleet.wrong, "a", "Mesa 1.4");
    let answer = fleet.folder.run("runs fleet").exits(1);
    answer.prints("wrong since Mesa 1.3, GPU a (a via model) 1 check").prints("driver Mesa 1.1 -> Mesa 1.3");
    let answer = fleet.folder.run("runs fleet").exits(1);
    answer.prints("to narrow it down, run Mesa 1.2").prints("4 checks in 5 runs: 1 became wrong");

    let json = fleet.folder.run("runs fleet --format json").exits(1).json();
    let [finding] = json["findings"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&finding["kind"], &finding["device"]["id"]), (&json!("wrong-since"), &json!("a")));
    assert_eq!(finding["before"], json!({"run": "run-2.jsonl", "driver": "Mesa 1.1"}));
    assert_eq!(finding["since"], json!({"run": "run-9.jsonl", "driver": "Mesa 1.3"}));
    assert_eq!(finding["next_driver"], "Mesa 1.2");
    let check = finding["checks"][0]["check"].as_str().unwrap();
    assert!(check.contains("::scalar::"), "{finding}");
    let markdown = fleet.folder.run("runs fleet --format markdown").exits(1).out;
    assert!(markdown.starts_with("### 4 checks in 5 runs: 1 became wrong\n"), "{markdown}");
    let row = format!("| {} |", check.replace('_', "\\_"));
    assert_eq!(markdown.matches(&row).count(), 1, "{markdown}");
    let annotations = fleet.folder.run("runs fleet --format github").exits(1).out;
    let levels: Vec<&str> = annotations.lines().map(|line| line.split([' ', ':']).nth(2).unwrap()).collect();
    assert_eq!(levels, ["error", "error"], "{annotations}");
    assert!(annotations.contains(check), "{annotations}");

    // Back to an earlier driver.
    fleet.add(11, &fleet.right, "a", "Mesa 1.1");
    let json = fleet.folder.run("runs fleet --format json").exits(0).json();
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["wrong_from"]["driver"]), (&json!("right-since"), &json!("Mesa 1.3")));
}

/// One GPU with one driver in two machines: two devices with an answer each, not one that is flaky.
#[test]
fn machines_are_told_apart_by_the_name_that_the_user_gives() {
    let folder = Folder::with(&[]);
    folder.write("fleet/notes.txt", b"no records");
    folder.run(&format!("{RUN} --json fleet/1.jsonl --machine rack-1")).exits(0);
    folder
        .run(&format!("{RUN} --json fleet/2.jsonl --machine rack-2 --plant-misreading array-stride-sixteen"))
        .exits(1);
    let json = folder.run("runs fleet --format json").exits(0).json();
    let [finding] = json["findings"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&finding["kind"], &finding["device"]["host"]["machine"]), (&json!("always-wrong"), &json!("rack-2")));
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    folder.run("runs fleet").prints(&format!(
        "wrong in all runs, layoutproof's model device (model via model on rack-2, {system}) 1 check"
    ));
    let answer = folder.run("compare fleet/1.jsonl fleet/2.jsonl").exits(1);
    answer.prints(&format!("new fleet/2.jsonl, 2 checks on rack-2, {system}"));
    let answer = folder.run("report fleet/1.jsonl fleet/2.jsonl").exits(2);
    assert!(answer.err.contains("`layoutproof compare` and `runs` take runs of several machines"), "{answer}");
}

/// OpenGL and Vulkan have one GPU under one name: what one of them never did is no regression of the other.
#[test]
fn another_api_on_the_same_gpu_is_another_device() {
    let fleet = fleet();
    fleet.add(1, &fleet.right, "vulkan", "Mesa 1.0");
    fleet.add(2, &fleet.wrong, "gl", "Mesa 1.0");
    for number in [1, 2] {
        let file = format!("fleet/run-{number}.jsonl");
        let text = fleet.folder.read(&file).replace("GPU vulkan", "GPU").replace("GPU gl", "GPU");
        fleet.folder.write(&file, text.as_bytes());
    }
    let json = fleet.folder.run("runs fleet --format json").exits(0).json();
    let [finding] = json["findings"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&finding["kind"], &finding["device"]["id"]), (&json!("always-wrong"), &json!("gl")));
}

/// Devices with drivers that answer alike are one column; checks that are right everywhere have no row.
#[test]
fn machines_that_answer_alike_are_one_column() {
    let fleet = fleet();
    for (number, records, device, driver) in [
        (1, &fleet.right, "a", "Mesa 1.0"),
        (2, &fleet.wrong, "a", "Mesa 1.1"),
        (3, &fleet.right, "b", "Mesa 1.0"),
        (4, &fleet.right, "b", "Mesa 1.1"),
    ] {
        fleet.add(number, records, device, driver);
    }
    let matrix = &fleet.folder.run("runs fleet --matrix --format json").exits(1).json()["matrix"];
    let columns = matrix["columns"].as_array().unwrap().iter().map(|machines| machines.as_array().unwrap().len());
    assert_eq!(columns.collect::<Vec<_>>(), [3, 1], "{matrix}");
    let [row] = matrix["rows"].as_array().unwrap().as_slice() else { panic!("{matrix}") };
    assert_eq!((&row["cells"], &matrix["right_everywhere"]), (&json!(["right", "wrong-1"]), &json!(1)));
    fleet.folder.run("runs fleet --html fleet.html").exits(1);
    let page = fleet.folder.read("fleet.html");
    assert_eq!((page.matches("<article").count(), page.matches("≠1").count()), (1, 1), "{page}");
    assert!(page.contains("1 check right on every machine."), "{page}");
    fleet.folder.write("broken/1.jsonl", b"{}\n");
    fleet.folder.write("broken/2.jsonl", fleet.right.as_bytes());
    fleet.folder.run("runs broken --html broken.html").exits(2);
    assert!(fleet.folder.read("broken.html").contains("<li class=\"bad\">left out: "));
    let answer = fleet.folder.run("runs fleet --matrix").exits(1);
    answer.prints("2 a via model: Mesa 1.1").prints("checks 1 2").prints("1 . x arrays::");
}

/// One driver with both answers, of a device that the first run does not have. An entry covers it until its day has passed, and
/// is never simply right.
#[test]
fn flaky_checks_are_counted_and_may_be_quarantined() {
    let fleet = fleet();
    fleet.add(0, &fleet.right, "b", "Mesa 1.0");
    for (number, records) in [(1, &fleet.right), (2, &fleet.wrong), (3, &fleet.right), (4, &fleet.right)] {
        fleet.add(number, records, "a", "Mesa 1.0");
    }
    let json = fleet.folder.run("runs fleet --format json").exits(1).json();
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["device"]["id"]), (&json!("flaky"), &json!("a")), "{json}");
    fleet.folder.run("runs fleet").exits(1).prints("flaky, GPU a (a via model) 1 check");
    assert_eq!((&finding["checks"][0]["odd_runs"], &finding["checks"][0]["runs"]), (&json!(1), &json!(4)));

    let quarantine = |check: &str, until: &str, exit: i32| {
        let entry = format!("[[quarantine]]\ncheck = \"{check}\"\nuntil = \"{until}\"\nreason = \"issue 12\"\n");
        fleet.folder.write("q.toml", entry.as_bytes());
        fleet.folder.run("runs fleet --quarantine q.toml").exits(exit)
    };
    let answer = quarantine("*::scalar::*", "9999-12-31", 0);
    let answer =
        answer.prints("4 checks in 5 runs: 1 quarantined").prints("quarantined until 9999-12-31: 1 check: issue 12");
    assert!(!answer.out.contains("all right"), "{answer}");
    quarantine("*::scalar::*", "2000-01-01", 1).warns("note: the quarantine of *::scalar::* ended on 2000-01-01");
    quarantine("*::other::*", "9999-12-31", 1).warns("note: the quarantine of *::other::* is no longer needed");
    let answer = quarantine("*", "tomorrow", 2);
    assert!(answer.err.contains("`until` is a day such as"), "{answer}");
}

#[test]
fn runs_that_cannot_be_read_are_named() {
    let fleet = fleet();
    fleet.folder.run("runs fleet").exits(2).warns("error: fleet has no records of runs");
    fleet.add(1, &fleet.right, "a", "Mesa 1.0");
    fleet.folder.run("runs fleet").exits(0).prints("2 checks in 1 run: all right in all runs");
    fleet.folder.write("fleet/run-2.jsonl", fleet.folder.read("fleet/run-1.jsonl").as_bytes());
    fleet.folder.run("runs fleet").exits(0).warns("note: run-2.jsonl is a copy of run-1.jsonl and not counted");
    fleet.folder.write("fleet/run-3.jsonl", b"{\"type\":\"other\"}\n");
    let first = fleet.right.lines().take(2).collect::<Vec<_>>().join("\n") + "\n";
    fleet.folder.write("fleet/run-4.jsonl", first.as_bytes());
    let answer = fleet.folder.run("runs fleet").exits(2);
    assert!(
        answer.err.contains("left out: fleet/run-3.jsonl: ") && answer.err.contains("run was cut short"),
        "{answer}"
    );
}
