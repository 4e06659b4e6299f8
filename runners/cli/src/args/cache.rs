//! The arguments that control the cache of compiler answers.

use clap::Args;

/// Whether the cache is used.
#[derive(Clone, Debug, Args)]
pub struct CacheArgs {
    /// Ask compilers and spirv-val everything anew, and keep nothing of it. Otherwise what they said to an earlier run is
    /// taken, if program, libraries, arguments and source are the same.
    #[arg(long)]
    pub no_cache: bool,
}
