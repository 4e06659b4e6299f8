//! Helpers of the readers that list all blocks of a module: `spirv` and `naga`.

use layoutproof_layout::shape::Count;

/// Bytes that the listed blocks of a module may take, names counted each time that a path or a type repeats them.
/// Without a limit a few hundred bytes of text, or a few thousand words, fill the memory: blocks share types, and types
/// share long names.
pub(super) const LISTED_BYTES: usize = 1 << 24;

/// Bytes that a block, a member or an element counts for beside its names.
const NODE_BYTES: usize = 64;

/// The bytes of [`LISTED_BYTES`] that are left.
pub(super) struct ListingBudget {
    left: usize,
}

impl Default for ListingBudget {
    fn default() -> Self {
        Self { left: LISTED_BYTES }
    }
}

impl ListingBudget {
    /// Takes the bytes of a node with names of so many bytes; `None` if too few are left.
    pub(super) fn spend(&mut self, names: usize) -> Option<()> {
        self.left = self.left.checked_sub(NODE_BYTES + names)?;
        Some(())
    }
}

/// The path of a member of what stands at `path`; the block itself has an empty one.
pub(super) fn member_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The name of an array whose elements are of the type `element`: dimensions stand outermost first.
pub(super) fn array_name(element: &str, count: Count) -> String {
    let (innermost, inner) = element.split_at(element.find('[').unwrap_or(element.len()));
    format!("{innermost}[{count}]{inner}")
}
