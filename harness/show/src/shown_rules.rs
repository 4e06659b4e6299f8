//! The selection of columns: rule sets and compilers' choices.

use std::borrow::Cow;

use layoutproof_layout::native::{Native, natives};
use layoutproof_layout::{Block, Column, RuleSet};

use crate::shown_columns::ColumnName;

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

/// A column that the user names: a rule set, or a compiler's choice.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnChoice {
    pub choice: RuleChoice,
    /// The compiler's build, where the user names one.
    pub version: Option<String>,
}

impl From<RuleChoice> for ShownColumnChoice {
    fn from(choice: RuleChoice) -> Self {
        Self { choice, version: None }
    }
}

impl ShownColumnChoice {
    /// The column's name: of a compiler's choice in the words that people use.
    pub fn column_name(&self) -> ColumnName {
        match self.column() {
            Some(column) => ColumnName::of_target(column),
            None => ColumnName::of_rules(self.choice.name()),
        }
    }

    fn column(&self) -> Option<Column<'_>> {
        let column = self.choice.column()?;
        Some(Column { version: self.version.as_deref().or(column.version), ..column })
    }
}

/// Rule sets for all blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum ShownRules {
    /// The targets that programs in the input's language ship for. Modules that declare their own
    /// offsets have the single column `declared`.
    Shipping,
    /// These, labelled as targets. A block that a compiler lacks is left out of its column.
    Columns(Vec<ShownColumnChoice>),
    /// Every rule set without a dialect. A block that one of them forbids is shown as forbidden.
    Bare,
    /// The rule sets without a dialect that a compiler uses for such a block.
    Relevant,
    /// These, under their own names. A block that a compiler lacks is shown as forbidden.
    Named(Vec<RuleChoice>),
}

/// True if a compiler uses this rule set, or a dialect of it, for such a block.
pub(super) fn is_relevant(rules: &RuleSet, block: &Block) -> bool {
    let bare = |name: &'static str| name.split_once('@').map_or(name, |(bare, _)| bare);
    let takes = |native: &Native| native.rules(block).is_some_and(|taken| bare(taken.name) == rules.name);
    natives().iter().any(takes)
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::{BlockKind, Scalar, Type, find};

    use super::*;

    #[test]
    fn a_structured_buffer_has_nothing_to_do_with_constant_registers() {
        let block = |kind| Block::new("b", kind, Type::Scalar(Scalar::Float32));
        let relevant = |name: &str, kind| is_relevant(find(name).unwrap(), &block(kind));
        assert!(relevant("hlsl-cbuffer", BlockKind::Cbuffer) && relevant("std430", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-cbuffer", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-structured", BlockKind::Cbuffer));
    }
}
