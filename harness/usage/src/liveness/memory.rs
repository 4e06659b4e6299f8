//! Variables that the compiler may keep in memory, because an index into them is not constant.
//!
//! Then each element that is stored may be kept while any element is read. DXC 1.7.2308 does so for most of them and
//! splits others (structs by their members, arrays that no constant index reads): what only the memory needs is doubtful.
//! The first run of the code finds these variables; the second one gives each a node of everything that is stored there.

use super::graph::NodeId;
use super::value::{Value, all_leaves};
use super::{Liveness, State};
use layoutproof_frontend::module::code::Expression;

/// A variable or a member of one, whichever elements of arrays it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) variable: MemoryRoot,
    pub(super) members: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryRoot {
    /// A local variable of a function.
    Local { function: usize, slot: usize },
    /// `this` in a function.
    This { function: usize },
    /// A `static` variable of the module.
    Static(usize),
}

impl Memory {
    /// True if one is a part of the other.
    fn overlaps(&self, other: &Self) -> bool {
        let length = self.members.len().min(other.members.len());
        self.variable == other.variable && self.members[..length] == other.members[..length]
    }

    /// `name` of this; components of vectors and matrices are no members.
    pub(super) fn take(&mut self, name: &str) {
        let is_swizzle = name.starts_with('_') || name.chars().all(|letter| "xyzwrgba".contains(letter));
        if !is_swizzle {
            self.members.push(name.to_owned());
        }
    }
}

impl<'m> Liveness<'m> {
    /// The variable of which an expression is a part.
    pub(super) fn memory(&self, expression: &Expression) -> Option<Memory> {
        let function = *self.open.last()?;
        let variable = match expression {
            Expression::Local(slot) => MemoryRoot::Local { function, slot: *slot },
            Expression::This => MemoryRoot::This { function },
            Expression::Global(name) => {
                let number = *self.variables.get(name.as_str())?;
                if self.module.variables[number].is_shared {
                    return None;
                }
                MemoryRoot::Static(number)
            }
            Expression::Member(object, name) => {
                let mut memory = self.memory(object)?;
                memory.take(name);
                return Some(memory);
            }
            Expression::Index(object, _) | Expression::Cast(_, object) => return self.memory(object),
            _ => return None,
        };
        Some(Memory { variable, members: Vec::new() })
    }

    /// Notes an index of `expression`.
    pub(super) fn note_index(&mut self, expression: &Expression, index: NodeId) {
        if self.graph.index(index).is_some() {
            return;
        }
        if let Some(memory) = self.memory(expression) {
            if !self.dynamic.contains(&memory) {
                self.dynamic.push(memory);
            }
        }
    }

    /// Notes that `value` is stored.
    pub(super) fn remember(&mut self, memory: &Memory, value: &Value<'m>, state: &State<'m>) {
        let mut nodes = all_leaves(std::slice::from_ref(value));
        if nodes.iter().any(|node| self.graph.varies(*node)) && !self.varying.contains(memory) {
            self.varying.push(memory.clone());
        }
        nodes.extend(&self.path);
        nodes.extend(state.guards.iter().map(|guard| guard.0));
        for (known, node) in &self.memories {
            if known.overlaps(memory) {
                self.graph.add_operands(*node, nodes.iter().copied());
            }
        }
    }

    /// `value`, read from a variable that may be kept in memory.
    pub(super) fn perhaps_in_memory(&mut self, memory: &Memory, value: Value<'m>) -> Value<'m> {
        let known = self.memories.iter().filter(|(known, _)| known.overlaps(memory));
        let nodes: Vec<NodeId> = known.map(|(_, node)| *node).collect();
        let whole = match nodes.as_slice() {
            [] => return value,
            [node] => *node,
            _ => self.graph.computed("whole", nodes),
        };
        let opened = self.graph.open_all(&value);
        self.graph.mapped(&opened, &mut |graph, node| graph.perhaps_unrolled(node, whole))
    }

    /// The variables that a second run keeps in memory: those that hold more than constants.
    pub(super) fn dynamic_memories(&self) -> Vec<Memory> {
        let varies = |memory: &&Memory| self.varying.iter().any(|varying| varying.overlaps(memory));
        self.dynamic.iter().filter(varies).cloned().collect()
    }
}
