//! What the index keeps of one unit.

use crate::index::UnitEntry;

/// Named types of one unit, by ascending offset.
#[derive(Debug, Default)]
pub(crate) struct UnitNames {
    pub(crate) entries: Vec<UnitEntry>,
    /// Offsets of templates whose arguments are not part of their names (Clang's `-gsimple-template-names`).
    pub(crate) bare_templates: Vec<u32>,
    /// True if there is an entry beside the unit's own.
    pub(crate) has_types: bool,
}
