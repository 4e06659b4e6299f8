//! Fast compilation: records report where it was used, and the model does without.
//! `tests/installed/drivers.rs` tests lavapipe.

use serde_json::Value;

use super::folder::Folder;

const RUN: &str = "run scalar_packs_behind_the_last_element --rules std140 --producer rspirv --form leaf";

#[test]
fn the_model_compiles_nothing() {
    let folder = Folder::with(&[]);
    for words in ["", " --rotation 1", " --no-fuse"] {
        folder.run(&format!("{RUN} --device model{words} --json a.jsonl")).exits(0);
        let text = folder.read("a.jsonl");
        let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let checks: Vec<&Value> = records.iter().filter(|record| record["type"] == "check").collect();
        let [check] = checks[..] else { panic!("one check in {text}") };
        assert_eq!(check["fast"], Value::Null, "{words}");
    }
}
