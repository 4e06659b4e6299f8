//! Generates lists of the data files that the program contains, each entry with the file's text.
//!
//! The package's folder is the root of the repository: the files stay where people look for them,
//! and the package reads nothing outside of itself. `include` in `Cargo.toml` names the same
//! folders.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    embed("cases", "cases.rs", &["toml"], |path| path.with_extension(""));
    embed("ci/devices", "devices.rs", &["zst"], |path| path.with_extension("").with_extension(""));
    embed("ci/known", "known.rs", &["toml"], |path| path.with_extension(""));
    embed("ci/setup", "setup.rs", &["sh", "py"], Path::to_path_buf);
    embed("ci/upstream-drivers", "upstream_drivers.rs", &["toml"], |path| path.with_extension(""));
    embed("ci/upstream", "upstream.rs", &["toml"], |path| path.with_extension(""));
    embed("shaders/frozen", "frozen.rs", &["toml", "zst"], Path::to_path_buf);
}

/// Writes the files with these extensions below `folder` of the repository as an array. `name`
/// turns their relative paths into names. Compressed files, and those beside them, become bytes, others text.
fn embed(folder: &str, output: &str, extensions: &[&str], name: impl Fn(&Path) -> PathBuf) {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for build scripts"));
    let root = manifest.join(folder);
    let mut files = Vec::new();
    collect(&root, extensions, &mut files);
    files.sort();

    let (kind, field, include) = if extensions.contains(&"zst") {
        ("BuiltInBytes", "bytes", "include_bytes")
    } else {
        ("BuiltInFile", "text", "include_str")
    };
    let mut source = String::from("[\n");
    for file in &files {
        let relative = name(file.strip_prefix(&root).expect("the file was found below the root"));
        let id = relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        let path = file.canonicalize().expect("the file was just listed");
        let text = path.to_str().expect("cargo builds only in folders whose names are UTF-8");
        writeln!(source, "    {kind} {{ name: {id:?}, {field}: {include}!({text:?}) }},")
            .expect("writing to a string does not fail");
    }
    source.push(']');

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    fs::write(out.join(output), source).expect("the output folder is writable");
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder is part of the package") {
        let path = entry.expect("the folder was just opened").path();
        if path.is_dir() {
            collect(&path, extensions, files);
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)) {
            files.push(path);
        }
    }
}
