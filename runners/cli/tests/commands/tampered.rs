//! Records that contradict themselves: `report` and `run --resume` refuse them and name the line.

use super::folder::Folder;

/// Two checks on the model, which agree.
const RUN: &str = "run arrays/scalar_packs_behind vectors/two_pairs_fill --rules std140 --form leaf --device model";

/// Both commands refuse the records with this message.
#[track_caller]
fn refused(folder: &Folder, records: &str, sentence: &str) {
    folder.write("b.jsonl", records.as_bytes());
    for words in ["report b.jsonl", &format!("{RUN} --resume b.jsonl")] {
        let answer = folder.run(words).exits(2);
        assert!(answer.err.contains(&format!("error: b.jsonl: line {sentence}")), "no `{sentence}` in {answer}");
        assert_eq!(answer.out, "");
    }
    assert_eq!(folder.read("b.jsonl"), records, "what is refused stays as it is");
}

/// A line with the first occurrence of a text replaced.
#[track_caller]
fn edited(line: &str, from: &str, to: &str) -> String {
    assert!(line.contains(from), "no `{from}` in {line}");
    line.replacen(from, to, 1)
}

#[test]
fn an_outcome_follows_from_its_rows() {
    let folder = Folder::with(&[]);
    folder.run(&format!("{RUN} --json a.jsonl --records full")).exits(0);
    folder.run("report a.jsonl").exits(0).prints("ok 2 checks agree");
    let whole = folder.read("a.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let name = "2: `arrays::scalar_packs_behind_the_last_element::std140::rspirv::model::model` contradicts itself: ";
    for (from, to, sentence) in [
        (r#""outcome":"agree""#, r#""outcome":"differ""#, "it differs, but names no culprit"),
        (r#""outcome":"agree""#, r#""outcome":"known""#, "it is `known`, but names no known-list entry"),
        (r#""outcome":"agree""#, r#""outcome":"stale""#, "it is `stale`, but names no known-list entry"),
        (r#""outcome":"agree""#, r#""outcome":"skipped""#, "it is skipped without a reason"),
        (r#""observed":0"#, r#""observed":4"#, "its outcome is `agree`, but its rows differ"),
        (r#""expected":0"#, r#""expected":4"#, "its outcome is `agree`, but its rows differ"),
        (r#""validation":""#, r#""validation":"error: "#, "its outcome is `agree`, but its rows differ"),
        (r#""culprit":null"#, r#""culprit":"device""#, "it agrees, but names a culprit"),
        (r#""skip_reason":null"#, r#""skip_reason":"lost""#, "it agrees, but has a reason for not running"),
        (r#""proves":"decorations""#, r#""proves":"native""#, "`rspirv` proves `decorations` here, not `native`"),
        (r#""device":"model""#, r#""device":"lavapipe""#, "the first line does not list its device"),
        (r#""leaves":"#, r#""leaves":9"#, "it counts 9"),
    ] {
        let name =
            name.replace("model::model", if to.contains("lavapipe") { "lavapipe::model" } else { "model::model" });
        // A killed run has no totals that could contradict its checks.
        let records = [lines[0], &edited(lines[1], from, to)].concat();
        refused(&folder, &records, &format!("{name}{sentence}"));
    }
}

#[test]
fn totals_are_those_of_the_checks() {
    let folder = Folder::with(&[("textures.hlsl", "Texture2D a; SamplerState b;")]);
    folder.run(&format!("{RUN} --json a.jsonl")).exits(0);
    let whole = folder.read("a.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let totals = "4: the totals do not match the checks: ";
    for (from, to, sentence) in [
        (r#""checks":2"#, r#""checks":3"#, "`checks` is 3, not 2"),
        (r#""agree":2"#, r#""agree":1"#, "`agree` is 1, not 2"),
        (r#""differ":0"#, r#""differ":1"#, "`differ` is 1, not 0"),
        (r#""known":0"#, r#""known":0,"untried":1"#, "`untried` is 1, not 0"),
        (r#""skipped":0"#, r#""skipped":0,"not_applicable":1"#, "`not_applicable` is 1, not 0"),
        (r#""leaves":0"#, r#""leaves":7"#, "`leaves` is 7, not 0"),
        (r#""devices":[]"#, r#""devices":["lavapipe via ash"]"#, "`devices` differ"),
        (r#""proves":{}"#, r#""proves":{"native":1}"#, "`proves` has other counts"),
        (r#""proves":{}"#, r#""proves":{},"bound":{"lavapipe via ash":1}"#, "`bound` has other counts"),
    ] {
        let records = [&lines[..3].concat(), &edited(lines[3], from, to)].map(String::as_str).concat();
        refused(&folder, &records, &format!("{totals}{sentence}"));
    }
    refused(&folder, &[lines[0], lines[1], lines[3]].concat(), "3: the totals do not match the checks: `checks` is 2");
}

#[test]
fn one_file_holds_one_run() {
    let folder = Folder::with(&[]);
    folder.run(&format!("{RUN} --json a.jsonl")).exits(0);
    let whole = folder.read("a.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let behind = "this line comes after the end of the run; one file holds one run";
    refused(&folder, &format!("{whole}{whole}"), &format!("5: {behind}"));
    refused(&folder, &format!("{whole}{}", lines[3]), &format!("5: {behind}"));
    refused(&folder, &format!("{}{whole}", lines[0]), "2: this first line is in the file twice");
    let other = edited(lines[0], r#""cases":2"#, r#""cases":3"#);
    let within = "3: another run begins before this one has ended; one file holds one run, and `layoutproof report A B` merges files";
    refused(&folder, &[lines[0], lines[1], &other, lines[2]].concat(), within);
    refused(&folder, &lines[1..].concat(), "1: the first line of a run is missing");
}
