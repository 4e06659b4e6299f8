//! Drives naga as a compiler from GLSL to SPIR-V. It is built in, so there is no command line.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use layoutproof_device::Shader;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::caught;
use layoutproof_readers::naga_offsets::{NagaError, spirv_of_glsl};
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Report, Toolchain};

use super::command_line::{SOURCE, made};
use super::{CompileMethod, CompilerDriver, DirectCompiler};
use crate::programs::ProgramLookup;

#[derive(Debug)]
pub(super) struct NagaDriver;

impl CompilerDriver for NagaDriver {
    fn name(&self) -> &'static str {
        "naga-glsl"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::Calls(|_| Some(Arc::new(NagaDriver)))
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::glsl()
    }
}

impl DirectCompiler for NagaDriver {
    fn compile(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<CompileOutcome> {
        fs::write(folder.join(format!("{SOURCE}.comp")), &request.source.text)?;
        // naga's writers assert what its validator does not check. Such a panic is the compiler's
        // answer and must not end the run.
        let compiled = caught(|| spirv_of_glsl(&request.source.text, request.entry));
        Ok(match compiled {
            Some(Ok(words)) => made(Shader::Spirv(words), Report::None),
            Some(Err(NagaError::NoSpirv(reason))) => CompileOutcome::Failed(format!("naga writes no SPIR-V: {reason}")),
            Some(Err(refused)) => CompileOutcome::Rejected(refused.to_string()),
            None => CompileOutcome::Failed("naga panics".to_owned()),
        })
    }
}
