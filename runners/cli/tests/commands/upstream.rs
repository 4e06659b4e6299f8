//! `bugs --issue`: the texts that it refuses, with their exit codes, and its output for
//! a compiler that is a shell script.
#![cfg(unix)]

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::folder::Folder;

/// The lines by which `slang-wgsl-bool` recognises the difference.
const WGSL: &str = r#"
    @align(16) b_0 : bool,
@binding(0) @group(0) var<uniform> S_0 : SLANG_ParameterGroup_S_std140_0;
"binding": {"kind": "uniform", "offset": 0, "size": 4, "elementStride": 0}
"#;

const BOOL: &str = "bugs --issue slang/slang-writes-bool";

/// A folder on a machine whose only compiler is a slangc with the same answer for every source.
pub(super) fn with_slangc(deed: &str) -> Folder {
    let folder = Folder::with(&[]).within(Duration::from_secs(60));
    folder.write("wgsl", WGSL.as_bytes());
    let place = folder.path("");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n-v|*-v) echo 2077.1 >&2; exit 0;;\nesac\nplace={}\n{deed}\n",
        place.display()
    );
    folder.write("slangc", script.as_bytes());
    set_permissions(folder.path("slangc"), Permissions::from_mode(0o755)).unwrap();
    let (slangc, tools) = (folder.path("slangc").display().to_string(), folder.path("no-tools").display().to_string());
    folder.with_variable("SLANGC", slangc).with_variable("LAYOUTPROOF_TOOLS", tools)
}

#[test]
fn known_bugs_are_listed_by_name() {
    let answer = Folder::with(&[]).run("bugs --all").exits(0);
    assert!(["  DXC-3 ", "  NAGA-D3D12-1 "].iter().all(|id| answer.out.contains(id)), "{answer}");
}

#[test]
fn what_has_no_text_is_refused() {
    let folder = Folder::with(&[]);
    let refused = |id: &str, code: i32| folder.run(&format!("bugs --issue {id}")).exits(code);
    refused("no-such-thing", 2).warns("error: no compiler, driver or known bug is called `no-such-thing`");
    refused("slang/", 2).warns("error: --issue is about one bug; these match:");
    refused("swiftshader/in-memory", 2).warns("error: `SWIFTSHADER-1` is about devices");
    refused("fxc/zpr-does-not", 2).warns(
        "error: `FXC-10` has no reduced source yet, so there is no text for its tracker: `layoutproof bugs FXC-10`",
    );
    refused("dxc-11", 1).warns("error: `DXC-11` is gone in DXC 1.9.2602.17");
}

#[test]
fn a_compiler_that_is_not_here_is_missing() {
    let tools = Folder::with(&[]);
    let tools = tools.path("none").display().to_string();
    let folder = Folder::with(&[]).with_variable("LAYOUTPROOF_TOOLS", tools).within(Duration::from_secs(60));
    let answer = folder.run("bugs --issue dxc/dxc-lists-a-double2x2").exits(3);
    assert_eq!(answer.warns("error: no compiler with `DXC-3` was found (").out, "");
}

#[test]
fn a_text_says_what_the_compiler_just_said() {
    let folder = with_slangc("cat $place/wgsl; touch shader.json");
    let answer = folder.run(BOOL).exits(0).warns("note: the tracker was searched: 2026-11-23");
    let answer = answer.prints("slangc 2077.1 accepts the source. Among its output:").prints("@align(16) b_0 : bool,");
    answer.prints("| slangc 2077.1 | the same |").prints("cbuffer S { bool b; float a; };");
}

#[test]
fn what_the_newest_build_does_not_show_is_not_written() {
    for (deed, end) in [
        ("echo 'b_0 : u32,'; touch shader.json", "which accepts the source"),
        ("echo 'error: no' >&2; exit 1", "which refuses the source"),
        ("kill -SEGV $$", "which breaks (slangc died of SIGSEGV)"),
    ] {
        let answer = with_slangc(deed).run(&format!("{BOOL} --out texts")).exits(1);
        let known = "error: `SLANG-31` does not show in slangc 2077.1,";
        assert_eq!(answer.warns(&format!("{known} {end}")).out, "");
    }
}
