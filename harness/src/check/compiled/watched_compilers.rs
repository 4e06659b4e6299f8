//! Tracks whether compiler answers come from the cache, so that a record can show it.

use std::sync::atomic::{AtomicBool, Ordering};

use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_readers::toolchain::{AnswerOrigin, Compilation, CompileRequest, Compilers, Toolchain};

/// The compilers of a subject, plus a flag that is set once any answer comes from the cache.
#[derive(Debug)]
pub(super) struct WatchedCompilers<'a> {
    compilers: &'a dyn Compilers,
    has_cached: AtomicBool,
}

impl<'a> WatchedCompilers<'a> {
    /// Starts with the flag unset.
    pub(super) fn new(compilers: &'a dyn Compilers) -> Self {
        Self { compilers, has_cached: AtomicBool::new(false) }
    }

    pub(super) fn origin(&self) -> AnswerOrigin {
        if self.has_cached.load(Ordering::Relaxed) { AnswerOrigin::Cached } else { AnswerOrigin::Asked }
    }
}

impl Compilers for WatchedCompilers<'_> {
    fn has(&self, toolchain: &Toolchain) -> bool {
        self.compilers.has(toolchain)
    }

    fn version(&self, toolchain: &Toolchain) -> Option<&str> {
        self.compilers.version(toolchain)
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        let compilation = self.compilers.compile(request);
        if compilation.origin == AnswerOrigin::Cached {
            self.has_cached.store(true, Ordering::Relaxed);
        }
        compilation
    }

    fn reader(&self) -> &dyn ModuleReader {
        self.compilers.reader()
    }
}
