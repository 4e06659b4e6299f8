//! Identifies an entry of an object by its unit and offset.

use gimli::UnitOffset;

/// An entry of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeKey {
    /// Number of the unit.
    pub(crate) unit: u32,
    /// Offset in the unit.
    pub(crate) entry: u32,
}

/// Converts a stored offset to an offset in a unit.
pub(crate) fn unit_offset(entry: u32) -> UnitOffset {
    UnitOffset(entry as usize)
}
