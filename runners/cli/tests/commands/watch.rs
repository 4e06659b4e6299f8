//! `--watch`: a command that runs again after each change.

use std::time::Duration;

use super::folder::Folder;

/// The file that changes is one that the shader includes.
#[test]
fn a_change_shows_the_file_again() {
    let a = ("a.hlsl", "#include \"b.hlsli\"\n");
    // Its folder is watched.
    let project = ("layoutproof.toml", "schema = 1\n");
    let folder = Folder::with(&[a, project, ("b.hlsli", "cbuffer C { float first; };\n")]);
    let limit = Duration::from_secs(60);
    // On a busy machine one change may be two.
    let runs =
        |count: usize| folder.has(".out", |out| out.matches("exit code 0; waiting for a change").count() >= count);
    let running = folder.start("show a.hlsl --watch").once(limit, || runs(1));
    folder.write("other.txt", b"no shader");
    folder.write("b.hlsli", b"cbuffer C { float4 second; };\n");
    running.once(limit, || runs(2)).kill();
    let out = folder.read(".out");
    let (before, after) = out.split_once("b.hlsli changed").unwrap_or_else(|| panic!("{out}"));
    assert!(before.contains("first") && after.contains("second") && !after.contains("first"), "{out}");
    assert!(!out.contains("other.txt"), "{out}");
}
