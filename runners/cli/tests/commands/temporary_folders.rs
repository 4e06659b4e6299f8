//! Temporary folders of compilers: none is left over, however the command ends.
#![cfg(unix)]

use std::fs::{self, Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::folder::{Folder, Running};

const PATIENCE: Duration = Duration::from_secs(20);

/// One check, of a block that `DXC` compiles.
const RUN: &str = "run a.hlsl --rules hlsl-cbuffer --compiler dxc-dxil --runner dxil";

/// A folder with a compiler that runs `deed` for every source, and an empty folder `tmp` for
/// temporary files.
fn with_dxc(deed: &str) -> Folder {
    let folder = Folder::without_drivers(&[("a.hlsl", "cbuffer S { float a; float2 b; };\n")]).with_drivers();
    let folder = folder.with_variable("DXC", "./dxc").with_variable("TMPDIR", "tmp");
    fs::create_dir(folder.path("tmp")).unwrap();
    set_dxc(&folder, deed);
    folder
}

fn set_dxc(folder: &Folder, deed: &str) {
    let script = format!("#!/bin/sh\ncase \"$*\" in *--version*) echo 'dxc of a test'; exit 0;; esac\n{deed}\n");
    folder.write("dxc", script.as_bytes());
    set_permissions(folder.path("dxc"), Permissions::from_mode(0o755)).unwrap();
}

/// The names of the entries of `tmp`.
fn temporary(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("tmp")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Starts the command and waits until its compiler is running.
fn compiling<'a>(folder: &'a Folder, words: &str) -> Running<'a> {
    folder.start(words).once(PATIENCE, || folder.path("begun").exists())
}

/// The compiler never answers.
const HANGS: &str = "touch \"$(dirname \"$0\")/begun\"; exec sleep 30";

#[test]
fn an_interrupted_run_leaves_none() {
    let folder = with_dxc(HANGS);
    let running = compiling(&folder, &format!("{RUN} --compile-limit 2"));
    assert_eq!(temporary(&folder).len(), 1);
    running.signal("TERM");
    running.ends().exits(2);
    assert_eq!(temporary(&folder), [""; 0]);
}

#[test]
fn a_run_that_is_ended_at_once_leaves_none() {
    let folder = with_dxc(HANGS);
    let running = compiling(&folder, RUN);
    running.signal("INT");
    let running =
        running.once(PATIENCE, || folder.has(".err", |text| text.contains("interrupt again to stop at once")));
    running.signal("TERM");
    running.ends().exits(143);
    assert_eq!(temporary(&folder), [""; 0]);
}

/// These commands do not report half of their work, so the first signal ends them.
#[test]
fn other_commands_with_compilers_leave_none() {
    let folder = with_dxc(HANGS);
    let running = compiling(&folder, "compare dxc=./dxc --no-cache --save set two_pairs_fill_a_register");
    running.signal("TERM");
    running.ends().exits(143);
    assert_eq!(temporary(&folder), [""; 0]);
    assert!(!folder.path("set").exists());
}

/// A command cannot catch SIGKILL: the next process that needs such a folder removes the unused
/// ones.
#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next() {
    let folder = with_dxc(HANGS);
    compiling(&folder, RUN).kill();
    let left = temporary(&folder);
    assert!(left.len() == 1 && left[0].starts_with("layoutproof-"), "{left:?}");
    set_dxc(&folder, "echo 'error: no' >&2; exit 1");
    folder.run(RUN);
    assert_eq!(temporary(&folder), [""; 0]);
}
