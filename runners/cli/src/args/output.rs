//! The arguments for a command's reports.

use std::path::PathBuf;

use clap::Args;

/// Where reports go.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Write the records as JSON lines; a run writes each as its check ends. Compressed where the name ends in `.zst`.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a junit.xml report, as CI systems read it.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page for browsers: who agrees with whom, each cause of failures, and every case with its byte maps.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the results as deqp-runner does: name, status, seconds.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// One line per check, and all details of the summary; twice, the annotated struct of every known difference as well.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Print failures and nothing else; the exit code says the rest.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}
