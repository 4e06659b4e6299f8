//! FXC and vkd3d-compiler in a row: HLSL in, SPIR-V with Direct3D's own offsets out.

use std::io;
use std::path::Path;

use super::executable::translate;
use super::{Compiled, D3dCompiler, Executable, Object, Source};
use crate::compiler::Compiler;

/// FXC, kept running, with vkd3d-compiler behind it.
#[derive(Debug)]
pub struct Fxc {
    fxc: D3dCompiler,
    vkd3d: Compiler,
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
    /// Both programs, or the name of the one that is not there. `fetched` is the folder of `ci/setup.sh`.
    ///
    /// # Errors
    /// What is missing, or that no temporary folder can be made.
    pub fn find(fetched: Option<&Path>) -> Result<Self, String> {
        let named = |name: &str| Compiler::named(name, fetched).ok_or_else(|| format!("{name} is not there"));
        Self::new(named("fxc")?, named("vkd3d")?).map_err(|error| error.to_string())
    }

    fn new(fxc: Compiler, vkd3d: Compiler) -> io::Result<Self> {
        Ok(Self { fxc: D3dCompiler::new(fxc)?, vkd3d })
    }

    /// Both versions.
    pub fn version(&self) -> String {
        format!("{}, {}", self.fxc.compiler().version(), self.vkd3d.version())
    }

    /// Compiles every source; one answer each, in order.
    pub fn compile(&mut self, sources: &[Source]) -> Vec<Compiled<Made>> {
        let objects = self.fxc.compile(sources);
        objects.into_iter().map(|compiled| self.finish(compiled)).collect()
    }

    fn finish(&self, compiled: Compiled<Object>) -> Compiled<Made> {
        match compiled {
            Compiled::Made(object) => {
                let executable = translate(&self.vkd3d, &object);
                Compiled::Made(Made { object, executable })
            }
            Compiled::Refused(said) => Compiled::Refused(said),
            Compiled::Broken(how) => Compiled::Broken(how),
        }
    }
}
