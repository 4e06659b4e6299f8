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
        bail!("{} already exists", path.display());
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
    if project.untested > 0 {
        warn(&format!(
            "note: {} listed without a test after {} s; if `check` cannot read some, list them under `except`\n",
            match project.untested {
                1 => "1 shader is".to_owned(),
                several => format!("{several} shaders are"),
            },
            project.reading_seconds
        ));
    }
    if let Some(first) = project.half_tried.first() {
        warn(&format!(
            "note: {} listed although our own reader refuses them, because {} s were too few to try compilers and macros, \
             such as {first}\n",
            match project.half_tried.len() {
                1 => "1 shader is".to_owned(),
                several => format!("{several} shaders are"),
            },
            project.reading_seconds
        ));
    }
    if project.guessed > 0 {
        warn(&format!(
            "note: {} macros whose values are unknown: the file sets each to {GUESSED_VALUE}; replace them with the \
             values that your program defines\n",
            match project.guessed {
                1 => "1 shader needs".to_owned(),
                several => format!("{several} shaders need"),
            },
        ));
    }
    if project.layouts.unread_hosts > 0 {
        warn(&format!(
            "note: {} not read within {} s, so targets and orders of matrices were chosen without them\n",
            match project.layouts.unread_hosts {
                1 => "1 host file was".to_owned(),
                several => format!("{several} host files were"),
            },
            project.layouts.seconds
        ));
    }
    if project.layouts.untried_pairs > 0 {
        warn(&format!(
            "note: {} not compared for all other targets and orders of matrices within {} s\n",
            match project.layouts.untried_pairs {
                1 => "1 block was".to_owned(),
                several => format!("{several} blocks were"),
            },
            project.layouts.seconds
        ));
    }
    if project.hosts.is_empty() {
        warn(
            "note: no file with debug information was found: build with -g (GCC, Clang), /Zi (MSVC) or a profile with \
             debug = true (Cargo), and list the programs or objects under `host`\n",
        );
    }
    Ok(Exit::Agree)
}
