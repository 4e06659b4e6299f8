//! Workers that crash, hang, return garbage, run out of memory or print: the run ends normally and
//! loses no check.
//!
//! Here the model runs in workers, so that no driver is needed; `tests/installed/drivers.rs` tests
//! the drivers of this machine.

use serde_json::Value;

use super::folder::{Answer, Folder};
use super::outcomes::{self, Ended};

/// One check for each case of arrays, including the case below.
const RUN: &str = "run arrays/ --rules std140 --form leaf --device model";
const CASE: &str = "arrays/scalar_packs_behind_the_last_element";

/// The outcome of each check by case, with its reason.
fn outcomes(folder: &Folder) -> Vec<Ended> {
    outcomes::outcomes(&folder.read("r.jsonl"))
}

fn undisturbed(folder: &Folder) -> Vec<Ended> {
    folder.run(&format!("{RUN} --json r.jsonl --csv r.csv")).exits(0);
    outcomes(folder)
}

fn run(folder: &Folder, options: &str) -> Answer {
    folder.run(&format!("{RUN} {options} --json r.jsonl --csv r.csv"))
}

/// Asserts the outcome and the reason for the check of [`CASE`], and that no other check was
/// affected.
#[track_caller]
fn only_the_guilty_case(options: &str, (outcome, status): (&str, &str), reasons: &[&str]) {
    let folder = Folder::with(&[]).with_drivers();
    let before = undisturbed(&folder);
    let answer = run(&folder, options).exits(1);
    let after = outcomes(&folder);
    assert!(before.len() > 1);
    assert_eq!(after.len(), before.len(), "{answer}");
    for (before, after) in before.iter().zip(&after) {
        if before.0 != CASE {
            assert_eq!(before, after);
            continue;
        }
        assert_eq!((after.0.as_str(), after.1.as_str()), (CASE, outcome), "{after:?}");
        for reason in reasons {
            assert!(after.2.contains(reason), "no `{reason}` in {after:?}");
        }
    }
    let name = format!("{}::std140::rspirv::model::model,{status},", CASE.replace('/', "::"));
    let results = folder.read("r.csv");
    assert!(results.lines().any(|line| line.starts_with(&name)), "no `{name}` in {results}");
    assert_eq!(results.lines().filter(|line| line.contains(",Pass,")).count(), before.len() - 1, "{results}");
}

#[cfg_attr(not(unix), ignore = "the message about a dead process is the one of Unix")]
#[test]
fn a_crash_breaks_its_case_alone() {
    let reasons = [
        "worker died of SIGABRT",
        "last output: a crash was planted",
        "not run: 3 earlier jobs of the check have each",
    ];
    only_the_guilty_case("--plant-fault crash@scalar_packs", ("broken", "Crash"), &reasons);
}

#[test]
fn a_hang_breaks_its_case_alone() {
    let reasons = ["no answer within 100 ms"];
    only_the_guilty_case("--plant-fault hang@scalar_packs --time-limit 0.1", ("broken", "Timeout"), &reasons);
}

#[cfg_attr(not(unix), ignore = "the message about a dead process is the one of Unix")]
#[test]
fn a_lack_of_memory_breaks_its_case_alone() {
    let reasons = ["worker died of SIGABRT", "last output: memory allocation of"];
    only_the_guilty_case("--plant-fault oom@scalar_packs", ("broken", "Crash"), &reasons);
}

#[test]
fn garbage_is_the_devices_fault() {
    only_the_guilty_case("--plant-fault garbage@scalar_packs", ("differ", "Fail"), &[]);
    let folder = Folder::with(&[]).with_drivers();
    let answer = run(&folder, "--plant-fault garbage@scalar_packs").exits(1);
    assert!(answer.out.contains("verdict  device: case, rules and shader agree"), "{answer}");
}

/// The protocol uses a separate socket, so a driver may print any amount.
#[test]
fn drivers_may_print() {
    let folder = Folder::with(&[]).with_drivers();
    let before = undisturbed(&folder);
    let answer = run(&folder, "--plant-fault print@arrays/").exits(0);
    assert_eq!(outcomes(&folder), before);
    assert!(!answer.out.contains("printed by a driver") && !answer.err.contains("printed by a driver"), "{answer}");
}

/// The end line of the records.
fn end(folder: &Folder) -> Value {
    serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap()
}

