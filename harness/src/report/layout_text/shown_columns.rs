//! The columns of `layoutproof show`: targets that ship or rule sets, each with every block.
//!
//! The command makes them, [`super::struct_text`] draws them.

use crate::report::formats::show_json::ShownBlock;

/// A column of the table: a target that ships, or a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumn {
    /// Heading: `D3D12 · DXC`, `std140`.
    pub name: String,
    /// All blocks in declaration order; the blocks of all columns are the same ones.
    pub blocks: Vec<ShownColumnBlock>,
}

/// A block under one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnBlock {
    /// The block with its members.
    pub shown: ShownBlock,
    /// What of it is padding; `None` for a block without end, and for one that is forbidden.
    pub padding: Option<PaddingShare>,
    /// Whether the column is about such blocks.
    pub presence: BlockPresence,
}

/// Padding of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddingShare {
    /// Bytes that no scalar owns.
    pub bytes: u32,
    /// Their share of the block in percent.
    pub percent: u32,
}

/// Whether a column is about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPresence {
    /// It is: the block is shown, or refused.
    Present,
    /// The column's compiler has no such block.
    Absent,
    /// Nobody lays such a block out so, and nobody asked.
    Irrelevant,
}
