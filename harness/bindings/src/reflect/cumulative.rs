//! Adds up offsets. The place of a variable in the whole program is its own offset plus those of
//! everything that encloses it.
//!
//! Source: Slang user guide, Using the Reflection API, Calculating Cumulative Offsets.

use layoutproof_layout::LayoutUnit;

use crate::tree::{UnitOffset, VariableLayout};

/// The variables from the program's scope down to the one whose parts are visited.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessPath<'a> {
    /// Outermost first.
    nodes: Vec<&'a VariableLayout>,
    /// Number of nodes outside the contents of the deepest buffer or block: the nodes up to that
    /// buffer or block itself.
    outside_container: usize,
    /// The same for the deepest parameter block with its own space.
    outside_block: usize,
}

impl<'a> AccessPath<'a> {
    /// Returns the path to the inside of `variable`.
    pub(super) fn to(&self, variable: &'a VariableLayout) -> Self {
        let mut path = self.clone();
        path.nodes.push(variable);
        path
    }

    /// Turns this path, which ends with a buffer or block, into the path to `container`, which
    /// holds the units that the buffer or block itself takes. The constant buffer of a block with a
    /// space is in that space.
    pub(super) fn into_container(mut self, container: &VariableLayout) -> Self {
        if container.layout.takes(LayoutUnit::Space) {
            self.outside_block = self.nodes.len();
        }
        self
    }

    /// Turns this path, which ends with a buffer or block, into the path to its content.
    pub(super) fn into_content(self, container: &VariableLayout) -> Self {
        Self { outside_container: self.nodes.len(), ..self.into_container(container) }
    }

    /// Returns the place in the program of `offset`, which is relative to the end of this path.
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

/// The base from which a unit counts.
enum CountingBase {
    /// The start of the enclosing buffer.
    Buffer,
    /// The start of a space.
    Space,
    /// The start of the program's slots.
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

/// Adds the offset of `node` in the same unit to `sum`.
fn add(sum: UnitOffset, node: &VariableLayout) -> UnitOffset {
    let Some(own) = node.offsets.iter().find(|own| own.unit == sum.unit) else { return sum };
    UnitOffset {
        unit: sum.unit,
        space: sum.space.saturating_add(own.space),
        offset: sum.offset.saturating_add(own.offset),
    }
}

/// Returns the offset of `node`, in whole spaces, from its enclosing variable.
fn spaces(node: &VariableLayout) -> u32 {
    node.offsets.iter().find(|own| own.unit == LayoutUnit::Space).map_or(0, |own| own.offset)
}
