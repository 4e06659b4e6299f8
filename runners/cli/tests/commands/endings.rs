//! The end of a run and its report: failures by cause, known differences of the user's own files,
//! compressed records, and the options that stop, repeat or silence a run.

use super::folder::{Answer, Folder};
use super::survival::untimed;

/// Some checks differ for the same cause: the device reads arrays with another stride.
const DIFFERS: &str =
    "run arrays/ --rules std140,scalar --form leaf --device model --plant-misreading array-stride-sixteen";

const AGREES: &str = "run vectors/two_pairs_fill_a_register --rules std140 --device model";

/// The words of the line that begins with `begin`.
fn words_of<'a>(answer: &'a Answer, begin: &str) -> Vec<&'a str> {
    let line = answer.out.lines().find(|line| line.trim_start().starts_with(begin));
    line.unwrap_or_else(|| panic!("no line `{begin}` in {answer}")).split_whitespace().collect()
}

/// One misreading device is one cause, however many cases show it.
#[test]
fn failures_of_one_cause_are_told_once_and_listed_on_demand() {
    let folder = Folder::with(&[]);
    let answer = folder.run(&format!("{DIFFERS} --json r.jsonl")).exits(1);
    let blocks = answer.out.matches("  verdict  ").count();
    let failed: usize = words_of(&answer, "FAIL ")[1].parse().unwrap();
    assert!(blocks < failed, "{failed} failures in {blocks} blocks: {answer}");
    let list = "(list: `layoutproof report r.jsonl --group 1`)";
    assert!(answer.out.contains(list), "{answer}");

    let listed = folder.run("report r.jsonl --group 1").exits(1);
    let others: usize = words_of(&answer, "like it")[3].parse().unwrap();
    // The heading of the block, and one line per failure of the group.
    assert_eq!(listed.out.matches("  Disagree arrays/").count(), 1 + 1 + others, "{listed}");
    folder.run("report r.jsonl --group 99").exits(2).warns("error: no group 99: these records have");
}

#[test]
fn the_summary_fits_on_a_screen_and_details_are_for_those_who_ask() {
    let folder = Folder::with(&[]).with_drivers();
    let answer = folder.run("run vectors/ --rules std140,scalar --device model --form leaf").exits(0);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(lines[0].starts_with("ok   21 checks agree on the CPU model"), "{answer}");
    assert!(lines[1..].iter().all(|line| line.starts_with("note: ") || line.starts_with("      ")), "{answer}");
    folder.run("run vectors/ --rules std140,scalar --device model --form leaf -v").exits(0).prints("Devices 1 model");
}

/// The command for repeating a check reproduces it, with every option of the user that changes the
/// result.
#[test]
fn the_command_to_run_again_repeats_what_changes_the_result() {
    let known = "[[known]]\ncase = \"vectors/*\"\nreason = \"so it is\"\n";
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a[N]; float b; };"), ("known.toml", known)]);
    // The command names the producer, so it looks for the compilers of this machine.
    let folder = folder.with_drivers();
    let run = "run a.hlsl -D N=2 --matrix row --no-known --known known.toml --rules std140 --device model --form leaf";
    let first = folder.run(&format!("{run} --plant-misreading array-stride-sixteen --16bit off")).exits(0);
    assert!(first.out.contains("ok   "), "std140 has this stride anyway: {first}");

    let first = folder.run(&format!("{run} --plant-misreading neighbours-swapped --json r.jsonl")).exits(1);
    let again = words_of(&first, "again").join(" ");
    let again = again.strip_prefix("again layoutproof ").unwrap();
    for flag in ["-D N=2", "--matrix row", "--no-known", "--known known.toml", "--form leaf", "--plant-misreading"] {
        assert!(again.contains(flag), "{flag} in {again}");
    }
    assert!(!again.contains("--json"), "{again}");
    folder.run(again).exits(1).prints("Disagree a.hlsl · std140 · rspirv · model via model");
}

/// A list entry that knows a difference must not hide it from the owner of the file.
#[test]
fn a_known_difference_of_ones_own_file_is_told() {
    let known = "[[known]]\ndevice = \"model\"\nculprit = \"device\"\nreason = \"the model was told to misread\"\n\
                 link = \"https://example.com/1\"\n";
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float2 a; float2 b; };"), ("known.toml", known)]);
    let planted = "--rules std140 --device model --plant-misreading neighbours-swapped --known known.toml";
    let own = folder.run(&format!("run a.hlsl {planted} --json r.jsonl")).exits(0);
    let own = own.prints("known a.hlsl · std140 · rspirv a.x read 0xC0DE0008, data at byte 8, which");
    own.prints("the model was told to misread (known.toml:1)").prints("https://example.com/1");
    assert!(folder.read("r.jsonl").contains("\"link\":\"https://example.com/1\""));

    let case = format!("run vectors/two_pairs_fill_a_register {planted}");
    let short = folder.run(&case).exits(0);
    assert!(!short.out.contains("offset  size  struct"), "{short}");
    let full = folder.run(&format!("{case} -vv")).exits(0);
    assert!(full.out.contains("offset  size  struct"), "{full}");
}

