//! Explains why a part of a check has no shader, and whether another machine could make one.

use layoutproof_events::Reason;
use layoutproof_layout::ViewId;

/// Why a block, a leaf or an entry point has no shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    pub reason: Reason,
    pub cause: GapCause,
    /// The block that it is about; `None` for the whole source.
    pub view: Option<ViewId>,
}

/// The cause of a [`Gap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapCause {
    /// The declarations, the rule set or the shading language: no machine and no compiler build can
    /// make such a shader.
    Language,
    /// A compiler that refused, or code that this program cannot follow.
    Tool,
}

impl Gap {
    /// Makes a gap with the cause [`GapCause::Language`].
    pub fn language(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), cause: GapCause::Language, view: None }
    }

    /// Makes a gap with the cause [`GapCause::Tool`].
    pub fn tool(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), cause: GapCause::Tool, view: None }
    }

    /// Returns true if a compiler refused the declarations.
    pub fn is_refusal(&self) -> bool {
        self.reason.is_refusal()
    }
}
