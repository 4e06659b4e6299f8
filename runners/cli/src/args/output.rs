//! Where a command writes its reports.

use std::path::PathBuf;

use clap::Args;

use crate::records::final_report::github_summary;
use crate::records::output_files::check_file;

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

impl OutputArgs {
    /// Checks that every file can be written, before there is anything to write.
    ///
    /// # Errors
    /// The first that cannot.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let github = github_summary().map(PathBuf::from);
        [&self.json, &self.junit, &self.csv, &github].into_iter().flatten().try_for_each(|path| check_file(path))
    }
}
