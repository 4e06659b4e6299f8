//! Helpers for readers that list all blocks of a module.

use crate::shape::Count;

/// Bytes that the listed blocks of a module may occupy, counting names each time that a path or
/// type repeats them. Blocks share types, and types share long names, so without a limit a few
/// hundred bytes of text or a few thousand words would fill the memory.
pub const LISTED_BYTES: usize = 1 << 24;

/// Bytes that count for a block, member or element, in addition to its names.
const NODE_BYTES: usize = 64;

/// The remaining bytes of [`LISTED_BYTES`].
#[derive(Debug)]
pub struct ListingBudget {
    left: usize,
}

impl Default for ListingBudget {
    fn default() -> Self {
        Self { left: LISTED_BYTES }
    }
}

impl ListingBudget {
    /// Spends the bytes of a node whose names have this many bytes; `None` if too few are left.
    pub fn spend(&mut self, names: usize) -> Option<()> {
        self.left = self.left.checked_sub(NODE_BYTES + names)?;
        Some(())
    }
}

/// The path of a member of the struct at `path`; the block itself has an empty path.
pub fn member_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The name of an array with elements of type `element`; dimensions are outermost first.
pub fn array_name(element: &str, count: Count) -> String {
    let (innermost, inner) = element.split_at(element.find('[').unwrap_or(element.len()));
    format!("{innermost}[{count}]{inner}")
}
