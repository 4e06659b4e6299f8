//! The kit for machines without a network: its script, and the command that the script starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::folder::Folder;

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/kit-run")
}

/// The exit code and the output of the script where it cannot run the program.
#[cfg(target_os = "linux")]
fn refusal(needs: &str) -> (Option<i32>, String) {
    let folder = Folder::with(&[("needs", needs)]);
    std::fs::copy(script(), folder.path("run")).unwrap();
    let answer = Command::new("sh").arg(folder.path("run")).output().unwrap();
    (answer.status.code(), String::from_utf8(answer.stderr).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_kit_of_another_machine_says_so_in_one_line() {
    let this = std::env::consts::ARCH;
    let (code, said) = refusal("machine=riscv128\nglibc=2.36\nloader=/nowhere\n");
    assert_eq!(code, Some(3));
    assert_eq!(said, format!("layoutproof: this kit is for riscv128, and this machine is {this}\n"));
}

/// The shell's own program names the loader of this system.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[test]
fn an_older_or_another_c_library_is_named_in_one_line() {
    let needs = |glibc: &str, loader: &str| format!("machine=x86_64\nglibc={glibc}\nloader={loader}\n");
    let (code, said) = refusal(&needs("99.1", "/lib64/ld-linux-x86-64.so.2"));
    assert_eq!(code, Some(3));
    let start = "layoutproof: this kit needs glibc 99.1 or newer, and this system";
    assert!(said.starts_with(start) && said.lines().count() == 1, "{said}");

    let (code, said) = refusal(&needs("2.36", "/lib/of/musl"));
    assert_eq!(code, Some(3));
    assert!(said.contains("this system has another C library (/lib/of/musl is missing)"), "{said}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn without_a_device_nothing_is_written() {
    let folder = Folder::without_drivers(&[]);
    folder.run("dev hardware --out results").exits(3).warns("error: no driver lists a device");
    assert!(!folder.path("results").exists());
}
