//! The columns of `layoutproof show`: shipping targets or rule sets, each with every block.
//!
//! The command makes them, [`super::struct_text`] draws them.

use std::fmt;

use layoutproof_layout::{Column, DECLARED};

use crate::show_json::ShownBlock;

/// A column of the table: a shipping target, or a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumn {
    pub name: ColumnName,
    /// All blocks in declaration order. Every column has the same blocks.
    pub blocks: Vec<ShownColumnBlock>,
}

/// The name of a column: `D3D12 · DXC`, `std140`, `a.hlsl D3D12 · DXC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnName {
    /// The file, if columns of several files are compared.
    pub file: Option<String>,
    pub layouts: NamedLayouts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedLayouts {
    /// For a target, as its compiler lays blocks out.
    Target {
        column: Column<'static>,
        /// The compiler's build, where the user names one.
        version: Option<String>,
    },
    Rules(String),
    /// At the offsets that a module declares.
    Declared,
}

impl ColumnName {
    pub fn of_target(column: Column<'_>) -> Self {
        let Column { target, compiler, version, variant } = column;
        let version = version.map(str::to_owned);
        let column = Column { target, compiler, version: None, variant };
        Self { file: None, layouts: NamedLayouts::Target { column, version } }
    }

    pub fn of_rules(name: &str) -> Self {
        Self { file: None, layouts: NamedLayouts::Rules(name.to_owned()) }
    }

    pub const DECLARED: Self = Self { file: None, layouts: NamedLayouts::Declared };

    /// The name in two parts, for headings in two lines: `D3D12` and `DXC`. Only a target with a
    /// compiler has the second one.
    pub fn parts(&self) -> (String, Option<String>) {
        let (first, second) = match (&self.layouts, &self.file) {
            (NamedLayouts::Target { column, version }, _) => {
                Column { version: version.as_deref(), ..*column }.title_parts()
            }
            (NamedLayouts::Rules(name), _) => (name.clone(), None),
            // Nothing else distinguishes the layout of such a file.
            (NamedLayouts::Declared, Some(file)) => return (file.clone(), None),
            (NamedLayouts::Declared, None) => (DECLARED.to_owned(), None),
        };
        match &self.file {
            Some(file) => (format!("{file} {first}"), second),
            None => (first, second),
        }
    }
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.parts();
        f.write_str(&first)?;
        second.iter().try_for_each(|second| write!(f, " · {second}"))
    }
}

/// The names in one line.
pub fn joined(names: &[&ColumnName]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnBlock {
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
