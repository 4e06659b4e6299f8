//! Random and exhaustive declarations over the whole type space.
//!
//! A [`TypeSpace`] determines which declarations are possible. [`Declarations::nth`] draws one from
//! a seed, and [`exhaustive()`] lists all of them over a set of members.
//! [`RandomDeclaration::text`] is the text for compilers. [`search`] finds a declaration that
//! differs according to the caller's function and shrinks it ([`shrink`](super::shrink::shrink)).
//!
//! [`CoverageTally`] counts the coverage of a set of declarations, [`CellTally`] counts the checks
//! that compilers answered, and [`CellDraws`] draws rare cells more often. [`MemberShape`]s are the
//! words for members in the lists of known differences; [`shapes_of_block`] finds them in other
//! blocks.
//!
//! Nothing here compiles, lays out or runs anything.

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