/// A worker that dies after some jobs is no case's fault: the job that it died in succeeds alone. But the run
/// counts such workers, and fails unless the user accepts as many.
#[test]
fn workers_that_die_of_age_break_nothing_and_are_counted() {
    let folder = Folder::with(&[]).with_drivers();
    let before = undisturbed(&folder);
    let answer = run(&folder, "--plant-fault crash#7 --jobs 1").exits(1);
    assert_eq!(outcomes(&folder), before);
    let end = end(&folder);
    let fault = &end["faults"][0];
    assert_eq!(
        (&fault["kind"], &fault["device"], &fault["runner"]),
        (&"worker-died".into(), &"model".into(), &"model".into())
    );
    let died = fault["count"].as_u64().unwrap();
    assert!(died > 1 && fault["absorbed"] == died && end.get("flaky").is_none(), "{end}");
    let named: Vec<&str> = fault["checks"].as_array().unwrap().iter().map(|check| check.as_str().unwrap()).collect();
    let checks = folder
        .read("r.jsonl")
        .lines()
        .filter(|line| line.contains("\"faults\"") && line.starts_with("{\"type\":\"check\""))
        .count();
    assert!(!named.is_empty() && named.len() == checks, "{end}");
    let answer = answer.prints(&format!("FAIL {died} workers died on model via model; "));
    assert!(answer.unwrapped().contains(&format!("`--allow-restarts {died}` accepts")), "{answer}");
    folder.run("report r.jsonl").exits(1).prints(&format!("FAIL {died} workers died on model via model; "));

    run(&folder, &format!("--plant-fault crash#7 --jobs 1 --allow-restarts {}", died - 1)).exits(1);
    let answer = run(&folder, &format!("--plant-fault crash#7 --jobs 1 --allow-restarts {died}")).exits(0);
    answer.prints(&format!("note: {died} workers died on model via model; repeated jobs had no fault"));
    folder.run("report r.jsonl").exits(0);
}

/// A device that answers wrongly once and rightly on the repeat: the check agrees, and is flaky.
#[test]
fn an_answer_that_changes_on_repeat_is_flaky() {
    let folder = Folder::with(&[]).with_drivers();
    let flaky = "--plant-fault garbage#151 --retries 3 --jobs 1 --allow-restarts 1000 --junit r.xml";
    let answer = run(&folder, flaky).exits(1);
    let end = end(&folder);
    assert!(end["flaky"].as_u64() >= Some(1) && end["differ"] == 0, "{end}");
    let fault = &end["faults"][0];
    assert_eq!((&fault["kind"], &fault["device"]), (&"answer-changed".into(), &"model".into()), "{end}");
    let check = folder.read("r.jsonl").lines().find(|line| line.contains("answer-changed")).unwrap().to_owned();
    let check: Value = serde_json::from_str(&check).unwrap();
    let both = &check["faults"][0]["answers"][0];
    assert!(check["outcome"] == "agree" && both["first"] != both["repeat"], "{check}");
    let first = format!("Flaky {}::", check["case"].as_str().unwrap().replace('/', "::"));
    let answer = answer.prints(&first);
    assert!(answer.out.contains("differed on repeat on model via model"), "{answer}");
    assert!(folder.read("r.xml").contains("type=\"flaky\"") && folder.read("r.csv").contains(",Flake,"), "{answer}");
    folder.run("report r.jsonl").exits(1).prints(&first);
}

/// A device that dies with every job, even with a shader that does nothing, is soon given up as
/// lost. Every check has a record, and the device has returned no result.
#[test]
fn a_device_that_is_gone_is_given_up() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run arrays/ structs/ --rules std140 --form leaf --device model --json r.jsonl";
    folder.run(words).exits(0);
    let checks = outcomes(&folder).len();
    let answer = folder.run(&format!("{words} --plant-fault crash#1")).exits(3);
    let answer = answer.warns("error: device `model` via model returned no result for ");
    let outcomes = outcomes(&folder);
    let broken = outcomes.iter().filter(|it| it.1 == "broken").count();
    assert!(broken == outcomes.len() && broken == checks && broken > 20, "{answer}");
    let given_up = outcomes.iter().filter(|it| it.2.contains("not run: the device no longer responds")).count();
    assert!(given_up > 5, "{outcomes:?}");
}

/// However many cases kill a worker, the device still works, and all other checks are carried out.
#[test]
fn a_device_that_lives_is_not_given_up() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run arrays/ vectors/ --rules std140 --form leaf --device model --json r.jsonl";
    folder.run(words).exits(0);
    let before = outcomes(&folder);
    folder.run(&format!("{words} --plant-fault crash@arrays/")).exits(1);
    let after = outcomes(&folder);
    assert_eq!(after.len(), before.len());
    assert!(before.iter().any(|it| it.0.starts_with("vectors/") && it.1 == "agree"));
    for (before, after) in before.iter().zip(&after) {
        let expected = if before.0.starts_with("arrays/") { "broken" } else { &before.1 };
        assert_eq!(after.1, expected, "{after:?}");
    }
}

#[test]
fn faults_are_checked_before_anything_runs() {
    let folder = Folder::with(&[]).with_drivers();
    folder.run("run --plant-fault melt@a").exits(2).warns("error: invalid value 'melt@a' for '--plant-fault <FAULT>'");
    folder.run("run --plant-fault crash@a --plant-misreading idle").exits(2).warns("error: the argument");
    folder.run("run --time-limit 0").exits(2).warns("error: invalid value '0' for '--time-limit <SECONDS>'");
}
