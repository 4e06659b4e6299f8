//! The columns of `layoutproof show`: shipping targets or rule sets, each with every block.
//!
//! The command makes them, [`super::struct_text`] draws them.

use crate::show_json::{ShownBlock, ShownLayout};

/// A column of the table: a shipping target, or a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumn {
    /// Heading: `D3D12 · DXC`, `std140`.
    pub name: String,
    /// All blocks in declaration order. Every column has the same blocks.
    pub blocks: Vec<ShownColumnBlock>,
}

impl ShownColumn {
    /// The same blocks for the JSON output.
    pub fn layout(&self) -> ShownLayout {
        let blocks = self.blocks.iter().map(|block| block.shown.clone());
        ShownLayout::of_rules(self.name.clone(), blocks.collect())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnBlock {
    /// The block with its members.
    pub shown: ShownBlock,
    /// `None` for an unbounded or forbidden block.
    pub padding: Option<PaddingShare>,
    pub presence: BlockPresence,
    /// The declaration in the user's words: `StructuredBuffer<Light> lights`; `None` if the text is
    /// not at hand.
    pub declared: Option<String>,
    /// True if D3D counts the block in 16-byte registers (`c0.x`).
    pub has_registers: bool,
    /// Members that take no bytes here because they are bound.
    pub resources: Vec<ResourceMember>,
}

/// A texture, sampler or buffer that is a member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceMember {
    /// The path of its struct; empty for the block itself.
    pub parent: String,
    /// `Texture2D<float4> albedo`.
    pub declaration: String,
}

impl ShownColumnBlock {
    /// A block of which only the numbers are known.
    pub fn new(shown: ShownBlock, presence: BlockPresence) -> Self {
        Self { shown, padding: None, presence, declared: None, has_registers: false, resources: Vec::new() }
    }
}

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
