//! Reads SPIR-V modules: their types with decorations, and their blocks with layouts.
//!
//! `load` checks the words so far that nothing later can fail on their shape, `declarations` reads those that say where
//! data lies even where others are unknown, `types` keeps the types with their
//! explicit layout, [`declared()`] lists the blocks of a module. Nothing that is read here is trusted: modules come
//! from users, compilers and fuzzers.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction" and "Decoration".

mod bound;
mod declarations;
mod declared;
mod decorations;
mod disassembly;
mod load;
mod needs;
mod operands;
mod specialization;
pub(crate) mod types;

pub use bound::{BoundVariable, bound_variables};
pub use declared::{DeclaredBlock, DeclaredModule, SpecializedLength, declared};
pub use disassembly::disassembly;
pub use load::BadModule;
pub(crate) use load::load;
pub use needs::{features_of, without_source};
pub(crate) use operands::Operands;

#[cfg(test)]
mod tests;
