//! The part of `layoutproof show` that prints bindings.

use anyhow::bail;
use layoutproof_bindings::BindingRequest;
use layoutproof_show::Placements;
use layoutproof_show::bindings_text::rows;
use layoutproof_show::show_json::{Shown, ShownLayout};

use crate::args::placement::NamedConvention;
use crate::commands::show::args::{ShowArgs, ShowFormat};

/// The JSON output: the bindings of the requests, and the layouts of the rule sets that the user
/// names.
pub(crate) fn shown(
    placements: &Placements,
    input: &str,
    requests: &[BindingRequest],
    layouts: Vec<ShownLayout>,
    has_named_rules: bool,
) -> Shown {
    let Some((request, column)) = requests.first().zip(placements.columns.first()) else {
        return Shown::layouts(input, layouts);
    };
    let named = NamedConvention { convention: request.convention, version: request.version.clone() };
    let convention = named.to_string();
    let mut shown = Shown::bindings(input, request.target.as_str(), &convention, rows(column));
    if let Some(entry) = &column.entry {
        shown.entry = Some(entry.name.clone());
        shown.unused.clone_from(&entry.unused);
    }
    shown.layouts = has_named_rules.then_some(layouts);
    shown
}

/// Checks that the output format can show the requested placements.
///
/// # Errors
/// A message if it cannot.
pub(crate) fn check_format(args: &ShowArgs, requests: &[BindingRequest]) -> anyhow::Result<()> {
    match (args.format, requests) {
        (_, []) | (ShowFormat::Text, _) | (ShowFormat::Json, [_]) => Ok(()),
        (ShowFormat::Json, _) => bail!("JSON output is for one convention: name one with --convention"),
        (ShowFormat::Html | ShowFormat::Svg, _) => {
            bail!("pages and pictures show no bindings: --target works with the formats text and json")
        }
        (ShowFormat::Llvm | ShowFormat::LlvmLayout, _) => {
            bail!("layout types show no bindings: --target works with the formats text and json")
        }
        (ShowFormat::RustAsserts | ShowFormat::CppAsserts | ShowFormat::CAsserts, _) => {
            bail!("host structs show no bindings: --target works with the formats text and json")
        }
    }
}
