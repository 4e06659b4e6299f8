//! Shrinks a drawn value while it still differs.
//!
//! The caller defines the difference: between two layouts, a compiler and a rule set, or a device
//! and an image.

use proptest::strategy::ValueTree;

/// Limit on the calls for shrinking one value.
pub const SHRINK_CALLS: u32 = 200;

/// A differing value after shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk<T> {
    /// The smallest value that still differs.
    pub smallest: T,
    /// The number of calls made.
    pub calls: u32,
    /// True if everything smaller was tried, so that more calls would not help.
    pub is_smallest: bool,
}

/// Returns the smallest value below the tree's that still differs, found with at most `calls` calls
/// of `differs`. The tree's own value must differ and is not tested again.
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
