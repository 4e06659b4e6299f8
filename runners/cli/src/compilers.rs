//! The compilers that a command asks.

use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_executor::tools::Tools;

use crate::output::warn;
use crate::select::reader_process::ReaderProcess;

/// The compilers of this machine, with so many seconds for each source. What is no compiler although the environment
/// names it, and what is not trusted, is said: the user takes it for one.
///
/// # Errors
/// A variable says where fetched tools are, and does not say it; or the system does not say where this program is, which
/// also reads what compilers make.
pub(crate) fn find(limit: u64) -> anyhow::Result<Toolchains> {
    let reader = Arc::new(ReaderProcess::of_this_program()?);
    let found = Toolchains::find(Tools::find()?.folder()).limit(Duration::from_secs(limit));
    for sentence in found.notes() {
        warn(&format!("note: {sentence}\n"));
    }
    Ok(found.with_reader(reader))
}
