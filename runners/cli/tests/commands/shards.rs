//! Parts of a run: shards on several machines, lists of cases, and the merging of their records.

use std::time::Duration;

use serde_json::{Value, json};

use super::folder::{Answer, Folder};
use super::records::{checks, redacted};
use super::survival::untimed;

/// Checks of bytes and of bindings. Those differ whose arrays have elements of less than 16 bytes.
const RUN: &str = "run arrays/t arrays/s implicit --form leaf --device model --plant-misreading array-stride-sixteen";

const NO_SCHEDULER: &str =
    "error: invalid value 'auto' for '--shard <I/N|auto>': no scheduler gave this process a shard";

/// The report without its times.
fn summary(answer: &Answer) -> String {
    // Each report names its own files.
    let line = |line: &str| line.split(" (list: ").next().unwrap_or_default().to_owned();
    let is_of_file = |line: &&str| line.starts_with("repro ");
    untimed(&answer.out).lines().filter(|line| !is_of_file(line)).map(line).collect::<Vec<_>>().join("\n")
}

/// Runs the whole and three shards of it, with these options.
fn divided(folder: &Folder, words: &str, code: i32) -> Answer {
    let whole = folder.run(&format!("{words} --json whole.jsonl --junit whole.xml --csv whole.csv")).exits(code);
    for number in 1..=3 {
        folder.run(&format!("{words} --shard {number}/3 --json {number}.jsonl"));
    }
    whole
}

#[test]
fn shards_are_together_the_run() {
    let folder = Folder::with(&[]).with_drivers();
    let whole = divided(&folder, RUN, 1);
    let parts = [1, 2, 3].map(|number| checks(&folder.read(&format!("{number}.jsonl"))));
    assert!(parts.iter().all(|part| *part > 0), "{parts:?}");
    assert_eq!(parts.iter().sum::<usize>(), checks(&folder.read("whole.jsonl")));
    // The order of the files must not matter.
    let outputs = "--json merged.jsonl --junit merged.xml --csv merged.csv";
    let merged = folder.run(&format!("report 3.jsonl 1.jsonl 2.jsonl {outputs}")).exits(1);
    assert_eq!(summary(&merged).replace("merged.jsonl", "whole.jsonl"), summary(&whole));
    assert!(redacted(&folder.read("merged.jsonl")) == redacted(&folder.read("whole.jsonl")));
    let names = |name: &str| {
        let text = folder.read(name);
        text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("merged.csv"), names("whole.csv"));
    let cases = |name: &str| folder.read(name).matches("<testcase").count();
    assert_eq!(cases("merged.xml"), cases("whole.xml"));
    // Merged records are those of a run like any other, and naming a run twice changes nothing.
    let again = folder.run("report merged.jsonl 1.jsonl whole.jsonl").exits(1);
    assert_eq!(summary(&again), summary(&folder.run("report whole.jsonl").exits(1)));
}

