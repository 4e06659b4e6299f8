//! The arguments of `layoutproof dev completions` and `dev man`.
//!
//! They are not next to the commands because the command line uses them, and the commands describe
//! the command line.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

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
