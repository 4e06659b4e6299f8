//! Looks for a declaration that differs and makes it as small as it can.
//!
//! What differs is the caller's: two layouts, a compiler and a rule set, a device and an image.

use std::ops::Range;

use proptest::strategy::ValueTree;

use super::shape::RandomDeclaration;
use super::tree::{DeclarationTree, Declarations};

/// How often [`search`] asks while it shrinks.
pub const SHRINK_CALLS: u32 = 200;

/// A differing declaration after shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShrunkDeclaration {
    /// The smallest that still differs.
    pub declaration: RandomDeclaration,
    /// How often was asked.
    pub calls: u32,
    /// True if everything smaller was tried, so that no call was missing.
    pub is_smallest: bool,
}

/// The first declaration for which the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingDeclaration {
    /// Its number.
    pub index: u64,
    /// As it was drawn.
    pub drawn: RandomDeclaration,
    /// Made smaller.
    pub shrunk: ShrunkDeclaration,
}

/// The smallest declaration below the tree's that still differs, found with at most `calls` calls of `differs`. The
/// tree's own declaration differs and is not asked about again.
pub fn shrink(
    mut tree: DeclarationTree,
    calls: u32,
    differs: &mut dyn FnMut(&RandomDeclaration) -> bool,
) -> ShrunkDeclaration {
    let mut smallest = tree.current();
    let mut asked = 0;
    let mut goes_on = tree.simplify();
    while goes_on && asked < calls {
        asked += 1;
        let tried = tree.current();
        if differs(&tried) {
            smallest = tried;
            goes_on = tree.simplify();
        } else {
            goes_on = tree.complicate();
        }
    }

    ShrunkDeclaration { declaration: smallest, calls: asked, is_smallest: !goes_on }
}

/// The first of these declarations that differs, shrunk with at most [`SHRINK_CALLS`] calls; `None` if none does.
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
