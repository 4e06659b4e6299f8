//! The second step of translators: a compiler brings their text to a form that devices take.

use layoutproof_device::{Shader, ShaderForm};
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, CompiledShader, Report, TextLanguage};

use super::command_line::{BadOutput, CommandLine, read_module};
use super::dxc::{self, DxilFiles};
use super::{glslang, metal, slang, tint};
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;

/// The name of the entry point in a translator's text.
#[derive(Clone, Copy)]
pub(super) enum EntryName {
    /// As in the module.
    Kept,
    /// `main`.
    Main,
}

/// The command line for the text that a translator writes; `None` if it is the last step.
pub(super) fn of_text(request: &CompileRequest<'_>, entry: EntryName) -> Option<CommandLine> {
    let text = request.toolchain.text?;
    let file = match text.language {
        TextLanguage::Glsl => "translated.comp",
        TextLanguage::Hlsl => "translated.hlsl",
        TextLanguage::Msl => return Some(metal::command_line()),
        TextLanguage::Wgsl => "translated.wgsl",
    };
    // glslang renames the entry point itself.
    let renamed = matches!(entry, EntryName::Main).then(|| format!("-Dmain={}", request.entry));
    let to_spirv = request.toolchain.output == ShaderForm::Spirv;
    let (mut arguments, renamed, read): (_, _, fn(&CompileFolder, &ProcessOutput) -> _) = match text.compiler {
        "glslang" => (glslang::translated(text.language, entry, request), None, read_module),
        "slangc" => (slang::translated(request), renamed, read_module),
        "tint" => (tint::translated(request), None, read_module),
        _ if to_spirv => (dxc::translated_to_spirv(request), renamed, read_module),
        _ => (dxc::translated(request), renamed, read_listing),
    };
    arguments.extend(renamed);
    arguments.push(file.to_owned());
    Some(CommandLine { source: file.to_owned(), arguments, headers: &[], second: None, read })
}

/// Reads DXC's listing of a translator's HLSL. The names in it are the translator's, so it is no report about the
/// author's names.
fn read_listing(folder: &CompileFolder, finished: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let DxilFiles { listing, container } = dxc::read_dxil(folder, finished)?;
    let shader = Shader::DxilListing(listing);
    Ok(CompileOutcome::Compiled(CompiledShader { shader, container, report: Report::None }))
}