/// Parts by the times of an earlier run are the whole run, and no other parts fit to them.
#[test]
fn shards_by_times_are_together_the_run() {
    let words = "run arrays/t arrays/s --rules std140 --form leaf --device model";
    let folder = Folder::with(&[]).with_drivers();
    folder.run(&format!("{words} --json whole.jsonl")).exits(0);
    // One case took as long as all others.
    let (first, rest) =
        folder.read("whole.jsonl").split_once("\"ms\":").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let long = format!("{first}\"ms\":1000000{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    folder.write("times.jsonl", long.as_bytes());
    for number in [1, 2] {
        folder.run(&format!("{words} --shard {number}/2 --times times.jsonl --json {number}.jsonl")).exits(0);
    }
    let [whole, one, other] = ["whole.jsonl", "1.jsonl", "2.jsonl"].map(|name| checks(&folder.read(name)));
    assert_eq!((one, other), (1, whole - 1));
    let merged = folder.run("report 1.jsonl 2.jsonl --json merged.jsonl").exits(0);
    assert_eq!(checks(&folder.read("merged.jsonl")), whole, "{merged}");

    folder.run(&format!("{words} --shard 2/2 --json by-id.jsonl")).exits(0);
    folder.run("report 1.jsonl by-id.jsonl").exits(3);
    let resumed = folder.run("run --resume 1.jsonl").exits(2);
    assert!(resumed.err.contains("type its whole command, with --times"), "{resumed}");
    folder.run(&format!("{words} --shard 1/2 --times times.jsonl --resume 1.jsonl")).exits(0);
    folder.run(&format!("{words} --shard 1/2 --resume 1.jsonl")).exits(2).warns("error: 1.jsonl is of another run");
    folder.run(&format!("{words} --times times.jsonl")).exits(2).warns("error:");
    folder.write("none.jsonl", b"");
    folder.run(&format!("{words} --shard 1/2 --times none.jsonl")).exits(2).warns("error:");
}

/// The records contain the scheduler's shard, because their readers cannot query the scheduler.
#[test]
fn a_scheduler_says_which_shard_it_is() {
    let words = "run arrays/s --rules std140 --form leaf --device model";
    let folder = Folder::with(&[]).with_drivers();
    folder.run(&format!("{words} --shard auto")).exits(2).warns(NO_SCHEDULER);
    folder.run(&format!("{words} --shard 2/3 --json told.jsonl"));

    let folder = folder
        .with_variable("SLURM_ARRAY_TASK_ID", "11")
        .with_variable("SLURM_ARRAY_TASK_MIN", "10")
        .with_variable("SLURM_ARRAY_TASK_COUNT", "3")
        .with_variable("TEST_SHARD_STATUS_FILE", "sharded");
    folder.run(&format!("{words} --shard auto --json asked.jsonl"));
    assert_eq!(redacted(&folder.read("asked.jsonl")), redacted(&folder.read("told.jsonl")));
    assert_eq!(folder.read("sharded"), "");
}

#[test]
fn a_shard_that_is_not_here_is_no_success() {
    let folder = Folder::with(&[]).with_drivers();
    divided(&folder, "run arrays/ --rules std140 --form leaf --device model", 0);
    let all = checks(&folder.read("whole.jsonl"));
    folder.run("report 1.jsonl 2.jsonl 3.jsonl").exits(0).prints(&format!("ok {all} checks agree"));
    let answer = folder.run("report 1.jsonl 3.jsonl --json two.jsonl").exits(3);
    answer.warns("error: shard 2/3 is missing");
    folder.run("report two.jsonl").exits(3).warns("error: shard 2/3 is missing");
    folder.run("report two.jsonl 2.jsonl --json all.jsonl").exits(0);
    assert!(redacted(&folder.read("all.jsonl")) == redacted(&folder.read("whole.jsonl")));
}

/// Three files with one, two and three leaves, in shards whose records are edited to name a driver:
/// leaves of the model count for no floor.
fn on_lavapipe() -> Folder {
    let files = [("a.hlsl", "cbuffer S { float a; };"), ("b.hlsl", "cbuffer S { float2 a; };")];
    let folder = Folder::with(&files).with_drivers();
    folder.write("c.hlsl", b"cbuffer S { float a; int b[2]; };");
    let words = "run a.hlsl b.hlsl c.hlsl --rules std140 --form leaf --space uniform --stage compute --device model";
    for number in 1..=3 {
        let name = format!("{number}.jsonl");
        folder.run(&format!("{words} --shard {number}/3 --json {name}"));
        let records = folder.read(&name).replace(r#""runner":"model""#, r#""runner":"ash""#);
        let records = records.replace(r#""device":"model""#, r#""device":"lavapipe""#);
        folder.write(&name, counted(&records.replace(r#""id":"model""#, r#""id":"lavapipe""#)).as_bytes());
    }
    folder
}

/// The records with that driver's leaves in their totals, which do not count the model's.
fn counted(records: &str) -> String {
    let lines = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let leaves: u64 = lines.filter(|line| line["type"] == "check").filter_map(|line| line["leaves"].as_u64()).sum();
    let totals = format!(r#""leaves":{leaves},"devices":["lavapipe via ash"],"proves":{{"decorations":{leaves}}}"#);
    if leaves == 0 { records.to_owned() } else { records.replace(r#""leaves":0,"devices":[],"proves":{}"#, &totals) }
}

/// No single shard sees enough leaves to reach a floor for all of them.
#[test]
fn floors_are_for_all_shards_together() {
    let folder = on_lavapipe();
    let floor = |name: &str, keys: &str, leaves: u32| {
        let device = "device = \"lavapipe\"\nrunner = \"ash\"\nproves = \"decorations\"";
        folder.write(name, format!("[[floor]]\n{device}\n{keys}leaves = {leaves}\n").as_bytes());
    };
    let report = |shards: &str, floors: &str| folder.run(&format!("report {shards} --floors {floors}"));
    let all = "1.jsonl 2.jsonl 3.jsonl";
    let missed = |found: u32, cell: &str, floor: u32| {
        format!(
            "error: floor not met: lavapipe via Vulkan answered for {found} leaves that prove `decorations`{cell}, the \
             floor is {floor}"
        )
    };
    floor("six.toml", "", 6);
    floor("seven.toml", "", 7);
    report(all, "six.toml").exits(0);
    report(all, "seven.toml").exits(3).warns(&missed(6, "", 7));
    // In cells: the type of a leaf comes from the files.
    floor("two.toml", "rules = \"std140\"\ntype = \"int*\"\n", 2);
    floor("three.toml", "type = \"int*\"\n", 3);
    floor("scalars.toml", "type = \"float\"\nafter = \"start\"\n", 2);
    for floors in ["two.toml", "scalars.toml"] {
        report(all, floors).exits(0);
    }
    let answer = report(all, "three.toml").exits(3);
    assert!(answer.err.contains("answered for 2 leaves"), "{answer}");
    report("1.jsonl 2.jsonl", "six.toml").exits(3).warns("error: shard 3/3 is missing");
    folder.write("c.hlsl", b"cbuffer S { float a; int b[3]; };");
    let changed =
        "error: floors count leaves by type, but the cases, files or lists here differ from the recorded ones";
    report(all, "two.toml").exits(2).warns(changed);
    report(all, "six.toml").exits(0);
}

/// As with drivers: the machines of a fleet may have different builds.
#[test]
fn another_build_of_a_tool_is_told() {
    let folder = Folder::with(&[]).with_drivers();
    divided(&folder, "run two_pairs --rules std140 --form leaf --device model", 0);
    let shards = "report 1.jsonl 2.jsonl 3.jsonl";
    assert_eq!(folder.run(shards).exits(0).err, "");
    folder.write("1.jsonl", folder.read("1.jsonl").replace(r#""rspirv":""#, r#""rspirv":"9."#).as_bytes());
    folder.run(shards).exits(0).warns("note: rspirv is not the same build in all runs: ");
}

/// With more shards than cases, some are empty; their records must show that.
#[test]
fn a_shard_may_be_empty() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run two_pairs --rules std140 --form leaf --device model";
    let codes: Vec<i32> =
        (1..=4).map(|number| folder.run(&format!("{words} --shard {number}/4 --json {number}.jsonl")).code()).collect();
    let count = |wanted: i32| codes.iter().filter(|code| **code == wanted).count();
    assert_eq!((count(0), count(4)), (1, 3), "{codes:?}");
    folder.run("report 1.jsonl 2.jsonl 3.jsonl 4.jsonl").exits(0).prints("ok 1 check agrees");
    folder.run("report 1.jsonl 2.jsonl 3.jsonl").exits(3).warns("error: shard 4/4 is missing");
}

#[test]
fn records_that_do_not_go_together_are_refused() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };"), ("text.jsonl", "nothing\nof the kind\n")]);
    let words = "run a.hlsl --rules std140,std430 --device model";
    folder.run(&format!("{words} --json a.jsonl")).exits(0);
    folder.run(&format!("{words} --plant-misreading idle --json b.jsonl"));
    let refused = |words: &str, sentence: &str| {
        let answer = folder.run(words).exits(2);
        assert!(answer.err.contains(sentence), "no `{sentence}` in {answer}");
        assert_eq!(answer.out, "");
    };
    let contradiction = "error: a.jsonl and b.jsonl contradict each other about \
                         `a.hlsl::std140::rspirv::model::model`: agree and differ";
    refused("report a.jsonl b.jsonl", contradiction);
    folder.write("b.jsonl", folder.read("a.jsonl").replace("\"schema\":1", "\"schema\":2").as_bytes());
    refused("report a.jsonl b.jsonl", "error: b.jsonl: line 1: schema 2, but this version reads up to 1");
    refused("report text.jsonl", "error: text.jsonl: line 1: no record:");
    refused("report nosuch.jsonl", "error: reading nosuch.jsonl:");
    folder.run(&format!("{words} --shard 1/2 --json 1.jsonl"));
    folder.write("a.hlsl", b"cbuffer S { float a, b; };");
    folder.run(&format!("{words} --shard 2/2 --json 2.jsonl"));
    refused("report 1.jsonl 2.jsonl", "are shards of different runs: they have different cases, files or lists");
}

#[test]
fn a_run_that_was_killed_is_no_success() {
    let folder = Folder::with(&[]);
    folder.run("run two_pairs --rules std140,std430 --device model --json a.jsonl").exits(0);
    let whole = folder.read("a.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    folder.write("cut.jsonl", [lines[0], lines[1], &lines[2][..40]].concat().as_bytes());
    let answer = folder.run("report cut.jsonl").exits(2).prints("incomplete 1 check agrees");
    answer.warns("error: cut.jsonl: the run was cut short; `layoutproof run --resume cut.jsonl`");
}

/// A list's entry is stale if it matches no differing check of any shard.
#[test]
fn only_all_shards_call_an_entry_stale() {
    let list = |case: &str| format!("[[known]]\ncase = \"{case}\"\ndevice = \"model\"\nreason = \"so it was\"\n");
    // Run all cases: a filtered run calls no entry stale.
    let folder = Folder::with(&[("known.toml", &list("arrays/*"))]).with_drivers().within(Duration::from_secs(300));
    let words = "run --device model --no-compiler --known known.toml";
    let whole = divided(&folder, words, 1).prints("FAIL ");
    for number in 1..=3 {
        assert!(!folder.read(&format!("{number}.jsonl")).contains("\"outcome\":\"stale\""));
    }
    let merged = folder.run("report 1.jsonl 2.jsonl 3.jsonl --json merged.jsonl").exits(1);
    assert_eq!(summary(&merged), summary(&whole));
    assert!(redacted(&folder.read("merged.jsonl")) == redacted(&folder.read("whole.jsonl")));
    // Two of three shards cannot decide it.
    let two = folder.run("report 1.jsonl 2.jsonl").exits(3);
    assert!(!two.out.contains("stale"), "{two}");
}

#[test]
fn a_list_chooses_cases_and_trials() {
    let list = "# what the driver is worked on\narrays/three_dimensions # all of it\n\n\
                vectors::two_pairs_fill_a_register::std140::rspirv::model::model\n";
    let folder = Folder::with(&[("list.txt", list), ("typo.txt", "arrays/three_dimension\n")]);
    folder.run("run --device model --caselist list.txt --form leaf --csv r.csv").exits(0);
    let results = folder.read("r.csv");
    let of = |case: &str| results.lines().filter(|line| line.starts_with(case)).count();
    assert_eq!(of("vectors::two_pairs_fill_a_register::std140::rspirv::model::model,Pass,"), 1, "{results}");
    assert_eq!(of("vectors::"), 1, "{results}");
    assert!(of("arrays::three_dimensions::") > 1, "{results}");
    assert_eq!(results.lines().count(), 1 + of("arrays::three_dimensions::"), "{results}");
    let typo = folder.run("run --device model --caselist typo.txt").exits(2);
    assert!(typo.err.contains("does not have\n  arrays::three_dimension\n"), "{typo}");
    folder.run("run --device model --caselist nosuch.txt").exits(2).warns("error: reading nosuch.txt:");
}

#[test]
fn the_records_say_which_shard_it_was() {
    let folder = Folder::with(&[]);
    folder.run("run two_pairs --rules std140 --device model --shard 1/1 --json r.jsonl").exits(0);
    let header: Value = serde_json::from_str(folder.read("r.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(header["arguments"]["shard"], json!(["1/1"]));
    for (words, message) in [
        ("run --shard 0/3", "a shard is written I/N, from 1/N to N/N"),
        ("run --shard 1/2 --floors f.toml", "error: no shard can reach a floor: give --floors to `layoutproof report`"),
    ] {
        let answer = folder.run(words).exits(2);
        assert!(answer.err.contains(message), "{answer}");
    }
}
