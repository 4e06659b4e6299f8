//! naga as a compiler of GLSL: it is built in, so there is no command line.

use layoutproof_core::inspect::naga_offsets::{NagaError, spirv_of_glsl};
use layoutproof_core::inspect::toolchain::{Compilation, CompileRequest, Report};
use layoutproof_device::Shader;

use super::made;

/// The compiler's name.
pub(super) const NAME: &str = "naga-glsl";

/// naga asserts in its writers what its validator does not check; a panic is that compiler's answer, not the run's end.
pub(super) fn compile(request: &CompileRequest<'_>) -> Compilation {
    match std::panic::catch_unwind(|| spirv_of_glsl(&request.source.text, request.entry)) {
        Ok(Ok(words)) => made(Shader::Spirv(words), Report::None),
        Ok(Err(NagaError::NoSpirv(reason))) => Compilation::Broken(format!("naga writes no SPIR-V: {reason}")),
        Ok(Err(refused)) => Compilation::Refused(refused.to_string()),
        Err(_) => Compilation::Broken("naga panics".to_owned()),
    }
}
