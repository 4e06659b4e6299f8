//! Lists of known differences: a known difference is not a failure, but an entry that matches none
//! is.

use super::folder::Folder;

/// A list with one entry, which begins in the second line.
fn list(entry: &str) -> String {
    format!("# Written by hand.\n[[known]]\n{entry}\nreason = \"the model was told to misread\"\n")
}

const CASE: &str = "run vectors/two_pairs_fill_a_register --rules std140 --device model";
const PLANTED: &str =
    "run vectors/two_pairs_fill_a_register --rules std140 --device model --plant-misreading neighbours-swapped";

#[test]
fn a_known_difference_is_no_failure() {
    let folder = Folder::with(&[("known.toml", &list("device = \"model\"\nculprit = \"device\""))]);
    folder.run(PLANTED).exits(1);
    let answer = folder.run(&format!("{PLANTED} --known known.toml -v --json r.jsonl")).exits(0);
    let answer = answer.prints("ok 1 check differs by known bugs only");
    assert!(answer.out.contains("known.toml:2: the model was told to misread"), "{answer}");
    assert!(folder.read("r.jsonl").contains("\"outcome\":\"known\""));
}

/// A copy of a case's file is that case, whatever its name; an edited copy is not known to any
/// list.
#[test]
fn a_case_file_has_the_known_differences_of_its_case() {
    let case = include_str!("../../../../cases/vectors/two_pairs_fill_a_register.toml");
    let changed = format!("{case}# Changed.\n");
    let entry = list("case = \"vectors/two_pairs_fill_a_register\"");
    let folder = Folder::with(&[("known.toml", &entry), ("copied.toml", case), ("changed.toml", &changed)]);
    let planted = "--rules std140 --device model --plant-misreading neighbours-swapped --known known.toml";
    folder.run(&format!("run copied.toml {planted}")).exits(0).prints("ok 1 check differs by known bugs only");
    folder.run(&format!("run changed.toml {planted}")).exits(1).prints("FAIL 1 differs");
}

/// Contract: a filtered run reports an entry that no longer differs, and ends with 0.
#[test]
fn a_filtered_run_calls_no_entry_stale() {
    let folder = Folder::with(&[("known.toml", &list("device = \"model\""))]);
    let answer = folder.run(&format!("{CASE} --known known.toml --json r.jsonl")).exits(0);
    let answer = answer.prints("Fixed here: known.toml:2: 1 check agrees: the model was told to misread");
    answer.prints("ok 1 check agrees");
    assert!(!folder.read("r.jsonl").contains("\"outcome\":\"stale\""));
    // Checks that did not run in every form of access may differ in another form.
    let some = folder.run(&format!("{CASE} --form leaf --known known.toml")).exits(0);
    assert!(!some.out.contains("Fixed") && !some.out.contains("Stale"), "{some}");
}

/// Contract: a known entry is stale only if its checks ran.
#[test]
fn an_entry_whose_checks_did_not_run_is_not_stale() {
    for entry in ["device = \"radv\"", "case = \"arrays/*\"", "rules = \"wgsl-*\"", "producer = \"naga\""] {
        let folder = Folder::with(&[("known.toml", &list(entry))]);
        folder.run(&format!("{CASE} --known known.toml")).exits(0).prints("ok 1 check agrees");
        folder.run(&format!("{PLANTED} --known known.toml")).exits(1).prints("FAIL 1 differs");
    }
}

#[test]
fn an_entry_for_another_culprit_or_driver_explains_nothing() {
    for entry in ["device = \"model\"\nculprit = \"compiler\"", "driver = \">= 99\""] {
        let folder = Folder::with(&[("known.toml", &list(entry))]);
        folder.run(&format!("{PLANTED} --known known.toml")).exits(1).prints("FAIL 1 differs");
    }
}

