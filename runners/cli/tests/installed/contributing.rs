//! The example of `.github/CONTRIBUTING.md`, followed word for word: its files are written, its commands
//! run, and its output is compared. Only two things differ from a checkout: the folder, and that the
//! program does not contain the new case and entry, so the last command names them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::tools_folder::ToolsFolder;
use libtest_mimic::{Failed, Trial};

use crate::trial;

const PAGE: &str = include_str!("../../../../.github/CONTRIBUTING.md");

/// The compiler that the example's numbers are from, as it names itself.
const AUTHORITY: &str = "libdxcompiler: 1.7 (4006, 69e54e29)";

pub(crate) fn trials() -> Vec<Trial> {
    let dxc = Compiler::named("dxc", ToolsFolder::find().ok().as_ref()).compiler;
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    let lacking = match dxc {
        _ if !has_python => Some("python3 is not there".to_owned()),
        Ok(dxc) if dxc.version() == AUTHORITY => None,
        Ok(_) => Some("dxc is another build than the example's".to_owned()),
        Err(_) => Some("dxc is not there".to_owned()),
    };
    vec![trial("contributing::the_example_ends_green", lacking, the_example_ends_green)]
}

fn the_example_ends_green() -> Result<(), Failed> {
    let blocks = blocks(PAGE.split_once("### An example").ok_or("the page has no example")?.1);
    let [declared, fill, numbers, first_run, entry, last_run] = blocks.as_slice() else {
        return Err(format!("the example has {} blocks", blocks.len()).into());
    };
    let folder = tempfile::tempdir()?;
    let case = folder.path().join("cases/matrices/column_after_a_scalar.toml");
    fs::create_dir_all(folder.path().join("cases/matrices"))?;
    fs::write(&case, declared)?;

    succeeds(folder.path(), fill, &[])?;
    let filled = fs::read_to_string(&case)?;
    if filled != format!("{declared}{numbers}") {
        return Err(format!("the filled file is not the page's:\n{filled}").into());
    }

    let said = succeeds(folder.path(), first_run, &[])?;
    let expected = first_run.split_once('\n').map_or("", |(_, output)| output);
    if !said.contains(expected) {
        return Err(format!("the page's output is not in:\n{said}").into());
    }

    fs::write(folder.path().join("known.toml"), entry)?;
    let said = succeeds(folder.path(), last_run, &["--cases", "cases", "--known", "known.toml"])?;
    if said.contains("looks like") { Err(said.into()) } else { Ok(()) }
}

/// The contents of the fenced blocks.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    for (index, part) in text.split("```").enumerate() {
        if index % 2 == 1 {
            // Without the name of the language.
            blocks.push(part.split_once('\n').map_or(part, |(_, block)| block).to_owned());
        }
    }
    blocks
}

/// Runs the command of a block in the folder, and returns what it prints if it succeeds.
fn succeeds(folder: &Path, block: &str, more: &[&str]) -> Result<String, Failed> {
    let line = block.lines().find_map(|line| line.strip_prefix("$ ")).ok_or("the block has no command")?;
    let words: Vec<&str> = line.split(' ').collect();
    let program = Path::new(env!("CARGO_BIN_EXE_layoutproof"));
    let mut command = match words.as_slice() {
        ["cargo", "run", "--", words @ ..] => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        [script, words @ ..] => {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(script);
            // The script starts the built program, which it finds in this folder.
            let target = program.ancestors().nth(2).ok_or("the program has no target folder")?;
            let mut command = Command::new("python3");
            command.arg(script).args(words).env("CARGO_TARGET_DIR", target);
            command
        }
        [] => return Err("the command is empty".into()),
    };
    let Output { status, stdout, stderr } = command.args(more).current_dir(folder).output()?;
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if status.success() { Ok(out) } else { Err(format!("`{line}` failed:\n{out}\n{err}").into()) }
}
