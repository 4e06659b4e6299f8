//! Arguments that several commands share, and those of `run` (which the selection reads) and
//! `report`. Every other command defines its arguments next to its code.

mod cache;
mod columns;
mod output;
mod pages;
mod part;
pub mod placement;
mod report;
mod run;
mod scheduler;

use clap::{Args, ValueEnum};

pub use cache::CacheArgs;
pub(crate) use output::REPORT_HEADING;
pub use output::{OutputArgs, ReportFiles};
pub use pages::{CompletionsArgs, ManArgs};
pub use part::PartArgs;
pub(crate) use part::parse_shard;
pub use placement::PlacementArgs;
pub use report::ReportArgs;
pub use run::RunArgs;

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
