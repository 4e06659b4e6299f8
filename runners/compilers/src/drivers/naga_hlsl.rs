//! Drives naga for Direct3D 12: it writes HLSL from WGSL, and DXC compiles that.

use layoutproof_device::Shader;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::module_reader::{ModuleReader, wgsl_to_hlsl};
use layoutproof_readers::naga_offsets::NagaError;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, CompiledShader, Report, Toolchain};

use super::command_line::{BadOutput, CommandLine, SOURCE};
use super::dxc::{self, DxilFiles};
use super::{CompileMethod, CompilerDriver, Translation};
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::programs::ProgramLookup;

const NAGA: &str = "naga-d3d12";

/// The HLSL that naga writes.
const TRANSLATED: &str = "translated.hlsl";

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
    let second = CommandLine {
        source: TRANSLATED.to_owned(),
        arguments: dxc::translated(TRANSLATED, request),
        header: None,
        second: None,
        read: read_listing,
    };
    Ok(Translation { source: format!("{SOURCE}.wgsl"), text, second })
}

/// Reads DXC's listing of naga's HLSL. The names in it are naga's, so it is no report about the
/// author's names.
fn read_listing(folder: &CompileFolder, finished: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let DxilFiles { listing, container } = dxc::read_dxil(folder, finished)?;
    let shader = Shader::DxilListing(listing);
    Ok(CompileOutcome::Compiled(CompiledShader { shader, container, report: Report::None }))
}
