//! Drives naga as a translator from SPIR-V: to WGSL, to GLSL that glslang compiles, and to HLSL that DXC compiles.

use layoutproof_device::Shader;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_readers::naga_translation::{NotTranslated, translated};
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Report, TextLanguage, Toolchain};

use super::command_line::{MODULE, made};
use super::translation::{self, EntryName};
use super::{CompileMethod, CompilerDriver, Translation};
use crate::programs::ProgramLookup;

#[derive(Debug)]
pub(super) struct NagaTranslatorDriver;

impl CompilerDriver for NagaTranslatorDriver {
    fn name(&self) -> &'static str {
        "naga"
    }

    fn programs(&self) -> &'static [ProgramLookup] {
        &[]
    }

    fn method(&self) -> CompileMethod {
        CompileMethod::Translates(translate)
    }

    fn type_space(&self, _: &Toolchain) -> TypeSpace {
        TypeSpace::glsl()
    }
}

fn translate(request: &CompileRequest<'_>, _: &dyn ModuleReader) -> Result<Translation, CompileOutcome> {
    let language = request.toolchain.text_language().unwrap_or(TextLanguage::Wgsl);
    let entry_name = if language == TextLanguage::Glsl { EntryName::Main } else { EntryName::Kept };
    let text = translated(request.words, request.entry, language).map_err(|error| match error {
        NotTranslated::Refused(message) => CompileOutcome::Rejected(message),
        NotTranslated::Panicked => CompileOutcome::Failed("naga panics".to_owned()),
    })?;
    match translation::of_text(request, entry_name) {
        Some(second) => Ok(Translation { source: MODULE.to_owned(), text, second }),
        // It needs no second compiler.
        None => Err(made(Shader::Wgsl(text), Report::None)),
    }
}
