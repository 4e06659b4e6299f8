//! Reads the input of `show` and `diff`.

use anyhow::bail;
use layoutproof_bindings::BindingRequest;
use layoutproof_core::check::Source;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_layout::ShaderTarget;
use layoutproof_show::front_ends::{Purpose, TextFrontEnd};
use layoutproof_show::{InputContent, ShowInput};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::commands::show::args::ShowArgs;
use crate::commands::show::bindings::check_format;
use crate::commands::show::formats::FormatKind;
use crate::output::warn;

/// Reads a file or a case. The inner error holds the problems of its text.
pub(crate) fn read_input(
    word: &str,
    declare: &DeclareArgs,
    profile: Option<&str>,
    purpose: Purpose,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<ShowInput, Vec<Diagnostic>>> {
    let declared = |source| InputContent::Declared(Box::new(source));
    let (language, content) = match InputWord::of(word, declare.lang) {
        InputWord::Shader(file) => (file.front_end.language(), file.read(declare, profile, purpose, sources)?),
        InputWord::CaseFile(path) => {
            let mut cases = Cases::load(&declare.cases)?;
            let id = cases.add_file(&path)?;
            (None, read_case(&cases, &id, sources).map(declared))
        }
        InputWord::Filter(filter) => {
            let cases = Cases::load(&declare.cases)?;
            let id = cases.only(&filter)?;
            (None, read_case(&cases, &id, sources).map(declared))
        }
    };
    let assumes_sixteen_bit = declare.sixteen_bit.is_none();
    Ok(content.map(|content| ShowInput { content, language, assumes_sixteen_bit }))
}

/// The binding requests of the arguments; empty if the user names no target.
pub(crate) fn binding_requests(input: &ShowInput, word: &str, args: &ShowArgs) -> anyhow::Result<Vec<BindingRequest>> {
    let requests = match &input.content {
        InputContent::Declared(source) => {
            let takes_bindings = matches!(args.format.kind(), FormatKind::Tables | FormatKind::Data);
            if !takes_bindings && args.placement.convention.is_empty() {
                // Structs and pictures of the targets' layouts.
                return Ok(Vec::new());
            }
            args.placement.requests(&source.invocation, Some(input.shipped_language(source)))?
        }
        InputContent::LaidOut(file) if args.placement.convention.is_empty() && is_own_target(input, args) => {
            if args.placement.target.iter().any(|choice| choice.target == ShaderTarget::Opengl) {
                warn(
                    "note: in OpenGL these offsets are those of blocks with std140 or std430; the driver lays out the others\n",
                );
            }
            let shows_bindings = !args.placement.target.is_empty()
                && matches!(args.format.kind(), FormatKind::Tables | FormatKind::Data);
            if shows_bindings && file.bindings.is_none() && input.language == Some(ShaderLanguage::Glsl) {
                warn(
                    "note: layoutproof reads the bindings of GLSL through glslang, which was not found, so they are not shown \
                     (`layoutproof setup glslang` fetches one)\n",
                );
            }
            Vec::new()
        }
        InputContent::LaidOut(_) if !args.placement.target.is_empty() => {
            bail!("{word} declares its own bindings: no convention places its parameters")
        }
        InputContent::LaidOut(_) => Vec::new(),
    };
    check_format(args, &requests)?;
    Ok(requests)
}

/// True if each target is one whose language the file is in, so that its layouts are that target's.
fn is_own_target(input: &ShowInput, args: &ShowArgs) -> bool {
    let own: &[ShaderTarget] = match input.language {
        Some(language) => TextFrontEnd::of(language).own_targets(),
        None if matches!(&input.content, InputContent::LaidOut(file) if file.bindings.is_some()) => {
            &[ShaderTarget::Vulkan]
        }
        None => &[],
    };
    args.placement.target.iter().all(|choice| choice.variant.is_none() && own.contains(&choice.target))
}

fn read_case(cases: &Cases, id: &str, sources: &mut SourceMap) -> Result<Source, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let Some(case) = cases.read(&[id.to_owned()], sources, &mut problems).pop() else { return Err(problems) };
    let source = Source::of_case(&case, sources)?;
    source.ok_or_else(|| {
        let message = format!("case {id} expects its declarations to be refused: there is nothing to show");
        vec![Diagnostic::error(Code::BadCase, case.declare, message)]
    })
}
