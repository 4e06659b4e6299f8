//! Random and exhaustive declarations over the whole type space.
//!
//! A [`TypeSpace`] determines which declarations are possible. [`Declarations::nth`] draws one from
//! a seed, and [`exhaustive()`] lists all of them over a set of members.
//! [`RandomDeclaration::text`] is the text for compilers. A [`DeclarationTree`] shrinks a
//! declaration that differs ([`shrink`](super::shrink::shrink)).
//!
//! [`CellTally`] counts the checks that compilers answered, and [`CellDraws`] draws rare cells more often.
//!
//! Nothing here compiles, lays out or runs anything.

mod coverage_cell;
pub mod exhaustive;
mod feature;
mod generate;
mod place;
mod reduce;
mod shape;
mod space;
mod text;
mod tree;
mod validity;

pub use coverage_cell::{CellDraws, CellTally, CountedCell, DeclarationCell};
pub use exhaustive::exhaustive;
pub use feature::DeclarationFeature;
pub use shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};
pub use space::TypeSpace;
pub use tree::{DeclarationTree, Declarations};

#[cfg(test)]
mod tests;
