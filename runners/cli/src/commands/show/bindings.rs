//! The part of `layoutproof show` that prints bindings.

use anyhow::bail;
use layoutproof_bindings::{BindingRequest, Convention};
use layoutproof_layout::{DECLARED, ShaderTarget};
use layoutproof_show::bindings_text::{BindingsColumn, rows};
use layoutproof_show::front_ends::TextFrontEnd;
use layoutproof_show::show_json::{Shown, ShownPlacement};
use layoutproof_show::{InputContent, LaidOutFile, RuleSetLayouts, ShowInput};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::args::placement::NamedConvention;
use crate::commands::show::args::ShowArgs;
use crate::commands::show::formats::{FormatKind, ShownInput};
use crate::output::warn;

/// The JSON output: the bindings of the requests, and the layouts of the rule sets or targets that
/// the user names.
pub(crate) fn shown(input: &ShownInput<'_>) -> Shown {
    without_account(input).with_account(input.account.clone())
}

fn without_account(input: &ShownInput<'_>) -> Shown {
    let layouts: Vec<_> = input.layouts.iter().map(RuleSetLayouts::shown).collect();
    let columns = &input.placements.columns;
    let states_bindings = columns.iter().any(|column| column.answered_by.is_none())
        && matches!(input.input.content, InputContent::LaidOut(_));
    let placed: Vec<ShownPlacement> = match &input.input.content {
        InputContent::LaidOut(_) => columns.iter().map(stated).collect(),
        InputContent::Declared(_) => input.requests.iter().zip(columns).map(placement).collect(),
    };
    let mut shown = match placed.as_slice() {
        [] => return Shown::layouts(input.word, layouts),
        [one] => Shown::bindings(input.word, one),
        _ => Shown::placements(input.word, placed),
    };
    shown.layouts = (input.has_selected_layouts || states_bindings).then_some(layouts);
    shown
}

/// The bindings that the file states, which no compiler and no convention places, or those of the compiler that reads it.
fn stated(column: &BindingsColumn) -> ShownPlacement {
    let (compiler, convention, read_by) = match &column.answered_by {
        None => (DECLARED.to_owned(), DECLARED.to_owned(), None),
        Some((compiler, version)) => {
            let convention = Convention::of(*compiler).map_or(compiler.to_string(), |own| own.to_string());
            (compiler.to_string(), convention, Some(format!("{compiler} {version}")))
        }
    };
    let (entry, unused) = column.entry.as_ref().map(|entry| (entry.name.clone(), entry.unused.clone())).unzip();
    ShownPlacement {
        target: column.target.as_str().to_owned(),
        compiler,
        convention,
        read_by,
        bindings: rows(column),
        entry,
        unused: unused.unwrap_or_default(),
    }
}

fn placement((request, column): (&BindingRequest, &BindingsColumn)) -> ShownPlacement {
    let named = NamedConvention { convention: request.convention, version: request.version.clone() };
    let (entry, unused) = column.entry.as_ref().map(|entry| (entry.name.clone(), entry.unused.clone())).unzip();
    ShownPlacement {
        target: request.target.as_str().to_owned(),
        compiler: request.convention.compiler().to_string(),
        convention: named.to_string(),
        read_by: None,
        bindings: rows(column),
        entry,
        unused: unused.unwrap_or_default(),
    }
}

/// Checks that the output format can show the requested placements.
pub(crate) fn check_format(args: &ShowArgs, requests: &[BindingRequest]) -> anyhow::Result<()> {
    match (args.format.kind, requests) {
        (_, []) | (FormatKind::Tables, _) | (FormatKind::Data, [_]) => Ok(()),
        (FormatKind::Data, _) if args.placement.convention.is_empty() => Ok(()),
        (FormatKind::Data, _) => bail!("JSON output is for one convention: name one with --convention"),
        (FormatKind::Drawing, _) => {
            bail!("pages and pictures show no bindings: --target works with the formats text and json")
        }
        (FormatKind::LlvmTypes, _) => {
            bail!("layout types show no bindings: --target works with the formats text and json")
        }
        (FormatKind::HostStructs, _) => {
            bail!("host structs show no bindings: --target works with the formats text and json")
        }
    }
}

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
    let own = match (input.language, &input.content) {
        (Some(language), _) => TextFrontEnd::of(language).own_targets(),
        (None, InputContent::LaidOut(LaidOutFile { bindings: Some(_), api, .. })) => api.as_slice(),
        (None, InputContent::LaidOut(_) | InputContent::Declared(_)) => &[],
    };
    args.placement.target.iter().all(|choice| choice.variant.is_none() && own.contains(&choice.target))
}
