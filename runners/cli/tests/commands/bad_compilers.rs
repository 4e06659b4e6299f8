//! Compilers that misbehave: each gets one message, and all other checks of the run are carried
//! out.
//!
//! `DXC` names a shell script that answers with its version and then misbehaves. Exit codes are as
//! usual: 1 for a broken check, 3 for a requested compiler that is missing or returns no result at
//! all.
#![cfg(unix)]

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::folder::{Answer, Folder};

/// Two cases of DXC's constant buffers.
const CASES: &str = "arrays/scalar_packs_behind_the_last_element vectors/two_pairs_fill_a_register";

/// Arguments for which a working DXC needs no driver: the evaluator runs its listings.
fn words(options: &str) -> String {
    format!("run {CASES} --compiler rspirv,dxc-dxil --runner dxil,model --json r.jsonl{options}")
}

/// A folder with a compiler that runs `deed` for every source.
pub(crate) fn with_dxc(deed: &str) -> Folder {
    let folder = Folder::without_drivers(&[]).with_drivers().with_variable("DXC", "./dxc");
    let script = format!("#!/bin/sh\ncase \"$*\" in *--version*) echo 'dxc of a test'; exit 0;; esac\n{deed}\n");
    folder.write("dxc", script.as_bytes());
    set_permissions(folder.path("dxc"), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The records of the run and its totals.
fn records(folder: &Folder) -> (Vec<Value>, Value) {
    let text = folder.read("r.jsonl");
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    assert_eq!(end["type"], "end");
    (lines.split_off(1), end)
}

/// The compiler breaks on both cases for this reason, so it returns no result; our own shaders
/// agree on both.
#[track_caller]
fn breaks(deed: &str, options: &str, reason: &str) -> Answer {
    let folder = with_dxc(deed);
    let answer = folder.run(&words(options)).exits(3);
    let silent = "error: compiler `dxc-dxil` returned no result for 2 checks; the most frequent reason: ";
    let answer = answer.warns(&format!("{silent}{reason} (2)"));
    let (checks, end) = records(&folder);
    let mut broken = 0;
    for check in &checks {
        if check["producer"] == "dxc-dxil" {
            assert_eq!((&check["outcome"], &check["culprit"]), (&"broken".into(), &"compiler".into()), "{check}");
            assert_eq!(check["skip_reason"], reason);
            let case = check["case"].as_str().unwrap();
            // The report combines both into one cause; during the run, each was printed.
            assert!(answer.err.contains(&format!("Broken {case} · hlsl-cbuffer · dxc-dxil")), "{answer}");
            broken += 1;
        } else {
            assert_eq!(check["outcome"], "agree", "{check}");
        }
    }
    assert_eq!((broken, &end["broken"], &end["agree"]), (2, &2.into(), &(checks.len() - 2).into()));
    assert!(checks.len() > 3, "{answer}");
    assert!(answer.unwrapped().contains(&format!("reason {reason}")), "{answer}");
    answer.prints("verdict compiler: it made nothing that could be checked")
}

#[test]
fn a_crash_names_its_signal() {
    let answer = breaks("kill -SEGV $$", "", "dxc died of SIGSEGV");
    // Numbers that were not compared would only hide what happened.
    assert!(!answer.out.contains("struct S"), "{answer}");
    breaks("echo 'assertion failed' >&2; kill -ABRT $$", "", "dxc died of SIGABRT; its last words: assertion failed");
}

/// The compiler's output is printed, but its control characters do not reach the terminal.
#[test]
fn control_characters_of_a_compiler_do_not_reach_the_terminal() {
    let folder = with_dxc("printf 'error: \\033]0;x\\007 moon\\n' >&2; kill -ABRT $$");
    let answer = folder.run(&words(" -v --color never")).exits(3);
    assert!(!answer.out.contains(['\u{1b}', '\u{7}']) && !answer.err.contains(['\u{1b}', '\u{7}']), "{answer}");
    assert!(answer.out.contains("\\u{1b}]0;x\\u{7} moon"), "{answer}");
    let answer = folder.run("report r.jsonl -v --junit r.xml").exits(3);
    assert!(!answer.out.contains('\u{1b}') && !folder.read("r.xml").contains('\u{1b}'), "{answer}");
}

#[test]
fn a_frozen_set_of_pipes_is_refused() {
    let folder = with_dxc("exit 1");
    std::fs::create_dir(folder.path("set")).unwrap();
    let pipe = folder.path("set/manifest.toml");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let answer = folder.run("compare set dxc=./dxc").exits(2);
    assert!(answer.err.contains("reading set/manifest.toml: a pipe is not a regular file"), "{answer}");
}

/// DXC's listing of a probe that uses plain names only; `regress.rs` says how it was made.
const LISTING: &str = include_str!("../files/pair.dxil.txt");

/// One check, of the declarations in the listing.
const PAIR: &str = "run pair.hlsl --rules hlsl-cbuffer --compiler dxc-dxil --runner dxil --json r.jsonl";

/// A compiler that knows the plain names, and runs `deed` if a member goes through a function.
fn with_plain_names(deed: &str) -> Folder {
    let deed = format!("if grep -q layoutproof_whole probe.hlsl; then {deed}; fi; cat \"$(dirname \"$0\")/listing\"");
    let folder = with_dxc(&deed);
    folder.write("listing", LISTING.as_bytes());
    folder.write("pair.hlsl", b"cbuffer S { float a; float2 b; };\n");
    folder
}

/// The compiler crashes on one form of access. Its results for simpler code do not hide that.
#[test]
fn a_crash_on_one_form_of_access_is_told_though_the_others_agree() {
    let folder = with_plain_names("kill -SEGV $$");
    let answer = folder.run(&format!("{PAIR} --keep kept")).exits(1);
    let reason = "dxc died of SIGSEGV (not with fewer forms of access)";
    let (checks, end) = records(&folder);
    assert_eq!((checks.len(), &end["broken"], &checks[0]["leaves"]), (1, &1.into(), &3.into()), "{answer}");
    assert_eq!((&checks[0]["outcome"], &checks[0]["culprit"]), (&"broken".into(), &"compiler".into()));
    assert_eq!(checks[0]["skip_reason"], reason);
    let source = |shader: &str| folder.read(&format!("kept/pair.hlsl/dxc-dxil/{shader}/probe.hlsl"));
    assert!(source("S").contains("layoutproof_whole"), "what crashed the compiler is kept");
    assert!(!source("S_leaf").contains("layoutproof_whole"), "beside what did not");
    let verdict = "verdict compiler: it broke on a part of the check; all that it made agrees";
    assert!(answer.unwrapped().contains(&format!("reason {reason}")), "{answer}");
    answer.prints(verdict);

    folder.write("known.toml", b"[[known]]\nsays = \"dxc died of SIGSEGV*\"\nreason = \"it crashes\"\n");
    folder.run(&format!("{PAIR} --known known.toml")).exits(0);
    assert_eq!(records(&folder).0[0]["outcome"], "known");
}

/// The folder for someone else has the source that the compiler got, as a test of another suite.
#[test]
fn a_check_of_a_compiler_is_made_again_for_others() {
    let folder = with_plain_names("kill -SEGV $$");
    folder.run(PAIR).exits(1);
    let check = "pair.hlsl::hlsl-cbuffer::dxc-dxil::dxil::dxil";
    let made = folder.run(&format!("report r.jsonl --repro {check} --out made")).exits(1);
    let made = made.prints("The check ends here as in the record: broken (compiler).");
    let test = folder.read("made/probe.test");
    assert!(test.contains("cbuffer S { float a; float2 b; };") && test.contains("Kind: ConstantBuffer"), "{test}");
    // Both members are in the first register (INF-0003, Packing): `b` is at byte 4.
    assert!(test.contains("0xC0DE0000, 0xC0DE0004, 0xC0DE0008"), "{test}");
    assert!(test.contains("# RUN: %dxc_target -T cs_6_0 -HV 2021 -E read_uniform"), "{test}");
    let command = folder.read("made/compiler/pair.hlsl/dxc-dxil/S/command");
    assert!(command.contains(" probe.hlsl"), "{command} {made}");
}

/// A refusal is not a failure, but also not an agreement about the refused form.
#[test]
fn a_form_of_access_that_is_refused_is_told_and_counted() {
    let folder = with_plain_names("echo 'probe.hlsl:3:5: error: unknown moon' >&2; exit 1");
    let answer = folder.run(&format!("{PAIR} -v")).exits(0);
    let check = &records(&folder).0[0];
    let reason = "not in every form (refused by dxc-dxil: unknown moon)";
    assert_eq!((&check["outcome"], &check["not_checked"][0]), (&"agree".into(), &reason.into()), "{check}");
    let line = "Agree pair.hlsl · hlsl-cbuffer · dxc-dxil · dxil via dxil: in part; not checked: ";
    answer.prints(&format!("{line}{reason}")).prints("Partly 1 not in every form (1)");
}

/// In a run of a file, each refusal is printed once, in the compiler's own words.
#[test]
fn a_compiler_that_refuses_a_file_says_so_once() {
    let folder = with_dxc(REFUSES);
    folder.write("pair.hlsl", b"cbuffer S { float a; float2 b; };\nStructuredBuffer<float> t;\n");
    let answer = folder.run("run pair.hlsl --runner dxil").exits(3);
    let refusal = "note: D3D12 · DXC refuses pair.hlsl: unknown moon";
    assert_eq!(answer.out.matches(refusal).count(), 1, "{answer}");
    answer.prints("incomplete 0 of 2 blocks compared; `S`, `t` for D3D12 · DXC: refused by dxc-dxil: unknown moon");
}

/// The compiler gets the user's file before a refusal of our shader counts as one of the file.
#[test]
fn a_refusal_of_our_shader_is_our_fault() {
    let text = "cbuffer S { float a; float2 b; };\n[numthreads(1, 1, 1)] void main() { float c = a; }\n";
    let refuses = |entry: &str| {
        let folder = with_dxc(&format!("case \"$*\" in *'-E {entry}'*) {REFUSES};; esac"));
        folder.write("pair.hlsl", text.as_bytes());
        folder
    };
    let run = "run pair.hlsl --runner dxil --target d3d12";
    let answer = refuses("read_uniform").run(run).exits(3);
    answer.prints("reason our shader refused by dxc-dxil: unknown moon").prints("FAIL 1 broken");
    let answer = refuses("").run(run).exits(3);
    answer.prints("note: D3D12 · DXC refuses pair.hlsl: unknown moon").prints("incomplete 0 of 1 block compared");
}

#[test]
fn a_hang_ends_at_the_limit_with_everything_that_it_started() {
    let reason = "dxc gave no answer within 1s";
    breaks("sleep 1000", " --compile-limit 1", reason);
    breaks("exec sleep 1000", " --compile-limit 1", reason);
}

#[test]
fn a_flood_of_output_is_stopped() {
    breaks("exec yes", "", "dxc printed more than 64 MiB");
}

#[test]
fn nonsense_is_no_listing() {
    let nonsense = "dxc-dxil: it printed no whole listing but 20 bytes: lorem ipsum ; %1 =";
    breaks("echo 'lorem ipsum ; %1 = '", "", nonsense);
    breaks("exit 0", "", "dxc-dxil: it printed no whole listing but 0 bytes: nothing");
    breaks("head -c 3000 /dev/zero", "", "dxc-dxil: it printed no whole listing but 3000 bytes: nothing");
    let table = "; Resource Bindings:\n;\n; Name\n; ----\n; S what where\n!dx.entryPoints = !{}";
    let unread = "dxc-dxil produced output that could not be parsed: no resource binding: `S what where`";
    breaks(&format!("printf '{table}\\n'"), "", unread);
}

/// A compiler that refuses everything.
pub(crate) const REFUSES: &str = "echo 'probe.hlsl:3:5: error: unknown moon' >&2; exit 1";

/// A compiler that ends without a diagnostic, or says what the machine lacks, has not refused the source.
#[test]
fn a_failure_without_a_diagnostic_is_no_refusal() {
    breaks("exit 1", "", "dxc failed without a diagnostic: it ended with exit status 1");
    breaks("echo working; exit 3", "", "dxc failed without a diagnostic: it ended with exit status 3");
    breaks("echo 'LLVM ERROR: out of memory' >&2; exit 1", "", "dxc did not do its work: LLVM ERROR: out of memory");
    let disk = "error: unable to write: No space left on device";
    breaks(&format!("echo '{disk}' >&2; exit 1"), "", &format!("dxc did not do its work: {disk}"));
    breaks("echo 'Segmentation fault' >&2; exit 139", "", "dxc did not do its work: Segmentation fault");
    let assert = "internal error: assert failed at moon.cpp:33";
    breaks(&format!("echo '{assert}' >&2; exit 1"), "", &format!("dxc did not do its work: {assert}"));
    let library = "dxc: error while loading shared libraries: libmoon.so: cannot open shared object file";
    breaks(&format!("echo '{library}' >&2; exit 127"), "", &format!("dxc did not run: {library}"));
}

/// The first compilation fails, and its repeat is answered. The check agrees, but the run does not hide it.
#[test]
fn a_compilation_that_is_repeated_is_counted() {
    let folder = with_plain_names("echo 'error: no' >&2; exit 1");
    let script = folder.read("dxc").replace(
        "if grep",
        "here=$(dirname \"$0\"); if ! test -e $here/once; then touch $here/once; exit 1; fi; if grep",
    );
    folder.write("dxc", script.as_bytes());
    let answer = folder.run(PAIR).exits(1);
    let (checks, end) = records(&folder);
    assert_eq!((&checks[0]["outcome"], &end["agree"]), (&"agree".into(), &1.into()), "{answer}");
    let fault = &end["faults"][0];
    assert_eq!((&fault["kind"], &fault["compiler"]), (&"compiler-failed".into(), &"dxc-dxil".into()), "{end}");
    assert_eq!((&fault["count"], &fault["absorbed"]), (&1.into(), &1.into()));
    answer.prints("FAIL 1 compilation failed without an answer in dxc-dxil; 1 of 1 block compared, 1 check agrees");
    std::fs::remove_file(folder.path("once")).unwrap();
    folder
        .run(&format!("{PAIR} --no-cache --allow-restarts 1"))
        .exits(0)
        .prints("note: 1 compilation failed without an answer");
}

/// A compiler that is installed and dies is not a missing one.
#[test]
fn a_broken_compiler_is_not_called_missing() {
    let folder = with_dxc("");
    folder.write("dxc", b"#!/bin/sh\nkill -SEGV $$\n");
    let answer = folder.run("doctor compilers --format json").exits(0);
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    let broken = found["broken"].as_array().unwrap().iter().find(|broken| broken["name"] == "dxc").unwrap();
    assert!(broken["reason"].as_str().unwrap().ends_with("died of SIGSEGV while asked for its version"), "{broken}");
    let named = folder.run("compare ./dxc vectors/two_pairs --save set").exits(3);
    assert!(named.err.contains("dxc died of SIGSEGV while asked for its version"), "{named}");
    let answer = folder.run("doctor compilers").exits(0);
    let line = answer.out.lines().find(|line| line.contains("while asked for its version")).unwrap_or_default();
    assert!(line.contains("dxc"), "{answer}");
}

/// Refusals are skips with the compiler's message. A named compiler that refuses everything returns
/// no result, whatever others do.
#[test]
fn a_refusal_is_a_skip_in_the_words_of_the_compiler() {
    let folder = with_dxc(REFUSES);
    let answer = folder.run(&words(" -v")).exits(3);
    let (checks, end) = records(&folder);
    let of_dxc: Vec<&Value> = checks.iter().filter(|check| check["producer"] == "dxc-dxil").collect();
    assert_eq!((of_dxc.len(), &end["skipped"]), (2, &2.into()));
    assert!(of_dxc.iter().all(|check| check["skip_reason"] == "refused by dxc-dxil: unknown moon"), "{answer}");
    let reason = "the most frequent reason: refused by dxc-dxil: unknown moon (2)";
    let answer = answer.prints("Skipped 2 refused by dxc-dxil (2)");
    let answer = answer.warns(&format!("error: compiler `dxc-dxil` returned no result for 2 checks; {reason}"));
    answer.warns(&format!("error: device `dxil` via dxil returned no result for 2 checks; {reason}"));
    let report = folder.run("report r.jsonl").exits(3);
    report.warns(&format!("error: compiler `dxc-dxil` returned no result for 2 checks; {reason}"));
    let forbidden = "error: 2 checks were skipped for a reason that --forbid-skip names";
    folder.run(&words(" --forbid-skip refused")).exits(3).warns(forbidden);
}

/// A shard cannot know who returns results in other shards, but it knows that it proves nothing
/// itself.
#[test]
fn a_share_of_refusals_proves_nothing() {
    let folder = with_dxc(REFUSES);
    let words = "run vectors/two_pairs_fill_a_register --compiler dxc-dxil --runner dxil --shard 1/1 --json r.jsonl";
    let why = "error: nothing was proved: no check agrees or is known; skipped: refused by dxc-dxil (1)";
    folder.run(words).exits(4).warns(why);
    folder.run("report r.jsonl").exits(3).warns("error: compiler `dxc-dxil` returned no result for 1 check;");
}

/// The script claims to be the build that the case's numbers come from, then refuses the case.
#[test]
fn a_compiler_that_refuses_what_it_gave_the_numbers_of_is_broken() {
    let folder = with_dxc(REFUSES);
    let script = folder.read("dxc").replace("dxc of a test", "libdxcompiler: 1.7 (4006, 69e54e29)");
    folder.write("dxc", script.as_bytes());
    let case = |name: &str, version: &str, more: &str| {
        let authority = format!("{{ compiler = \"dxc\", version = \"{version}\", flags = \"-T cs_6_6\" }}");
        let numbers = "offsets = { \"S.a\" = 0 }\nsizes = { S = 4 }";
        let text = format!(
            "schema = 1\nsummary = \"One float.\"\ndeclare = \"cbuffer S {{ float a; }};\"\n\
             [expect.hlsl-cbuffer]\nauthority = {authority}\n{numbers}\n{more}"
        );
        folder.write(name, text.as_bytes());
    };
    let words = |name: &str| format!("run {name} --compiler dxc-dxil --runner dxil --json r.jsonl");
    case("own.toml", "1.7.2308", "");
    folder.run(&words("own.toml")).exits(3);
    let check = &records(&folder).0[0];
    let reason = "refused by dxc-dxil: unknown moon, but the case has its numbers from dxc 1.7.2308 -T cs_6_6";
    assert_eq!((&check["outcome"], &check["skip_reason"]), (&"broken".into(), &reason.into()), "{check}");

    // Numbers of another version do not apply to this one, and an expected refusal does not count.
    case("other.toml", "1.8.2405", "");
    folder.run(&words("other.toml")).exits(3);
    let check = &records(&folder).0[0];
    assert_eq!((&check["outcome"], &check["skip_kind"]), (&"skipped".into(), &Value::Null), "{check}");
    case("refused.toml", "1.7.2308", "[[reject]]\nby = \"dxc\"\nmessage = \"unknown moon\"\n");
    let answer = folder.run(&words("refused.toml")).exits(4);
    let check = &records(&folder).0[0];
    assert_eq!((&check["outcome"], &check["skip_kind"]), (&"skipped".into(), &"not-applicable".into()), "{check}");
    answer.warns("error: nothing was proved: no check applies: refused by dxc-dxil (1)");
}

#[test]
fn fuzzing_proves_nothing_by_refusals() {
    let folder = with_dxc(REFUSES);
    let answer = folder.run("dev fuzz --compiler dxc-dxil --count 4 --seed 3").exits(3);
    answer.warns("error: compiler `dxc-dxil` returned no result for ");
}

#[test]
fn a_compiler_that_is_not_there_is_missing() {
    for program in ["/nonexistent/dxc", "./none"] {
        let folder = Folder::without_drivers(&[]).with_variable("DXC", program);
        let answer = folder.run(&words("")).exits(3);
        answer.warns("note: DXC names no compiler: /").warns("error: compiler `dxc` was not found");
    }
}

#[test]
fn a_compiler_that_crashes_before_it_says_its_version_is_missing() {
    let folder = with_dxc("");
    folder.write("dxc", b"#!/bin/sh\nkill -SEGV $$\n");
    let answer = folder.run(&words("")).exits(3);
    assert!(answer.err.contains("compiler `dxc` is broken: "), "{answer}");
}

/// With another build of a compiler it is another run, even if both report the same version.
#[test]
fn a_compiler_that_changed_is_no_run_to_go_on_with() {
    let folder = with_plain_names("echo 'error: no' >&2; exit 1");
    folder.run(PAIR).exits(0);
    let header = folder.read("r.jsonl").lines().next().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let build = header.unwrap()["tools"]["dxc"].as_str().unwrap().to_owned();
    assert!(build.starts_with("dxc of a test, SHA-256 ") && build.len() == 87, "{build}");
    let words = PAIR.replace("--json", "--resume");
    folder.run(&words).exits(0);
    let script = folder.read("dxc");
    folder.write("dxc", format!("{script}# Built anew.\n").as_bytes());
    let answer = folder.run(&words).exits(2);
    assert!(answer.err.contains("r.jsonl is of another run"), "{answer}");
    assert!(answer.err.contains(&format!("\n  tool dxc: `{build}` there, `dxc of a test, SHA-256 ")), "{answer}");
}

#[test]
fn a_limit_of_no_time_is_refused() {
    Folder::with(&[]).run("run --compiler dxc --compile-limit 0").exits(2);
}

/// A compiler that always crashes, in two ways: `fuzz` reports each once, with a minimal
/// declaration.
#[test]
fn fuzzing_tells_each_crash_once_and_small() {
    let deed = "if grep -q StructuredBuffer probe.hlsl; then echo \"at $$\" >&2; kill -SEGV $$; fi; kill -ABRT $$";
    let folder = with_dxc(deed);
    let answer = folder.run("dev fuzz --compiler dxc-dxil --count 40 --seed 3").exits(3);
    let told = |signal: &str| {
        let reason = format!("  dxc died of {signal}");
        answer.out.lines().filter(|line| line.starts_with(&reason)).count()
    };
    assert_eq!((told("SIGABRT"), told("SIGSEGV")), (1, 1), "{answer}");
    assert_eq!(answer.out.matches(", 1 after").count(), 2, "{answer}");
    for entry in std::fs::read_dir(folder.path("fuzz-found")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let report = folder.read(&format!("fuzz-found/{name}/report.md"));
        assert!(report.contains("dxc of a test") && report.contains("breaks on this: dxc died of SIG"), "{report}");
        // It returned no number that a case could expect.
        assert!(!folder.path(&format!("fuzz-found/{name}/case.toml")).exists());
        folder.run(&format!("show fuzz-found/{name}/declarations.hlsl")).exits(0);
    }
}

#[test]
fn fuzzing_asks_only_for_what_there_is() {
    let folder = Folder::without_drivers(&[]).with_variable("DXC", "/nonexistent/dxc");
    folder.run("dev fuzz --compiler dxc").exits(3).warns("error: compiler `dxc` was not found");
    folder.run("dev fuzz --compiler cl").exits(2).warns("error: unknown compiler `cl`");
    let answer = folder.run("dev fuzz --plant-mutant std140:array-alignment=3").exits(2);
    answer.warns("error: `std140` has no such mutant; it has bool-size=1, ");
    folder.run("dev fuzz --plant-mutant nonsense").exits(2).warns("error: a planted mutant is RULES:PARAMETER=VALUE");
    folder.run("dev fuzz --plant-mutant std41:array-alignment=4").exits(2);

    folder.run("dev fuzz --bindings --compiler dxc").exits(3).warns("error: compiler `dxc` was not found");
    let answer = folder.run("dev fuzz --bindings --compiler glslang").exits(2);
    answer.warns("error: `glslang` is not a compiler that reports where it binds parameters: dxc and slangc are");
    folder.run("dev fuzz --bindings --device moon").exits(3).warns("error: no device `moon`; found none");
}
