//! The part of `layoutproof show` that prints bindings.

use anyhow::bail;
use layoutproof_bindings::BindingRequest;
use layoutproof_show::RuleSetLayouts;
use layoutproof_show::bindings_text::rows;
use layoutproof_show::show_json::Shown;

use crate::args::placement::NamedConvention;
use crate::commands::show::args::ShowArgs;
use crate::commands::show::formats::{FormatKind, ShownInput};

/// The JSON output: the bindings of the requests, and the layouts of the rule sets that the user
/// names.
pub(crate) fn shown(input: &ShownInput<'_>) -> Shown {
    let layouts = input.layouts.iter().map(RuleSetLayouts::shown).collect();
    let Some((request, column)) = input.requests.first().zip(input.placements.columns.first()) else {
        return Shown::layouts(input.word, layouts);
    };
    let named = NamedConvention { convention: request.convention, version: request.version.clone() };
    let convention = named.to_string();
    let mut shown = Shown::bindings(input.word, request.target.as_str(), &convention, rows(column));
    if let Some(entry) = &column.entry {
        shown.entry = Some(entry.name.clone());
        shown.unused.clone_from(&entry.unused);
    }
    shown.layouts = input.has_named_rules.then_some(layouts);
    shown
}

/// Checks that the output format can show the requested placements.
///
/// # Errors
/// A message if it cannot.
pub(crate) fn check_format(args: &ShowArgs, requests: &[BindingRequest]) -> anyhow::Result<()> {
    match (args.format.kind(), requests) {
        (_, []) | (FormatKind::Tables, _) | (FormatKind::Data, [_]) => Ok(()),
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
