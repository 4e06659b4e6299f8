//! The part of the index that comes from one unit.

use crate::index::UnitEntry;

/// The named types of one unit, by ascending offset.
#[derive(Debug, Default)]
pub(crate) struct UnitNames {
    pub(crate) entries: Vec<UnitEntry>,
    /// Offsets of templates whose arguments are not part of their names (Clang's `-gsimple-template-names`).
    pub(crate) bare_templates: Vec<u32>,
    /// True if the unit has any entry besides its own.
    pub(crate) has_types: bool,
}
