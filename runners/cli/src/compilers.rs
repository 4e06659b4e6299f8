//! Finds the compilers of this machine for a command, and warns of those that cannot be used.

use std::sync::Arc;
use std::time::Duration;

use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_executor::tools::MachineTools;
use layoutproof_readers::toolchain::{Toolchain, toolchains};

use crate::output::warn;
use crate::select::shader_file::reader_process::ReaderProcess;

/// The name that selects every compiler.
pub(crate) const ALL: &str = "all";

/// Finds the compilers of this machine that `names` select: each name is a compiler, a single
/// toolchain or `all`; other names select nothing. A compiler may spend `limit` seconds on one
/// source, and runs only if `cache` has no answer. Prints a note for each environment variable that
/// names a program which is not a compiler or not trusted.
///
/// # Errors
/// `LAYOUTPROOF_TOOLS` is not an absolute path, or the system does not report the path of this
/// program, which also parses the compilers' output.
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
