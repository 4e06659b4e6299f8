//! Asks compilers where they bind the parameters of a program, and holds that against a convention.
//!
//! `layoutproof fuzz --bindings` does so with random programs, and so do tests. `dxc` and `slang` read what their compiler
//! says: a table of DXIL, decorations of SPIR-V, a reflection.

mod compared;
mod dxc;
mod slang;

use std::path::Path;
use std::time::Duration;

use layoutproof_core::bindings::{Binding, BindingRequest, Convention, Target};
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
    dialect: ProgramDialect,
}

/// The targets for which the compilers of a dialect bind parameters.
pub fn targets(dialect: ProgramDialect) -> &'static [Target] {
    match dialect {
        ProgramDialect::Dxc => &[Target::D3d12, Target::Vulkan],
        ProgramDialect::Slang => &[Target::D3d12, Target::Vulkan, Target::Webgpu],
    }
}

/// What the compilers of a dialect are asked: their convention for a target.
pub fn request(dialect: ProgramDialect, target: Target) -> BindingRequest {
    match dialect {
        ProgramDialect::Dxc => BindingRequest::new(target, Convention::Dxc),
        ProgramDialect::Slang => BindingRequest {
            profile: Some(slang::PROFILE.to_owned()),
            ..BindingRequest::new(target, Convention::Slang)
        },
    }
}

impl BindingCompiler {
    /// The compiler, if it is one that is asked here: DXC, of the version that its convention speaks of, or slangc.
    pub fn of(compiler: Compiler) -> Option<Self> {
        let dialect = match compiler.name() {
            "dxc" => ProgramDialect::Dxc,
            "slangc" => ProgramDialect::Slang,
            _ => return None,
        };
        let service = driver_named(compiler.name()).and_then(|driver| driver.service(&compiler));
        Some(Self { compiler, service, dialect })
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The programs that it takes.
    pub fn dialect(&self) -> ProgramDialect {
        self.dialect
    }

    /// Holds the compiler's convention for a target against what the compiler says of the program.
    ///
    /// # Errors
    /// They do not agree, or the compiler does not answer.
    pub fn compare(&self, target: Target, program: &RandomProgram) -> Result<BindingAgreement, BindingDisagreement> {
        match self.dialect {
            ProgramDialect::Dxc => dxc::compare(self, target, program),
            ProgramDialect::Slang => slang::compare(self, target, program),
        }
    }

    /// The registers that DXC gives with these arguments in `folder`; the inner error is the text of its refusal.
    ///
    /// # Errors
    /// The compiler does not answer, or says nothing of registers.
    pub fn registers(&self, folder: &Path, arguments: &[&str]) -> Result<Result<Vec<Binding>, String>, String> {
        match self.dialect {
            ProgramDialect::Dxc => dxc::registers(self, folder, arguments),
            ProgramDialect::Slang => Err("slangc lists no registers".to_owned()),
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
