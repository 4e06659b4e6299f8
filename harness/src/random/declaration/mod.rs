//! Random and exhaustive declarations over the whole type space.
//!
//! A [`TypeSpace`] says which declarations are possible. [`Declarations::nth`] draws one from a seed, [`exhaustive()`]
//! lists all of a set of members. [`RandomDeclaration::text`] is what compilers read. [`search`] asks a caller's
//! function which of them differ and makes small what it finds ([`shrink`](super::shrink::shrink)); [`CoverageTally`] counts
//! what a set of them holds, [`CellTally`] what compilers were asked of it, and [`CellDraws`] draws what is rare more often;
//! [`MemberShape`]s are what lists of known differences call their members, and [`shapes_of_block`] those of other blocks. Nothing here compiles, lays out or runs anything.

mod coverage_cell;
mod coverage_tally;
pub mod exhaustive;
mod feature;
mod generate;
mod member_shape;
mod of_block;
mod place;
mod reduce;
mod search;
mod shape;
mod space;
mod text;
mod tree;
mod validity;

pub use coverage_cell::{CellDraws, CellTally, CountedCell, DeclarationCell};
pub use coverage_tally::{CoverageTally, LeafCategory};
pub use exhaustive::exhaustive;
pub use feature::DeclarationFeature;
pub use member_shape::MemberShape;
pub use of_block::shapes_of_block;
pub use search::{DifferingDeclaration, search};
pub use shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};
pub use space::TypeSpace;
pub use tree::{DeclarationTree, Declarations};

#[cfg(test)]
mod tests;
