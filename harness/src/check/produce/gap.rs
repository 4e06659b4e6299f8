//! Why a part of a check has no shader, and whether another machine could have one.

use crate::results::record::REFUSED_BY;

/// Why a block, a leaf or an entry point has no shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// A lowercase fragment.
    pub reason: String,
    /// Where the reason lies.
    pub cause: GapCause,
}

/// Where the reason for a [`Gap`] lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapCause {
    /// In the declarations, the rule set or the shading language: no machine and no build of a compiler has such a shader.
    Language,
    /// In a compiler that refused, or in code that this program cannot follow.
    Tool,
}

impl Gap {
    /// A gap that lies in the language.
    pub fn language(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cause: GapCause::Language }
    }

    /// A gap that lies in a tool.
    pub fn tool(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cause: GapCause::Tool }
    }

    /// True if a compiler refused the declarations in its own words.
    pub fn is_refusal(&self) -> bool {
        self.reason.starts_with(REFUSED_BY)
    }
}
