//! The compilers that a command asks.

use std::time::Duration;

use layoutproof_compilers::toolchains::Toolchains;

use crate::output::warn;
use crate::tools::Tools;

/// The compilers of this machine, with so many seconds for each source. What is no compiler although the environment
/// names it, and what is not trusted, is said: the user takes it for one.
///
/// # Errors
/// A variable says where fetched tools are, and does not say it.
pub(crate) fn find(limit: u64) -> anyhow::Result<Toolchains> {
    let found = Toolchains::find(Tools::find()?.folder()).limit(Duration::from_secs(limit));
    for sentence in found.notes() {
        warn(&format!("note: {sentence}\n"));
    }
    Ok(found)
}
