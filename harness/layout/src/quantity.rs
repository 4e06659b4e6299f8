//! The quantities that witnesses report about a path in a block.

use serde::{Deserialize, Serialize};
use strum::Display;

/// A quantity that a witness reports about a path: an offset, a size, a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Quantity {
    Offset,
    ArrayStride,
    MatrixStride,
    Size,
    Alignment,
    Binding,
    Guard,
    /// The element count of a trailing array without a length, in the bound range of the buffer.
    ArrayLength,
}
