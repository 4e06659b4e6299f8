//! Random and exhaustive declarations over the whole type space.
//!
//! A [`TypeSpace`] in, [`Declaration`]s out: [`Declarations::nth`] draws one of a seed, [`exhaustive()`] lists all of a set of
//! members. [`Declaration::text`] is what compilers read. [`search`] asks a caller's function which of them differ and
//! [`shrink`]s what it finds; [`Seen`] counts what a set of them holds; [`MemberShape`]s are what lists of known differences
//! call their members. Nothing here compiles, lays out or runs anything.

mod coverage_tally;
pub mod exhaustive;
mod feature;
mod generate;
mod member_shape;
mod place;
mod reduce;
mod search;
mod shape;
mod space;
mod text;
mod tree;
mod validity;

pub use coverage_tally::{Seen, SeenLeaf};
pub use exhaustive::exhaustive;
pub use feature::Feature;
pub use member_shape::MemberShape;
pub use search::{Found, SHRINK_CALLS, Shrunk, search, shrink};
pub use shape::{BlockForm, Declaration, Member, MemberType, Place, Struct};
pub use space::TypeSpace;
pub use tree::{DeclarationTree, Declarations};

#[cfg(test)]
mod tests;
