//! `layoutproof dev completions` and `layoutproof dev man`: the files that a package installs next to the
//! program.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap_complete::Shell;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::files::entries;
use layoutproof_records::output_files::write_below;

use crate::output::print;
use crate::{completions, help};

/// `layoutproof dev completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `layoutproof dev man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages, one for each command.
    ///
    /// It is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Prints a script by which a shell asks this program for completions.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    print(&completions::script(args.shell)?);
    Ok(Exit::Agree)
}

/// Writes the manual pages of the program and of each command.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let writing = || format!("writing manual pages to {}", args.out.display());
    let made = tempfile::tempdir().with_context(writing)?;
    clap_mangen::generate_to(help::visible_command(), made.path()).with_context(writing)?;
    for page in entries(made.path()).with_context(writing)? {
        let name = page.file_name().context("a page has a name")?;
        write_below(&args.out, name, fs::read(&page).with_context(writing)?).with_context(writing)?;
    }
    Ok(Exit::Agree)
}
