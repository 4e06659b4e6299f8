//! Where a variable is in the whole program: its offset and those of everything that encloses it, added up.
//!
//! Source: Slang user guide, Using the Reflection API, Calculating Cumulative Offsets.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

use crate::tree::{UnitOffset, VariableLayout};

/// The variables from the program's scope down to the one whose parts are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessPath<'a> {
    /// Outermost first.
    nodes: Vec<&'a VariableLayout>,
    /// How many nodes stand outside the deepest buffer's or block's contents: up to that buffer or block itself.
    outside_container: usize,
    /// The same for the deepest parameter block that has a space of its own.
    outside_block: usize,
}

impl<'a> AccessPath<'a> {
    /// The path to what is inside `variable`.
    pub(super) fn to(&self, variable: &'a VariableLayout) -> Self {
        let mut path = self.clone();
        path.nodes.push(variable);
        path
    }

    /// This path, which ends with a buffer or block, as the path to `container`, what the buffer or block takes for
    /// itself: the constant buffer of a block that has a space is in that space.
    pub(super) fn into_container(mut self, container: &VariableLayout) -> Self {
        if container.layout.usage.get(LayoutUnit::Space) != Count::Finite(0) {
            self.outside_block = self.nodes.len();
        }
        self
    }

    /// This path, which ends with a buffer or block, as the path to what the buffer or block holds.
    pub(super) fn into_content(self, container: &VariableLayout) -> Self {
        Self { outside_container: self.nodes.len(), ..self.into_container(container) }
    }

    /// Where `offset`, which is relative to the end of this path, is in the program.
    pub(super) fn cumulative(&self, offset: UnitOffset) -> UnitOffset {
        match counting(offset.unit) {
            CountingBase::Buffer => self.nodes[self.outside_container..].iter().copied().fold(offset, add),
            CountingBase::Space => {
                let (outer, inner) = self.nodes.split_at(self.outside_block);
                let mut sum = inner.iter().copied().fold(offset, add);
                sum.space = outer.iter().fold(sum.space, |space, node| space.saturating_add(spaces(node)));
                sum
            }
            CountingBase::Program => self.nodes.iter().copied().fold(offset, add),
        }
    }
}

/// From where a unit counts.
enum CountingBase {
    /// From the start of the enclosing buffer.
    Buffer,
    /// From the start of a space.
    Space,
    /// From the start of the program's own.
    Program,
}

fn counting(unit: LayoutUnit) -> CountingBase {
    if unit == LayoutUnit::Bytes {
        CountingBase::Buffer
    } else if unit.has_space() {
        CountingBase::Space
    } else {
        CountingBase::Program
    }
}

/// `sum` and the offset of `node` in the same unit.
fn add(sum: UnitOffset, node: &VariableLayout) -> UnitOffset {
    let Some(own) = node.offsets.iter().find(|own| own.unit == sum.unit) else { return sum };
    UnitOffset {
        unit: sum.unit,
        space: sum.space.saturating_add(own.space),
        offset: sum.offset.saturating_add(own.offset),
    }
}

/// How many whole spaces `node` is into what encloses it.
fn spaces(node: &VariableLayout) -> u32 {
    node.offsets.iter().find(|own| own.unit == LayoutUnit::Space).map_or(0, |own| own.offset)
}
