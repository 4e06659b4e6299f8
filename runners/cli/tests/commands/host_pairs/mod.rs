//! `layoutproof check` finds the struct of each block, or proposes one. GCC compiles the programs, so
//! the host's offsets are its own; without it, the tests print a note and end.

mod compiler_places;
mod findings;
mod init;
mod json;
mod languages;
mod layout_files;
mod levels;
mod libraries;
mod lock;
mod members;
mod mistaken;
mod names;
mod other_layouts;
mod partial;
mod programs;
mod reads;
mod rows;
mod shapes;
mod sizes;
mod spirv_macro;
mod stated;
mod strings;

use std::process::Command;

use serde_json::Value;

use super::folder::{Answer, Folder};

/// A folder with a shader and `host.o`, the compiled `host`; `None` without a compiler.
fn folder_of(shader: (&str, &str), host: &str) -> Option<Folder> {
    let folder = Folder::with(&[shader, ("host.cpp", host)]);
    compile(&folder, "host").then_some(folder)
}

/// Compiles `NAME.cpp` to `NAME.o`; false without a compiler.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn compile(folder: &Folder, name: &str) -> bool {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-g", "-c", &format!("{name}.cpp"), "-o", &format!("{name}.o")]);
    match compiler.current_dir(folder.path(".")).status() {
        Ok(status) => {
            assert!(status.success(), "{name}");
            true
        }
        Err(error) => {
            println!("skipped: g++ is not here ({error})");
            false
        }
    }
}

/// The output without line breaks, which depend on the lengths of names.
fn one_line(answer: &Answer) -> String {
    answer.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Each pair as `block host outcome`.
fn pairs(answer: &Answer) -> Vec<String> {
    let words = |pair: &Value| ["block", "host", "outcome"].map(|key| pair[key].as_str().unwrap().to_owned()).join(" ");
    answer.json()["pairs"].as_array().unwrap().iter().map(words).collect()
}
