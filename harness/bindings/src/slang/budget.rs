//! Limits the number of layouts that one program makes.

use layoutproof_layout::Span;

use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The number of layouts that may still be made. Structs of structs double with each level, and
/// each parameter has its own layout, so the limit keeps small texts from making large programs.
#[derive(Debug)]
pub(super) struct LayoutBudget(u32);

impl Default for LayoutBudget {
    fn default() -> Self {
        Self(MOST_LAYOUTS)
    }
}

/// No real program has more types in its parameters, even if a struct's members count once for each
/// place that uses the struct.
const MOST_LAYOUTS: u32 = 1 << 18;

impl LayoutBudget {
    /// Counts one more layout at `span`. Only the first layout over the limit is a problem.
    pub(super) fn spend(&mut self, span: Span) -> Result<(), Option<Diagnostic>> {
        let left = self.0;
        self.0 = left.saturating_sub(1);
        match left {
            0 => Err(None),
            1 => {
                let message = format!("the parameters have more than {MOST_LAYOUTS} members, counted at all depths");
                Err(Some(Diagnostic::error(Code::TooLarge, span, message)))
            }
            _ => Ok(()),
        }
    }
}
