//! Processes that answer for a compiler about one source after the other, because starting the
//! compiler takes longer than compiling a source.
//!
//! `toolchains` asks them before it starts a compiler; each driver knows which compilers have a
//! service.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::child::ProcessOutput;
use crate::compiler::Compiler;

/// Processes that answer for a compiler. Many threads may ask at once.
pub(crate) trait CompileService: fmt::Debug + Send + Sync {
    /// Does what the compiler does with these arguments in `folder`, and leaves its files there.
    ///
    /// # Errors
    /// The process cannot be started or does not answer.
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput>;
}

/// The service of one compiler, started on first use. The inner value is `None` if the compiler has
/// no service.
type ServiceCell = OnceLock<Option<Box<dyn CompileService>>>;

/// The services of a run's compilers. The first source for a compiler starts its service.
#[derive(Debug)]
pub(crate) struct CompileServices {
    start: fn(&Compiler) -> Option<Box<dyn CompileService>>,
    by_compiler: Mutex<BTreeMap<&'static str, Arc<ServiceCell>>>,
}

impl CompileServices {
    /// Starts nothing yet. `start` will start the services; it returns `None` for a compiler
    /// without one.
    pub(crate) fn new(start: fn(&Compiler) -> Option<Box<dyn CompileService>>) -> Self {
        Self { start, by_compiler: Mutex::default() }
    }

    /// Asks the service of `compiler`; `None` if it has no service.
    pub(crate) fn run(
        &self,
        compiler: &Compiler,
        folder: &Path,
        arguments: &[&str],
    ) -> Option<io::Result<ProcessOutput>> {
        let cell = {
            let mut cells = self.by_compiler.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(compiler.name()).or_default())
        };

        // The start may take a while. Only this compiler's sources wait for it.
        let service = cell.get_or_init(|| (self.start)(compiler)).as_ref()?;
        Some(service.run(folder, arguments, compiler.limit()))
    }
}
