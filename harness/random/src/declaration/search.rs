//! Searches for a declaration that differs.

use std::ops::Range;

use proptest::strategy::ValueTree;

use super::shape::RandomDeclaration;
use super::tree::Declarations;
use crate::shrink::{SHRINK_CALLS, Shrunk, shrink};

/// The first declaration for which the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingDeclaration {
    pub index: u64,
    /// The declaration as drawn.
    pub drawn: RandomDeclaration,
    /// The declaration after shrinking.
    pub shrunk: Shrunk<RandomDeclaration>,
}

/// Returns the first of these declarations that differs, shrunk with at most [`SHRINK_CALLS`]
/// calls; `None` if none differs.
pub fn search(
    declarations: &Declarations,
    seed: u64,
    numbers: Range<u64>,
    differs: &mut dyn FnMut(&RandomDeclaration) -> bool,
) -> Option<DifferingDeclaration> {
    numbers.into_iter().find_map(|index| {
        let tree = declarations.nth(seed, index);
        let drawn = tree.current();
        differs(&drawn).then(|| DifferingDeclaration { index, drawn, shrunk: shrink(tree, SHRINK_CALLS, differs) })
    })
}
