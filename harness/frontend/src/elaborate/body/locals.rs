//! The local names of a body, which may hide a global name or be an alias of one.

use std::collections::HashMap;

use layoutproof_layout::Span;

use super::value::ValueType;
use crate::module::Step;

/// The meaning of a local name.
#[derive(Clone, Debug)]
pub(super) enum LocalMeaning {
    /// An ordinary variable.
    Variable,
    /// The function's parameter with this index, which may be a resource or contain some.
    Parameter(usize),
    /// An alias of this path, with the place of its declaration.
    Alias(Vec<Step>, Span),
}

/// A local name with its type.
#[derive(Clone, Debug)]
pub(super) struct LocalName {
    pub(super) local: LocalMeaning,
    pub(super) ty: ValueType,
}

/// The names declared by the parameters and by each open block.
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    blocks: Vec<Vec<&'t str>>,
    /// The meanings of each name, the innermost block's last.
    names: HashMap<&'t str, Vec<LocalName>>,
}

impl<'t> Locals<'t> {
    pub(super) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            self.names.entry(name).or_default().pop();
        }
    }

    /// Declares `name` until the end of the innermost block.
    pub(super) fn declare(&mut self, name: &'t str, local: LocalMeaning, ty: ValueType) {
        self.names.entry(name).or_default().push(LocalName { local, ty });
        if let Some(block) = self.blocks.last_mut() {
            block.push(name);
        }
    }

    /// Returns the meaning of `name` here, or `None` if it is not a local name.
    pub(super) fn find(&self, name: &str) -> Option<&LocalName> {
        self.names.get(name)?.last()
    }
}
