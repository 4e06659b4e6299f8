//! A rule set, or the rule sets that a compiler uses.

use std::borrow::Cow;

use crate::column::Column;
use crate::native::Native;
use crate::{Block, RuleSet};

/// The column for one name of `--rules`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RuleChoice {
    Rules(&'static RuleSet),
    /// For each block, the rule set that this compiler uses by default.
    Native(&'static Native),
}

impl RuleChoice {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules(rules) => rules.name,
            Self::Native(native) => native.name,
        }
    }

    /// The column of a compiler's choice; a rule set belongs to no compiler.
    pub fn column(self) -> Option<Column<'static>> {
        match self {
            Self::Rules(_) => None,
            Self::Native(native) => Some(native.column),
        }
    }

    /// The block that the compiler makes of a block of the source; `None` if it makes none.
    pub fn block(self, block: &Block) -> Option<Cow<'_, Block>> {
        match self {
            Self::Rules(_) => Some(Cow::Borrowed(block)),
            Self::Native(native) => native.block(block),
        }
    }

    /// The rule set for a block; `None` if the compiler has no such block.
    pub fn rules(self, block: &Block) -> Option<&'static RuleSet> {
        match self {
            Self::Rules(rules) => Some(rules),
            Self::Native(native) => native.rules(block),
        }
    }
}
