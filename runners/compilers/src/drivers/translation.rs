//! The second step of translators: a compiler brings their text to a form that devices take.

use layoutproof_device::{Shader, ShaderForm};
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, CompiledShader, Report};

use super::command_line::{BadOutput, CommandLine, read_module};
use super::dxc::{self, DxilFiles};
use super::{glslang, metal};
use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;

/// The name of the entry point in a translator's text.
pub(super) enum EntryName {
    /// As in the module.
    Kept,
    /// `main`.
    Main,
}

/// The command line for the text that a translator writes; `None` if it is the last step.
pub(super) fn of_text(request: &CompileRequest<'_>, entry: &EntryName) -> Option<CommandLine> {
    request.toolchain.second_compiler?;
    let (source, arguments, read): (&str, _, fn(&CompileFolder, &ProcessOutput) -> _) = match request.toolchain.output {
        ShaderForm::Spirv => ("translated.comp", glslang::translated("translated.comp", request), read_module),
        ShaderForm::ClangIr => return Some(metal::command_line()),
        ShaderForm::Dxil | ShaderForm::Dxbc | ShaderForm::Wgsl => {
            let mut arguments = dxc::translated("translated.hlsl", request);
            if let EntryName::Main = entry {
                arguments.push(format!("-Dmain={}", request.entry));
            }
            ("translated.hlsl", arguments, read_listing)
        }
    };
    Some(CommandLine { source: source.to_owned(), arguments, headers: &[], second: None, read })
}

/// Reads DXC's listing of a translator's HLSL. The names in it are the translator's, so it is no report about the
/// author's names.
fn read_listing(folder: &CompileFolder, finished: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    let DxilFiles { listing, container } = dxc::read_dxil(folder, finished)?;
    let shader = Shader::DxilListing(listing);
    Ok(CompileOutcome::Compiled(CompiledShader { shader, container, report: Report::None }))
}
