//! Processes that answer for a compiler about one source after the other, because its start takes longer than a source.
//!
//! `toolchains` asks them before it starts a compiler; drivers say which compilers have some.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::child::ProcessOutput;
use crate::compiler::Compiler;

/// Processes that answer for a compiler; asked from many threads at once.
pub(crate) trait CompileService: fmt::Debug + Send + Sync {
    /// Does what the compiler does with these arguments in `folder`, where it leaves its files.
    ///
    /// # Errors
    /// The process cannot be started or asked.
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput>;
}

/// The service of one compiler, once it was asked for; `None` inside where the compiler has none.
type ServiceCell = OnceLock<Option<Box<dyn CompileService>>>;

/// The services of a run's compilers, each started by the first source for its compiler.
#[derive(Debug)]
pub(crate) struct CompileServices {
    start: fn(&Compiler) -> Option<Box<dyn CompileService>>,
    by_compiler: Mutex<BTreeMap<&'static str, Arc<ServiceCell>>>,
}

impl CompileServices {
    /// Starts nothing yet. Services will be started by `start`, which returns `None` for a compiler that has none.
    pub(crate) fn new(start: fn(&Compiler) -> Option<Box<dyn CompileService>>) -> Self {
        Self { start, by_compiler: Mutex::default() }
    }

    /// Asks the service of `compiler`; `None` where only the compiler itself can be asked.
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

        // The start may take a while, in which only this compiler's sources wait.
        let service = cell.get_or_init(|| (self.start)(compiler)).as_ref()?;
        Some(service.run(folder, arguments, compiler.limit()))
    }
}
