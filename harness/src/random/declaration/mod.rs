//! Random and exhaustive declarations over the whole type space.
//!
//! A [`TypeSpace`] in, [`Declaration`]s out: [`Declarations::nth`] draws one of a seed, [`exhaustive()`] lists all of a set of
//! members. [`Declaration::text`] is what compilers read. [`search`] asks a caller's function which of them differ and
//! [`shrink`]s what it finds; [`Seen`] counts what a set of them holds. Nothing here compiles, lays out or runs anything.

pub mod exhaustive;
mod fits;
mod generate;
mod place;
mod reduce;
mod search;
mod seen;
mod shape;
mod space;
mod text;
mod tree;

pub use exhaustive::exhaustive;
pub use search::{Found, SHRINK_CALLS, Shrunk, search, shrink};
pub use seen::{Seen, SeenLeaf};
pub use shape::{BlockForm, Declaration, Member, MemberType, Place, Struct};
pub use space::{Feature, TypeSpace};
pub use tree::{DeclarationTree, Declarations};

#[cfg(test)]
mod tests;
