//! The arguments of `layoutproof report`.
//!
//! They are here and not beside the command: the command line names them, and the command reads records, which repeat the
//! command line.

use std::path::PathBuf;

use clap::Args;

use crate::args::OutputArgs;

/// `layoutproof report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Records of runs (`run --json`), of the shards of one or of several.
    #[arg(required = true, value_name = "RECORDS")]
    pub files: Vec<PathBuf>,
    /// The least number of leaves that each device must answer for, in all runs together; files add up.
    #[arg(long, value_name = "FILE")]
    pub floors: Vec<PathBuf>,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
}
