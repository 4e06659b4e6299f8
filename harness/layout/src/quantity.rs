//! What can be measured of a path in a block.

use serde::{Deserialize, Serialize};

/// What is measured of a path.
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
