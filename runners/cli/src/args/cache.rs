//! The arguments that control the cache of compiler answers.

use clap::Args;

/// Whether the cache is used.
#[derive(Clone, Debug, Args)]
pub struct CacheArgs {
    /// Ask compilers and spirv-val again, and keep no answers.
    ///
    /// Otherwise an answer to an earlier run is used if program, libraries, arguments and source are the same.
    #[arg(long)]
    pub no_cache: bool,
}
