//! The bindings of parameters according to each requested convention.

use layoutproof_layout::native::Native;
use layoutproof_layout::{ShaderCompiler, ShaderTarget, Span};

use super::findings::parameter_limits;
use crate::bindings_text::BindingsColumn;
use layoutproof_bindings::options::BindingOptions;
use layoutproof_bindings::{BindingPlace, BindingRequest, bind, chosen_entry};
use layoutproof_core::check::Source;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The results of all requested conventions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placements {
    /// One per convention that places the parameters.
    pub columns: Vec<BindingsColumn>,
    /// The refusals of the other conventions.
    pub refused: Vec<Diagnostic>,
    /// Limits of the conventions' compilers that parameters exceed although they have a binding.
    pub limits: Vec<Diagnostic>,
}

impl Placements {
    /// Applies every convention. If there are several, a refusal names its convention.
    pub fn of(source: &Source, requests: &[BindingRequest]) -> Self {
        let mut placements = Self::default();
        for request in requests {
            let column = request.column();
            if let Some(native) = Native::of_column(column) {
                placements.limits.extend(parameter_limits(source, native, &column.to_string()));
            }
            match bind(&source.module, request) {
                Ok(bound) => {
                    let entry = chosen_entry(&source.module, request, &bound);
                    let overlaps = bound.overlaps(is_flat(request));
                    let registers_are_bindings =
                        column.target == ShaderTarget::Vulkan && column.compiler == Some(ShaderCompiler::Dxc);
                    let mut shown = BindingsColumn::new(column, bound, entry, overlaps);
                    shown.declare(&source.module, registers_are_bindings);
                    placements.columns.push(shown);
                }
                Err(found) if requests.len() == 1 => placements.refused.extend(found),
                Err(found) => placements.refused.extend(
                    found
                        .into_iter()
                        .map(|refusal| Diagnostic { message: format!("{column}: {}", refusal.message), ..refusal }),
                ),
            }
        }
        placements
    }

    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        let bound = self.columns.iter().flat_map(|column| &column.bound.warnings).cloned();
        let overlaps = self.columns.iter().flat_map(|column| overlap_warnings(column, self.columns.len() > 1));
        bound.chain(overlaps).chain(self.limits.iter().cloned())
    }
}

/// True if an array has a separate binding for each element.
fn is_flat(request: &BindingRequest) -> bool {
    BindingOptions::parse(&request.options).is_ok_and(|options| options.flatten)
}

/// The overlaps of a column about which its convention does not warn itself.
fn overlap_warnings(column: &BindingsColumn, names_column: bool) -> Vec<Diagnostic> {
    let bound = &column.bound;
    let is_known = |span: Span| {
        let mut known = bound.warnings.iter().filter(|warning| warning.code == Code::BindingOverlap);
        known.any(|warning| warning.labels.iter().any(|label| label.span == span))
    };
    let unknown =
        column.overlaps.iter().map(|overlap| (&bound.bindings[overlap.first], &bound.bindings[overlap.second]));
    let unknown = unknown.filter(|(first, second)| !is_known(first.span) && !is_known(second.span));
    let warnings = unknown.map(|(first, second)| {
        let in_column = if names_column { format!(" ({})", column.name) } else { String::new() };
        let place = BindingPlace::from(second);
        let message = format!("`{}` at {place} shares its place with `{}`{in_column}", second.path, first.path);
        let warning =
            Diagnostic::warning(Code::BindingOverlap, second.span, message).with_label(first.span, "the other one");
        let warning = Diagnostic { concerns: vec![column.name.clone()], ..warning };
        match column.shifts.get(&second.path) {
            Some(option) => {
                warning.with_help(format!("registers of all classes are bindings of one set: {option} moves this one"))
            }
            None => warning,
        }
    });
    warnings.collect()
}
