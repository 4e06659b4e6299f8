//! The compilers that a command asks.

use std::time::Duration;

use layoutproof_compilers::toolchains::Toolchains;

use crate::drivers;
use crate::output::warn;

/// The compilers of this machine, with so many seconds for each source. What the environment names and is no compiler
/// is said: the user takes it for one.
pub(crate) fn find(limit: u64) -> Toolchains {
    let found = Toolchains::find(drivers::fetched_root().as_deref()).limit(Duration::from_secs(limit));
    for sentence in found.unusable() {
        warn(&format!("note: {sentence}\n"));
    }
    found
}
