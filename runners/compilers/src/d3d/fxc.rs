//! Compiles HLSL with FXC and translates the result with vkd3d-compiler to SPIR-V that keeps
//! Direct3D's offsets.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::batch::{D3dCompiler, D3dObject, D3dOutcome, D3dSource};
use super::executable::{Executable, NoExecutable, translate};
use crate::compiler::Compiler;

/// FXC, kept running, followed by vkd3d-compiler.
#[derive(Debug)]
pub struct Fxc {
    compiler: Mutex<D3dCompiler>,
    translator: Compiler,
}

#[derive(Debug)]
pub struct FxcProgram {
    pub object: D3dObject,
    /// The module that vkd3d-compiler makes of it.
    pub executable: Result<Executable, NoExecutable>,
}

impl Fxc {
    /// Takes `fxc` and `vkd3d` of [`Compiler::known`], and starts nothing yet.
    ///
    /// # Errors
    /// No temporary folder can be made.
    pub fn new(fxc: Compiler, vkd3d: Compiler) -> io::Result<Self> {
        Ok(Self { compiler: Mutex::new(D3dCompiler::new(fxc)?), translator: vkd3d })
    }

    /// Compiles every source; one answer each, in order. Threads take turns.
    pub fn compile_all(&self, sources: &[D3dSource]) -> Vec<D3dOutcome<FxcProgram>> {
        // A panicking thread drops the process, so it leaves no half-read answer.
        let objects = self.compiler.lock().unwrap_or_else(PoisonError::into_inner).compile(sources);
        objects.into_iter().map(|compiled| self.finish(compiled)).collect()
    }

    fn finish(&self, compiled: D3dOutcome<D3dObject>) -> D3dOutcome<FxcProgram> {
        match compiled {
            D3dOutcome::Made(object) => {
                let executable = translate(&self.translator, &object);
                D3dOutcome::Made(FxcProgram { object, executable })
            }
            D3dOutcome::Refused(said) => D3dOutcome::Refused(said),
            D3dOutcome::Broken(how) => D3dOutcome::Broken(how),
        }
    }
}
