//! Records files have one writer: a second one is refused, whichever command it is.
#![cfg(unix)]

use std::time::Duration;

use super::folder::{Folder, Running};

/// Fifteen checks; one of them takes longer than the test.
const HANGS: &str = "run arrays/ --rules std140 --form leaf --device model --plant-fault hang@scalar_packs";

/// How long a busy machine may take for something immediate.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a run that writes `r.jsonl`, and waits until the file has more than `lines` lines.
fn writing<'a>(folder: &'a Folder, words: &str, lines: usize) -> Running<'a> {
    folder.start(words).once(PATIENCE, || folder.has("r.jsonl", |text| text.lines().count() > lines))
}

/// Every other command that writes or resumes `r.jsonl` is refused.
#[track_caller]
fn second_writers_are_refused(folder: &Folder) {
    let before = folder.read("r.jsonl");
    let sentence = "error: r.jsonl is being written by another layoutproof: wait until that ends, or name another file";
    for words in [
        "run vectors/two_pairs_fill --rules std140 --device model --json r.jsonl",
        &format!("{HANGS} --resume r.jsonl"),
        &format!("{HANGS} --resume r.jsonl --json c.jsonl"),
        "report a.jsonl --json r.jsonl",
    ] {
        folder.run(words).exits(2).warns(sentence);
    }
    assert!(folder.read("r.jsonl").starts_with(&before), "{}", folder.read("r.jsonl"));
}

#[test]
fn a_second_writer_is_refused() {
    let folder = Folder::with(&[]).with_drivers();
    folder.run("run vectors/two_pairs_fill --rules std140 --device model --json a.jsonl").exits(0);
    let running = writing(&folder, &format!("{HANGS} --json r.jsonl"), 1);
    second_writers_are_refused(&folder);
    // Readers may look at the file: the run is not over.
    folder.run("report r.jsonl").exits(2).warns("error: r.jsonl: the run was cut short;");
    running.kill();

    // A resumed run replaces the file by another one, which is locked too.
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(folder.path(name)).unwrap());
    let first = inode("r.jsonl");
    let running = folder.start(&format!("{HANGS} --resume r.jsonl"));
    let running = running.once(PATIENCE, || inode("r.jsonl") != first);
    second_writers_are_refused(&folder);
    running.kill();
    folder.run("run vectors/two_pairs_fill --rules std140 --device model --json r.jsonl").exits(0);
}
