//! Release archives: `ci/archive` packs the program, and the action's `install` script takes it from
//! there into an empty folder with an empty home. Nothing is downloaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};

use super::folder::Folder;

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the install script as the action does.
fn install(folder: &Folder, archives: &str) -> Output {
    let script = root().join("ci/action/install");
    let path = folder.path("archives");
    let mut command = Command::new(script);
    command.args([
        VERSION,
        &folder.path("bin").display().to_string(),
        &format!("file://{}/{archives}", path.display()),
    ]);
    // No cargo is in the path: a build in place of the archive would fail.
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder.path("home"));
    command.current_dir(folder.path("empty")).output().unwrap()
}

/// The address of an archive by the template that `cargo binstall` reads.
fn by_template(template: &str) -> String {
    let values = [
        ("repo", "REPO"),
        ("version", VERSION),
        ("name", "layoutproof"),
        ("target", TRIPLE),
        ("archive-format", "tgz"),
    ];
    values.into_iter().fold(template.to_owned(), |text, (key, value)| text.replace(&format!("{{ {key} }}"), value))
}

#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), ignore = "the archive is for Linux on x86-64")]
#[test]
fn an_archive_is_all_that_an_empty_machine_needs() {
    let folder = Folder::with(&[]);
    for name in ["archives", "home", "empty"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    let packed = Command::new(root().join("ci/archive"))
        .args([env!("CARGO_BIN_EXE_layoutproof"), TRIPLE])
        .env("CARGO_TARGET_DIR", folder.path("target"))
        .output()
        .unwrap();
    assert!(packed.status.success(), "{packed:?}");

    let name = format!("layoutproof-{VERSION}-{TRIPLE}");
    let archive = folder.path(&format!("archives/{name}.tar.gz"));
    fs::rename(folder.path(&format!("target/archive/{name}.tar.gz")), &archive).unwrap();
    let hexadecimal = |byte: &u8| format!("{byte:02x}");
    let digest: String = Sha256::digest(fs::read(&archive).unwrap()).iter().map(hexadecimal).collect();
    folder.write("archives/SHA256SUMS", format!("{}  {name}.tar.gz\n", "0".repeat(64)).as_bytes());
    let forged = install(&folder, "");
    assert!(!forged.status.success() && !folder.path("bin/layoutproof").exists(), "{forged:?}");

    folder.write("archives/SHA256SUMS", format!("{digest}  {name}.tar.gz\n").as_bytes());
    let installed = install(&folder, "");
    assert!(installed.status.success(), "{installed:?}");
    let program = folder.path("bin/layoutproof");
    folder.write("empty/a.hlsl", b"cbuffer S { float3 a; float b; };");
    let shown = Command::new(&program)
        .args(["run", "a.hlsl", "--device", "model"])
        .env_clear()
        .env("HOME", folder.path("home"))
        .current_dir(folder.path("empty"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success() && text.starts_with("ok   "), "{shown:?}");

    // What is there is not fetched again: the archives are gone.
    fs::remove_file(&archive).unwrap();
    let again = install(&folder, "nowhere");
    assert!(String::from_utf8_lossy(&again.stdout).contains("is in"), "{again:?}");

    // `cargo binstall` finds the same file under its own words.
    let manifest = include_str!("../../Cargo.toml");
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix("= \""));
        by_template(line.unwrap().trim_end_matches('"'))
    };
    assert_eq!(value("pkg-url"), format!("REPO/releases/download/v{VERSION}/{name}.tar.gz"));
    assert_eq!(value("bin-dir"), format!("{name}/layoutproof"));
    let release = include_str!("../../../../.github/workflows/release.yml");
    for triple in [TRIPLE, "x86_64-pc-windows-msvc"] {
        assert!(release.contains(&format!(" {triple} explorer\n")), "{triple} is not among the archives of a release");
    }
}
