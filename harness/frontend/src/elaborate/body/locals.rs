//! The local names of a body: which of them hide a global one, which are another name for one.

use std::collections::HashMap;

use layoutproof_layout::Span;

use super::value::ValueType;
use crate::module::Step;

/// The meaning of a local name.
#[derive(Clone, Debug)]
pub(super) enum LocalMeaning {
    /// A variable of its own.
    Variable,
    /// The function's parameter of this number, which may be a resource or hold some.
    Parameter(usize),
    /// Another name for this path, with where it is declared.
    Alias(Vec<Step>, Span),
}

/// A local name with its type.
#[derive(Clone, Debug)]
pub(super) struct LocalName {
    pub(super) local: LocalMeaning,
    pub(super) ty: ValueType,
}

/// The names that the parameters and each open block declare.
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    blocks: Vec<Vec<&'t str>>,
    /// The meanings of each name, that of the innermost block last.
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

    /// Declares `name` to the end of the innermost block.
    pub(super) fn declare(&mut self, name: &'t str, local: LocalMeaning, ty: ValueType) {
        self.names.entry(name).or_default().push(LocalName { local, ty });
        if let Some(block) = self.blocks.last_mut() {
            block.push(name);
        }
    }

    /// The meaning of `name` here; `None` if it is not a local name.
    pub(super) fn find(&self, name: &str) -> Option<&LocalName> {
        self.names.get(name)?.last()
    }
}