#[test]
fn a_quiet_run_prints_failures_alone() {
    let folder = Folder::with(&[]);
    let quiet = folder.run(&format!("{AGREES} -q")).exits(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let failing = folder.run(&format!("{DIFFERS} -q --no-progress -j 1")).exits(1).prints("verdict device:");
    assert!(!failing.out.contains("FAIL"), "{failing}");
}

#[test]
fn a_run_stops_at_the_first_failure_on_demand() {
    let folder = Folder::with(&[]);
    let answer = folder.run(&format!("{DIFFERS} --fail-fast -j 1 --json r.jsonl")).exits(1);
    answer.prints("FAIL stopped at the first failure:");
    folder.run("report r.jsonl").exits(1).prints("FAIL stopped at the first failure:");
}

/// A device that fails in every attempt has failed.
#[test]
fn a_check_that_fails_is_run_again_on_demand() {
    let folder = Folder::with(&[]);
    folder.run(&format!("{AGREES} --retries 2 --plant-misreading idle --json r.jsonl")).exits(1);
    let text = folder.read("r.jsonl");
    assert!(text.contains("\"retries\":2") && text.contains("\"outcome\":\"differ\""), "{text}");
    folder.run(&format!("{AGREES} --retries 2 --json r.jsonl")).exits(0);
    assert!(!folder.read("r.jsonl").contains("retries"));
}

#[test]
fn records_are_compressed_where_the_name_says_so() {
    let folder = Folder::with(&[]);
    // Several workers may write records ahead of slower ones; such a file is put in order, in one frame, at the end.
    let whole = folder.run(&format!("{DIFFERS} -j 1 --json r.jsonl.zst")).exits(1);
    let bytes = std::fs::read(folder.path("r.jsonl.zst")).unwrap();
    assert_eq!(bytes[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    let report = folder.run("report r.jsonl.zst --json plain.jsonl").exits(1);
    let plain = folder.read("plain.jsonl");
    assert!(bytes.len() * 4 < plain.len(), "{} of {} bytes", bytes.len(), plain.len());
    let named = |answer: &Answer| untimed(&answer.out).replace("plain.jsonl", "r.jsonl.zst");
    assert_eq!(named(&report), named(&whole));

    // A kill cuts at most the last frame; the run resumes after the complete frames.
    folder.write("cut.jsonl.zst", &bytes[..bytes.len() * 2 / 3]);
    let resumed = folder.run(&format!("{DIFFERS} -j 1 --resume cut.jsonl.zst")).exits(1);
    assert_eq!(untimed(&resumed.out).replace("cut.jsonl", "r.jsonl"), untimed(&whole.out));
}

/// If a machine has drivers, the message about a missing device lists the available ones.
#[test]
fn a_device_that_is_not_here_is_answered_with_those_that_are() {
    let folder = Folder::with(&[]).with_drivers();
    let devices = folder.run("doctor devices --format json");
    let answer = folder.run("run vectors/ --device nosuch").exits(3);
    if devices.out.contains("lavapipe") {
        let answer = answer.warns("error: no device `nosuch`; found ");
        assert!(answer.err.contains("lavapipe"), "{answer}");
    } else {
        answer.warns("error: no device");
    }
}

/// Without a standard output, and at the limit on the size of files, the command says why there is no
/// report.
#[cfg(unix)]
#[test]
fn a_report_that_goes_nowhere_is_an_error() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float3 a; float b; };")]);
    let show = format!("{} show a.hlsl --format html", env!("CARGO_BIN_EXE_layoutproof"));
    let shell = |script: &str| {
        let script = script.replace("SHOW", &show);
        let output =
            std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    if cfg!(target_os = "linux") {
        let closed = "error: writing to standard output: it is closed\n".to_owned();
        assert_eq!(shell("exec SHOW >&-"), (Some(2), closed));
    }
    assert_eq!(shell("exec SHOW >/dev/null").0, Some(0));
    assert_eq!(shell("exec SHOW | head -c 1 >/dev/null").0, Some(0));
    let (code, told) = shell("ulimit -f 1; exec SHOW >out.html");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.starts_with("error: writing to standard output: File too large"), "{told}");
}

/// What people paste into a shell has each name as one word.
#[cfg(unix)]
#[test]
fn a_command_to_paste_runs_no_name() {
    let name = "$(touch ran).hlsl";
    let folder = Folder::with(&[(name, "cbuffer S { float a; float b; };")]);
    let run = format!("run \"{name}\" --rules std140 --device model --form leaf --plant-misreading neighbours-swapped");
    let answer = folder.run_quoted(&format!("{run} --json r.jsonl"));
    let line =
        answer.out.lines().find_map(|line| line.trim_start().strip_prefix("again")).expect("a command to run again");
    assert!(line.contains("'$(touch ran).hlsl'"), "{line}");
    let program = env!("CARGO_BIN_EXE_layoutproof");
    let pasted = line.trim_start().trim_start_matches("layoutproof").trim();
    std::process::Command::new("sh")
        .args(["-c", &format!("{program} {pasted}")])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    assert!(!folder.path("ran").exists());
}

/// A records file may come from anyone, and a CI service obeys lines of the log.
#[test]
fn names_in_records_start_no_line() {
    let folder = Folder::with(&[]);
    folder.run(&format!("{AGREES} --json r.jsonl")).exits(0);
    let text = folder.read("r.jsonl");
    let producer = text.split("\"producer\":\"").nth(1).unwrap().split('"').next().unwrap();
    for key in ["producer", "device", "runner", "proves", "outcome"] {
        let value = text.split(&format!("\"{key}\":\"")).nth(1).unwrap().split('"').next().unwrap();
        let old = format!("\"{key}\":\"{value}\"");
        folder.write("b.jsonl", text.replace(&old, &format!("\"{key}\":\"{value}\\n::error::x\"")).as_bytes());
        for words in ["report b.jsonl -v", "report b.jsonl -vv", "report b.jsonl"] {
            let answer = folder.run(words);
            let lines: Vec<&str> = answer.out.lines().chain(answer.err.lines()).collect();
            assert!(lines.iter().all(|line| !line.trim_start().starts_with("::")), "{key}, {producer}: {answer}");
        }
    }
}
