//! Drives naga for Direct3D 12: it writes HLSL from WGSL, and DXC compiles that.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::module_reader::{ModuleReader, wgsl_to_hlsl};
use layoutproof_readers::naga_offsets::NagaError;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Toolchain};

use super::command_line::SOURCE;
use super::translation::{self, EntryName};
use super::{CompileMethod, CompilerDriver, Translation};
use crate::programs::ProgramLookup;

const NAGA: &str = "naga-d3d12";

/// naga's HLSL writer, followed by DXC.
#[derive(Debug)]
pub(super) struct NagaHlslDriver;

impl CompilerDriver for NagaHlslDriver {
    fn name(&self) -> &'static str {
        NAGA
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::Translates(translate)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::wgsl()
    }
}

fn translate(request: &CompileRequest<'_>, reader: &dyn ModuleReader) -> Result<Translation, CompileOutcome> {
    let text = wgsl_to_hlsl(reader, &request.source.text, request.entry)
        .map_err(|failure| CompileOutcome::Failed(failure.to_string()))?
        .map_err(|error| match error {
            NagaError::Unreadable(_) | NagaError::Invalid(_) | NagaError::NoHlsl(_) => {
                CompileOutcome::Rejected(error.to_string())
            }
            NagaError::NoSpirv(_) | NagaError::NoGlsl(_) | NagaError::UnknownGlsl(_) => {
                CompileOutcome::Failed(error.to_string())
            }
        })?;
    let second = translation::of_text(request, EntryName::Kept).expect("its row has a second compiler");
    Ok(Translation { source: format!("{SOURCE}.wgsl"), text, second })
}
