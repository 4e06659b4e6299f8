//! `bugs`: the list of known bugs with their states on this machine, the description of one, and its
//! issue. The compiler is a shell script, see `upstream`.
#![cfg(unix)]

use super::folder::Folder;
use super::upstream::with_slangc;

/// A machine without compilers, except for those in the program.
fn without_compilers() -> Folder {
    let folder = Folder::with(&[]).with_drivers();
    let tools = folder.path("no-tools").display().to_string();
    folder.with_variable("LAYOUTPROOF_TOOLS", tools).with_variable("PATH", "/nonexistent")
}

#[test]
fn without_a_compiler_its_bugs_are_not_tried() {
    let folder = without_compilers();
    let answer = folder.run("bugs fxc").exits(0);
    assert!(!answer.out.contains("here  "), "{answer}");
    let title = "FXC takes register(c2) on a loose global for a place and no other letter; DXC takes any";
    answer.prints(&format!("not tried FXC-1 {title}"));
    let answer = folder.run("bugs --format json").exits(0).json();
    let bugs = answer["bugs"].as_array().unwrap();
    assert!(bugs.len() > 100, "{} bugs", bugs.len());
    let of_dxc = bugs.iter().filter(|bug| bug["list"] == "dxc");
    assert!(of_dxc.clone().all(|bug| bug["state"] == "not tried"), "{of_dxc:?}");
}

/// Programs that read the list get whole titles.
#[test]
fn titles_are_whole_where_no_terminal_shows_them() {
    let answer = without_compilers().run("bugs --all").exits(0);
    assert!(!answer.out.contains('…'), "{answer}");
}

/// The list names the version that is installed; another version has to be tried.
#[test]
fn the_recorded_state_depends_on_the_version() {
    let folder = with_slangc("exit 1");
    let unknown = folder.run("bugs slang").exits(0);
    assert!(unknown.out.lines().all(|line| !line.starts_with("here")), "{unknown}");
    let script = folder.read("slangc").replace("2077.1", "2026.14.1");
    folder.write("slangc", script.as_bytes());
    let answer = folder.run("bugs slang").exits(0);
    answer
        .prints("Slang (slangc 2026.14.1)")
        .prints("here SLANG-31 [WGSL] A bool in a constant buffer becomes a bool in var<uniform>, ");
}

#[test]
fn a_bug_is_tried_when_it_is_described() {
    let here = with_slangc("cat $place/wgsl; touch shader.json").run("bugs slang/slang-writes-bool").exits(0);
    let here = here.prints("SLANG-31").prints("state slangc 2077.1: here (just tried: the same)");
    let here = here.prints("[WGSL] A bool in a constant buffer becomes a bool in var<uniform>, which WGSL");
    let here = here.prints("versions up to Slang 2026.14.1; no later build is known to be right");
    here.prints("cbuffer S { bool b; float a; };").prints("what goes wrong").prints("what should happen");

    let fixed = with_slangc("echo 'b_0 : u32,'; touch shader.json").run("bugs slang/slang-writes-bool").exits(0);
    fixed.prints("state slangc 2077.1: fixed here (just tried: accepts the source, without that output)");
}

#[test]
fn an_issue_needs_a_bug_that_is_known() {
    let folder = with_slangc("cat $place/wgsl; touch shader.json");
    folder.run("bugs --issue").exits(2).warns("error: --issue needs the bug's name, or --out DIR for all");
    folder
        .run("bugs dcx")
        .exits(2)
        .warns("error: no compiler, driver or known bug is called `dcx`: did you mean `dxc`?");
}
