//! Runs that are cut short and resumed.

use std::time::Duration;

use super::folder::Folder;
use super::records::redacted;

/// Some eighty checks on the model. Those differ whose arrays have elements of less than 16 bytes.
const RUN: &str = "run vectors/ arrays/ structs/ --rules std140,scalar --form leaf --device model \
                   --plant-misreading array-stride-sixteen";

/// The report without its times: those of the devices, in a column with one decimal, and that of
/// the whole run, at the end of the summary.
pub(crate) fn untimed(report: &str) -> String {
    let is_time = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    let line = |line: &str| {
        let words = line.split_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ");
        words.strip_suffix(" s").unwrap_or(&words).to_owned()
    };
    report.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// However many records a run has written, resuming it gives the same report and the same file. The
/// file is all that the user needs to name.
#[test]
fn a_run_that_was_cut_short_goes_on() {
    let folder = Folder::with(&[]);
    let report = untimed(&folder.run(&format!("{RUN} --json whole.jsonl")).exits(1).out);
    let whole = folder.read("whole.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let header = lines[0].len() + 1;
    // Without the end line, which counts all checks.
    let lines_with_holes = lines[..lines.len() - 1].iter().enumerate().filter(|(index, _)| index % 3 != 2);
    let holes: Vec<&str> = lines_with_holes.map(|(_, line)| *line).collect();
    for (what, cut) in [
        ("the first line", whole[..header].to_owned()),
        ("half a record", whole[..header + 100].to_owned()),
        ("half of all", whole[..whole.len() / 2].to_owned()),
        ("all but the end", whole[..whole.len() - lines[lines.len() - 1].len() - 1].to_owned()),
        ("all", whole.clone()),
        ("a file with gaps", holes.join("\n") + "\n"),
    ] {
        folder.write("r.jsonl", cut.as_bytes());
        let command = if what == "all" { RUN } else { "run" };
        let resumed = folder.run(&format!("{command} --resume r.jsonl")).exits(1);
        assert_eq!(untimed(&resumed.out).replace("r.jsonl", "whole.jsonl"), report, "{what}");
        assert!(redacted(&folder.read("r.jsonl")) == redacted(&whole), "{what} went on to another file");
    }
}

/// A check with a record is not run again: here the records claim that a check broke.
#[test]
fn what_is_done_is_not_done_again() {
    let folder = Folder::with(&[]);
    folder.run("run vectors/two_pairs --rules std140 --device model --json a.jsonl --records full").exits(0);
    let whole = folder.read("a.jsonl");
    // Without the end line, which counts the agreeing checks.
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let broke = lines[..2].concat().replace(r#""outcome":"agree""#, r#""outcome":"broken""#);
    let broke = broke.replace(r#""skip_reason":null"#, r#""skip_reason":"device lost""#);
    folder.write("b.jsonl", broke.as_bytes());
    let words = "run vectors/two_pairs --rules std140 --device model --resume b.jsonl --json c.jsonl";
    folder.run(words).exits(1).prints("FAIL 1 broken");
    assert!(folder.read("c.jsonl").contains(r#""outcome":"broken""#));
    assert_eq!(folder.read("b.jsonl"), broke, "with --json, the records that are gone on with stay as they are");
}

#[test]
fn a_run_that_is_killed_goes_on() {
    let folder = Folder::with(&[]);
    let report = untimed(&folder.run(&format!("{RUN} --json whole.jsonl")).exits(1).out);
    let lines = |text: &str| text.lines().count();
    let words = format!("{RUN} --json r.jsonl");
    folder.start(&words).once(Duration::from_secs(30), || folder.has("r.jsonl", |text| lines(text) > 5)).kill();
    assert!(lines(&folder.read("r.jsonl")) < lines(&folder.read("whole.jsonl")), "the run was over before the kill");
    let resumed = folder.run(&format!("{RUN} --resume r.jsonl")).exits(1);
    assert_eq!(untimed(&resumed.out).replace("r.jsonl", "whole.jsonl"), report);
    assert!(redacted(&folder.read("r.jsonl")) == redacted(&folder.read("whole.jsonl")));
}

#[test]
fn records_of_another_run_are_refused() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };")]);
    folder.run("run a.hlsl --rules std140 --device model --json r.jsonl").exits(0);
    let refused = |words: &str, sentence: &str| {
        let answer = folder.run(&format!("run {words} --resume r.jsonl")).exits(2);
        assert!(answer.err.contains("r.jsonl is of another run") && answer.err.contains(sentence), "{answer}");
    };
    refused("a.hlsl --rules std140,std430 --device model", "argument rules: `std140` there, `std140,std430` here");
    refused("a.hlsl --rules std140 --device model --form leaf", "argument form: `nothing` there, `leaf` here");
    // These options change how drivers compile.
    refused("a.hlsl --rules std140 --device model --rotation 3", "argument rotation: `nothing` there, `3` here");
    refused("a.hlsl --rules std140 --device model --no-fuse", "argument no_fuse: `nothing` there, `true` here");
    let newer = folder.read("r.jsonl").replace(r#""layoutproof":"0"#, r#""layoutproof":"9"#);
    folder.write("newer.jsonl", newer.as_bytes());
    let answer = folder.run("run a.hlsl --rules std140 --device model --resume newer.jsonl").exits(2);
    assert!(answer.err.contains("layoutproof: `9.1.0` there"), "{answer}");
    folder.write("a.hlsl", b"cbuffer S { float a, b; };");
    refused("a.hlsl --rules std140 --device model", "texts of cases, files and lists:");
    folder.run("run a.hlsl --device model --resume nosuch.jsonl").exits(2).warns("error: reading nosuch.jsonl:");
    folder.write("empty.jsonl", b"");
    folder
        .run("run a.hlsl --device model --resume empty.jsonl")
        .exits(2)
        .warns("error: cannot resume: empty.jsonl holds the records of 0 runs");
}

/// A list's entry is stale only after all its checks have run, so it changes lines that were
/// already written.
#[test]
fn stale_entries_are_in_the_file_too() {
    let list = "[[known]]\ndevice = \"model\"\nreason = \"was so once\"\n";
    // Only a run of all cases calls an entry stale.
    let folder = Folder::with(&[("known.toml", list)]).within(Duration::from_secs(300));
    let words = "run --device model --no-compiler --known known.toml";
    let report = folder.run(&format!("{words} --json whole.jsonl")).exits(1);
    let whole = folder.read("whole.jsonl");
    assert!(whole.contains(r#""outcome":"stale""#), "{report}");
    let resumed = folder.run(&format!("{words} --resume whole.jsonl")).exits(1);
    assert_eq!(untimed(&resumed.out), untimed(&report.out));
    assert!(redacted(&folder.read("whole.jsonl")) == redacted(&whole));
}

/// An output that is not a file cannot be corrected later, so it gets all lines at the end.
#[cfg_attr(not(unix), ignore = "there is no /dev/stdout")]
#[test]
fn records_can_go_to_standard_output() {
    let folder = Folder::with(&[]);
    let answer = folder.run("run vectors/two_pairs --rules std140 --device model --json /dev/stdout").exits(0);
    assert!(answer.out.contains("\n{\"type\":\"end\""), "{answer}");
}
