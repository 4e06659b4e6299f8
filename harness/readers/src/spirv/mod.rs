//! Reads SPIR-V modules: their types with decorations, and their blocks with layouts.
//!
//! `load` checks the structure of the words, so that later stages cannot fail on it. `declarations`
//! reads the words that determine where data is, even if others are unknown. `types` stores the
//! types with their explicit layout, and [`declared()`] lists the blocks of a module. No input is
//! trusted: modules come from users, compilers and fuzzers.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction" and
//! "Decoration".

mod bound;
mod declarations;
mod declared;
mod decorations;
mod disassembly;
mod load;
mod needs;
mod operands;
mod specialization;
pub mod types;

pub use bound::{BoundVariable, bound_variables};
pub use declared::{DeclaredBlock, DeclaredModule, SpecializedLength, declared};
pub use disassembly::disassembly;
pub use load::BadModule;
pub use load::load;
pub use needs::{features_of, without_source};
pub use operands::Operands;

#[cfg(test)]
mod tests;
