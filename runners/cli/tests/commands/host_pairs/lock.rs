//! `layoutproof.lock` keeps what a reviewer has accepted.

use super::folder_of;

/// A lock file is written, what changes is found, and writing it again accepts the change.
#[test]
fn what_changes_after_the_lock_was_written_is_found() {
    let shader = "cbuffer Frame { float a, b; }; cbuffer Other { float c; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a, b; } f;") else { return };
    folder.write("layoutproof.toml", b"schema = 1\nhost = \"host.o\"\n[[shader]]\nfiles = \"*.hlsl\"\n");
    folder.run("check --lock").exits(2).warns("error: layoutproof.lock does not exist: `check --write-lock` writes it");
    folder.run("check --write-lock").exits(0).warns("note: wrote 2 layouts, 1 pair to layoutproof.lock");
    let lock = folder.read("layoutproof.lock");
    assert!(lock.lines().skip(1).is_sorted(), "{lock}");
    assert!(lock.starts_with("schema\t1\nlayout\ta.hlsl\tFrame\tnative:dxc-dxil\t8 bytes "), "{lock}");
    assert!(lock.contains("\npair\ta.hlsl\tFrame\tnative:dxc-dxil\tFrame\nunmatched\ta.hlsl\tOther\t"), "{lock}");
    folder.run("check --lock").exits(0);

    let changes = |words: &str| {
        let answer = folder.run(&format!("{words} --format json")).exits(1).json();
        let complaints = answer["complaints"].as_array().unwrap().clone();
        complaints.iter().map(|it| it.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // A member moved in the shader, which reads only a part of the struct; and a block is new.
    folder.write("a.hlsl", b"cbuffer Frame { float a; }; cbuffer Other { float c; }; cbuffer New { float d; };");
    let found = changes("check --lock");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0] == "`Frame` of a.hlsl for D3D12 · DXC has another layout: 4 bytes instead of 8 bytes",
        "{found:?}"
    );
    assert!(found[1] == "`New` of a.hlsl for D3D12 · DXC is a new block without a host struct", "{found:?}");
    folder.run("check --lock --format junit").exits(1).prints("<testsuites name=\"layoutproof check\" tests=\"5\"");
    folder.run("check --write-lock").exits(0);
    folder.run("check --lock").exits(0);

    // The block with the struct goes, in another shader that is named.
    folder.write("a.hlsl", b"cbuffer Other { float c; }; cbuffer New { float d; };");
    folder.write("b.hlsl", b"cbuffer Frame { float a; };");
    let found = changes("check --lock");
    assert_eq!(found, ["`Frame` of a.hlsl for D3D12 · DXC is gone, which `Frame` filled"]);
    folder.run("check b.hlsl --lock").exits(0);

    folder.write("layoutproof.lock", format!("{lock}<<<<<<< HEAD\n").as_bytes());
    folder.run("check --lock").exits(2).warns(
        "error: layoutproof.lock:6: not a line of a lock file: `<<<<<<< HEAD`; `check --write-lock` writes it again",
    );
}
