//! The initial files for mutations, from this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The files in a folder of the repository and below whose names end with `end`, ordered by path.
pub(super) fn files(folder: &str, end: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    collect(&root().join(folder), &mut paths);
    paths.sort();
    let paths = paths.into_iter().filter(|path| path.to_string_lossy().ends_with(end));
    let found: Vec<_> = paths.map(|path| fs::read(path).unwrap()).collect();
    assert!(!found.is_empty(), "{folder} has no file *{end}");
    found
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, paths) } else { paths.push(path) }
    }
}

/// One file of the repository.
pub(super) fn file(path: &str) -> Vec<u8> {
    fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The declarations of all cases.
pub(super) fn declarations() -> Vec<Vec<u8>> {
    let declare = |case: Vec<u8>| {
        let text = String::from_utf8(case).ok()?;
        let (_, rest) = text.split_once("declare = \"\"\"\n")?;
        Some(rest.split_once("\"\"\"")?.0.as_bytes().to_vec())
    };
    let found: Vec<_> = files("cases", ".toml").into_iter().filter_map(declare).collect();
    assert!(!found.is_empty(), "no case has its declarations in three quotation marks");
    found
}
