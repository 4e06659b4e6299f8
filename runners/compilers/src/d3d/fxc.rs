//! FXC and vkd3d-compiler in a row: HLSL in, SPIR-V with Direct3D's own offsets out.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::executable::translate;
use super::{Compiled, D3dCompiler, Executable, Object, Source};
use crate::compiler::Compiler;
use crate::tools_folder::ToolsFolder;

/// FXC, kept running, with vkd3d-compiler behind it.
#[derive(Debug)]
pub struct Fxc {
    compiler: Mutex<D3dCompiler>,
    translator: Compiler,
    version: String,
}

/// What was made of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// FXC's part.
    pub object: Object,
    /// The module, or why there is none, in a sentence: what vkd3d-compiler cannot translate is no fault of the source.
    pub executable: Result<Executable, String>,
}

impl Fxc {
    /// Both programs, or why one is not there.
    ///
    /// # Errors
    /// What is missing, or that no temporary folder can be made.
    pub fn find(tools: Option<&ToolsFolder>) -> Result<Self, String> {
        let named = |name: &str| Compiler::named(name, tools).compiler;
        Self::new(named("fxc")?, named("vkd3d")?).map_err(|error| error.to_string())
    }

    /// Of `fxc` and `vkd3d` of [`Compiler::known`]; nothing is started yet.
    ///
    /// # Errors
    /// No temporary folder can be made.
    pub fn new(fxc: Compiler, vkd3d: Compiler) -> io::Result<Self> {
        let version = format!("{}, {}", fxc.version(), vkd3d.version());
        Ok(Self { compiler: Mutex::new(D3dCompiler::new(fxc)?), translator: vkd3d, version })
    }

    /// Both versions.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Compiles every source; one answer each, in order. Threads take turns.
    pub fn compile(&self, sources: &[Source]) -> Vec<Compiled<Made>> {
        // A thread that panicked has left no answer half-read: the process goes with it.
        let objects = self.compiler.lock().unwrap_or_else(PoisonError::into_inner).compile(sources);
        objects.into_iter().map(|compiled| self.finish(compiled)).collect()
    }

    fn finish(&self, compiled: Compiled<Object>) -> Compiled<Made> {
        match compiled {
            Compiled::Made(object) => {
                let executable = translate(&self.translator, &object);
                Compiled::Made(Made { object, executable })
            }
            Compiled::Refused(said) => Compiled::Refused(said),
            Compiled::Broken(how) => Compiled::Broken(how),
        }
    }
}
