//! Byte layouts of shader parameters: types, rule sets, and the place of each member in a block.
//!
//! This crate depends on no parser, compiler or device, so an engine can use it alone. Describe a
//! struct, pick a rule set from the table, and ask for offsets in bytes:
//!
//! ```
//! use layoutproof_layout::{Block, Member, Scalar::Float32, StructType, Type, find};
//!
//! let light = StructType::new(
//!     "Light",
//!     [Member::new("color", Type::vector(Float32, 3)), Member::new("power", Float32)],
//! );
//! let scene = StructType::new(
//!     "Scene",
//!     [Member::new("exposure", Float32), Member::new("lights", Type::array(light, 4))],
//! );
//! let std140 = find("std140").expect("the table has std140");
//! let layout = std140.lay_out(&Block::uniform("scene", scene))?;
//!
//! assert_eq!(layout.size.finite(), Some(80));
//! assert_eq!(layout.offset_of("lights[1].power"), Some(44));
//! # Ok::<(), layoutproof_layout::LayoutError>(())
//! ```
//!
//! [`table()`] lists the rule sets; [`rules`] documents their columns. [`RuleSet::lay_out`] and
//! [`lay_out`] apply one: `walk` measures types and keeps its state in `walk_state`, `slots` lists
//! the members that a struct places, `place` puts them one after the other, `bits` packs bit-fields
//! into storage units, `explicit` reads `packoffset` and `[[vk::offset]]`, and `forbid` finds
//! declarations that the rule set does not allow. [`tree`] holds the result; `views` flattens it to
//! rows and to scalars, and [`LaidOut::offset_of`] looks up one path.
//! [`native`] names the rule set that each compiler implies, [`mod@column`] the compilers and targets as people do, and [`limits`] the blocks that a
//! compiler rejects. [`mutate`] makes wrong rule sets, to test that the cases notice them.
//! [`argument_buffer`] has the bytes of resources in Metal's argument buffers.
//! [`padding`] finds the bytes that a layout loses between members, and [`reorder`] finds an order
//! that loses fewer. [`LayoutUnit`] names every kind of space that a parameter can use; this crate
//! decides bytes, not registers, spaces or bindings.
#![forbid(unsafe_code)]

pub mod alignment;
mod annotations;
pub mod argument_buffer;
mod bits;
mod block;
mod block_rules;
pub mod column;
mod component_reads;
mod explicit;
mod forbid;
pub mod limits;
pub mod listing;
mod matrix;
mod measured;
pub mod mutate;
pub mod native;
mod numbers;
mod offset_of;
mod overlap;
pub mod padding;
mod place;
mod quantity;
pub mod reorder;
pub mod resource;
mod rule_choice;
pub mod rules;
pub mod scalar;
pub mod shape;
mod slots;
mod span;
pub mod table;
pub mod tree;
mod unit;
mod views;
mod walk;
mod walk_state;

pub use annotations::{Annotations, Argument, Attribute, LayoutQualifier, PackOffset, Register, RegisterClass};
pub use block::{Block, BlockKind, MixedGlobals, NO_OFFSETS, Pointer, PointerPlace, Reach, StageData, ViewId};
pub use block_rules::BlockRules;
pub use column::{Column, LayoutVariant, ShaderCompiler, ShaderTarget, TargetChoice};
pub use component_reads::{ComponentReads, Components, MemberReads};
pub use numbers::{Numbers, join, without_indices};
pub use quantity::Quantity;
pub use rule_choice::RuleChoice;
pub use rules::{DECLARED, RuleSet};
pub use scalar::Scalar;
pub use shape::{Count, EnumType, MatrixOrder, Member, StructType, Type};
pub use span::{FileId, Span};
pub use table::{find, table};
pub use tree::{
    BitRange, BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, LayoutError, LayoutWarning,
    LayoutWarningKind, Leaf, LeafStep, MemberRow, Refusal, Refusals,
};
pub use unit::{LayoutUnit, Usage};
pub use views::{ElementChoice, MAX_LEAVES, UNSIZED_ELEMENTS};
pub use walk::{MAX_TYPES, lay_out};

use serde::{Deserialize, Serialize};

use crate::scalar::SixteenBit;

/// Options of a whole layout, from the command line or the case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LayoutOptions {
    /// The order of matrices that declare none.
    pub matrix: MatrixOrder,
    /// Selects the size of `half` and of promoted minimum-precision types.
    pub sixteen_bit: SixteenBit,
    /// slangc's `-msvc-style-bitfield-packing`: only types of one size share a unit, and the first field has its most
    /// significant bits. Rule sets of other compilers do not follow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub msvc_bit_fields: bool,
}

#[cfg(test)]
mod tests;
