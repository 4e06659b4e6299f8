//! The quantities that witnesses state about a path in a block.

use serde::{Deserialize, Serialize};

/// A quantity that a witness states about a path: an offset, a size, a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the contract's words")]
pub enum Quantity {
    Offset,
    ArrayStride,
    MatrixStride,
    Size,
    Alignment,
    Binding,
    Guard,
    /// Elements of the array without a length that ends a block, in the range that is bound.
    ArrayLength,
}
