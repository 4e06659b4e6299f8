//! Ctrl-C and other signals, and other interruptions of a run from outside.
#![cfg(unix)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::bad_compilers::with_dxc;
use super::folder::Folder;
use super::records::{checks, redacted};

/// Checks of many cases, one of which never ends.
const HANGS: &str =
    "run arrays/ --rules std140 --form leaf --device model --plant-fault hang@scalar_packs --json r.jsonl";

/// The same checks, all of which end.
const ENDS: &str = "run arrays/ --rules std140 --form leaf --device model --json whole.jsonl";

/// How long a busy machine may take for something immediate.
const PATIENCE: Duration = Duration::from_secs(20);

/// Supervisors send SIGTERM, a closed terminal sends SIGHUP.
#[test]
fn the_first_ends_the_run_with_a_report_of_what_is_done() {
    // A program starts with the signals ignored that its parent ignores, as under `nohup`, but not with
    // those that its parent handles.
    let is_default = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(signal_hook::consts::SIGHUP, is_default).unwrap();
    for signal in ["INT", "TERM", "HUP"] {
        ends_with_a_report_at(signal);
    }
}

#[track_caller]
fn ends_with_a_report_at(signal: &str) {
    let folder = Folder::with(&[]).with_drivers();
    // The records after the hanging one wait for it.
    let running = folder.start(&format!("{HANGS} --junit r.xml --csv r.csv --sarif r.sarif"));
    let running = running.once(PATIENCE, || folder.has("r.jsonl", |text| checks(text) > 0));
    running.signal(signal);
    let answer = running.ends().exits(2);
    let done = checks(&folder.read("r.jsonl"));
    folder.run(ENDS).exits(0);
    let all = checks(&folder.read("whole.jsonl"));
    assert!(done > 0 && done < all, "{answer}");
    let left = all - done;
    let counted = if left == 1 { "1 check".to_owned() } else { format!("{left} checks") };
    let answer = answer.prints(&format!("incomplete interrupted: {counted} not done; {done} check"));
    answer.warns(&format!("error: the run was interrupted: {counted} not done"));
    let end = folder.read("r.jsonl").lines().last().unwrap_or_default().to_owned();
    assert!(end.contains(&format!("\"checks\":{done},\"not_done\":{left},")), "{end}");
    // No format takes what is done for the whole.
    let sentence = format!("the run was interrupted: {counted} not done");
    let told = "report r.jsonl --junit told.xml --csv told.csv --sarif told.sarif";
    folder.run(told).exits(2).warns(&format!("error: {sentence}"));
    for name in ["r", "told"] {
        let junit = folder.read(&format!("{name}.xml"));
        assert!(junit.contains(&format!("<error message=\"{sentence}\" type=\"incomplete\">")), "{junit}");
        assert!(folder.read(&format!("{name}.csv")).ends_with("layoutproof::run,Missing,0.000\n"));
        let sarif: Value = serde_json::from_str(&folder.read(&format!("{name}.sarif"))).unwrap();
        assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false, "{sarif}");
    }
    no_process_is_left(&folder);
}

#[test]
fn what_is_left_can_be_done_later() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run vectors/ arrays/ structs/ --rules std140,scalar --form leaf --device model";
    folder.run(&format!("{words} --json whole.jsonl")).exits(0);
    let whole = folder.read("whole.jsonl");
    let running = folder.start(&format!("{words} --json r.jsonl --junit r.xml --time-limit 50"));
    let running = running.once(PATIENCE, || folder.has("r.jsonl", |text| checks(text) > 3));
    running.signal("INT");
    running.ends().exits(2);
    assert!(checks(&folder.read("r.jsonl")) < checks(&whole), "the run was over before the signal");
    let answer = folder.run("run --resume r.jsonl").exits(0);
    let answer = answer.warns("note: records select checks alone, so --time-limit 50 of r.jsonl is not taken");
    answer.warns("note: --junit of the earlier run is written again only if typed with its file");
    assert!(redacted(&folder.read("r.jsonl")) == redacted(&whole));
    // As the note says.
    let again = folder.run("run --resume r.jsonl --time-limit 40").exits(0);
    assert!(!again.err.contains("--time-limit"), "{again}");
}

/// The end of the run ends the compilers too, which shows no fault of theirs.
#[test]
fn fuzzing_finds_nothing_in_what_it_ends() {
    for more in ["", " --bindings"] {
        let folder = with_dxc("touch \"$(dirname \"$0\")/begun\"; exec sleep 600");
        let running = folder.start(&format!("dev fuzz --compiler dxc --count 400{more}"));
        let running = running.once(PATIENCE, || folder.path("begun").exists());
        running.signal("INT");
        let answer = running.ends().exits(2);
        assert!(answer.out.contains("  0 checks agreed, 0 failed\n"), "{answer}");
        assert!(answer.out.contains("  stopped before number 0: interrupted\n"), "{answer}");
        assert!(!folder.path("fuzz-found").exists(), "{answer}");
    }
}

/// While shaders of 4000 members are written, no code checks for the first signal.
#[test]
fn the_second_ends_it_at_once() {
    ends_at_once_at("INT", 130);
    ends_at_once_at("TERM", 143);
}

#[track_caller]
fn ends_at_once_at(signal: &str, code: i32) {
    let members = (0..4000).fold(String::new(), |text, index| text + &format!("float3 m{index};"));
    let folder = Folder::with(&[("a.hlsl", &format!("cbuffer S {{ {members} }};"))]).with_drivers();
    let running = folder.start("run a.hlsl --rules std140 --device model --json r.jsonl");
    let running = running.once(PATIENCE, || folder.has("r.jsonl", |_| true));
    running.signal("INT");
    let running =
        running.once(PATIENCE, || folder.has(".err", |text| text.contains("interrupt again to stop at once")));
    running.signal(signal);
    running.ends().exits(code);
}

/// `nohup` starts a run like this.
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux says which signals are ignored")]
#[test]
fn a_run_that_is_to_survive_its_terminal_does() {
    let folder = Folder::with(&[]).with_drivers();
    let running = folder.start_without_hangup(HANGS);
    let running = running.once(PATIENCE, || folder.has("r.jsonl", |text| checks(text) > 0));
    running.signal("HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!folder.has(".err", |text| text.contains("interrupted")));
    running.signal("TERM");
    let answer = running.ends().exits(2);
    assert!(answer.out.contains("incomplete   "), "{answer}");
}

/// A run cannot catch SIGKILL: its workers notice that it is gone, even the hanging one.
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
#[test]
fn no_worker_outlives_a_run_that_is_killed() {
    let folder = Folder::with(&[]).with_drivers();
    let running = folder.start(HANGS).once(PATIENCE, || folder.has("r.jsonl", |text| checks(text) > 0));
    assert!(processes_in(&folder) > 1, "the run has a worker");
    running.kill();
    no_process_is_left(&folder);
}

#[track_caller]
fn no_process_is_left(folder: &Folder) {
    let started = Instant::now();
    while processes_in(folder) > 0 {
        assert!(started.elapsed() < PATIENCE, "{} processes are left", processes_in(folder));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes that run in the folder.
fn processes_in(folder: &Folder) -> usize {
    let here = folder.path("").canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == here)).count()
}
