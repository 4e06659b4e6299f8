//! Fast compilation: records say where it was, `--no-fuse` and other devices are without.

use serde_json::Value;

use super::folder::Folder;

const RUN: &str = "run scalar_packs_behind_the_last_element --rules std140 --producer rspirv --form leaf";

/// The value of `fast` in the one record that a run with these words writes; `None` where the device is not here.
fn fast(folder: &Folder, words: &str) -> Option<Value> {
    let answer = folder.run(&format!("{RUN} {words} --json a.jsonl"));
    if answer.err.contains("is required and not here") {
        answer.exits(3);
        return None;
    }
    answer.exits(0);
    let text = folder.read("a.jsonl");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let checks: Vec<&Value> = records.iter().filter(|record| record["type"] == "check").collect();
    let [check] = checks[..] else { panic!("one check in {text}") };
    Some(check["fast"].clone())
}

#[test]
fn the_model_compiles_nothing() {
    let folder = Folder::with(&[]);
    for words in ["", " --rotation 1", " --no-fuse"] {
        assert_eq!(fast(&folder, &format!("--device model{words}")), Some(Value::Null), "{words}");
    }
}

/// Whether lavapipe is here or not: of two rotations one at least is not the check's turn.
#[test]
fn lavapipe_compiles_fast_but_for_the_share_and_where_nobody_wants_it() {
    let folder = Folder::with(&[]).with_drivers();
    let on = |words: &str| fast(&folder, &format!("--device lavapipe --runner ash {words}"));
    let Some(own) = on("--no-fuse") else { return };
    assert_eq!(own, Value::Null);
    assert!(["--rotation 0", "--rotation 1"].iter().any(|words| on(words) == Some(Value::Bool(true))));
    let folder = Folder::with(&[]).with_drivers().with_variable("GALLIVM_PERF", "no_brilinear");
    let user = |words: &str| fast(&folder, &format!("--device lavapipe --runner ash {words}"));
    assert!(["--rotation 0", "--rotation 1"].iter().all(|words| user(words) == Some(Value::Null)));
}
