//! `layoutproof init`: writes a first `layoutproof.toml` from the files of a folder, and prints what it leaves out.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::{Context, bail};
use layoutproof_events::summary::Exit;
use layoutproof_inputs::project_file::PROJECT_FILE;
use layoutproof_pairs::first_project::{FirstProject, GUESSED_VALUE};
use layoutproof_report::host_check::BetterChoice;
use layoutproof_show::style::counted;

use super::args::InitArgs;
use crate::output::{print, warn};

/// Writes the file, unless it exists.
///
/// # Errors
/// The folder cannot be read, or the file exists.
pub(crate) fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let path = args.folder.join(PROJECT_FILE);
    if path.exists() {
        bail!("{} already exists: edit it, or remove it before `init` writes another", path.display());
    }
    let project = FirstProject::of_folder(&args.folder)?;

    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .with_context(|| format!("writing {}", path.display()))?;
    file.write_all(project.text().as_bytes()).with_context(|| format!("writing {}", path.display()))?;
    print(&format!(
        "wrote {}: {}, {}\n",
        path.display(),
        counted(project.shader_count as u64, "shader"),
        counted(project.host_count as u64, "host file")
    ));
    for options in project.build_options() {
        print(&format!("layouts of {options}\n"));
    }
    for better in &project.layouts.better {
        let choice = match better.choice {
            BetterChoice::Target { .. } => "target",
            BetterChoice::Order { .. } => "matrices",
        };
        print(&format!("{choice} of {}: {better}\n", better.language.title()));
    }
    for left_out in &project.left_out {
        print(&format!("left out: {left_out}\n"));
    }
    for (count, words, rest) in notes(&project) {
        if count > 0 {
            let words = if count == 1 { words[0] } else { words[1] };
            warn(&format!("note: {count} {words} {rest}\n"));
        }
    }
    if project.hosts.is_empty() {
        warn(
            "note: no file with debug information was found: build with -g (GCC, Clang), /Zi (MSVC) or a profile with \
             debug = true (Cargo), and list the programs or objects under `host`\n",
        );
    }
    Ok(Exit::Agree)
}

/// What was not tried or is a guess: how many, the words after one and after several, and the rest of the sentence.
fn notes(project: &FirstProject) -> [(usize, [&'static str; 2], String); 6] {
    let first = |list: &[String]| list.first().cloned().unwrap_or_default();
    [
        (
            project.untested,
            ["shader is", "shaders are"],
            "listed without a test, because `init` reads only so many: if `check` cannot read some, list them under \
             `except`"
                .to_owned(),
        ),
        (
            project.half_tried.len(),
            ["shader is", "shaders are"],
            format!(
                "listed although our own reader refuses them, because `init` does not try compilers and macros for so many, \
                 such as {}",
                first(&project.half_tried)
            ),
        ),
        (
            project.incomplete.len(),
            ["shader is", "shaders are"],
            format!(
                "listed although macros are missing that the program or its build defines, such as {}: `check` compares the \
                 blocks that need none of them; to compare all, write `defines = [\"NAME=VALUE\"]`",
                first(&project.incomplete)
            ),
        ),
        (
            project.guessed,
            ["shader needs", "shaders need"],
            format!(
                "macros whose values are unknown: the file sets each to {GUESSED_VALUE}; replace them with the values that \
                 your program defines"
            ),
        ),
        (
            project.layouts.unread_hosts,
            ["host file was", "host files were"],
            "not read, because those before it are large: targets and orders of matrices were chosen without it"
                .to_owned(),
        ),
        (
            project.layouts.untried_pairs,
            ["block was", "blocks were"],
            "not compared for all other targets and orders of matrices, because there are so many".to_owned(),
        ),
    ]
}
