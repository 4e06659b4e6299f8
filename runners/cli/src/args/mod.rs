//! Arguments that several commands share, and those of `run` (which the selection reads) and
//! `report`. Every other command defines its arguments next to its code.

mod output;
mod own;
pub mod placement;
mod report;
mod run;
mod scheduler;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use layoutproof_records::merge::RecordedPart;
use layoutproof_records::shard::{CaseTimes, Shard};

pub(crate) use output::REPORT_HEADING;
pub use output::{OutputArgs, ReportFiles};
pub use own::{OwnArgs, OwnFormat};
pub use placement::PlacementArgs;
pub use report::{RecordedArgs, ReportArgs};
pub use run::{RecordsArg, RunArgs};
use scheduler::scheduled_shard;

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// If standard output is a terminal that can, and `NO_COLOR` is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Text or JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// The output format alone.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Whether the cache is used.
#[derive(Clone, Debug, Args)]
pub struct CacheArgs {
    /// Ask compilers and spirv-val again, and keep no answers.
    ///
    /// Otherwise an answer to an earlier run is used if program, libraries, arguments and source are the same.
    #[arg(long)]
    pub no_cache: bool,
}

/// The part of a run that the user asks for.
#[derive(Clone, Debug, Default, Args)]
pub struct PartArgs {
    /// Run one part of the cases: 2/3 is the second of three.
    ///
    /// `auto` takes the part that Slurm, GitLab, Buildkite, CircleCI or Bazel give this process. `layoutproof
    /// report` puts the records of all parts together, and takes the floors.
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Balance the parts by the times in the records of an earlier run of all cases.
    ///
    /// All parts need the same records. Cases that the run did not have go to parts by their ids.
    #[arg(long, value_name = "RECORDS", value_parser = read_times)]
    pub times: Option<CaseTimes>,
    /// Run only what this file lists.
    ///
    /// Each line has the id of a case or the name of a trial; # begins a comment.
    #[arg(long, value_name = "FILE")]
    pub caselist: Option<PathBuf>,
}

/// Reads the times of the cases from records.
fn read_times(path: &str) -> anyhow::Result<CaseTimes> {
    CaseTimes::of(&RecordedPart::read(Path::new(path))?.checks)
}

/// Parses `2/3` or `auto`.
pub(crate) fn parse_shard(text: &str) -> anyhow::Result<Shard> {
    if text == "auto" { scheduled_shard(|name| std::env::var(name).ok()) } else { Ok(text.parse()?) }
}
