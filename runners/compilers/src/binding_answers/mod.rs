//! Compares the bindings that compilers choose for a program's parameters with a convention.
//!
//! `layoutproof fuzz --bindings` does this with random programs, and so do tests. `dxc` and `slang`
//! read the compiler's output: a table in DXIL, decorations in SPIR-V, a reflection.

mod compared;
mod dxc;
mod slang;

use std::path::Path;
use std::time::Duration;

use layoutproof_bindings::{Binding, BindingRequest, Convention, Target};
use layoutproof_core::random::{ProgramDialect, RandomProgram};

use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::driver_named;
use crate::service::CompileService;

/// The way in which a convention and a compiler agree on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingAgreement {
    /// Both place every parameter alike.
    Placed,
    /// Both refuse the program.
    Refused,
}

/// The reason why a convention and a compiler do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingDisagreement {
    /// Their answers differ; the text shows both.
    Differs(String),
    /// The compiler returned no answer, or an unreadable one, for this reason.
    Broken(String),
}

/// A compiler that reports where it binds parameters.
#[derive(Debug)]
pub struct BindingCompiler {
    compiler: Compiler,
    /// Avoids a compiler start for each program.
    service: Option<Box<dyn CompileService>>,
    dialect: ProgramDialect,
}

/// The targets for which a dialect's compilers bind parameters.
pub fn targets(dialect: ProgramDialect) -> &'static [Target] {
    match dialect {
        ProgramDialect::Dxc => &[Target::D3d12, Target::Vulkan],
        ProgramDialect::Slang => &[Target::D3d12, Target::Vulkan, Target::Webgpu],
    }
}

/// The request for a dialect's compilers: their convention for a target.
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
    /// Wraps a compiler that can be compared: slangc, or DXC in the version that the convention
    /// describes.
    pub fn of(compiler: Compiler) -> Option<Self> {
        let dialect = match compiler.name() {
            "dxc" => ProgramDialect::Dxc,
            "slangc" => ProgramDialect::Slang,
            _ => return None,
        };
        let service = driver_named(compiler.name()).and_then(|driver| driver.service(&compiler));
        Some(Self { compiler, service, dialect })
    }

    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The programs that the compiler accepts.
    pub fn dialect(&self) -> ProgramDialect {
        self.dialect
    }

    /// Compares the compiler's convention for a target with the compiler's answer for the program.
    ///
    /// # Errors
    /// They do not agree, or the compiler does not answer.
    pub fn compare(&self, target: Target, program: &RandomProgram) -> Result<BindingAgreement, BindingDisagreement> {
        match self.dialect {
            ProgramDialect::Dxc => dxc::compare(self, target, program),
            ProgramDialect::Slang => slang::compare(self, target, program),
        }
    }

    /// Returns the registers that DXC assigns with these arguments in `folder`. The inner error is
    /// the text of its refusal.
    ///
    /// # Errors
    /// The compiler does not answer, or reports no registers.
    pub fn registers(&self, folder: &Path, arguments: &[&str]) -> Result<Result<Vec<Binding>, String>, String> {
        match self.dialect {
            ProgramDialect::Dxc => dxc::registers(self, folder, arguments),
            ProgramDialect::Slang => Err("slangc lists no registers".to_owned()),
        }
    }

    /// Runs the compiler with these arguments in `folder`, through its service if it has one.
    fn ask(&self, folder: &Path, arguments: &[&str]) -> CompilerAnswer {
        let limit: Duration = self.compiler.limit();
        match &self.service {
            Some(service) => self.compiler.answer(service.run(folder, arguments, limit)),
            None => self.compiler.ask(folder, arguments),
        }
    }
}

/// Compares the answers of a compiler under Wine for all programs, in one process; see
/// [`BindingCompiler::compare`].
///
/// # Errors
/// The compiler does not run under Wine.
pub fn compare_on_windows(
    dxc: &Compiler,
    programs: &[RandomProgram],
) -> Result<Vec<Result<BindingAgreement, BindingDisagreement>>, String> {
    dxc::compare_on_windows(dxc, programs)
}
