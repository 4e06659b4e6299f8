//! What the input of `show` and `diff` can be bound to.

use anyhow::bail;
use layoutproof_bindings::BindingRequest;
use layoutproof_layout::ShaderTarget;
use layoutproof_show::front_ends::TextFrontEnd;
use layoutproof_show::{InputContent, ShowInput};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::commands::show::args::ShowArgs;
use crate::commands::show::bindings::check_format;
use crate::commands::show::formats::FormatKind;
use crate::output::warn;

/// The binding requests of the arguments; empty if the user names no target.
pub(crate) fn binding_requests(input: &ShowInput, word: &str, args: &ShowArgs) -> anyhow::Result<Vec<BindingRequest>> {
    let requests = match &input.content {
        InputContent::Declared(source) => {
            let takes_bindings = matches!(args.format.kind, FormatKind::Tables | FormatKind::Data);
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
            let shows_bindings =
                !args.placement.target.is_empty() && matches!(args.format.kind, FormatKind::Tables | FormatKind::Data);
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
