//! The spaces and stages of a run: a file's block has its own space, a core of the cases has more,
//! and options request all.

use std::collections::BTreeSet;

use super::folder::Folder;

const FILE: &str = "struct T { float3 a; float b; }; StructuredBuffer<T> S;";

/// Space and stage of the rows of a run on the model device.
fn places(words: &str) -> BTreeSet<(String, String)> {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run(&format!("run {words} --device model --json r.jsonl")).exits(0);
    places_of(&folder.read("r.jsonl"))
}

/// Space and stage of the rows of records.
fn places_of(text: &str) -> BTreeSet<(String, String)> {
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

/// Every stage of one space.
fn every_stage(space: &'static str) -> [(&'static str, &'static str); 3] {
    ["compute", "vertex", "fragment"].map(|stage| (space, stage))
}

/// The space does not depend on the rule set.
#[test]
fn a_block_of_a_file_is_probed_in_the_space_that_it_is_for() {
    for rules in ["scalar", "std140,wgsl-uniform"] {
        assert_eq!(places(&format!("a.hlsl --rules {rules}")), named(&every_stage("storage")));
    }
    let of_file = |text: &str| {
        let folder = Folder::with(&[("a.hlsl", text)]);
        folder.run("run a.hlsl --rules scalar --device model --json r.jsonl").exits(0);
        places_of(&folder.read("r.jsonl"))
    };
    let uniform = named(&every_stage("uniform"));
    assert_eq!(of_file("cbuffer S { float a; };"), uniform);
    assert_eq!(of_file("struct T { float a; }; ConstantBuffer<T> s;"), uniform);
    assert_eq!(of_file("float a;"), uniform);
    assert_eq!(of_file("struct T { float a; }; [[vk::push_constant]] T s;"), named(&[("push-constant", "compute")]));
    assert_eq!(of_file("tbuffer S { float a; };"), named(&every_stage("storage")));
    let traced = TRACED.map(|stage| ("shader-record", stage));
    let in_both = named(&[&every_stage("storage")[..], &traced].concat());
    assert_eq!(of_file("struct T { float a; }; [[vk::shader_record_ext]] ConstantBuffer<T> s;"), in_both);
    let both = of_file("cbuffer S { float a; }; RWStructuredBuffer<float> t;");
    assert_eq!(both, named(&[every_stage("uniform"), every_stage("storage")].concat()));
}

/// The stages with shader records.
const TRACED: [&str; 6] = ["raygeneration", "callable", "miss", "closesthit", "anyhit", "intersection"];

#[test]
fn all_spaces_can_be_asked_for() {
    let others = [
        "uniform-element",
        "storage-element",
        "address",
        "push-constant",
        "workgroup",
        "inline-uniform",
        "heap-uniform",
        "heap-storage",
    ]
    .map(|space| (space, "compute"));
    let compute = [&others[..], &[("uniform", "compute"), ("storage", "compute")]].concat();
    assert_eq!(places("a.hlsl --rules scalar --space all --stage compute"), named(&compute));
    let drawn = [("storage", "vertex"), ("storage", "fragment")];
    let traced = TRACED.map(|stage| ("shader-record", stage));
    assert_eq!(places("a.hlsl --rules scalar --space all"), named(&[&compute[..], &drawn, &traced].concat()));
}

#[test]
fn a_case_has_one_rule_set_in_the_core() {
    let case = "arrays/scalar_packs_behind_the_last_element";
    let folder = Folder::with(&[]);
    folder.run(&format!("run {case} --device model --json r.jsonl --records full")).exits(0);
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
    folder
        .run("run a.hlsl --space texture")
        .exits(2)
        .warns("error: unknown space `texture`; `layoutproof run --help` lists them");
    folder
        .run("run a.hlsl --stage mesh")
        .exits(2)
        .warns("error: unknown stage `mesh`; `layoutproof run --help` lists them");
}

/// `T` has 16 bytes, so the range that ends after the second element holds two, and so does one
/// that is 12 bytes longer.
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
