//! The arguments of `layoutproof fuzz`.

use std::path::PathBuf;

use clap::Args;

use crate::args::{CacheArgs, Shard, parse_shard};
use crate::compilers;

/// `layoutproof fuzz`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that the user types or leaves out")]
pub struct FuzzArgs {
    /// The same seed draws the same declarations or programs.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// How many declarations, or programs for each of DXC and Slang.
    #[arg(long, default_value_t = 200, value_name = "M")]
    pub count: u64,
    /// Number of the first one, so that machines can share a seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub from: u64,
    /// Only one part of the declarations: 2/3 is the second of three, `auto` the one that Slurm, GitLab, Buildkite, CircleCI or
    /// Bazel give this process. `layoutproof report` puts the records of all parts together.
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Instead of random ones, all declarations of up to K members over a fixed set of types.
    #[arg(long, value_name = "K", conflicts_with = "count")]
    pub exhaustive: Option<u32>,
    /// Instead of declarations, programs: where DXC and Slang bind their parameters, and where devices find them.
    #[arg(long, conflicts_with_all = ["exhaustive", "draw_for", "floor", "html", "plant_mutant"])]
    pub bindings: bool,
    /// Only these compilers, or single toolchains of theirs; default: all that were found.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub compiler: Vec<String>,
    /// Draw for these compilers instead of for those that take part: which declaration a number stands for depends on it.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub draw_for: Vec<String>,
    /// Fewest checks that each compiler must have answered in each cell (type of member, what lies before it, form of block).
    #[arg(long, value_name = "N", conflicts_with = "exhaustive")]
    pub floor: Option<u64>,
    /// Time limit in seconds of a compiler for one source; one that takes longer is ended, and its check is broken.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// Whether compilers are asked again.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Run every declaration on every device, not on one of them in turn.
    #[arg(long)]
    pub every_device: bool,
    /// Have compilers read and write every declaration in every form, not in one of them in turn.
    #[arg(long, conflicts_with = "bindings")]
    pub every_access: bool,
    /// Have each compiler compile every declaration with every layout option, not with one of them in turn. So it is with
    /// `--exhaustive` and `--plant-mutant`.
    #[arg(long, conflicts_with = "bindings")]
    pub every_option: bool,
    /// Known differences beside the built-in ones: a list, or a folder of lists.
    #[arg(long, value_name = "PATH")]
    pub known: Vec<PathBuf>,
    /// Where differences are written: a case file, a report, and what the compiler was given and made.
    #[arg(long, default_value = "fuzz-found", value_name = "DIR")]
    pub out: PathBuf,
    /// Write the records of all checks as JSON lines, as `run` does; `report` reads them.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a page for browsers: each finding with its smallest declaration, byte maps, witnesses and shaders.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print what differs and nothing else; the exit code says the rest.
    #[arg(short, long)]
    pub quiet: bool,
    /// Show no progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Plant a wrong rule, to see it found and made small: `std140@slang:array-alignment=4`.
    #[arg(long, value_name = "RULES:PARAMETER=VALUE")]
    pub plant_mutant: Option<String>,
}

impl FuzzArgs {
    /// The names of the participating compilers; `all` if the user named none.
    pub(super) fn compilers(&self) -> Vec<String> {
        if self.compiler.is_empty() { vec![compilers::ALL.to_owned()] } else { self.compiler.clone() }
    }
}
