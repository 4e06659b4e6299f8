//! Numbers of types and of layouts.

/// Number of a type in [`crate::HostTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostTypeId(pub(crate) u32);

/// Number of a layout: two types with the same number have the same bytes, member names and scalar classes.
///
/// Names of types, spellings of scalars, typedefs, what pointers point to and declaration places do not count, since
/// compilers spell them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostLayoutId(pub(crate) u32);
