//! Which spaces and stages a run has: a core by itself, all of them for who asks.

use std::collections::BTreeSet;

use super::folder::Folder;

const FILE: &str = "struct T { float3 a; float b; }; StructuredBuffer<T> S;";

/// Space and stage of the rows of a run on the model device.
fn places(words: &str) -> BTreeSet<(String, String)> {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run(&format!("run {words} --device model --json r.jsonl")).exits(0);
    let text = folder.read("r.jsonl");
    let checks = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let rows = checks.flat_map(|check| check["rows"].as_array().cloned().unwrap_or_default());
    let places = rows.filter_map(|row| {
        let space = row["space"].as_str()?.to_owned();
        Some((space, row["stage"].as_str().unwrap_or("compute").to_owned()))
    });
    places.collect()
}

fn named(places: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    places.iter().map(|(space, stage)| ((*space).to_owned(), (*stage).to_owned())).collect()
}

/// A file has no rule set of its own, so each that it is checked under is in the core.
#[test]
fn a_core_is_probed_everywhere() {
    let all = [("push-constant", "compute"), ("storage", "compute"), ("uniform", "compute")];
    let storage =
        [("storage", "fragment"), ("storage", "vertex"), ("storage-element", "compute"), ("address", "compute")];
    let uniform = [("uniform", "fragment"), ("uniform", "vertex"), ("uniform-element", "compute")];
    assert_eq!(places("a.hlsl --rules scalar"), named(&[&all[..], &storage].concat()));
    assert_eq!(places("a.hlsl --rules std140,wgsl-uniform"), named(&[&all[..], &uniform].concat()));
}

#[test]
fn a_case_has_one_rule_set_in_the_core() {
    let case = "arrays/scalar_packs_behind_the_last_element";
    let folder = Folder::with(&[]);
    folder.run(&format!("run {case} --device model --json r.jsonl")).exits(0);
    let text = folder.read("r.jsonl");
    let checks = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let drawn = checks.filter(|check| {
        let rows = check["rows"].as_array().cloned().unwrap_or_default();
        rows.iter().any(|row| row["stage"] == "vertex")
    });
    assert_eq!(drawn.count(), 1);
}

#[test]
fn spaces_and_stages_can_be_named() {
    assert_eq!(places("a.hlsl --rules std140 --space address"), named(&[("address", "compute")]));
    let drawn = places("a.hlsl --rules scalar --stage vertex --space uniform,address");
    assert_eq!(drawn, named(&[("uniform", "vertex")]));
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run("run a.hlsl --space texture").exits(2).warns(
        "error: unknown space `texture`; known are uniform, storage, push-constant, uniform-element, storage-element, \
         address",
    );
    folder
        .run("run a.hlsl --stage mesh")
        .exits(2)
        .warns("error: unknown stage `mesh`; known are compute, vertex, fragment");
}

/// `T` takes 16 bytes, so two of them are in the range that ends with the second, and in one that is 12 bytes longer.
#[test]
fn the_length_of_an_array_is_a_row() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run("run a.hlsl --rules scalar --device model --form length --json r.jsonl").exits(0);
    let text = folder.read("r.jsonl");
    let check: serde_json::Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    let row = &check["rows"][0];
    assert_eq!((&row["what"], &row["path"], &row["form"]), (&"array-length".into(), &"S".into(), &"length".into()));
    assert_eq!((&row["computed"], &row["compiled"], &row["observed"]), (&2.into(), &2.into(), &2.into()));
}
