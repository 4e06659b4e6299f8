//! How many layouts one program makes at most.

use layoutproof_layout::Span;

use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A number of layouts that may still be made. Structs of structs double with each level, and each parameter has its
/// own layout, so the limit keeps small texts from making large programs.
#[derive(Debug)]
pub(super) struct LayoutBudget(u32);

impl Default for LayoutBudget {
    fn default() -> Self {
        Self(MOST_LAYOUTS)
    }
}

/// No real program has more types in its parameters, a struct's members counted for each place where it stands.
const MOST_LAYOUTS: u32 = 1 << 18;

impl LayoutBudget {
    /// Counts one more layout at `span`; the first that is too many is a problem, the others are none.
    pub(super) fn spend(&mut self, span: Span) -> Result<(), Option<Diagnostic>> {
        let left = self.0;
        self.0 = left.saturating_sub(1);
        match left {
            0 => Err(None),
            1 => {
                let message = format!("the parameters have more than {MOST_LAYOUTS} members at all depths");
                Err(Some(Diagnostic::error(Code::TooLarge, span, message)))
            }
            _ => Ok(()),
        }
    }
}
