//! Where a command writes its reports.

use std::path::PathBuf;

use clap::Args;

/// Where reports go.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Write the records as JSON lines; a run writes each as its check ends.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a junit.xml report, as CI systems read it.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the results as deqp-runner does: name, status, seconds.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// One line per check; twice, the annotated struct as well.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}
