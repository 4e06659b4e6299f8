//! Finds the compilers of this machine for a command, and warns of those that cannot be used.

use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::inspect::toolchain::{Toolchain, toolchains};
use layoutproof_executor::tools::MachineTools;

use crate::output::warn;
use crate::select::shader_file::reader_process::ReaderProcess;

/// The name that stands for every compiler.
pub(crate) const ALL: &str = "all";

/// Finds the compilers of this machine that `names` stand for: compilers, single toolchains or `all`; other names stand for
/// none. Each gets `limit` seconds for one source, and none is asked for what `cache` knows. Prints a note for each program
/// that an environment variable names and that is not a compiler or not trusted.
///
/// # Errors
/// `LAYOUTPROOF_TOOLS` is not an absolute path, or the system does not say where this program is, which also reads what
/// compilers write.
pub(crate) fn find(names: &[String], limit: u64, cache: Option<&Arc<AnswerCache>>) -> anyhow::Result<Toolchains> {
    let reader = Arc::new(ReaderProcess::of_this_program()?);
    let is_named = |toolchain: &&Toolchain| {
        names.iter().any(|name| name == ALL || name == toolchain.name || name == toolchain.compiler)
    };
    let wanted: Vec<&'static Toolchain> = toolchains().iter().filter(is_named).collect();
    let found = Toolchains::find_for(MachineTools::find()?.folder(), &wanted).limit(Duration::from_secs(limit));
    for sentence in found.notes() {
        warn(&format!("note: {sentence}\n"));
    }
    Ok(found.with_reader(reader).with_cache(cache.cloned()))
}
