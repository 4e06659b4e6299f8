//! The arguments of `layoutproof report`.
//!
//! They are not next to the command because the command line uses them, and the command reads
//! records, which repeat the command line.

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
    /// Print one group of failures instead: the first in full, and every other that has the same cause. Reports number the
    /// groups from 1.
    #[arg(long, value_name = "N")]
    pub group: Option<usize>,
    /// Make this check again, as a failure names it, and write its shader, its buffers and the command to repeat it to the
    /// folder of --out.
    #[arg(long, value_name = "CHECK", conflicts_with_all = ["group", "floors"])]
    pub repro: Option<String>,
    /// The folder for --repro; it is made if it is not there, and must be empty.
    #[arg(long, value_name = "DIR", requires = "repro", default_value = "repro")]
    pub out: PathBuf,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
}
