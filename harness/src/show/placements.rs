//! Where parameters are bound, by each convention that is asked.

use crate::bindings::{BindingRequest, bind};
use crate::check::Source;
use crate::input::diagnostics::Diagnostic;
use crate::report::bindings_text::BindingsColumn;

/// The answers of all conventions that were asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placements {
    /// One per convention that answers.
    pub columns: Vec<BindingsColumn>,
    /// The refusals of the other conventions.
    pub refused: Vec<Diagnostic>,
}

impl Placements {
    /// Asks every convention; a refusal names the convention where there are several.
    pub fn of(source: &Source, requests: &[BindingRequest]) -> Self {
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
    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        self.columns.iter().flat_map(|column| column.bound.warnings.iter().cloned())
    }
}
