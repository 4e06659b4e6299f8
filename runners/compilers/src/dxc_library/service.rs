//! Asks a DXC without its program, without loading the library for each source.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::command::SERVE;
use crate::child::{ProcessEnd, ProcessOutput, run};
use crate::compile_service::CompileService;
use crate::compiler::Compiler;
use crate::library_service::LibraryService;

/// Processes that hold DXC's library, and the compiler itself for a source that ends such a
/// process.
#[derive(Debug)]
pub(crate) struct DxcService {
    processes: LibraryService,
    compiler: Compiler,
}

impl DxcService {
    /// The service for this DXC; `None` if the DXC is a program.
    pub(crate) fn of(compiler: &Compiler) -> Option<Self> {
        let leading = compiler.library_arguments()?.iter().cloned();
        let arguments: Vec<OsString> = leading.chain([SERVE.into()]).collect();
        let processes = LibraryService::start(compiler.program().to_owned(), arguments, compiler.version())?;
        Some(Self { processes, compiler: compiler.clone() })
    }
}

impl CompileService for DxcService {
    /// If a source ends its process, the compiler is started again for this source alone: the
    /// sources before it may be at fault, and only a process that ends by itself reports how it
    /// ended.
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let served = self.processes.run(folder, arguments, limit)?;
        match served.end {
            ProcessEnd::Exited(0 | 1) => Ok(served),
            ProcessEnd::Exited(_)
            | ProcessEnd::Signalled(_)
            | ProcessEnd::TimedOut(_)
            | ProcessEnd::Flooded
            | ProcessEnd::Unanswered => run(self.compiler.command().args(arguments).current_dir(folder), limit),
        }
    }
}
