//! Compares structs of a host program with the shader blocks that they fill.
//!
//! [`ProgramStruct`] is a struct as its compiler laid it out, which the caller reads from debug
//! information; a [`BlockLayout`](layoutproof_layout::BlockLayout) is a block under one rule set.
//! `flatten_program` and `flatten_block` turn both into lanes (scalars with their bytes), and
//! [`compare()`] finds the differences: first by bytes, then by names; [`compare_and_advise`] also the changes of the
//! host struct that mend them. [`arrivals`] does the same
//! from the offsets that a device read. [`matching`] finds the struct for each block, and
//! [`block_parts`] the structs in a block that can have one. This module reads no files.
#![forbid(unsafe_code)]

mod advice;
mod arrival;
mod block_part;
mod compare;
mod comparison;
mod flat_struct;
mod flatten_block;
mod flatten_program;
pub mod matching;
mod member_pairs;
mod member_trial;
mod mismatch;
mod names;
mod open_end;
mod places;
mod program_struct;
mod relayout;
mod repair;
pub mod shader_comment;
mod size_rules;
mod vector_types;
mod written;

pub use advice::repaired;
pub use arrival::{Arrivals, LeafHome, ObservedLeaf, StrayLeaf, arrivals};
pub use block_part::{BlockPart, block_parts, has_data, has_members_of, part_of_host, part_path, shares_a_member};
pub use compare::{CompareOptions, ShaderBlock, compare, compare_and_advise};
pub use comparison::{ByteRun, ComparedRow, Comparison, RowSide, RowState, SideMember};
pub use layoutproof_source::sources::LinePlace;
pub use member_trial::{MemberFit, MemberSketch};
pub use mismatch::{Mismatch, MismatchKind, Remark, SizeContract, StridedThing, TargetPlace};
pub use places::{TextPlaces, member_places};
pub use program_struct::{
    LaneClass, POINTER, ProgramBits, ProgramContract, ProgramField, ProgramScalar, ProgramShape, ProgramStruct,
    is_reserved_name,
};
pub use repair::{Declaration, DeclaredElement, HostSyntax, Repair, RepairStep};
pub use size_rules::{SIZE_RULES, SizeNeed, SizeRule};
pub use vector_types::{VectorType, VectorTypeRow, VectorTypes};
pub use written::{WrittenBy, WrittenRules, as_written, element_of_collection};

#[cfg(test)]
mod tests;
