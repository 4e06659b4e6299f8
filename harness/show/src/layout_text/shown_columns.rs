//! The columns of `layoutproof show`: shipping targets or rule sets, each with every block.
//!
//! The command makes them, [`super::struct_text`] draws them.

use std::fmt;

use layoutproof_layout::{Column, DECLARED, MemberRow, ViewId, join};

use crate::show_json::ShownBlock;

/// A column of the table: a shipping target, or a rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumn {
    pub name: ColumnName,
    /// The blocks in declaration order.
    pub blocks: Vec<ShownColumnBlock>,
}

impl ShownColumn {
    pub fn block(&self, view: ViewId) -> Option<&ShownColumnBlock> {
        self.blocks.iter().find(|block| block.shown.view == view)
    }
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
    pub name: String,
    /// `Texture2D<float4> albedo`.
    pub declaration: String,
}

impl ResourceMember {
    pub fn path(&self) -> String {
        if self.parent.is_empty() { self.name.clone() } else { join(&self.parent, &self.name) }
    }
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
    /// The memory is there, and its members have no offsets.
    Unplaced,
    /// This rule set is not used for such blocks, and the user did not request it.
    Irrelevant,
}

/// A block with the layouts of all columns.
#[derive(Debug)]
pub struct MergedBlock<'a> {
    /// The different layouts, in the order of the first column of each.
    pub columns: Vec<MergedColumn<'a>>,
    /// The columns without a layout that do not forbid the block.
    pub lacking: Vec<LackingColumns<'a>>,
    pub forbidden: Vec<ForbiddenBlock<'a>>,
    /// The block from any column that has it.
    pub block: &'a ShownBlock,
    /// Its declaration in the user's words.
    pub declared: Option<&'a str>,
}

/// Columns that lay out a block the same way.
#[derive(Clone, Debug)]
pub struct MergedColumn<'a> {
    /// At least one.
    pub names: Vec<&'a ColumnName>,
    /// Their layout.
    pub block: &'a ShownColumnBlock,
}

/// Columns that have no layout of a block, for one reason.
#[derive(Debug, PartialEq, Eq)]
pub struct LackingColumns<'a> {
    /// `no such block`, `no offsets (the driver chooses)`.
    pub reason: &'a str,
    pub names: Vec<&'a ColumnName>,
}

impl LackingColumns<'_> {
    /// `no such block in: WebGPU · Slang`. The only column of a module has no name.
    pub fn sentence(&self) -> String {
        let mut sentence = self.start();
        if self.has_names() {
            sentence += &joined(&self.names);
        }
        sentence
    }

    pub fn has_names(&self) -> bool {
        self.names != [&ColumnName::DECLARED]
    }

    /// The part before the names.
    pub fn start(&self) -> String {
        if self.has_names() { format!("{} in: ", self.reason) } else { self.reason.to_owned() }
    }
}

#[derive(Debug)]
pub struct ForbiddenBlock<'a> {
    pub name: &'a ColumnName,
    pub block: &'a ShownBlock,
}

impl<'a> MergedBlock<'a> {
    /// Every block of the columns, in the order of the first column that has it.
    pub fn all(columns: &'a [ShownColumn]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for column in columns {
            for block in &column.blocks {
                let at = all.iter().position(|merged| merged.block.view == block.shown.view).unwrap_or_else(|| {
                    let (block, declared) = (&block.shown, block.declared.as_deref());
                    all.push(Self { columns: Vec::new(), lacking: Vec::new(), forbidden: Vec::new(), block, declared });
                    all.len() - 1
                });
                all[at].add(&column.name, block);
            }
        }
        all
    }

    /// True if no column has anything to say about the block.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.lacking.is_empty() && self.forbidden.is_empty()
    }

    /// True if columns have a member or an element at different bytes. Bytes after the last member, which only some count
    /// into the size, are no difference.
    pub fn differs(&self) -> bool {
        let has_moved =
            |pair: &[MergedColumn<'_>]| !have_same_places(&pair[0].block.shown.members, &pair[1].block.shown.members);
        self.columns.windows(2).any(has_moved) || has_several_strides(&self.columns)
    }

    /// True if the tables of both blocks would be equal.
    pub fn has_same_layouts(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&MergedColumn<'_>, &MergedColumn<'_>)| {
            let (block, twin) = (&one.block.shown, &other.block.shown);
            one.names == other.names
                && (block.size, block.stride, &block.members) == (twin.size, twin.stride, &twin.members)
                && one.block.resources == other.block.resources
                && one.block.has_registers == other.block.has_registers
        };
        let has_only_layouts = |block: &Self| block.forbidden.is_empty() && !block.columns.is_empty();
        has_only_layouts(self)
            && has_only_layouts(other)
            && self.lacking == other.lacking
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(is_same)
    }

    fn lack(&mut self, reason: &'a str, name: &'a ColumnName) {
        match self.lacking.iter_mut().find(|columns| columns.reason == reason) {
            Some(columns) => columns.names.push(name),
            None => self.lacking.push(LackingColumns { reason, names: vec![name] }),
        }
    }

    fn add(&mut self, name: &'a ColumnName, block: &'a ShownColumnBlock) {
        match block.presence {
            BlockPresence::Irrelevant => {}
            BlockPresence::Absent => self.lack("no such block", name),
            BlockPresence::Unplaced => {
                self.lack(block.shown.errors.first().map_or("no layout", |refusal| &refusal.message), name);
            }
            BlockPresence::Present if !block.shown.errors.is_empty() => {
                self.forbidden.push(ForbiddenBlock { name, block: &block.shown });
            }
            BlockPresence::Present => {
                if !block.shown.forbidden.is_empty() {
                    self.forbidden.push(ForbiddenBlock { name, block: &block.shown });
                }
                match self.columns.iter_mut().find(|column| is_alike(&column.block.shown, &block.shown)) {
                    Some(column) => column.names.push(name),
                    None => self.columns.push(MergedColumn { names: vec![name], block }),
                }
            }
        }
    }
}

pub(super) fn has_several_strides(columns: &[MergedColumn<'_>]) -> bool {
    columns.windows(2).any(|pair| pair[0].block.shown.stride != pair[1].block.shown.stride)
}

/// True if two columns would have the same numbers in every row.
fn is_alike(one: &ShownBlock, other: &ShownBlock) -> bool {
    (one.size, one.stride) == (other.size, other.stride) && have_same_places(&one.members, &other.members)
}

/// True if the members and their elements are at the same bytes. Equal sizes are not enough: a
/// transposed matrix may have the same size.
pub(crate) fn have_same_places(one: &[MemberRow], other: &[MemberRow]) -> bool {
    let is_alike = |one: &MemberRow, other: &MemberRow| {
        one.path == other.path
            && (one.offset, one.size, one.bit_offset) == (other.offset, other.size, other.bit_offset)
            && (one.array_stride, &one.array_strides, one.matrix_vectors())
                == (other.array_stride, &other.array_strides, other.matrix_vectors())
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_alike(one, other))
}
