//! Reads SPIR-V modules: their types with decorations, and their blocks with layouts.
//!
//! `load` checks the structure of the words, so that later stages cannot fail on it. `declarations`
//! reads the words that determine where data is, even if others are unknown. `types` stores the
//! types with their explicit layout, and [`declared()`] lists the blocks of a module. No input is
//! trusted: modules come from users, compilers and fuzzers.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction" and
//! "Decoration".

pub mod accesses;
mod component_reads;
mod declarations;
mod declared;
mod decorations;
mod load;
mod needs;
mod of_dxc;
mod specialization;
mod stage_memory;
pub mod types;
mod varyings;
pub mod workgroup_layout;

pub use accesses::alignments::{AddressAlignments, AlignmentPromises, BrokenPromise, alignment_promises};
pub use declared::{
    BoundVariable, DeclaredBlock, DeclaredModule, DeclaredUniform, DeclaredVariable, OpenGlClass, SpecializedLength,
    bound_variables, declared,
};
pub use decorations::struct_names;
pub use load::{BadModule, Operands, disassembly, load};
pub use needs::{features_of, for_devices, target_environment, without_unused_interface};
pub use of_dxc::{ModuleSource, as_hlsl};
pub use varyings::{DeclaredVarying, DrawStage, VaryingDirection};

#[cfg(test)]
mod tests;
