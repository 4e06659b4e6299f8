//! Numbers of types and of layouts.

/// Number of a type in [`crate::HostTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostTypeId(pub(crate) u32);

/// Number of a layout. Two types with the same number have the same bytes, member names and scalar
/// classes.
///
/// Type names, spellings of scalars, typedefs, targets of pointers and declaration places do not
/// count, because compilers spell them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostLayoutId(pub(crate) u32);
