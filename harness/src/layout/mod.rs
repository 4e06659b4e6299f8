//! Byte layout: blocks in, offsets, sizes and strides out, under a named rule set.
//!
//! [`rules`] is the table of rule sets, [`walk`] the one walk that applies a row, [`explicit`] places `packoffset` and
//! `[[vk::offset]]`, [`tree`] is the result. Registers, spaces and bindings are not decided here.

pub mod tree;

pub use tree::{BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf, MemberRow, Refusal};

use serde::{Deserialize, Serialize};

use crate::scalar::SixteenBit;
use crate::shape::MatrixOrder;

/// What the command line or the case says about a whole layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LayoutOptions {
    /// Order of matrices that declare none.
    pub matrix: MatrixOrder,
    /// Size of `half` and promoted minimum-precision types.
    pub sixteen_bit: SixteenBit,
}