/// An entry without a selector would excuse all future differences; one without a reason could
/// never be removed.
#[test]
fn an_entry_says_what_it_is_about_and_why() {
    let everything = "error: the entry is about every check: ";
    for (entry, message) in [
        ("reason = \"so it is\"", everything),
        ("case = \"*\"\nreason = \"so it is\"", everything),
        ("culprit = \"device\"\nreason = \"so it is\"", everything),
        ("case = \"vectors/*\"\nreason = \"  \"", "error: `reason` says why the checks may differ; it is blank"),
        ("case = \"vectors/*\"\nsays = \"*\"\nreason = \"so it is\"", "error: `says` needs a word"),
    ] {
        let folder = Folder::with(&[("known.toml", &format!("[[known]]\n{entry}\n"))]);
        let answer = folder.run(&format!("{PLANTED} --known known.toml")).exits(2).warns(message);
        assert!(answer.err.contains("[known.toml:"), "{answer}");
    }
}

/// A known wrong offset on a device does not excuse a crash.
#[cfg_attr(not(unix), ignore = "the message about a dead process is the one of Unix")]
#[test]
fn an_entry_excuses_a_crash_only_in_its_words() {
    let crash = "run arrays/s --rules std140 --form leaf --device model --plant-fault crash@scalar_packs";
    for (says, code) in [("", 1), ("\nsays = \"*SIGSEGV*\"", 1), ("\nsays = \"*SIGABRT*\"", 0)] {
        let entry = list(&format!("case = \"arrays/scalar_packs_behind_the_last_element\"{says}"));
        let folder = Folder::with(&[("known.toml", &entry)]).with_drivers();
        folder.run(&format!("{crash} --known known.toml")).exits(code);
    }
}

#[test]
fn a_folder_of_lists_is_read_whole() {
    let folder = Folder::with(&[]);
    std::fs::create_dir(folder.path("known")).unwrap();
    folder.write("known/a.toml", list("case = \"arrays/*\"").as_bytes());
    folder.write("known/b.toml", list("case = \"vectors/*\"").as_bytes());
    folder.write("known/notes.txt", b"no list");
    folder.run(&format!("{PLANTED} --known known")).exits(0).prints("ok 1 check differs by known bugs only");
}

/// The way of a driver team: what differs becomes a list, which is refused until its reasons are
/// written, and holds until something changes.
#[test]
fn a_saved_list_needs_reasons_and_holds_until_something_changes() {
    let folder = Folder::with(&[]);
    let run = "run vectors/two --rules std140 --device model";
    let planted = format!("{run} --plant-misreading neighbours-swapped");
    folder.run(&format!("{planted} --save-known new.toml --json r.jsonl")).exits(1).prints("FAIL 2 differ");
    let list = folder.read("new.toml");
    assert!(list.contains("# 2 checks, for example vectors::"), "{list}");
    let version = env!("CARGO_PKG_VERSION");
    for line in ["device = \"model\"", "culprit = \"device\"", "reason = \"\"", &format!("driver = \"= {version}\"")] {
        assert_eq!(list.lines().filter(|of_list| of_list == &line).count(), 1, "{line} in {list}");
    }
    folder.run("report r.jsonl --save-known again.toml").exits(1);
    assert_eq!(folder.read("again.toml"), list);

    let refused = folder.run(&format!("{planted} --known new.toml")).exits(2);
    refused.warns("error: `reason` says why the checks may differ; it is blank");
    folder.write("ours.toml", list.replace("reason = \"\"", "reason = \"we know\"").as_bytes());
    folder.run(&format!("{planted} --known ours.toml")).exits(0).prints("ok 2 checks differ by known bugs only");

    // The same fault in other cases is something new.
    folder.run(&format!("{} --known ours.toml", planted.replace("/two", "/"))).exits(1).prints("FAIL 9 differ");
    let fixed = folder.run(&format!("{run} --known ours.toml --save-known none.toml")).exits(0);
    fixed.prints("Fixed here: ours.toml:");
    assert!(folder.read("none.toml").contains("# Nothing differed."));
}
