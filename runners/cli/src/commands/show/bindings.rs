//! The part of `layoutproof show` that says where parameters are bound.

use anyhow::bail;
use layoutproof_core::bindings::{BindingRequest, bind};
use layoutproof_core::check::Source;
use layoutproof_core::input::diagnostics::Diagnostic;
use layoutproof_core::report::bindings_text::{BindingsColumn, rows};
use layoutproof_core::report::show_json::{Shown, ShownLayout};

use crate::args::placement::NamedConvention;
use crate::commands::show::args::{ShowArgs, ShowFormat};

/// The answers of all conventions that were asked.
#[derive(Debug, Default)]
pub(crate) struct Placements {
    /// One per convention that answers.
    pub columns: Vec<BindingsColumn>,
    /// The refusals of the other conventions.
    pub refused: Vec<Diagnostic>,
}

impl Placements {
    /// Asks every convention; a refusal names the convention where there are several.
    pub(crate) fn of(source: &Source, requests: &[BindingRequest]) -> Self {
        let mut placements = Self::default();
        for request in requests {
            match bind(&source.module, request) {
                Ok(bound) => placements.columns.push(BindingsColumn { name: request.name(), bound }),
                Err(found) if requests.len() == 1 => placements.refused.extend(found),
                Err(found) => placements.refused.extend(found.into_iter().map(|refusal| Diagnostic {
                    message: format!("{}: {}", request.name(), refusal.message),
                    ..refusal
                })),
            }
        }
        placements
    }

    /// The warnings of the conventions.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        self.columns.iter().flat_map(|column| column.bound.warnings.iter().cloned())
    }

    /// The JSON answer: bindings where they were asked for, and the layouts of the rule sets that the user names.
    pub(crate) fn shown(
        &self,
        input: &str,
        requests: &[BindingRequest],
        layouts: Vec<ShownLayout>,
        has_named_rules: bool,
    ) -> Shown {
        let Some((request, column)) = requests.first().zip(self.columns.first()) else {
            return Shown::layouts(input, layouts);
        };
        let named = NamedConvention { convention: request.convention, version: request.version.clone() };
        let convention = named.to_string();
        let mut shown = Shown::bindings(input, request.target.as_str(), &convention, rows(&column.bound));
        shown.layouts = has_named_rules.then_some(layouts);
        shown
    }
}

/// Checks that the output format can hold the placements that the user asks for.
///
/// # Errors
/// A sentence where they cannot.
pub(crate) fn check_format(args: &ShowArgs, requests: &[BindingRequest]) -> anyhow::Result<()> {
    match (args.format, requests) {
        (_, []) | (ShowFormat::Text, _) | (ShowFormat::Json, [_]) => Ok(()),
        (ShowFormat::Json, _) => bail!("the JSON answer is that of one convention: name one with --convention"),
        (ShowFormat::Html | ShowFormat::Svg, _) => {
            bail!("pages and pictures say nothing of bindings: --target goes with the formats text and json")
        }
        (ShowFormat::Llvm | ShowFormat::LlvmLayout, _) => {
            bail!("layout types say nothing of bindings: --target goes with the formats text and json")
        }
        (ShowFormat::RustAsserts | ShowFormat::CppAsserts | ShowFormat::CAsserts, _) => {
            bail!("host structs say nothing of bindings: --target goes with the formats text and json")
        }
    }
}
