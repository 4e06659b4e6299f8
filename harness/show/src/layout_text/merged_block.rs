//! One block under all columns of `show`; columns with the same layout are merged.

use layoutproof_layout::MemberRow;

use super::shown_columns::{BlockPresence, ColumnName, ShownColumn, ShownColumnBlock};
use crate::show_json::ShownBlock;

/// A block with the layouts of all columns.
#[derive(Debug)]
pub struct MergedBlock<'a> {
    /// The different layouts, in the order of the first column of each.
    pub columns: Vec<MergedColumn<'a>>,
    /// Columns whose compiler has no such block.
    pub absent: Vec<&'a ColumnName>,
    pub forbidden: Vec<ForbiddenBlock<'a>>,
    /// The block from any column that has it.
    pub block: Option<&'a ShownBlock>,
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

#[derive(Debug)]
pub struct ForbiddenBlock<'a> {
    pub name: &'a ColumnName,
    pub block: &'a ShownBlock,
}

impl<'a> MergedBlock<'a> {
    pub fn of(columns: &'a [ShownColumn], index: usize) -> Self {
        let any = columns.iter().find_map(|column| column.blocks.get(index));
        let (block, declared) = (any.map(|any| &any.shown), any.and_then(|any| any.declared.as_deref()));
        let mut merged = Self { columns: Vec::new(), absent: Vec::new(), forbidden: Vec::new(), block, declared };
        for column in columns {
            let Some(block) = column.blocks.get(index) else { continue };
            merged.add(&column.name, block);
        }
        merged
    }

    /// True if no column has anything to say about the block.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.absent.is_empty() && self.forbidden.is_empty()
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
            && self.absent == other.absent
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(is_same)
    }

    fn add(&mut self, name: &'a ColumnName, block: &'a ShownColumnBlock) {
        match block.presence {
            BlockPresence::Irrelevant => {}
            BlockPresence::Absent => self.absent.push(name),
            BlockPresence::Present if !block.shown.errors.is_empty() => {
                self.forbidden.push(ForbiddenBlock { name, block: &block.shown });
            }
            BlockPresence::Present => {
                match self.columns.iter_mut().find(|column| is_alike(&column.block.shown, &block.shown)) {
                    Some(column) => column.names.push(name),
                    None => self.columns.push(MergedColumn { names: vec![name], block }),
                }
            }
        }
    }
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
