//! The columns of `layoutproof show`: shipping targets or rule sets, each with every block.
//!
//! The command makes them, [`super::struct_text`] draws them.

use crate::show_json::ShownBlock;

/// A column of the table: a shipping target, or a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumn {
    /// Heading: `D3D12 · DXC`, `std140`.
    pub name: String,
    /// All blocks in declaration order. Every column has the same blocks.
    pub blocks: Vec<ShownColumnBlock>,
}

/// A block under one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnBlock {
    /// The block with its members.
    pub shown: ShownBlock,
    /// `None` for an unbounded or forbidden block.
    pub padding: Option<PaddingShare>,
    pub presence: BlockPresence,
}

/// Padding of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddingShare {
    /// Bytes that no scalar owns.
    pub bytes: u32,
    /// In percent of the block.
    pub percent: u32,
}

/// The relation of a column to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPresence {
    /// The column shows the block or its refusal.
    Present,
    /// The column's compiler has no such block.
    Absent,
    /// This rule set is not used for such blocks, and the user did not request it.
    Irrelevant,
}
