//! Byte layouts of shader parameters: the types, the rule sets, and where a rule set puts each member of a block.
//!
//! This crate knows no parser, no compiler and no device: an engine can use it alone.
//!
//! [`mod@table`] is the table of rule sets and [`rules`] its columns. [`lay_out`] applies a row: `walk` measures types,
//! `slots` lists what a struct places, `place` puts it one behind the other, `bits` shares storage units between
//! bit-fields, `explicit` reads `packoffset` and `[[vk::offset]]`, `forbid` says what a rule set refuses. [`tree`] is the
//! result, `views` its two flat forms. [`native`] names the rule set that a compiler takes by itself, [`mutate`] makes
//! wrong rows, which the cases must notice; [`padding`] says what a layout loses between members and [`reorder`] which
//! order would lose less. Registers, spaces and bindings are not decided here.
#![forbid(unsafe_code)]

pub mod alignment;
mod annotations;
mod bits;
mod block;
mod block_rules;
mod explicit;
mod forbid;
mod matrix;
mod measured;
pub mod mutate;
pub mod native;
mod numbers;
pub mod padding;
mod place;
mod quantity;
pub mod reorder;
pub mod resource;
pub mod rules;
pub mod scalar;
pub mod shape;
mod slots;
mod span;
pub mod table;
pub mod tree;
mod views;
mod walk;

pub use annotations::{Annotations, Argument, Attribute, LayoutQualifier, PackOffset, Register};
pub use block::{Block, BlockKind};
pub use block_rules::BlockRules;
pub use numbers::{Numbers, join, without_indices};
pub use quantity::Quantity;
pub use rules::{DECLARED, RuleSet};
pub use span::{FileId, Span};
pub use table::{find, table};
pub use tree::{
    BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, LayoutWarning, LayoutWarningKind, Leaf,
    LeafStep, MemberRow, Refusal, Refusals,
};

pub use views::{ElementChoice, MAX_LEAVES, UNSIZED_ELEMENTS};
pub use walk::{MAX_TYPES, lay_out};

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

#[cfg(test)]
mod tests;
