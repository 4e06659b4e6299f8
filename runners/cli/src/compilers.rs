//! The compilers that a command asks.

use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::toolchains::Toolchains;

use crate::drivers;
use crate::output::warn;
use crate::reader_process::ReaderProcess;

/// The compilers of this machine, with so many seconds for each source. What the environment names and is no compiler
/// is said: the user takes it for one.
///
/// # Errors
/// The system does not say where this program is, which also reads what compilers make.
pub(crate) fn find(limit: u64) -> anyhow::Result<Toolchains> {
    let reader = Arc::new(ReaderProcess::of_this_program()?);
    let found = Toolchains::find(drivers::fetched_root().as_deref()).limit(Duration::from_secs(limit));
    for sentence in found.unusable() {
        warn(&format!("note: {sentence}\n"));
    }
    Ok(found.with_reader(reader))
}
