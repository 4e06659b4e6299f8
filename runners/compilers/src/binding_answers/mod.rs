//! Asks compilers where they bind the parameters of a program, and holds that against a convention.
//!
//! `layoutproof fuzz --bindings` does so with random programs, and so do tests. `dxc` and `slang` read what their compiler
//! says: a table of DXIL, decorations of SPIR-V, a reflection.

mod compared;
mod dxc;
mod slang;

use std::path::Path;
use std::time::Duration;

use layoutproof_core::bindings::Target;
use layoutproof_core::random::{ProgramDialect, RandomProgram};

use crate::compile_service::CompileService;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::driver_named;

/// How a convention and a compiler agree on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingAgreement {
    /// On where every parameter is.
    Placed,
    /// That the program is to be refused.
    Refused,
}

/// What keeps a convention and a compiler from agreeing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingDisagreement {
    /// They say different things: both, in words.
    Differs(String),
    /// The compiler gave no answer, or none that can be read, for this reason.
    Broken(String),
}

/// A compiler that says where it binds parameters.
#[derive(Debug)]
pub struct BindingCompiler {
    compiler: Compiler,
    /// Answers for it without a start for each program.
    service: Option<Box<dyn CompileService>>,
    speaks: BindingDialect,
}

/// Whose language and answers these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BindingDialect {
    Dxc,
    Slang,
}

impl BindingCompiler {
    /// The compiler, if it is one that is asked here: DXC, of the version that its convention speaks of, or slangc.
    pub fn of(compiler: Compiler) -> Option<Self> {
        let speaks = match compiler.name() {
            "dxc" => BindingDialect::Dxc,
            "slangc" => BindingDialect::Slang,
            _ => return None,
        };
        let service = driver_named(compiler.name()).and_then(|driver| driver.service(&compiler));
        Some(Self { compiler, service, speaks })
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The programs that it takes.
    pub fn dialect(&self) -> ProgramDialect {
        match self.speaks {
            BindingDialect::Dxc => ProgramDialect::Dxc,
            BindingDialect::Slang => ProgramDialect::Slang,
        }
    }

    /// The targets for which it binds parameters.
    pub fn targets(&self) -> &'static [Target] {
        match self.speaks {
            BindingDialect::Dxc => &[Target::D3d12, Target::Vulkan],
            BindingDialect::Slang => &[Target::D3d12, Target::Vulkan, Target::Webgpu],
        }
    }

    /// Holds the compiler's convention for a target against what the compiler says of the program.
    ///
    /// # Errors
    /// They do not agree, or the compiler does not answer.
    pub fn compare(&self, target: Target, program: &RandomProgram) -> Result<BindingAgreement, BindingDisagreement> {
        match self.speaks {
            BindingDialect::Dxc => dxc::compare(self, target, program),
            BindingDialect::Slang => slang::compare(self, target, program),
        }
    }

    /// Does what the compiler does with these arguments in `folder`.
    fn ask(&self, folder: &Path, arguments: &[&str]) -> CompilerAnswer {
        let limit: Duration = self.compiler.limit();
        match &self.service {
            Some(service) => self.compiler.answer(service.run(folder, arguments, limit)),
            None => self.compiler.ask(folder, arguments),
        }
    }
}

/// What a compiler under Wine says of programs, in one process for all of them; see [`BindingCompiler::compare`].
///
/// # Errors
/// The compiler is none that runs under Wine.
pub fn compare_on_windows(
    dxc: &Compiler,
    programs: &[RandomProgram],
) -> Result<Vec<Result<BindingAgreement, BindingDisagreement>>, String> {
    dxc::compare_on_windows(dxc, programs)
}
