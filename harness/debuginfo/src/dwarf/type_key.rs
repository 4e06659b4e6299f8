//! Entries of an object by unit and offset.

use gimli::UnitOffset;

/// An entry of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeKey {
    /// Number of the unit.
    pub(crate) unit: u32,
    /// Offset in the unit.
    pub(crate) entry: u32,
}

/// Makes an offset in a unit of a stored one.
pub(crate) fn unit_offset(entry: u32) -> UnitOffset {
    UnitOffset(entry as usize)
}
