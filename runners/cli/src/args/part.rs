//! The arguments that select a part of a run: a shard, or a list of cases.

use std::path::PathBuf;

use clap::Args;
use layoutproof_records::shard::Shard;

use super::scheduler::scheduled_shard;

/// The part of a run that the user asks for.
#[derive(Clone, Debug, Default, Args)]
pub struct PartArgs {
    /// Run one part of the cases: 2/3 is the second of three.
    ///
    /// `auto` takes the part that Slurm, GitLab, Buildkite, CircleCI or Bazel give this process. `layoutproof
    /// report` puts the records of all parts together, and takes the floors.
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Run only what this file lists.
    ///
    /// Each line has the id of a case or the name of a trial; # begins a comment.
    #[arg(long, value_name = "FILE")]
    pub caselist: Option<PathBuf>,
}

/// Parses `2/3` or `auto`.
pub(crate) fn parse_shard(text: &str) -> anyhow::Result<Shard> {
    if text == "auto" { scheduled_shard(|name| std::env::var(name).ok()) } else { Ok(text.parse()?) }
}
