//! Makes what was drawn as small as it can be while it still differs.
//!
//! What differs is the caller's: two layouts, a compiler and a rule set, a device and an image.

use proptest::strategy::ValueTree;

/// How often is asked at most while something is made smaller.
pub const SHRINK_CALLS: u32 = 200;

/// A differing value after shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk<T> {
    /// The smallest that still differs.
    pub smallest: T,
    /// How often was asked.
    pub calls: u32,
    /// True if everything smaller was tried, so that no call was missing.
    pub is_smallest: bool,
}

/// The smallest value below the tree's that still differs, found with at most `calls` calls of `differs`. The tree's own
/// value differs and is not asked about again.
pub fn shrink<T: ValueTree>(mut tree: T, calls: u32, differs: &mut dyn FnMut(&T::Value) -> bool) -> Shrunk<T::Value> {
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

    Shrunk { smallest, calls: asked, is_smallest: !goes_on }
}
