//! The arguments of `layoutproof dev fuzz`.

use std::path::PathBuf;

use clap::Args;
use layoutproof_fuzzing::draws::DrawArguments;
use layoutproof_records::shard::Shard;

use crate::args::{CacheArgs, parse_shard};
use crate::compilers;

/// `layoutproof dev fuzz`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that the user types or leaves out")]
pub struct FuzzArgs {
    /// Seed: the same one draws the same declarations.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Number of declarations, or of programs per compiler.
    #[arg(long, default_value_t = 200, value_name = "M")]
    pub count: u64,
    /// Number of the first one, so that machines can share a seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub from: u64,
    /// Run one part of the declarations: 2/3 is the second of three.
    ///
    /// `auto` takes the part that Slurm, GitLab, Buildkite, CircleCI or Bazel give this process. `layoutproof
    /// report` puts the records of all parts together.
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Try all declarations of up to K members instead.
    ///
    /// Over a fixed set of types.
    #[arg(long, value_name = "K", conflicts_with = "count")]
    pub exhaustive: Option<u32>,
    /// Draw programs instead: where their parameters are bound.
    ///
    /// By DXC and Slang, and where devices find them.
    #[arg(long, conflicts_with_all = ["exhaustive", "draw_for", "floor", "html", "plant_mutant"])]
    pub bindings: bool,
    /// Only these compilers, or single toolchains of theirs.
    ///
    /// Default: all that were found.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub compiler: Vec<String>,
    /// Draw for these compilers instead of those that take part.
    ///
    /// Which declaration a number stands for depends on it.
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub draw_for: Vec<String>,
    /// Fewest checks that each compiler must answer in each cell.
    ///
    /// A cell is a type of member, what lies before it, and a form of block.
    #[arg(long, value_name = "N", conflicts_with = "exhaustive")]
    pub floor: Option<u64>,
    /// Time limit in seconds of a compiler for one source.
    ///
    /// A compiler that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// The cache of answers.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    pub device: Vec<String>,
    /// Run every declaration on every device.
    ///
    /// Not on one of them in turn.
    #[arg(long)]
    pub every_device: bool,
    /// Read and write every declaration in every form.
    ///
    /// Not in one of them in turn.
    #[arg(long, conflicts_with = "bindings")]
    pub every_access: bool,
    /// Compile every declaration with every layout option.
    ///
    /// Not with one of them in turn. `--exhaustive` and `--plant-mutant` do this, too.
    #[arg(long, conflicts_with = "bindings")]
    pub every_option: bool,
    /// More known differences: a list, or a folder of lists.
    ///
    /// They are added to the built-in ones.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
    /// Folder for differences.
    ///
    /// For each a case file, a report, and what the compiler was given and made.
    #[arg(long, default_value = "fuzz-found", value_name = "DIR")]
    pub out: PathBuf,
    /// Write the records as JSON lines, for `report`.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the findings as a page.
    ///
    /// Each with its smallest declaration, byte maps, witnesses and shaders.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print only what differs.
    #[arg(short, long)]
    pub quiet: bool,
    /// Show no progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Plant a wrong rule: `std140@slang:array-alignment=4`.
    ///
    /// To see it found and made small.
    #[arg(long, value_name = "MUTANT")]
    pub plant_mutant: Option<String>,
}

impl FuzzArgs {
    /// The names of the participating compilers; `all` if the user named none.
    pub(super) fn compilers(&self) -> Vec<String> {
        if self.compiler.is_empty() { vec![compilers::ALL.to_owned()] } else { self.compiler.clone() }
    }

    pub(super) fn draws(&self) -> DrawArguments {
        let Self { seed, from, count, shard, exhaustive, .. } = *self;
        DrawArguments { seed, from, count, shard, exhaustive }
    }
}
