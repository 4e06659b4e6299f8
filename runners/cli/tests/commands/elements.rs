//! Which array elements a run probes, and how it reports the others.

use serde_json::Value;

use super::folder::Folder;

const FILE: &str = "cbuffer S { float4 a[16]; float b; };";

/// The distinct leaf paths in the records of `r.jsonl`, without components, and the record of the
/// check.
fn probed(folder: &Folder) -> (Vec<String>, Value) {
    let text = folder.read("r.jsonl");
    let check: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    let rows = check["rows"].as_array().unwrap();
    let mut paths: Vec<String> = Vec::new();
    for row in rows {
        let path = row["path"].as_str().unwrap().trim_end_matches(['x', 'y', 'z', 'w']).trim_end_matches('.');
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    (paths, check)
}

#[test]
fn a_sample_is_probed_and_the_other_elements_are_counted() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let answer = folder.run("run a.hlsl --rules std140 --device model --json r.jsonl -v").exits(0);
    let (paths, check) = probed(&folder);
    assert_eq!(paths, ["S.a[0]", "S.a[1]", "S.a[8]", "S.a[15]", "S.b"]);
    // Four components for each of twelve elements.
    assert_eq!(check["leaves_not_probed"], 48);
    assert_eq!(check["leaves"], 17);
    assert_eq!(check["not_checked"][0], "leaves not probed (48 in other elements of arrays)");
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    assert_eq!(end["leaves_not_probed"], 48);
    let left_out = "not checked: leaves not probed (48 in other elements of arrays)";
    assert!(answer.out.contains(left_out), "{answer}");
    answer.prints("note: 48 leaves were not probed: in arrays only the first, second, middle and");
}

#[test]
fn every_element_can_be_asked_for() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let words = "run a.hlsl --rules std140 --device model --json r.jsonl --every-element";
    let answer = folder.run(words).exits(0);
    let (paths, check) = probed(&folder);
    let all = (0..16).map(|index| format!("S.a[{index}]")).chain(["S.b".to_owned()]);
    assert_eq!(paths, all.collect::<Vec<_>>());
    assert_eq!((&check["leaves_not_probed"], &check["leaves"]), (&Value::Null, &65.into()));
    assert!(!answer.out.contains("not probed"), "{answer}");
}

/// Elements between the probed ones still appear in the layout.
#[test]
fn a_layout_has_every_element() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run("show a.hlsl --rules std140").exits(0).prints("float4 a[16] // 16 256 0");
}

#[test]
fn short_arrays_leave_nothing_out() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float4 a[4]; float2 b[3][2]; };")]);
    let answer = folder.run("run a.hlsl --rules std140 --device model --json r.jsonl").exits(0);
    assert_eq!(probed(&folder).1["leaves_not_probed"], Value::Null);
    assert!(!answer.out.contains("not probed"), "{answer}");
}

/// The command that a failure prints reproduces it.
#[test]
fn the_command_to_run_again_asks_for_the_same_elements() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let words = "run a.hlsl --rules std140 --device model --plant-misreading array-stride-four";
    let again = "again layoutproof run a.hlsl --rules std140 --compiler rspirv --device model --api model";
    let planted = "--plant-misreading array-stride-four -vv";
    folder.run(words).exits(1).prints(&format!("{again} {planted}"));
    folder.run(&format!("{words} --every-element")).exits(1).prints(&format!("{again} --every-element {planted}"));
}
